import type { PeriodKind } from '@hes/contract/states/bill.ts';
import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import { addDays, daysBetween } from '#core/time/format.ts';

export interface Period {
  kind: PeriodKind;
  from: string;
  to: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** First and last day of the calendar month of a day. */
export function monthOf(day: string): { from: string; to: string } {
  const last = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).toISOString().slice(0, 10);
  return { from: `${day.slice(0, 7)}-01`, to: last };
}

/** The period in the address if it is valid; else yesterday, the last day with the freezes at both ends. */
export function periodOf(url: { kind: string | undefined; from: string | undefined; to: string | undefined }, today: string): Period {
  const kind = url.kind === 'month' || url.kind === 'custom' ? url.kind : 'day';
  const { from, to } = url;
  const yesterday = addDays(today, -1);
  if (!from || !DAY.test(from)) return { kind: 'day', from: yesterday, to: yesterday };
  if (kind === 'day') return { kind, from, to: from };
  if (kind === 'month') return { kind, ...monthOf(from) };
  return { kind, from, to: to && DAY.test(to) && to >= from ? to : from };
}

/** Switches the kind of period: the last day, its month, or the same days as a custom range. */
export function changeKind(period: Period, kind: PeriodKind): Period {
  if (kind === 'day') return { kind, from: period.to, to: period.to };
  return kind === 'month' ? { kind, ...monthOf(period.to) } : { kind, from: period.from, to: period.to };
}

/** First day of the chart. A single day has no trend: the thirty days before are included. */
export const courseOf = ({ kind, from, to }: Period): string => (kind === 'day' ? addDays(to, 1 - MAX_RANGE_DAYS) : from);

export const isTooLong = ({ from, to }: Period): boolean => daysBetween(from, to) > MAX_RANGE_DAYS;
