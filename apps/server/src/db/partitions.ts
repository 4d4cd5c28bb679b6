import type { Pool } from 'pg';
import { lockInTransactionOf } from './advisory-locks.ts';
import { inTransaction } from './in-transaction.ts';

const MONTHS_BACK = 3;
const MONTHS_AHEAD = 2;

const TABLES = ['reading_daily', 'reading_profile', 'trace'] as const;
export type PartitionedTable = (typeof TABLES)[number];

const firstOf = (now: number, offset: number) => {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1));
};
const isoDay = (date: Date) => date.toISOString().slice(0, 10);

/**
 * Creates the partition of one month unless it exists. Each has a transaction of its own, because a new one locks its whole table against
 * writers, which may hold another of the tables.
 *
 * @param firstDay first day of the month, such as `2026-11-01`
 */
export async function createPartition(pool: Pool, table: PartitionedTable, firstDay: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockInTransactionOf(client, 'partition');
    await client.query('select add_month($1::regclass, $2::date)', [table, firstDay]);
  });
}

/** Creates the monthly partitions around `now`. Idempotent; the setting `retention` drops old partitions. */
export async function createPartitions(pool: Pool, now: number): Promise<void> {
  for (const table of TABLES) {
    for (let offset = -MONTHS_BACK; offset <= MONTHS_AHEAD; offset++) await createPartition(pool, table, isoDay(firstOf(now, offset)));
  }
}
