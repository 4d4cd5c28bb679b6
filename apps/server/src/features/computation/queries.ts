import { kindsWhere, type ComputedKind } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

/** Computations are tasks without devices. */
export type ComputationKind = ComputedKind;
const KINDS = kindsWhere(({ target }) => target === 'server');

export const setTotal = (db: Db, taskId: string, total: number) => sql`update task set total = ${total} where id = ${taskId}`.execute(db);

export const advance = (tx: Tx | Db, taskId: string, count: number) =>
  sql`update task set done = done + ${count}, ok = ok + ${count} where id = ${taskId}`.execute(tx);

export const end = (db: Db | Tx, taskId: string, state: 'finished' | 'failed') =>
  sql`update task set state = ${state}, finished_at = now() where id = ${taskId}`.execute(db);

/** What a restart cut off is not running any more. */
export const endCutOff = (db: Db) =>
  sql`update task set state = 'failed', finished_at = now() where kind = any(${KINDS}::text[]) and state = 'running'`.execute(db);

/** The computation that runs with such a parameter. None takes a day, and the youngest tasks are found by their age. */
export async function findRunning(db: Db | Tx, kind: ComputationKind, params: Record<string, string>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from task where created_at > now() - interval '1 day' and kind = ${kind} and state = 'running' and params @> ${JSON.stringify(params)}::jsonb order by id desc limit 1`.execute(
    db,
  );
  return rows[0]?.id;
}
