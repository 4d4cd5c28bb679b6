import type { Codec } from '../codec/codec.ts';

/** The logical name of a COSEM object, `A.B.C.D.E.F`. Create it with `obis()` or decode it from six octets. */
export type Obis = string & { readonly __obis: unique symbol };

const SHAPE = /^(?:\d{1,3}\.){5}\d{1,3}$/;

/**
 * Parses a text such as `1.0.1.8.0.255` into canonical form. Throws `RangeError` otherwise, so a mistyped constant fails at module load.
 */
export function obis(text: string): Obis {
  const groups = SHAPE.test(text) ? text.split('.').map(Number) : [];
  if (groups.length !== 6 || groups.some((group) => group > 255)) throw new RangeError(`Not an OBIS code: ${text}`);
  return groups.join('.') as Obis; // as: checked above
}

/** The six octets of an OBIS code. */
export const obisOctets = (code: Obis): Uint8Array => Uint8Array.from(code.split('.'), Number);

const DOT = 0x2e;
const ZERO = 0x30;

/**
 * ```asn1
 * Cosem-Object-Instance-Id ::= OCTET STRING (SIZE(6))
 * ```
 * @spec GB 9.5
 */
export const obisCodec: Codec<Obis> = {
  read: (input) => input.bytes(6).join('.') as Obis, // as: six octets are always an OBIS code
  // Written digit by digit: every request contains a logical name, and `split` would dominate its encoding.
  write: (out, code) => {
    let group = 0;
    for (let i = 0; i < code.length; i++) {
      const digit = code.charCodeAt(i);
      if (digit === DOT) {
        out.uint8(group);
        group = 0;
      } else group = group * 10 + digit - ZERO;
    }
    out.uint8(group);
  },
};
