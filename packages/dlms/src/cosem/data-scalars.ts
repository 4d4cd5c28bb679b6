import type { ByteReader } from '../codec/byte-reader.ts';
import { fixedOctets, flag, int16, int32, int8, octets, uint16, uint32, uint8, type Codec } from '../codec/codec.ts';
import { asciiString, utf8String } from '../codec/text.ts';

/** Binary digits of each octet, most significant bit first. */
const BITS: readonly string[] = Array.from({ length: 256 }, (_, octet) => octet.toString(2).padStart(8, '0'));

/** BIT STRING with its bit count; most significant bit first. */
export const bitText: Codec<string> = {
  read: (input) => {
    const count = input.length();
    const packed = input.bytes(Math.ceil(count / 8));
    if (packed.length === 1) return (BITS[packed[0] ?? 0] ?? '').slice(0, count);
    return Array.from(packed, (octet) => BITS[octet])
      .join('')
      .slice(0, count);
  },
  write: (out, value) => {
    if (/[^01]/.test(value)) throw new RangeError('A bit string consists of 0 and 1');
    out.length(value.length);
    for (let at = 0; at < value.length; at += 8) out.uint8(Number.parseInt(value.slice(at, at + 8).padEnd(8, '0'), 2));
  },
};

export const int64: Codec<bigint> = { read: (input) => input.int64(), write: (out, value) => out.int64(value) };
export const uint64: Codec<bigint> = { read: (input) => input.uint64(), write: (out, value) => out.uint64(value) };
const float32: Codec<number> = { read: (input) => input.float32(), write: (out, value) => out.float32(value) };
const float64: Codec<number> = { read: (input) => input.float64(), write: (out, value) => out.float64(value) };

/** Declares a scalar type of Data: `size` is the minimum body length. Without `skip` it is the only length. */
const scalar = <T>(tag: number, size: number, body: Codec<T>, skip = (input: ByteReader): void => input.skip(size)) => ({
  tag,
  size,
  body,
  skip,
});

const skipOctets = (input: ByteReader): void => input.skip(input.length());
const skipBits = (input: ByteReader): void => input.skip(Math.ceil(input.length() / 8));
/** Validates UTF-8, which requires decoding. */
const readUtf8 = (input: ByteReader): void => void utf8String.read(input);

/** The scalar alternatives of Data. @spec GB 9.5 (Data) */
export const SCALARS = {
  boolean: scalar(0x03, 1, flag),
  bitString: scalar(0x04, 1, bitText, skipBits),
  doubleLong: scalar(0x05, 4, int32),
  doubleLongUnsigned: scalar(0x06, 4, uint32),
  octetString: scalar(0x09, 1, octets, skipOctets),
  visibleString: scalar(0x0a, 1, asciiString, skipOctets),
  utf8String: scalar(0x0c, 1, utf8String, readUtf8),
  bcd: scalar(0x0d, 1, int8),
  integer: scalar(0x0f, 1, int8),
  long: scalar(0x10, 2, int16),
  unsigned: scalar(0x11, 1, uint8),
  longUnsigned: scalar(0x12, 2, uint16),
  long64: scalar(0x14, 8, int64),
  long64Unsigned: scalar(0x15, 8, uint64),
  enum: scalar(0x16, 1, uint8),
  float32: scalar(0x17, 4, float32),
  float64: scalar(0x18, 8, float64),
  dateTime: scalar(0x19, 12, fixedOctets(12)),
  date: scalar(0x1a, 5, fixedOctets(5)),
  time: scalar(0x1b, 4, fixedOctets(4)),
  deltaInteger: scalar(0x1c, 1, int8),
  deltaLong: scalar(0x1d, 2, int16),
  deltaDoubleLong: scalar(0x1e, 4, int32),
  deltaUnsigned: scalar(0x1f, 1, uint8),
  deltaLongUnsigned: scalar(0x20, 2, uint16),
  deltaDoubleLongUnsigned: scalar(0x21, 4, uint32),
};

export type ScalarType = keyof typeof SCALARS;
export type ScalarValue<T extends ScalarType> = (typeof SCALARS)[T]['body'] extends Codec<infer V> ? V : never;

export interface Scalar {
  type: ScalarType;
  tag: number;
  size: number;
  body: Codec<unknown>;
  /** Skips the body and validates it. */
  skip: (input: ByteReader) => void;
}

/** Scalars indexed by tag octet; sparse. */
export const SCALAR_BY_TAG: readonly (Scalar | undefined)[] = Object.entries(SCALARS).reduce<(Scalar | undefined)[]>(
  (byTag, [type, { tag, size, body, skip }]) => {
    // as: the type's name and its codec come from the same entry of the table.
    byTag[tag] = { type: type as ScalarType, tag, size, body: body as Codec<unknown>, skip };
    return byTag;
  },
  [],
);

/** The entry of a type. */
export const entryOf = (type: ScalarType): Scalar => SCALAR_BY_TAG[SCALARS[type].tag] as Scalar; // as: the table has every type

/** Whether values of this tag are differences to the previous value. */
export const isDeltaTag = (tag: number): boolean => tag >= SCALARS.deltaInteger.tag && tag <= SCALARS.deltaDoubleLongUnsigned.tag;

export const TAG = { null: 0x00, array: 0x01, structure: 0x02, compactArray: 0x13, dontCare: 0xff } as const;
