import { maxRangeDays } from '@hes/contract/reading/reading.ts';
import { addDays, daysBetween } from '#shared/time/format.ts';
import type { Kind } from './data-kinds.ts';

export interface DayRange {
  from: string;
  to: string;
}

/** Of one meter somebody wants to see its last days; of a network whether last night's data are in. */
const DAYS_OF_METER = 7;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const lastDays = (today: string, days: number): DayRange => ({ from: addDays(today, 1 - days), to: today });

/** A year of month ends: the first of this month, and those of the eleven before. */
export const lastYear = (today: string): DayRange => {
  const [year = 0, month = 0] = today.split('-').map(Number);
  return { from: new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10), to: today };
};

/** What the address says, if it is a range; else of month ends the last year, of the rest yesterday, or the last days of one meter. */
export function rangeOf({ from, to, node }: Record<'from' | 'to' | 'node', string | undefined>, today: string, kind: Kind): DayRange {
  const valid = from && to && DAY.test(from) && DAY.test(to) && from <= to;
  if (valid) return { from, to };
  if (kind === 'monthly') return lastYear(today);
  const yesterday = addDays(today, -1);
  return node?.startsWith('meter:') ? lastDays(today, DAYS_OF_METER) : { from: yesterday, to: yesterday };
}

export const isTooLong = ({ from, to }: DayRange, kind: Kind): boolean => daysBetween(from, to) > maxRangeDays(kind);
