import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from './data.ts';
import type { Data } from './data-value.ts';
import { decodeProfileBuffer } from './profile-buffer.ts';
import { expandRows } from './profile-rows.ts';

const SHAPE = { clockColumn: 0, capturePeriodSeconds: 900 };
const rowsOf = (hex: string): Data[][] => {
  const buffer = decode(dataCodec, fromHex(hex));
  return buffer.type === 'array' ? buffer.value.map((row) => (row.type === 'structure' ? row.value : [])) : [];
};
const hexOf = (values: Data[]): string => values.map((data) => toHex(encode(dataCodec, data))).join(' ');

describe('expandRows', () => {
  it('fills the clock by the period and other columns from the row before', () => {
    const rows = expandRows(rowsOf('0103 0202090C07EA0B1EFF172D00FF800000 06000003E8 02020000 02020006000003E9'), SHAPE);
    expect(rows.map(({ values }) => hexOf(values))).toEqual([
      '090C07EA0B1EFF172D00FF800000 06000003E8',
      '090C07EA0C01FF000000FF800000 06000003E8',
      '090C07EA0C01FF000F00FF800000 06000003E9',
    ]);
    expect(rows.map(({ inferred }) => inferred)).toEqual([[], [0, 1], [0]]);
  });

  it('adds up deltas, as the columnar reader does', () => {
    const hex = '0104 0202090C07EA0B1507000000FF800000 0600000010 0202001F05 0202001C FF 0202002000FF';
    const values = expandRows(rowsOf(hex), SHAPE).map(({ values: [, value] }) => value);
    expect(values).toEqual([0x10, 0x15, 0x14, 0x113].map((value) => ({ type: 'doubleLongUnsigned', value })));
    const columns = decodeProfileBuffer(fromHex(hex), { columns: 2, assumedDeviationMinutes: 0, ...SHAPE });
    expect([...(columns.values[0] ?? [])]).toEqual([0x10, 0x15, 0x14, 0x113]);
  });

  it.each([
    ['0F', '10', { type: 'integer', value: 0x12 }],
    ['11', '10', { type: 'unsigned', value: 0x12 }],
    ['10', '0010', { type: 'long', value: 0x12 }],
    ['12', '0010', { type: 'longUnsigned', value: 0x12 }],
    ['05', '00000010', { type: 'doubleLong', value: 0x12 }],
  ])('adds a delta to a value with the tag %s', (tag, first, sum) => {
    const rows = expandRows(rowsOf(`0102 0202090C07EA0B1507000000FF800000 ${tag}${first} 0202001F02`), SHAPE);
    expect(rows[1]?.values[1]).toEqual(sum);
  });

  it('adds up 64 bits exactly, and knows the weekday of the next moment', () => {
    const rows = expandRows(rowsOf('0102 02021907EA0B1506173B0000000000 15FFFFFFFFFFFFFFF0 0202001F0F'), {
      clockColumn: 0,
      capturePeriodSeconds: 3600,
    });
    expect(rows[1]?.values).toEqual([
      { type: 'dateTime', value: fromHex('07EA0B1607003B0000000000') },
      { type: 'long64Unsigned', value: 0xffff_ffff_ffff_ffffn },
    ]);
  });

  it('keeps values without a predecessor unchanged', () => {
    const rows = expandRows(rowsOf('0102 02020000 02020000'), SHAPE);
    expect(rows.map(({ values }) => hexOf(values))).toEqual(['00 00', '00 00']);
    expect(expandRows([], SHAPE)).toEqual([]);
  });
});
