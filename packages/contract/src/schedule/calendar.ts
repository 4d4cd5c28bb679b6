import type { DayRule, Schedule } from './expression.ts';

export const DAY_MS = 86_400_000;
const DAYS_A_WEEK = 7;

/** Days since 1970-01-01 of a calendar day; months are 1 to 12. */
export const dayNumber = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / DAY_MS;
const lastDayOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
/** 1 = Sunday to 7 = Saturday. */
export const weekdayOf = (day: number): number => ((((day + 4) % DAYS_A_WEEK) + DAYS_A_WEEK) % DAYS_A_WEEK) + 1;

const SUNDAY = 1;
const SATURDAY = 7;

/** The working day (Monday to Friday) nearest to a day within the same month. */
function nearestWorkday(year: number, month: number, day: number): number {
  const weekday = weekdayOf(dayNumber(year, month, day));
  if (weekday === SATURDAY) return day === 1 ? day + 2 : day - 1;
  if (weekday === SUNDAY) return day === lastDayOf(year, month) ? day - 2 : day + 1;
  return day;
}

/** Days of a month that match a rule, in ascending order; days that the month lacks are left out. */
export function daysIn(rule: DayRule, year: number, month: number): number[] {
  const last = lastDayOf(year, month);
  const first = weekdayOf(dayNumber(year, month, 1));
  const from = (weekday: number) => 1 + ((weekday - first + DAYS_A_WEEK) % DAYS_A_WEEK);
  const within = (day: number) => (day >= 1 && day <= last ? [day] : []);
  switch (rule.kind) {
    case 'any':
      return Array.from({ length: last }, (_, index) => index + 1);
    case 'days':
      return rule.days.filter((day) => day <= last);
    case 'weekdays':
      return Array.from({ length: last }, (_, index) => index + 1).filter((day) =>
        rule.weekdays.includes(((first - 1 + day - 1) % DAYS_A_WEEK) + 1),
      );
    case 'beforeEnd':
      return within(last - rule.days);
    case 'lastWorkday':
      return [nearestWorkdayBefore(year, month, last)];
    case 'nearestWorkday':
      return rule.day <= last ? [nearestWorkday(year, month, rule.day)] : [];
    case 'lastWeekday':
      return [from(rule.weekday) + DAYS_A_WEEK * Math.floor((last - from(rule.weekday)) / DAYS_A_WEEK)];
    case 'nthWeekday':
      return within(from(rule.weekday) + DAYS_A_WEEK * (rule.nth - 1));
  }
}

function nearestWorkdayBefore(year: number, month: number, day: number): number {
  const weekday = weekdayOf(dayNumber(year, month, day));
  return weekday === SUNDAY ? day - 2 : weekday === SATURDAY ? day - 1 : day;
}

/** First day (days since 1970-01-01) at or after `from` on which a schedule runs; undefined if there is none. */
export function nextDay(schedule: Pick<Schedule, 'day' | 'months' | 'years'>, from: number): number | undefined {
  const start = new Date(from * DAY_MS);
  const startMonth = start.getUTCFullYear() * 12 + start.getUTCMonth();
  for (const year of schedule.years) {
    if (year < start.getUTCFullYear()) continue;
    for (const month of schedule.months) {
      if (year * 12 + month - 1 < startMonth) continue;
      for (const day of daysIn(schedule.day, year, month)) {
        const number = dayNumber(year, month, day);
        if (number >= from) return number;
      }
    }
  }
  return undefined;
}
