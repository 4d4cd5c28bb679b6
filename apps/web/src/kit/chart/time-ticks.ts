import { localDayOf, startOfLocalDay } from '@hes/contract/schedule/local-day.ts';
import { offsetsOf } from '@hes/contract/schedule/zone.ts';

const HOUR_S = 3600;
const QUARTER_S = HOUR_S / 4;
const STEPS_S = [QUARTER_S, 2 * QUARTER_S, HOUR_S, 2 * HOUR_S, 3 * HOUR_S, 4 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S];

/**
 * Positions of the axis marks, in seconds since 1970: full steps of the wall clock of a zone, or midnights. The chart library's own marks
 * use the browser's zone.
 */
export function timeTicks({ from, to, most }: { from: number; to: number; most: number }, timeZone: string): number[] {
  const offset = offsetsOf(timeZone);
  const step = STEPS_S.find((one) => (to - from) / one <= most);
  if (step === undefined) return midnights({ from, to, most }, offset);
  const ticks: number[] = [];
  for (let at = Math.ceil(from / QUARTER_S) * QUARTER_S; at <= to; at += QUARTER_S)
    if ((at + offset(at * 1000) / 1000) % step === 0) ticks.push(at);
  return ticks;
}

/** Midnights with a step in days that fits at most `most` marks. */
function midnights({ from, to, most }: { from: number; to: number; most: number }, offset: (at: number) => number): number[] {
  const [first, last] = [localDayOf(offset, from * 1000), localDayOf(offset, to * 1000)];
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most)));
  const ticks: number[] = [];
  for (let day = first; day <= last; day += step) {
    const at = startOfLocalDay(offset, day) / 1000;
    if (at >= from) ticks.push(at);
  }
  return ticks;
}
