import type { Pool } from 'pg';
import { createPartition, type PartitionedTable } from '#db/partitions.ts';
import { DAY_MS } from './day-rows.ts';

/** First day of the month of a day since 1970-01-01: `2026-11-01`. */
const monthOf = (day: number): string => `${new Date(day * DAY_MS).toISOString().slice(0, 7)}-01`;

/** Creates the monthly partitions of readings and traces on first use. */
export class Partitions {
  readonly #pool: Pool;
  readonly #known = new Set<string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Resolves when the table has partitions for these days (since 1970-01-01). */
  async ensure(table: PartitionedTable, days: Iterable<number>): Promise<void> {
    const months = new Set(Array.from(days, monthOf));
    const missing = [...months].filter((month) => !this.#known.has(`${table} ${month}`));
    if (missing.length > 0) await this.#create(table, missing);
  }

  async #create(table: PartitionedTable, months: readonly string[]): Promise<void> {
    for (const month of months) {
      await createPartition(this.#pool, table, month);
      this.#known.add(`${table} ${month}`);
    }
  }
}
