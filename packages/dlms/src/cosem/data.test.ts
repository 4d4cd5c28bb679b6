import { describe, expect, it } from 'vitest';
import { decode, encode, type Codec } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import {
  arrayOf,
  dataCodec,
  dateTimeOctets,
  enumerated,
  integer,
  logicalName,
  long64Unsigned,
  longUnsigned,
  nullable,
  rawData,
  structure,
} from './data.ts';
import type { Data } from './data-value.ts';
import { fromEpochMs } from './date-time.ts';

function failure(codec: Codec<unknown>, hex: string): { code: string; offset: number; path: string } | undefined {
  try {
    decode(codec, fromHex(hex));
  } catch (error) {
    if (error instanceof DecodeError) return { code: error.fault.code, offset: error.offset, path: error.path };
    throw error;
  }
  return undefined;
}

describe('dataCodec', () => {
  it('keeps 64-bit integers exact', () => {
    expect(decode(dataCodec, fromHex('15FFFFFFFFFFFFFFFF'))).toEqual({ type: 'long64Unsigned', value: 18_446_744_073_709_551_615n });
    expect(decode(dataCodec, fromHex('148000000000000001'))).toEqual({ type: 'long64', value: -9_223_372_036_854_775_807n });
    expect(toHex(encode(long64Unsigned, 9_007_199_254_740_993n))).toBe('150020000000000001');
  });

  it('reports element and offset of an error', () => {
    expect(failure(dataCodec, '0202 1105 0201 0907')).toEqual({ code: 'TRUNCATED', offset: 8, path: '1.0' });
    expect(failure(dataCodec, '0203 1105 0707')).toEqual({ code: 'UNKNOWN_TAG', offset: 4, path: '1' });
  });

  it('refuses counts beyond the remaining octets before it allocates', () => {
    expect(failure(dataCodec, '0184FFFFFFFF00')).toMatchObject({ code: 'TRUNCATED' });
    expect(failure(rawData, '0184FFFFFFFF00')).toMatchObject({ code: 'TRUNCATED' });
    expect(failure(dataCodec, '0484FFFFFFFF00')).toMatchObject({ code: 'TRUNCATED' });
  });

  it('decodes a large array on access, with the same result as a small one', () => {
    const octets = fromHex(`01820200${'0203 0900 1107 120102'.repeat(512)}`);
    const large = decode(dataCodec, octets);
    const row = decode(dataCodec, fromHex('0203 0900 1107 120102'));
    expect(large).toEqual({ type: 'array', value: Array.from({ length: 512 }, () => row) });
    expect(JSON.parse(JSON.stringify(large))).toMatchObject({ type: 'array', value: { length: 512 } });
    expect(encode(dataCodec, large)).toEqual(octets);
  });

  it('does the same with a large compact array', () => {
    const rows = decode(dataCodec, fromHex(`13 0202 1209 820800 ${'0102 02AABB'.replaceAll(' ', '').repeat(409)}0102 00`));
    const row = (octets: string): Data => ({
      type: 'structure',
      value: [
        { type: 'longUnsigned', value: 0x0102 },
        { type: 'octetString', value: fromHex(octets) },
      ],
    });
    expect(rows).toMatchObject({ type: 'compactArray', value: [...Array.from({ length: 409 }, () => row('AABB')), row('')] });
  });

  it('validates a large array before it returns it', () => {
    const octets = `01820200${'0203 0900 1107 120102'.repeat(511)}0203 0900 1107 FE0102`;
    expect(failure(dataCodec, octets)).toEqual({ code: 'UNKNOWN_TAG', offset: 4 + 511 * 9 + 6, path: '511.2' });
    expect(failure(dataCodec, `13 0202 12 00 820800 ${'FE01'.repeat(1023)}FE`)).toMatchObject({ code: 'TRUNCATED' });
  });

  it('shares the objects of one-octet and empty values', () => {
    const { value } = decode(dataCodec, fromHex('0105 1107 1107 0900 0900 00')) as { value: Data[] }; // as: it is an array
    expect(value[0]).toBe(value[1]);
    expect(value[2]).toBe(value[3]);
    expect(value[4]).toEqual({ type: 'null' });
    expect(value.every(Object.isFrozen)).toBe(true);
  });

  it('reads 16 levels and refuses the 17th, decoded or raw', () => {
    const nested = (levels: number) => '0101'.repeat(levels) + '00';
    for (const codec of [dataCodec, rawData]) {
      expect(failure(codec, nested(16))).toBeUndefined();
      expect(failure(codec, nested(17))).toMatchObject({ code: 'TOO_DEEP' });
    }
  });

  it('accepts lengths in longer forms and writes the shortest', () => {
    const data = decode(dataCodec, fromHex('09820001AA'));
    expect(toHex(encode(dataCodec, data))).toBe('0901AA');
  });

  it('refuses utf8-string that is not UTF-8 and keeps visible-string as it is', () => {
    expect(failure(dataCodec, '0C02C328')).toMatchObject({ code: 'BAD_VALUE', offset: 1 });
    expect(decode(dataCodec, fromHex('0C03E794B5'))).toEqual({ type: 'utf8String', value: '电' });
    expect(decode(dataCodec, fromHex('0A02B0E9'))).toEqual({ type: 'visibleString', value: '°é' });
  });

  it('refuses to write values out of range', () => {
    expect(() => encode(dataCodec, { type: 'unsigned', value: 256 })).toThrow(RangeError);
    expect(() => encode(dataCodec, { type: 'long', value: 1.5 })).toThrow(RangeError);
    expect(() => encode(dataCodec, { type: 'long64', value: 2n ** 63n })).toThrow(RangeError);
    expect(() => encode(dataCodec, { type: 'visibleString', value: '电' })).toThrow(RangeError);
    expect(() => encode(dataCodec, { type: 'bitString', value: '012' })).toThrow(RangeError);
  });
});

