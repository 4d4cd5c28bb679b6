import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

/** Reads and writes one syntax element. `read` fails with `DecodeError` only. */
export interface Codec<T> {
  read(input: ByteReader): T;
  write(out: ByteWriter, value: T): void;
}

/** The value type of a codec. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** Decodes `octets` as exactly one value; leftover octets are an error. */
export function decode<T>(codec: Codec<T>, octets: Uint8Array): T {
  const input = new ByteReader(octets);
  const value = codec.read(input);
  input.done();
  return value;
}

/** Pool of idle writers: for short messages a new buffer costs more than filling it. */
const spare: ByteWriter[] = [];

export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  // A writer that throws is not returned to the pool, because it holds partial output.
  const out = spare.pop() ?? new ByteWriter();
  codec.write(out, value);
  const octets = out.finish();
  out.reset();
  spare.push(out);
  return octets;
}

export const uint8: Codec<number> = { read: (input) => input.uint8(), write: (out, value) => out.uint8(value) };
export const int8: Codec<number> = { read: (input) => input.int8(), write: (out, value) => out.int8(value) };
export const uint16: Codec<number> = { read: (input) => input.uint16(), write: (out, value) => out.uint16(value) };
export const int16: Codec<number> = { read: (input) => input.int16(), write: (out, value) => out.int16(value) };
export const uint32: Codec<number> = { read: (input) => input.uint32(), write: (out, value) => out.uint32(value) };
export const int32: Codec<number> = { read: (input) => input.int32(), write: (out, value) => out.int32(value) };

/** A-XDR BOOLEAN: any octet but 0 is true. @spec IEC 61334-6 */
export const flag: Codec<boolean> = { read: (input) => input.uint8() !== 0, write: (out, value) => out.uint8(value ? 1 : 0) };

/** A constant octet. */
export const literal = <const N extends number>(octet: N): Codec<N> => ({
  read: (input) => {
    input.expect(octet);
    return octet;
  },
  write: (out) => out.uint8(octet),
});

/** OCTET STRING of a fixed size. */
export const fixedOctets = (size: number): Codec<Uint8Array> => ({
  read: (input) => input.bytes(size),
  write: (out, value) => out.bytes(value),
});

/** OCTET STRING with its length. */
export const octets: Codec<Uint8Array> = {
  read: (input) => input.bytes(input.length()),
  write: (out, value) => {
    out.length(value.length);
    out.bytes(value);
  },
};

/** All octets up to the end of the input. */
export const rest: Codec<Uint8Array> = { read: (input) => input.bytes(input.left), write: (out, value) => out.bytes(value) };

/** A-XDR OPTIONAL: a presence octet, then the value. Any octet but 0 means present, as deployed meters send it. */
export const optional = <T>(inner: Codec<T>): Codec<T | undefined> => ({
  read: (input) => (input.uint8() === 0 ? undefined : inner.read(input)),
  write: (out, value) => {
    out.uint8(value === undefined ? 0 : 1);
    if (value !== undefined) inner.write(out, value);
  },
});

/** An OPTIONAL at the end of the input, which some peers omit together with its presence octet. */
export const optionalTail = <T>(inner: Codec<T>): Codec<T | undefined> => {
  const present = optional(inner);
  return { read: (input) => (input.left === 0 ? undefined : present.read(input)), write: present.write };
};

/** A value after a constant octet. */
export const prefixed = <T>(octet: number, inner: Codec<T>): Codec<T> => ({
  read: (input) => {
    input.expect(octet);
    return inner.read(input);
  },
  write: (out, value) => {
    out.uint8(octet);
    inner.write(out, value);
  },
});

/** SEQUENCE OF: a count, then the items. */
export const listOf = <T>(inner: Codec<T>, minimumSize = 1, most = Number.POSITIVE_INFINITY): Codec<T[]> => ({
  read: (input) => {
    const at = input.offset;
    const count = input.count(minimumSize);
    if (count > most) input.fail({ code: 'BAD_LENGTH', length: count }, at);
    const items: T[] = [];
    input.each(count, () => inner.read(input), items);
    return items;
  },
  write: (out, value) => {
    out.length(value.length);
    for (const item of value) inner.write(out, item);
  },
});

type Flat<T> = { [K in keyof T]: T[K] };
type OptionalNames<S> = { [K in keyof S]: undefined extends ValueOf<S[K]> ? K : never }[keyof S];

/** Value type of a record of codecs; fields that may be undefined are optional. */
export type ShapeValue<S> = Flat<
  { [K in Exclude<keyof S, OptionalNames<S>>]: ValueOf<S[K]> } & { [K in OptionalNames<S>]?: ValueOf<S[K]> }
>;

/** SEQUENCE: the fields in declaration order. */
export const sequence = <S extends Record<string, Codec<any>>>(shape: S): Codec<ShapeValue<S>> => {
  // any: each field's codec is matched to its own value by ShapeValue.
  const fields = Object.entries<Codec<any>>(shape);
  return {
    read: (input) => {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of fields) value[name] = input.field(name, codec.read);
      return value as ShapeValue<S>;
    },
    write: (out, value) => {
      for (const [name, codec] of fields) codec.write(out, (value as Record<string, unknown>)[name]); // as: ShapeValue has the shape's own keys
    },
  };
};

/** Converts the value type of a codec. */
export const mapped = <A, B>(inner: Codec<A>, to: (raw: A, input: ByteReader) => B, from: (value: B) => A): Codec<B> => ({
  read: (input) => to(inner.read(input), input),
  write: (out, value) => inner.write(out, from(value)),
});

/** ENUMERATED of one octet, by name. An unknown number is an error. */
export const enumeration = <const T extends Record<string, number>>(table: T): Codec<keyof T & string> => {
  const byNumber = new Map(Object.entries(table).map(([name, number]) => [number, name as keyof T & string]));
  return {
    read: (input) => {
      const number = input.uint8();
      return byNumber.get(number) ?? input.fail({ code: 'UNKNOWN_ENUM', value: number }, input.offset - 1);
    },
    write: (out, value) => out.uint8(table[value] as number),
  };
};

/** A value whose field `Key` names its alternative. */
export type Tagged<Key extends string, Cases> = {
  [K in keyof Cases]: { [P in Key]: K } & (Cases[K] extends Codec<infer T> ? T : never);
}[keyof Cases];

/** CHOICE by a leading tag octet; `key` holds the name of the alternative. */
export const choice = <const Key extends string, C extends Record<string, { tag: number; codec: Codec<any> }>>(
  key: Key,
  cases: C,
): Codec<Tagged<Key, { [K in keyof C]: C[K]['codec'] }>> => {
  // any: each alternative is matched to its own value by Tagged.
  const byTag = new Map(Object.entries(cases).map(([name, alternative]) => [alternative.tag, { name, codec: alternative.codec }]));
  return {
    read: (input) => {
      const tag = input.uint8();
      const found = byTag.get(tag) ?? input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
      return input.field(found.name, () => ({ [key]: found.name, ...found.codec.read(input) }));
    },
    write: (out, value) => {
      const alternative = cases[(value as Record<string, string>)[key] as string];
      if (alternative === undefined) throw new Error(`No such alternative: ${String((value as Record<string, unknown>)[key])}`);
      out.uint8(alternative.tag);
      alternative.codec.write(out, value);
    },
  };
};
