import { wallTime } from '#core/time/format.ts';
import type { Summary } from './use-summary.ts';

type Slots = Summary['load']['today'];

export interface LoadNow {
  kw: number;
  /** `13:45` */
  time: string;
  /** Relative to the same time of the previous day. */
  change: number | undefined;
}

/** The latest slot with a value. */
export function loadNow(today: Slots, yesterday: Slots): LoadNow | undefined {
  const slot = today.findLast(({ kw }) => kw !== null);
  if (slot === undefined || slot.kw === null) return undefined;
  const time = wallTime(Date.parse(slot.at));
  const before = yesterday.find(({ at }) => wallTime(Date.parse(at)) === time)?.kw;
  return { kw: slot.kw, time, change: before ? (slot.kw - before) / before : undefined };
}