describe('compact arrays', () => {
  it('refuse a remainder, unknown tags and themselves as an element', () => {
    expect(failure(dataCodec, '1312050001000200')).toMatchObject({ code: 'TRUNCATED', path: '2' });
    expect(failure(dataCodec, '13130000')).toMatchObject({ code: 'UNKNOWN_TAG' });
  });

  it('refuse to expand values without octets beyond the limit', () => {
    expect(failure(dataCodec, '13000101')).toMatchObject({ code: 'BAD_VALUE' });
    expect(failure(dataCodec, '1302021101FFFF01FFFF000105')).toMatchObject({ code: 'BAD_VALUE' });
  });

  it('refuse to be written with a value of another type', () => {
    expect(() =>
      encode(dataCodec, { type: 'compactArray', description: { type: 'unsigned' }, value: [{ type: 'long', value: 1 }] }),
    ).toThrow(RangeError);
    const pair = { type: 'structure' as const, elements: [{ type: 'unsigned' as const }, { type: 'unsigned' as const }] };
    expect(() => encode(dataCodec, { type: 'compactArray', description: pair, value: [{ type: 'structure', value: [] }] })).toThrow(
      RangeError,
    );
  });
});

describe('typed Data', () => {
  const column = structure({ classId: longUnsigned, instance: logicalName, attributeId: integer });

  it('reads bare values', () => {
    expect(decode(arrayOf(column), fromHex('0101 0203 120008 09060000010000FF 0F02'))).toEqual([
      { classId: 8, instance: '0.0.1.0.0.255', attributeId: 2 },
    ]);
  });

  it('names the field of the wrong type', () => {
    expect(failure(arrayOf(column), '0101 0203 120008 09050000010000 0F02')).toMatchObject({ code: 'BAD_LENGTH', path: '0.instance' });
    expect(failure(column, '0202 120008 09060000010000FF')).toMatchObject({ code: 'BAD_LENGTH' });
    expect(failure(enumerated({ off: 0, on: 1 }), '1603')).toMatchObject({ code: 'UNKNOWN_ENUM' });
  });

  it('reads a moment as octet-string or as date-time, and writes octet-string', () => {
    const moment = fromEpochMs(1_700_000_000_000, -480);
    const octets = toHex(encode(dateTimeOctets, moment));
    expect(octets.slice(0, 4)).toBe('090C');
    expect(decode(dateTimeOctets, fromHex(`19${octets.slice(4)}`))).toEqual(moment);
    expect(failure(dateTimeOctets, '090B0102030405060708090A0B')).toMatchObject({ code: 'BAD_LENGTH' });
  });

  it('accepts null-data where it is allowed', () => {
    expect(decode(nullable(integer), fromHex('00'))).toBeNull();
    expect(toHex(encode(nullable(integer), null))).toBe('00');
    expect(decode(nullable(integer), fromHex('0FFF'))).toBe(-1);
  });
});
