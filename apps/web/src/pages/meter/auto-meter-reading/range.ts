import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import { addDays, daysBetween } from '#shared/time/format.ts';

export interface DayRange {
  from: string;
  to: string;
}

/** Of one meter somebody wants to see its last days; of a network whether last night's data are in. */
const DAYS_OF_METER = 7;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const lastDays = (today: string, days: number): DayRange => ({ from: addDays(today, 1 - days), to: today });

/** What the address says, if it is a range; else yesterday, or the last days of one meter. */
export function rangeOf({ from, to, node }: Record<'from' | 'to' | 'node', string | undefined>, today: string): DayRange {
  const valid = from && to && DAY.test(from) && DAY.test(to) && from <= to;
  if (valid) return { from, to };
  const yesterday = addDays(today, -1);
  return node?.startsWith('meter:') ? lastDays(today, DAYS_OF_METER) : { from: yesterday, to: yesterday };
}

export const isTooLong = ({ from, to }: DayRange): boolean => daysBetween(from, to) > MAX_RANGE_DAYS;
