import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from './scaled.ts';
import { UNIT_NONE, UNIT_OTHER, UNITS, unitSymbol } from './unit.ts';

/** Digits of a decimal text as an integer in units of the last place. */
const unscaled = (text: string, places: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
};

describe('scaled', () => {
  it('moves the point and keeps every digit', () => {
    expect(scaled(12345, -2)).toBe('123.45');
    expect(scaled(5, -3)).toBe('0.005');
    expect(scaled(-5, -3)).toBe('-0.005');
    expect(scaled(1000, -3)).toBe('1.000');
    expect(scaled(12, 3)).toBe('12000');
    expect(scaled(0, 3)).toBe('0');
    expect(scaled(0, -2)).toBe('0.00');
    expect(scaled(0xffff_ffff_ffff_ffffn, -3)).toBe('18446744073709551.615');
    expect(scaled(-(2n ** 63n), 0)).toBe('-9223372036854775808');
  });

  it('uses the shortest decimal form of a float', () => {
    expect(scaled(0.1, 1)).toBe('1');
    expect(scaled(230.5, -1)).toBe('23.05');
    expect(scaled(1.5e-7, 0)).toBe('0.00000015');
    expect(scaled(1e21, -21)).toBe('1');
    expect(scaled(-0, 0)).toBe('0');
  });

  it('refuses an invalid number or scaler', () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) expect(() => scaled(value, 0)).toThrow(RangeError);
    for (const scaler of [0.5, Number.NaN, 5000]) expect(() => scaled(1, scaler)).toThrow(RangeError);
  });

  it('is exact for every integer and every scaler of one octet', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }), fc.integer({ min: -128, max: 127 }), (value, scaler) => {
        const text = scaled(value, scaler);
        expect(unscaled(text, 128)).toBe(value * 10n ** BigInt(128 + scaler));
      }),
    );
  });
});

it('every unit code of the Blue Book has a symbol; "other" and "none" have an empty one', () => {
  const codes = [...Array.from({ length: 57 }, (_, i) => i + 1), 60, 61, 62, 63, 64, 65, 70, 71, 72];
  expect(Object.keys(UNITS).map(Number)).toEqual(codes);
  for (const code of codes) expect(unitSymbol(code)).not.toBe('');
  for (const code of [0, UNIT_OTHER, UNIT_NONE]) expect(unitSymbol(code)).toBe('');
});
