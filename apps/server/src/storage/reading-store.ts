import type { ProfileReading } from './day-rows.ts';
import type { LatestValue } from './latest.ts';
import type { DailyRow } from './staging.ts';

export interface Stored {
  /** Captures nobody had before. Counted for the whole batch, so only its sum over time means something. */
  fresh: number;
  /** Captures left out because their stamp was not usable. */
  dropped: number;
}

/** Where readings go. Each resolves after the commit; for an urgent one somebody waits, so it is not kept back for company. */
export interface ReadingStore {
  /** Captures of an interval profile. Their columns are copied before this returns. */
  storeProfile(reading: ProfileReading, urgent?: boolean): Promise<Stored>;
  /** Daily freezes. */
  storeDaily(rows: DailyRow[], urgent?: boolean): Promise<Stored>;
  /** Single values as the newest of a meter. */
  storeValues(meterId: string, values: Record<string, LatestValue>, urgent?: boolean): Promise<Stored>;
}
