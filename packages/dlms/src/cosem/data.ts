import { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { enumeration, listOf, sequence, type Codec, type ShapeValue } from '../codec/codec.ts';
import { readCompactArray, skipCompactArray, writeCompactArray } from './compact-array.ts';
import type { Data } from './data-value.ts';
import { SCALAR_BY_TAG, SCALARS, TAG, type ScalarType, type ScalarValue } from './data-scalars.ts';
import { dateCodec, DATE_SIZE, timeCodec, TIME_SIZE, type CosemDate, type CosemTime } from './date-pattern.ts';
import { dateTimeCodec, DATE_TIME_SIZE, type CosemDateTime } from './date-time.ts';
import { DEFERRED_FROM, withDeferredItems } from './deferred-items.ts';
import { obisCodec, type Obis } from './obis.ts';
import { DONT_CARE, EMPTY, NULL, readScalar } from './shared-scalars.ts';

function readItems(input: ByteReader): Data[] {
  const items: Data[] = [];
  input.eachNested(input.count(), readData, items);
  return items;
}

function readContainer(input: ByteReader, type: 'array' | 'structure'): Data {
  if (input.peek() === 0) {
    skipItems(input);
    return EMPTY[type];
  }
  // A field listener (annotation) needs every item.
  if (input.left < DEFERRED_FROM || input.listener !== undefined) return { type, value: readItems(input) };
  const from = input.offset;
  skipItems(input);
  const to = input.offset;
  const items = () => readItems(new ByteReader(input.octets, from, to));
  return to - from < DEFERRED_FROM ? { type, value: items() } : withDeferredItems({ type }, items);
}

function readData(input: ByteReader): Data {
  const tag = input.uint8();
  const scalar = SCALAR_BY_TAG[tag];
  if (scalar !== undefined) return readScalar(input, scalar);
  if (tag === TAG.array) return readContainer(input, 'array');
  if (tag === TAG.structure) return readContainer(input, 'structure');
  if (tag === TAG.null) return NULL;
  if (tag === TAG.compactArray) return readCompactArray(input);
  if (tag === TAG.dontCare) return DONT_CARE;
  return input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
}

function writeData(out: ByteWriter, data: Data): void {
  switch (data.type) {
    case 'null':
      return out.uint8(TAG.null);
    case 'dontCare':
      return out.uint8(TAG.dontCare);
    case 'compactArray':
      out.uint8(TAG.compactArray);
      return writeCompactArray(out, data.description, data.value);
    case 'array':
    case 'structure':
      out.uint8(TAG[data.type]);
      out.length(data.value.length);
      for (const item of data.value) writeData(out, item);
      return;
    default: {
      const { tag, body } = SCALARS[data.type];
      out.uint8(tag);
      (body as Codec<unknown>).write(out, data.value); // as: the table pairs type and value
    }
  }
}

/**
 * ```asn1
 * Data ::= CHOICE {
 *   null-data            [0]  IMPLICIT NULL,
 *   array                [1]  IMPLICIT SEQUENCE OF Data,
 *   structure            [2]  IMPLICIT SEQUENCE OF Data,
 *   boolean              [3]  IMPLICIT BOOLEAN,
 *   bit-string           [4]  IMPLICIT BIT STRING,
 *   double-long          [5]  IMPLICIT Integer32,
 *   double-long-unsigned [6]  IMPLICIT Unsigned32,
 *   octet-string         [9]  IMPLICIT OCTET STRING,
 *   visible-string       [10] IMPLICIT VisibleString,
 *   utf8-string          [12] IMPLICIT UTF8String,
 *   bcd                  [13] IMPLICIT Integer8,
 *   integer              [15] IMPLICIT Integer8,
 *   long                 [16] IMPLICIT Integer16,
 *   unsigned             [17] IMPLICIT Unsigned8,
 *   long-unsigned        [18] IMPLICIT Unsigned16,
 *   compact-array        [19] IMPLICIT SEQUENCE { contents-description TypeDescription, array-contents OCTET STRING },
 *   long64               [20] IMPLICIT Integer64,
 *   long64-unsigned      [21] IMPLICIT Unsigned64,
 *   enum                 [22] IMPLICIT Unsigned8,
 *   float32              [23] IMPLICIT OCTET STRING (SIZE(4)),
 *   float64              [24] IMPLICIT OCTET STRING (SIZE(8)),
 *   date-time            [25] IMPLICIT OCTET STRING (SIZE(12)),
 *   date                 [26] IMPLICIT OCTET STRING (SIZE(5)),
 *   time                 [27] IMPLICIT OCTET STRING (SIZE(4)),
 *   delta-integer              [28] IMPLICIT Integer8,
 *   delta-long                 [29] IMPLICIT Integer16,
 *   delta-double-long          [30] IMPLICIT Integer32,
 *   delta-unsigned             [31] IMPLICIT Unsigned8,
 *   delta-long-unsigned        [32] IMPLICIT Unsigned16,
 *   delta-double-long-unsigned [33] IMPLICIT Unsigned32,
 *   dont-care            [255] IMPLICIT NULL }
 * ```
 * @spec GB 9.5 (Data)
 */
export const dataCodec: Codec<Data> = { read: readData, write: writeData };

function skipItems(input: ByteReader): void {
  input.eachNested(input.count(), skipData);
}

function skipData(input: ByteReader): void {
  const tag = input.uint8();
  const scalar = SCALAR_BY_TAG[tag];
  if (scalar !== undefined) scalar.skip(input);
  else if (tag === TAG.array || tag === TAG.structure) skipItems(input);
  else if (tag === TAG.compactArray) skipCompactArray(input);
  else if (tag !== TAG.null && tag !== TAG.dontCare) input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
}

/**
 * One Data as its octets: validated but not decoded. Profile buffers stay in this form until their columns are decoded; `dataCodec`
 * decodes any other.
 */
export const rawData: Codec<Uint8Array> = {
  read: (input) => {
    const from = input.offset;
    // A field listener (annotation) needs the parts of the value.
    if (input.listener === undefined) skipData(input);
    else input.field('value', () => readData(input));
    return input.octets.subarray(from, input.offset);
  },
  write: (out, value) => out.bytes(value),
};

/** Data of one fixed type: the bare value. */
const only = <T extends ScalarType>(type: T): Codec<ScalarValue<T>> => {
  const { tag } = SCALARS[type];
  const body = SCALARS[type].body as Codec<ScalarValue<T>>; // as: ScalarValue is taken from this very table
  return {
    read: (input) => {
      input.expect(tag);
      return body.read(input);
    },
    write: (out, value) => {
      out.uint8(tag);
      body.write(out, value);
    },
  };
};

export const boolean = only('boolean');
export const bitString = only('bitString');
export const integer = only('integer');
export const unsigned = only('unsigned');
export const long = only('long');
export const longUnsigned = only('longUnsigned');
/** An enum as its number, for numbers defined elsewhere. */
export const enumNumber = only('enum');
export const doubleLong = only('doubleLong');
export const doubleLongUnsigned = only('doubleLongUnsigned');
export const long64 = only('long64');
export const long64Unsigned = only('long64Unsigned');
export const octetString = only('octetString');
export const visibleString = only('visibleString');
export const utf8String = only('utf8String');
/** Any Data, for attributes whose type depends on the instance. */
export const anyData = dataCodec;

/** Data without a value. */
export const nullData: Codec<null> = {
  read: (input) => {
    input.expect(TAG.null);
    return null;
  },
  write: (out) => out.uint8(TAG.null),
};

/** null-data or the inner type. */
export const nullable = <T>(inner: Codec<T>): Codec<T | null> => ({
  read: (input) => (input.peek() === TAG.null ? nullData.read(input) : inner.read(input)),
  write: (out, value) => (value === null ? out.uint8(TAG.null) : inner.write(out, value)),
});

/** An octet-string that contains exactly `size` octets of another syntax. */
const inOctetString = <T>(size: number, inner: Codec<T>): Codec<T> => ({
  read: (input) => {
    input.expect(SCALARS.octetString.tag);
    const length = input.length();
    if (length !== size) input.fail({ code: 'BAD_LENGTH', length });
    return inner.read(input);
  },
  write: (out, value) => {
    out.uint8(SCALARS.octetString.tag);
    out.length(size);
    inner.write(out, value);
  },
});

/** The logical name of a COSEM object, an octet-string of 6. */
export const logicalName: Codec<Obis> = inOctetString(6, obisCodec);

/** Encoded as octet-string; decoded under either tag, since both occur in the field. */
const inOctetStringOr = <T>(tag: number, size: number, inner: Codec<T>): Codec<T> => {
  const inOctets = inOctetString(size, inner);
  return {
    read: (input) => {
      if (input.peek() !== tag) return inOctets.read(input);
      input.expect(tag);
      return inner.read(input);
    },
    write: inOctets.write,
  };
};

/** A date-time in an octet-string of 12. */
export const dateTimeOctets: Codec<CosemDateTime> = inOctetStringOr(SCALARS.dateTime.tag, DATE_TIME_SIZE, dateTimeCodec);
/** A date or date pattern in an octet-string of 5. */
export const dateOctets: Codec<CosemDate> = inOctetStringOr(SCALARS.date.tag, DATE_SIZE, dateCodec);
/** A time or time pattern in an octet-string of 4. */
export const timeOctets: Codec<CosemTime> = inOctetStringOr(SCALARS.time.tag, TIME_SIZE, timeCodec);

/** An enum by name; a number without a name is an error. */
export const enumerated = <const T extends Record<string, number>>(table: T): Codec<keyof T & string> => {
  const names = enumeration(table);
  return {
    read: (input) => {
      input.expect(SCALARS.enum.tag);
      return names.read(input);
    },
    write: (out, value) => {
      out.uint8(SCALARS.enum.tag);
      names.write(out, value);
    },
  };
};

/** A structure with exactly these elements. */
export const structure = <S extends Record<string, Codec<any>>>(shape: S): Codec<ShapeValue<S>> => {
  // any: each element's codec is matched to its own value by ShapeValue.
  const elements = sequence(shape);
  const size = Object.keys(shape).length;
  return {
    read: (input) => {
      input.expect(TAG.structure);
      const count = input.length();
      if (count !== size) input.fail({ code: 'BAD_LENGTH', length: count });
      return input.nested(elements.read);
    },
    write: (out, value) => {
      out.uint8(TAG.structure);
      out.length(size);
      elements.write(out, value);
    },
  };
};

/** An array of this element type. */
export const arrayOf = <T>(element: Codec<T>): Codec<T[]> => {
  const items = listOf(element);
  return {
    read: (input) => {
      input.expect(TAG.array);
      return input.nested(items.read);
    },
    write: (out, value) => {
      out.uint8(TAG.array);
      items.write(out, value);
    },
  };
};
