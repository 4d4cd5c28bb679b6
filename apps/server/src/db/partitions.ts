import type { Pool } from 'pg';
import { withSessionLock } from './advisory-locks.ts';

const MONTHS_BACK = 3;
const MONTHS_AHEAD = 2;

const TABLES = ['reading_daily', 'reading_profile', 'trace'] as const;

const firstOf = (now: number, offset: number) => {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1));
};
const isoDay = (date: Date) => date.toISOString().slice(0, 10);

/** Creates the monthly partitions around `now`. Idempotent; the setting `retention` drops old partitions. */
export async function createPartitions(pool: Pool, now: number): Promise<void> {
  const client = await pool.connect();
  try {
    await withSessionLock(client, 'partition', async () => {
      for (const table of TABLES) {
        for (let offset = -MONTHS_BACK; offset <= MONTHS_AHEAD; offset++) {
          await client.query('select add_month($1::regclass, $2::date)', [table, isoDay(firstOf(now, offset))]);
        }
      }
    });
  } finally {
    client.release();
  }
}
