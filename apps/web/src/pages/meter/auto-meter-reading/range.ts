import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import { addDays, daysBetween } from '#shared/time/format.ts';

export interface DayRange {
  from: string;
  to: string;
}

const DEFAULT_DAYS = 7;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const lastDays = (today: string, days: number): DayRange => ({ from: addDays(today, 1 - days), to: today });

/** What the address says, if it is a range; else the last seven days. */
export function rangeOf(from: string | undefined, to: string | undefined, today: string): DayRange {
  const valid = from && to && DAY.test(from) && DAY.test(to) && from <= to;
  return valid ? { from, to } : lastDays(today, DEFAULT_DAYS);
}

export const isTooLong = ({ from, to }: DayRange): boolean => daysBetween(from, to) > MAX_RANGE_DAYS;
