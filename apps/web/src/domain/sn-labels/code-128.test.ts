import { expect, test } from 'vitest';
import { code128 } from './code-128.ts';

/** Finds the symbol for a group of six widths, as a scanner does. */
const sign = (widths: readonly number[] | undefined, at: number) => widths?.slice(at * 6, at * 6 + 6).join('');

test('digits are encoded in pairs, with the check symbol of the standard', () => {
  const widths = code128('260100');
  // Start C, 26, 01, 00, check (105 + 26 + 2 x 1 + 3 x 0) mod 103 = 30, stop.
  expect([0, 1, 2, 3, 4].map((at) => sign(widths, at))).toEqual(['211232', '321221', '222122', '212222', '212123']);
  expect(widths?.slice(30).join('')).toBe('2331112');
});

test('letters are encoded one by one, and the digits after them in pairs', () => {
  const widths = code128('AB1234');
  // Start B, A = 33, B = 34, to code C, 12, 34.
  expect([0, 1, 2, 3, 4, 5].map((at) => sign(widths, at))).toEqual(['211214', '111323', '131123', '113141', '112232', '131123']);
});

test('each symbol is eleven modules wide, the stop thirteen', () => {
  const widths = code128('260100010099') ?? [];
  expect(widths.reduce((sum, width) => sum + width, 0)).toBe((1 + 6 + 1) * 11 + 13);
});

test('a text with a character outside the set has no barcode', () => {
  expect(code128('电表')).toBeUndefined();
  expect(code128('')).toBeUndefined();
});
