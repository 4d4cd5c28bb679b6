import type { ByteReader } from '../codec/byte-reader.ts';
import { prefixed, type Codec } from '../codec/codec.ts';
import { cipheredApdu, isCipheredTag } from '../xdlms/ciphered.ts';
import { confirmedServiceError } from '../xdlms/confirmed-service-error.ts';
import { initiateRequest, initiateResponse } from '../xdlms/initiate.ts';

const EXPLAINED: ReadonlyMap<number, Codec<unknown>> = new Map<number, Codec<unknown>>([
  [0x01, initiateRequest],
  [0x08, initiateResponse],
  [0x0e, confirmedServiceError],
]);

/** Decodes the enclosed xDLMS APDU for the field listener. */
function explain(input: ByteReader): void {
  const tag = input.peek();
  const codec = isCipheredTag(tag) ? cipheredApdu : EXPLAINED.get(tag);
  if (codec !== undefined) input.field('xdlms', () => codec.read(input));
}

/**
 * The xDLMS APDU in ACSE user information: initiate or its error, plain or ciphered. The caller handles the outer lengths.
 *
 * ```asn1
 * user-information [30] EXPLICIT Association-information OPTIONAL
 * Association-information ::= OCTET STRING
 * ```
 * @spec GB 9.5
 */
export const userInformation: Codec<Uint8Array> = prefixed(0x04, {
  read: (input) => {
    const size = input.length();
    if (input.listener === undefined) return input.bytes(size);
    const content = input.slice(size);
    const from = content.offset;
    if (content.left > 0) explain(content);
    return content.octets.subarray(from, content.end);
  },
  write: (out, value) => {
    out.length(value.length);
    out.bytes(value);
  },
});
