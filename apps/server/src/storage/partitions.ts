import type { Pool } from 'pg';
import { DAY_MS } from './day-rows.ts';

export type PartitionedTable = 'reading_profile' | 'reading_daily' | 'trace';

/** Any number of our own: two servers that want the same month take turns. */
const PARTITION_LOCK = 4_059_002;

/** First of the month and of the next one, of a day since 1970-01-01. */
function monthOf(day: number): { name: string; from: string; to: string } {
  const date = new Date(day * DAY_MS);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return {
    name: `${year}_${String(month + 1).padStart(2, '0')}`,
    from: iso(Date.UTC(year, month, 1)),
    to: iso(Date.UTC(year, month + 1, 1)),
  };
}

/** Makes the monthly partitions readings and traces are written to, when they are first needed. */
export class Partitions {
  readonly #pool: Pool;
  readonly #known = new Set<string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns when the table can take rows of these days (since 1970-01-01). */
  async ensure(table: PartitionedTable, days: Iterable<number>): Promise<void> {
    const missing = new Map<string, { from: string; to: string }>();
    for (const day of days) {
      const { name, from, to } = monthOf(day);
      const partition = `${table}_${name}`;
      if (!this.#known.has(partition)) missing.set(partition, { from, to });
    }
    if (missing.size > 0) await this.#create(table, missing);
  }

  async #create(table: PartitionedTable, missing: Map<string, { from: string; to: string }>): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [PARTITION_LOCK]);
      for (const [partition, { from, to }] of missing) {
        await client.query(`create table if not exists ${partition} partition of ${table} for values from ('${from}') to ('${to}')`);
        this.#known.add(partition);
      }
    } finally {
      await client.query('select pg_advisory_unlock($1)', [PARTITION_LOCK]).catch(() => undefined);
      client.release();
    }
  }
}
