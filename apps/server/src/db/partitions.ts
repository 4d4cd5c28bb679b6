import type { Pool } from 'pg';

/** The same number as the writer of readings takes: two that want the same month take turns. */
const PARTITION_LOCK = 4_059_002;
const MONTHS_BACK = 3;
const MONTHS_AHEAD = 2;

const TABLES = ['reading_daily', 'reading_profile', 'trace'] as const;

const firstOf = (now: number, offset: number) => {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1));
};
const isoDay = (date: Date) => date.toISOString().slice(0, 10);

/** Makes the monthly partitions around `now`. Safe to repeat; what is old leaves by the setting `retention`. */
export async function keepPartitions(pool: Pool, now: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [PARTITION_LOCK]);
    for (const table of TABLES) {
      for (let offset = -MONTHS_BACK; offset <= MONTHS_AHEAD; offset++) {
        await client.query('select add_month($1::regclass, $2::date)', [table, isoDay(firstOf(now, offset))]);
      }
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [PARTITION_LOCK]).catch(() => undefined);
    client.release();
  }
}
