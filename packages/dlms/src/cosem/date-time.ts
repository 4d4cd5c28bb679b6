import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import type { Codec } from '../codec/codec.ts';
import { civilDay, dayNumber, dayOfWeek, daysInMonth } from './civil-day.ts';

/**
 * A date-time as encoded by a meter. `null` is "not specified". Special values stay numbers: month 0xFD/0xFE is the end/begin of daylight
 * saving, day 0xFD/0xFE the second last/last day of the month.
 */
export interface CosemDateTime {
  year: number | null;
  month: number | null;
  day: number | null;
  /** 1 = Monday to 7 = Sunday. */
  dayOfWeek: number | null;
  hour: number | null;
  minute: number | null;
  second: number | null;
  hundredths: number | null;
  /** UTC minus local time: −120 is UTC+2. */
  deviationMinutes: number | null;
  /** Clock status bits, see `CLOCK_STATUS`. */
  status: number | null;
}

/** Bits of the clock status octet. @spec BB 4 */
export const CLOCK_STATUS = {
  invalidValue: 0x01,
  doubtfulValue: 0x02,
  differentClockBase: 0x04,
  invalidStatus: 0x08,
  daylightSaving: 0x80,
} as const;

export const DATE_TIME_SIZE = 12;
const NO_YEAR = 0xffff;
const NO_OCTET = 0xff;
const NO_DEVIATION = -0x8000;
/** UTC+14 is the largest offset; beyond it the clock is faulty. */
const MAX_DEVIATION_MINUTES = 840;
const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;

const octet = (input: ByteReader): number | null => {
  const value = input.uint8();
  return value === NO_OCTET ? null : value;
};

function read(input: ByteReader): CosemDateTime {
  const year = input.uint16();
  const month = octet(input);
  const day = octet(input);
  const dayOfWeekOctet = octet(input);
  const hour = octet(input);
  const minute = octet(input);
  const second = octet(input);
  const hundredths = octet(input);
  const deviation = input.int16();
  const status = octet(input);
  return {
    year: year === NO_YEAR ? null : year,
    month,
    day,
    dayOfWeek: dayOfWeekOctet,
    hour,
    minute,
    second,
    hundredths,
    deviationMinutes: deviation === NO_DEVIATION ? null : deviation,
    status,
  };
}

function write(out: ByteWriter, value: CosemDateTime): void {
  out.uint16(value.year ?? NO_YEAR);
  for (const part of [value.month, value.day, value.dayOfWeek, value.hour, value.minute, value.second, value.hundredths])
    out.uint8(part ?? NO_OCTET);
  out.int16(value.deviationMinutes ?? NO_DEVIATION);
  out.uint8(value.status ?? NO_OCTET);
}

/**
 * ```asn1
 * date-time ::= OCTET STRING (SIZE(12))
 *   -- year highbyte, year lowbyte, month, day of month, day of week,
 *   -- hour, minute, second, hundredths, deviation highbyte, deviation lowbyte, clock status
 * ```
 * Only a missing octet is an error, because a meter with a broken clock still has readings; `toEpochMs` validates the fields.
 * @spec BB 4
 */
export const dateTimeCodec: Codec<CosemDateTime> = { read, write };

const between = (value: number | null, low: number, high: number): value is number => value !== null && value >= low && value <= high;

/**
 * Epoch milliseconds: UTC = local + deviation. `null` if date or time are invalid or not fully specified, or if the deviation is not
 * specified and none is assumed. Unspecified seconds and hundredths count as 0.
 */
export function toEpochMs(dt: CosemDateTime, assumedDeviationMinutes?: number): number | null {
  const { year, month, day, hour, minute } = dt;
  const deviation = dt.deviationMinutes ?? assumedDeviationMinutes;
  if (deviation === undefined || Math.abs(deviation) > MAX_DEVIATION_MINUTES) return null;
  if (year === null || !between(month, 1, 12) || !between(day, 1, daysInMonth(year, month))) return null;
  if (!between(hour, 0, 23) || !between(minute, 0, 59) || !between(dt.second ?? 0, 0, 59) || !between(dt.hundredths ?? 0, 0, 99))
    return null;
  const minutes = hour * 60 + minute + deviation;
  return dayNumber({ year, month, day }) * MS_PER_DAY + minutes * MS_PER_MINUTE + (dt.second ?? 0) * 1000 + (dt.hundredths ?? 0) * 10;
}

/** The date-time of a meter with this deviation, to the hundredth of a second. */
export function fromEpochMs(ms: number, deviationMinutes: number, options: { daylightSaving?: boolean } = {}): CosemDateTime {
  const local = ms - deviationMinutes * MS_PER_MINUTE;
  const number = Math.floor(local / MS_PER_DAY);
  const inDay = local - number * MS_PER_DAY;
  return {
    ...civilDay(number),
    dayOfWeek: dayOfWeek(number),
    hour: Math.floor(inDay / 3_600_000),
    minute: Math.floor(inDay / MS_PER_MINUTE) % 60,
    second: Math.floor(inDay / 1000) % 60,
    hundredths: Math.floor(inDay / 10) % 100,
    deviationMinutes,
    status: options.daylightSaving === true ? CLOCK_STATUS.daylightSaving : 0,
  };
}
