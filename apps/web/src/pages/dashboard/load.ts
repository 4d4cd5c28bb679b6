const SLOTS_PER_HOUR = 4;

/** Hour of the day of every quarter-hour slot. */
export const slotHours = (count: number): number[] => Array.from({ length: count }, (_, slot) => slot / SLOTS_PER_HOUR);

export interface LoadNow {
  kw: number;
  /** `13:45` */
  time: string;
  /** Relative to the same slot yesterday. */
  change: number | undefined;
}

/** The newest slot that holds a value. */
export function loadNow(today: (number | null)[], yesterday: (number | null)[]): LoadNow | undefined {
  const slot = today.findLastIndex((value) => value !== null);
  const kw = today[slot];
  if (kw === null || kw === undefined) return undefined;
  const before = yesterday[slot];
  const minutes = slot * (60 / SLOTS_PER_HOUR);
  const time = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  return { kw, time, change: before ? (kw - before) / before : undefined };
}
