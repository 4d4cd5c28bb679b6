import type { ByteReader } from '../codec/byte-reader.ts';
import { prefixed, rest, type Codec } from '../codec/codec.ts';

/**
 * A field of a BER sequence: its tag and the codec of its content. Supports the BER subset of ACSE: one-octet tags and definite lengths.
 * @spec GB 9.5 (ACSE-APDU)
 */
export interface BerField<T> {
  tag: number;
  content: Codec<T>;
}

export const berField = <T>(tag: number, content: Codec<T>): BerField<T> => ({ tag, content });

/** A field that this package does not interpret. */
export interface OtherField {
  tag: number;
  content: Uint8Array;
}

type BerValue<S> = { [K in keyof S]?: S[K] extends BerField<infer T> ? T : never };

/** Fields of a BER sequence, all optional, and unknown fields as `others`. */
export type BerSequence<S> = BerValue<S> & { others?: OtherField[] };

/** Orders context-specific fields by number, ignoring the other bits of the tag. */
const byNumber = (a: { tag: number }, b: { tag: number }): number => (a.tag & 0x1f) - (b.tag & 0x1f);

/** A field to write, named or unknown. */
interface WrittenField {
  tag: number;
  name: string | undefined;
  content: Codec<any>; // any: each codec gets the value of the same name
  part: Uint8Array | undefined;
}

/** Reads a field whose tag is already known. */
const afterTag =
  <T>(content: Codec<T>) =>
  (input: ByteReader): T => {
    input.uint8();
    return input.delimited(content.read);
  };
const readOther = afterTag(rest);

/**
 * BER fields up to the end of the input. Deployed peers add fields and change their order, so order is not checked and unknown fields are
 * kept. A repeated field is an error.
 */
export const berFields = <S extends Record<string, BerField<any>>>(shape: S): Codec<BerSequence<S>> => {
  // any: each field's codec is matched to its own value by BerValue.
  const byTag = new Map(Object.entries<BerField<any>>(shape).map(([name, { tag, content }]) => [tag, { name, read: afterTag(content) }]));
  const inOrder = Object.entries<BerField<any>>(shape) // any: as above
    .map(([name, { tag, content }]): WrittenField => ({ tag, name, content, part: undefined }))
    .toSorted(byNumber);
  return {
    read: (input) => {
      const value: Record<string, unknown> = {};
      const others: OtherField[] = [];
      while (input.left > 0) {
        const tag = input.peek();
        const field = byTag.get(tag);
        if (field === undefined) {
          others.push({ tag, content: input.field(`tag${tag}`, readOther) });
        } else {
          if (field.name in value) input.fail({ code: 'BAD_VALUE', reason: 'repeated field' });
          value[field.name] = input.field(field.name, field.read);
        }
      }
      return (others.length === 0 ? value : { ...value, others }) as BerSequence<S>; // as: filled by the shape's own codecs
    },
    write: (out, value) => {
      const others: WrittenField[] =
        value.others?.map(({ tag, content }) => ({ tag, name: undefined, content: rest, part: content })) ?? [];
      const all: readonly WrittenField[] = others.length === 0 ? inOrder : [...inOrder, ...others].toSorted(byNumber);
      for (const { tag, name, content, part } of all) {
        const written = name === undefined ? part : (value as Record<string, unknown>)[name]; // as: looked up by the shape's own names
        if (written === undefined) continue;
        out.uint8(tag);
        out.delimited(content.write, written);
      }
    },
  };
};

/** A value with tag and length. */
export const tagged = <T>(tag: number, inner: Codec<T>): Codec<T> =>
  prefixed(tag, {
    read: (input) => input.delimited(inner.read),
    write: (out, value) => out.delimited(inner.write, value),
  });

/** OCTET STRING with its universal tag. */
export const berOctets: Codec<Uint8Array> = tagged(0x04, rest);

/** INTEGER with its universal tag. Meters write one octet and mean 0 to 255 (unsigned). */
export const berInteger: Codec<number> = tagged(0x02, {
  read: (input) => {
    if (input.left === 0 || input.left > 4) input.fail({ code: 'BAD_LENGTH', length: input.left });
    let value = 0;
    while (input.left > 0) value = value * 256 + input.uint8();
    return value;
  },
  write: (out, value) => {
    if (value > 0xffff) out.uint32(value);
    else if (value > 0xff) out.uint16(value);
    else out.uint8(value);
  },
});

const MAX_ARC = 0x0fff_ffff;

function readArcs(input: ByteReader): number[] {
  const arcs: number[] = [];
  while (input.left > 0) {
    let arc = 0;
    let octet: number;
    do {
      octet = input.uint8();
      arc = arc * 128 + (octet & 0x7f);
      if (arc > MAX_ARC) input.fail({ code: 'BAD_VALUE', reason: 'object identifier too large' });
    } while (octet >= 0x80);
    arcs.push(arc);
  }
  return arcs;
}

/** Content of an OBJECT IDENTIFIER, in dotted form. */
export const objectIdentifier: Codec<string> = {
  read: (input) => {
    const [first, ...more] = readArcs(input);
    if (first === undefined) return input.fail({ code: 'BAD_LENGTH', length: 0 });
    const root = Math.min(2, Math.floor(first / 40));
    return [root, first - root * 40, ...more].join('.');
  },
  write: (out, value) => {
    const [root = 0, second = 0, ...more] = value.split('.').map(Number);
    for (const arc of [root * 40 + second, ...more]) {
      const octets = [arc & 0x7f];
      for (let left = arc >>> 7; left > 0; left >>>= 7) octets.unshift((left & 0x7f) | 0x80);
      out.bytes(Uint8Array.from(octets));
    }
  },
};

/** BIT STRING content of two octets of which only the first bit is used. */
export const firstBit: Codec<boolean> = {
  read: (input) => {
    input.uint8(); // unused bits
    return (input.uint8() & 0x80) !== 0;
  },
  write: (out, value) => {
    out.uint8(7); // unused bits
    out.uint8(value ? 0x80 : 0);
  },
};
