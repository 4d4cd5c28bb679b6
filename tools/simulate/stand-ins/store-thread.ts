import type { Context } from '../../../apps/server/src/db/context.ts';
import type { ProfileReading } from '../../../apps/server/src/storage/day-rows.ts';
import type { LatestValue } from '../../../apps/server/src/storage/latest.ts';
import type { ReadingStore, Stored } from '../../../apps/server/src/storage/reading-store.ts';
import type { DailyRow } from '../../../apps/server/src/storage/staging.ts';
import { TransferBatch, unpackReading } from '../../../apps/server/src/storage/thread/messages.ts';
import type { TraceStore } from '../../../apps/server/src/storage/trace-writer.ts';
import { ReadingWriter } from '../../../apps/server/src/storage/writer.ts';

/** Maximum latency of a message between two threads. */
const HAND_OVER_MS = 4;

/**
 * Replaces the storing thread, which no seed controls: the same writer with the same messages in one thread, each with a
 * latency. Traces are dropped.
 */
export class StoreThread implements ReadingStore, TraceStore {
  readonly #writer: ReadingWriter;

  constructor(ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log' | 'settings'>) {
    this.#writer = new ReadingWriter(ctx);
  }

  storeProfile(reading: ProfileReading, urgent = false): Promise<Stored> {
    // The caller reuses the columns, so they are copied before this returns.
    const batch = new TransferBatch();
    const packed = batch.packReading(reading);
    const { numbers } = batch.toMessage(0);
    return handOver(() => this.#writer.storeProfile(unpackReading(packed, numbers), urgent));
  }

  storeDaily(rows: DailyRow[], urgent = false): Promise<Stored> {
    return handOver(() => this.#writer.storeDaily(rows, urgent));
  }

  storeValues(meterId: string, values: Record<string, LatestValue>, urgent = false): Promise<Stored> {
    return handOver(() => this.#writer.storeValues(meterId, values, urgent));
  }

  storeTrace(): void {
    // Traces are not simulated.
  }

  stop(): Promise<void> {
    return this.#writer.stop();
  }
}

function handOver(store: () => Promise<Stored>): Promise<Stored> {
  return new Promise((resolve, reject) => {
    setTimeout(() => {
      store().then(
        (stored) => setTimeout(() => resolve(stored), HAND_OVER_MS),
        (error: Error) => setTimeout(() => reject(error), HAND_OVER_MS),
      );
    }, HAND_OVER_MS);
  });
}
