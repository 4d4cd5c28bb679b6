/** Slot positions of a day: slot k holds the capture at day + lead + k × period. */
export interface Grid {
  periodSeconds: number;
  leadSeconds: number;
}

const DAY_SECONDS = 86_400;
/** Whole minutes, so that any two capture periods have a common grid of whole minutes. */
const PERIOD_STEP_SECONDS = 60;

/** Whether the period is a whole number of minutes that divides a day, as slots require. */
export const isCapturePeriod = (seconds: number): boolean =>
  seconds >= PERIOD_STEP_SECONDS && seconds % PERIOD_STEP_SECONDS === 0 && DAY_SECONDS % seconds === 0;

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));

export const isSameGrid = (a: Grid, b: Grid): boolean => a.periodSeconds === b.periodSeconds && a.leadSeconds === b.leadSeconds;

/** The coarsest grid that holds every slot of both. A lead is always shorter than its period, so no slot leaves its day. */
export function commonGrid(a: Grid, b: Grid): Grid {
  if (isSameGrid(a, b)) return a;
  const periodSeconds = divisorOf(divisorOf(a.periodSeconds, b.periodSeconds), Math.abs(a.leadSeconds - b.leadSeconds));
  if (!isCapturePeriod(periodSeconds)) throw new RangeError(`No common grid of ${a.periodSeconds} s and ${b.periodSeconds} s`);
  return { periodSeconds, leadSeconds: a.leadSeconds % periodSeconds };
}
