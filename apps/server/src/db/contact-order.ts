import { COUNT_LIMIT, MAX_PAGE_SIZE } from '@hes/contract/core/page.ts';
import { sql } from 'kysely';
import { countFleet } from './fleet-count.ts';
import type { Db } from '#platform/context.ts';

export type ContactColumn = 'lastCommAt' | 'lastReadAt';

/** Up to here sorting takes milliseconds. */
const SMALL_FLEET = 20_000;
const KEPT_MS = 60_000;

interface Order {
  ids: Promise<string[]>;
  until: number;
}

const known = new WeakMap<Db, Map<string, Order>>();

async function sorted(db: Db, column: ContactColumn, direction: 'asc' | 'desc'): Promise<string[]> {
  const by = sql.ref(`meter.${column}`);
  const order = direction === 'desc' ? sql`${by} desc nulls last, meter.sn desc` : sql`${by} nulls first, meter.sn`;
  const { rows } = await sql<{ id: string }>`select meter.id from meter order by ${order} limit ${COUNT_LIMIT + MAX_PAGE_SIZE}`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * The first meters by last contact, as far as a list can be paged through. Times of contact have no index: they change with
 * every exchange, and an index would make each of those changes ten times dearer. So a large fleet is sorted once a minute for
 * all who ask; undefined for a small one.
 */
export async function contactOrder(db: Db, column: ContactColumn, direction: 'asc' | 'desc'): Promise<string[] | undefined> {
  const fleet = await countFleet(db);
  if (fleet.reduce((sum, row) => sum + row.meters, 0) <= SMALL_FLEET) return undefined;
  const orders = known.get(db) ?? new Map<string, Order>();
  known.set(db, orders);
  const key = `${column},${direction}`;
  const last = orders.get(key);
  if (last !== undefined && last.until > performance.now()) return last.ids;
  const order = { ids: sorted(db, column, direction), until: performance.now() + KEPT_MS };
  orders.set(key, order);
  order.ids.catch(() => orders.delete(key));
  return order.ids;
}
