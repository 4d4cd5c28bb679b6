import { describe, expect, it } from 'vitest';
import { decode } from '../codec/codec.ts';
import { fromHex } from '../codec/hex.ts';
import { civilDay, dayNumber, dayOfWeek, daysInMonth } from './civil-day.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from './date-time.ts';

const epochOf = (hex: string, assumed?: number): number | null => toEpochMs(decode(dateTimeCodec, fromHex(hex)), assumed);

describe('toEpochMs', () => {
  it('adds the deviation to local time', () => {
    expect(epochOf('07E8060F0614172D00FF8880')).toBe(Date.UTC(2024, 5, 15, 18, 23, 45));
    expect(epochOf('07EA0401030C0000 00 FE20 00')).toBe(Date.UTC(2026, 3, 1, 4));
  });

  it('requires a specified or assumed deviation', () => {
    expect(epochOf('07E401010315202300800000')).toBeNull();
    expect(epochOf('07E401010315202300800000', -60)).toBe(Date.UTC(2020, 0, 1, 20, 32, 35));
  });

  it('takes unspecified seconds and hundredths as 0', () => {
    expect(epochOf('07E4010103152 0FFFF000000')).toBe(Date.UTC(2020, 0, 1, 21, 32));
  });

  it('is null for an invalid date or time', () => {
    const notMoments = [
      '07E70001FF00000000000000',
      '07E70100FF00000000000000',
      'FFFF0101FF00000000000000',
      '07E4FF01FF00000000000000',
      '07E4FE01FF00000000000000',
      '07E7021DFF00000000000000',
      '07E7011FFF18000000000000',
    ];
    expect(notMoments.map((hex) => epochOf(hex))).toEqual(notMoments.map(() => null));
  });

  it('is null when the deviation exceeds any time zone', () => {
    expect(epochOf('07E40101031520230003E800')).toBeNull();
  });
});

describe('fromEpochMs', () => {
  it('writes local time, day of week and daylight saving', () => {
    expect(fromEpochMs(Date.UTC(2024, 5, 15, 18, 23, 45, 670), -120, { daylightSaving: true })).toEqual({
      year: 2024,
      month: 6,
      day: 15,
      dayOfWeek: 6,
      hour: 20,
      minute: 23,
      second: 45,
      hundredths: 67,
      deviationMinutes: -120,
      status: 0x80,
    });
  });
});

describe('civil days', () => {
  it('are those of the calendar, leap years and centuries included', () => {
    for (let number = -200_000; number < 200_000; number += 17) {
      const date = new Date(number * 86_400_000);
      const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
      expect(civilDay(number)).toEqual(day);
      expect(dayNumber(day)).toBe(number);
      expect(dayOfWeek(number) % 7).toBe(date.getUTCDay());
    }
    expect([1900, 2000, 2023, 2024].map((year) => daysInMonth(year, 2))).toEqual([28, 29, 28, 29]);
  });
});
