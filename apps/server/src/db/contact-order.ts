import { COUNT_LIMIT, MAX_PAGE_SIZE } from '@hes/contract/core/page.ts';
import { sql } from 'kysely';
import { countFleet } from './fleet-count.ts';
import { cachedQuery, SMALL_FLEET } from './cached-query.ts';
import type { Db } from './context.ts';

/** Last row that paging can reach. Exports of a whole list exceed it. */
export const CONTACT_ORDER_ROWS = COUNT_LIMIT + MAX_PAGE_SIZE;

export type ContactColumn = 'lastCommAt' | 'lastReadAt';

const sortedBy = (column: ContactColumn) => {
  const by = sql.ref(`meter.${column}`);
  const first = (order: ReturnType<typeof sql>) =>
    cachedQuery(
      async (db) => {
        const { rows } = await sql<{
          id: string;
        }>`select meter.id from meter order by ${order} limit ${CONTACT_ORDER_ROWS}`.execute(db);
        return rows.map((row) => row.id);
      },
      () => true,
    );
  return { desc: first(sql`${by} desc nulls last, meter.sn desc`), asc: first(sql`${by} nulls first, meter.sn`) };
};
const ORDERS: Record<ContactColumn, ReturnType<typeof sortedBy>> = {
  lastCommAt: sortedBy('lastCommAt'),
  lastReadAt: sortedBy('lastReadAt'),
};

/**
 * The first meters by last contact, up to the last row that paging can reach; undefined for a small fleet. Contact times have no index,
 * which would make their frequent updates ten times slower: a large fleet is sorted once a minute instead.
 */
export async function findContactOrder(db: Db, column: ContactColumn, direction: 'asc' | 'desc'): Promise<string[] | undefined> {
  const fleet = await countFleet(db);
  return fleet.reduce((sum, row) => sum + row.meters, 0) <= SMALL_FLEET ? undefined : ORDERS[column][direction](db);
}
