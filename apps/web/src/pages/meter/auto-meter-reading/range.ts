import { maxRangeDays } from '@hes/contract/reading/reading.ts';
import { addDays, daysBetween } from '#core/time/format.ts';
import type { Kind } from './data-kinds.ts';

export interface DayRange {
  from: string;
  to: string;
}

/** A meter shows its last days; a network shows whether the data of last night are complete. */
const DAYS_OF_METER = 7;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const lastDays = (today: string, days: number): DayRange => ({ from: addDays(today, 1 - days), to: today });

/** Twelve month ends: the first of this month and of the eleven months before. */
export const lastYear = (today: string): DayRange => {
  const [year = 0, month = 0] = today.split('-').map(Number);
  return { from: new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10), to: today };
};

/** The range in the address if it is valid; else the last year for month ends, the last days of a single meter, or yesterday. */
export function rangeOf({ from, to, node }: Record<'from' | 'to' | 'node', string | undefined>, today: string, kind: Kind): DayRange {
  const valid = from && to && DAY.test(from) && DAY.test(to) && from <= to;
  if (valid) return { from, to };
  if (kind === 'monthly') return lastYear(today);
  const yesterday = addDays(today, -1);
  return node?.startsWith('meter:') ? lastDays(today, DAYS_OF_METER) : { from: yesterday, to: yesterday };
}

export const isTooLong = ({ from, to }: DayRange, kind: Kind): boolean => daysBetween(from, to) > maxRangeDays(kind);
