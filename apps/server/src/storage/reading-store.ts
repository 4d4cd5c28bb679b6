import type { ProfileReading } from './day-rows.ts';
import type { LatestValue } from './latest.ts';
import type { DailyRow } from './staging.ts';

export interface Stored {
  /** New captures of the whole batch that contained this call, so only long-term sums are meaningful. */
  fresh: number;
  /** Captures dropped because of an unusable stamp. */
  dropped: number;
}

/** Sink for readings. Each call resolves after the commit; an urgent one is written without waiting for a batch to fill. */
export interface ReadingStore {
  /** Stores captures of an interval profile. Their columns are copied before this returns. */
  storeProfile(reading: ProfileReading, urgent?: boolean): Promise<Stored>;
  /** Stores daily freezes. */
  storeDaily(rows: DailyRow[], urgent?: boolean): Promise<Stored>;
  /** Stores single values as the newest ones of a meter. */
  storeValues(meterId: string, values: Record<string, LatestValue>, urgent?: boolean): Promise<Stored>;
}
