import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { civilDay } from './civil-day.ts';
import {
  clockStatusBits,
  dateCodec,
  dayInYear,
  isDaylightSaving,
  isTrustworthy,
  matchesDate,
  matchesTime,
  timeCodec,
  type CosemDate,
} from './date-pattern.ts';
import { dateTimeCodec } from './date-time.ts';

const dateOf = (hex: string): CosemDate => decode(dateCodec, fromHex(hex));
const octetOrAny = fc.option(fc.integer({ min: 0, max: 0xfe }));

describe('dates and times of calendars', () => {
  it('read back as they were written, wildcards included', () => {
    const date = fc.record({
      year: fc.option(fc.integer({ min: 0, max: 0xfffe })),
      month: octetOrAny,
      day: octetOrAny,
      dayOfWeek: octetOrAny,
    });
    const time = fc.record({ hour: octetOrAny, minute: octetOrAny, second: octetOrAny, hundredths: octetOrAny });
    fc.assert(fc.property(date, (value) => void expect(decode(dateCodec, encode(dateCodec, value))).toEqual(value)));
    fc.assert(fc.property(time, (value) => void expect(decode(timeCodec, encode(timeCodec, value))).toEqual(value)));
    expect(toHex(encode(dateCodec, dateOf('FFFF03FE07')))).toBe('FFFF03FE07');
    expect(() => decode(dateCodec, fromHex('07EA0101'))).toThrow(DecodeError);
  });

  it('resolve the day of a daylight saving rule', () => {
    expect(dayInYear(dateOf('FFFF03FE07'), 2026)).toEqual({ year: 2026, month: 3, day: 29 });
    expect(dayInYear(dateOf('FFFF0AFE07'), 2026)).toEqual({ year: 2026, month: 10, day: 25 });
    expect(dayInYear(dateOf('FFFF0AFD07'), 2026)).toEqual({ year: 2026, month: 10, day: 18 });
    expect(dayInYear(dateOf('FFFF030807'), 2026)).toEqual({ year: 2026, month: 3, day: 8 });
    expect(dayInYear(dateOf('FFFF02FEFF'), 2028)).toEqual({ year: 2028, month: 2, day: 29 });
    expect(dayInYear(dateOf('FFFF02FDFF'), 2026)).toEqual({ year: 2026, month: 2, day: 27 });
  });

  it('resolve to no day with a wildcard month or day, or in another year', () => {
    for (const hex of ['FFFFFFFE07', 'FFFF03FF07', '07E9030107', 'FFFFFE0107', 'FFFF0220FF', 'FFFF03FE08'])
      expect(dayInYear(dateOf(hex), 2026)).toBeUndefined();
  });

  it('match the days of the pattern', () => {
    const days = Array.from({ length: 365 }, (_, i) => civilDay(20_454 + i)); // 2026
    const count = (hex: string) => days.filter((day) => matchesDate(dateOf(hex), day)).length;
    expect(count('FFFFFFFFFF')).toBe(365);
    expect(count('FFFFFFFF01')).toBe(52);
    expect(count('FFFFFFFEFF')).toBe(12);
    expect(count('FFFF0101FF')).toBe(1);
    expect(count('07EB0101FF')).toBe(0);
    expect(count('FFFF03FE07')).toBe(1);
    expect(count('FFFFFEFFFF')).toBe(0);
  });

  it('match the times of the pattern', () => {
    const time = { hour: 0, minute: 15, second: 0 };
    expect(matchesTime(decode(timeCodec, fromHex('FF0F00FF')), time)).toBe(true);
    expect(matchesTime(decode(timeCodec, fromHex('FF1E00FF')), time)).toBe(false);
  });
});

describe('the status of a clock', () => {
  const moment = (status: string) => decode(dateTimeCodec, fromHex(`07E8060F0614172D00FF88${status}`));

  it('gives its bits, daylight saving and reliability', () => {
    expect(clockStatusBits(0x83)).toEqual(['invalidValue', 'doubtfulValue', 'daylightSaving']);
    expect(clockStatusBits(null)).toBeUndefined();
    expect([moment('80'), moment('00'), moment('FF')].map(isDaylightSaving)).toEqual([true, false, undefined]);
    expect([moment('80'), moment('01'), moment('02'), moment('08'), moment('04'), moment('FF')].map(isTrustworthy)).toEqual([
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
  });
});
