import type { Codec } from '../codec/codec.ts';
import { dayNumber, dayOfWeek, daysInMonth, type CivilDay } from './civil-day.ts';
import { CLOCK_STATUS, type CosemDateTime } from './date-time.ts';

/** A date of calendars and schedules. `null` is a wildcard; see `DATE_WILDCARDS`. */
export type CosemDate = Pick<CosemDateTime, 'year' | 'month' | 'day' | 'dayOfWeek'>;
/** A time of calendars and schedules. `null` is a wildcard. */
export type CosemTime = Pick<CosemDateTime, 'hour' | 'minute' | 'second' | 'hundredths'>;

/** Special values of month and day. @spec BB 4 */
export const DATE_WILDCARDS = {
  month: { daylightSavingEnd: 0xfd, daylightSavingBegin: 0xfe },
  day: { secondLast: 0xfd, last: 0xfe },
} as const;

export const DATE_SIZE = 5;
export const TIME_SIZE = 4;
const NO_YEAR = 0xffff;
const NO_OCTET = 0xff;
const DAYS_PER_WEEK = 7;

const known = (octet: number): number | null => (octet === NO_OCTET ? null : octet);

/**
 * ```asn1
 * date ::= OCTET STRING (SIZE(5))   -- year highbyte, year lowbyte, month, day of month, day of week
 * ```
 * @spec BB 4
 */
export const dateCodec: Codec<CosemDate> = {
  read: (input) => {
    const year = input.uint16();
    return {
      year: year === NO_YEAR ? null : year,
      month: known(input.uint8()),
      day: known(input.uint8()),
      dayOfWeek: known(input.uint8()),
    };
  },
  write: (out, { year, month, day, dayOfWeek: weekday }) => {
    out.uint16(year ?? NO_YEAR);
    for (const part of [month, day, weekday]) out.uint8(part ?? NO_OCTET);
  },
};

/**
 * ```asn1
 * time ::= OCTET STRING (SIZE(4))   -- hour, minute, second, hundredths
 * ```
 * @spec BB 4
 */
export const timeCodec: Codec<CosemTime> = {
  read: (input) => ({
    hour: known(input.uint8()),
    minute: known(input.uint8()),
    second: known(input.uint8()),
    hundredths: known(input.uint8()),
  }),
  write: (out, { hour, minute, second, hundredths }) => {
    for (const part of [hour, minute, second, hundredths]) out.uint8(part ?? NO_OCTET);
  },
};

/**
 * The day of a year that a pattern denotes, such as the last Sunday of March (month 3, day `last`, weekday 7) or the second Sunday (day 8,
 * weekday 7: the first from the 8th on). `undefined` if the pattern does not denote a single day, or is for another year.
 */
export function dayInYear({ year, month, day, dayOfWeek: weekday }: CosemDate, inYear: number): CivilDay | undefined {
  if ((year !== null && year !== inYear) || month === null || month < 1 || month > 12 || day === null) return undefined;
  const size = daysInMonth(inYear, month);
  const isLast = day === DATE_WILDCARDS.day.last;
  const isSecondLast = day === DATE_WILDCARDS.day.secondLast;
  if (weekday === null) return dayOf({ year: inYear, month, day: isLast ? size : isSecondLast ? size - 1 : day }, size);
  if (weekday < 1 || weekday > DAYS_PER_WEEK) return undefined;
  if (!isLast && !isSecondLast) {
    const from = dayNumber({ year: inYear, month, day });
    return dayOf({ year: inYear, month, day: day + ((weekday - dayOfWeek(from) + DAYS_PER_WEEK) % DAYS_PER_WEEK) }, size);
  }
  const back = (dayOfWeek(dayNumber({ year: inYear, month, day: size })) - weekday + DAYS_PER_WEEK) % DAYS_PER_WEEK;
  return dayOf({ year: inYear, month, day: size - back - (isSecondLast ? DAYS_PER_WEEK : 0) }, size);
}

const dayOf = (date: CivilDay, daysOfMonth: number): CivilDay | undefined => (date.day >= 1 && date.day <= daysOfMonth ? date : undefined);

/** Whether a day matches a pattern. The months "begin or end of daylight saving" never match, because only the clock defines them. */
export function matchesDate(pattern: CosemDate, date: CivilDay): boolean {
  const weekday = dayOfWeek(dayNumber(date));
  if ((pattern.year ?? date.year) !== date.year || (pattern.month ?? date.month) !== date.month) return false;
  const marker = pattern.day === DATE_WILDCARDS.day.last || pattern.day === DATE_WILDCARDS.day.secondLast;
  if (marker || (pattern.day !== null && pattern.dayOfWeek !== null && pattern.month !== null)) {
    const meant = dayInYear({ ...pattern, month: date.month }, date.year);
    return meant?.day === date.day;
  }
  return (pattern.day ?? date.day) === date.day && (pattern.dayOfWeek ?? weekday) === weekday;
}

/** Whether a time matches a pattern. */
export function matchesTime(pattern: CosemTime, time: { hour: number; minute: number; second: number }): boolean {
  return (
    (pattern.hour ?? time.hour) === time.hour &&
    (pattern.minute ?? time.minute) === time.minute &&
    (pattern.second ?? time.second) === time.second
  );
}

export type ClockStatusBit = keyof typeof CLOCK_STATUS;

/** The bits set in a clock status; `undefined` if it is not specified. */
export function clockStatusBits(status: number | null): ClockStatusBit[] | undefined {
  if (status === null) return undefined;
  return (Object.keys(CLOCK_STATUS) as ClockStatusBit[]).filter((bit) => (status & CLOCK_STATUS[bit]) !== 0); // as: keys() widens
}

/** Whether a date-time is in daylight saving time; `undefined` if its status is not specified. */
export const isDaylightSaving = ({ status }: CosemDateTime): boolean | undefined =>
  status === null ? undefined : (status & CLOCK_STATUS.daylightSaving) !== 0;

/** Whether a date-time is reliable: its status is specified, and neither invalid nor doubtful. */
export const isTrustworthy = ({ status }: CosemDateTime): boolean =>
  status !== null && (status & (CLOCK_STATUS.invalidValue | CLOCK_STATUS.doubtfulValue | CLOCK_STATUS.invalidStatus)) === 0;
