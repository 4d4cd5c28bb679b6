import type { ComputedKind } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

/** Computations are tasks without devices. */
export type ComputationKind = ComputedKind;

interface NewTask {
  kind: ComputationKind;
  title: string;
  params: string;
  total: number;
  priority: number;
  createdBy: string;
  startedAt: Date;
}

/** Inserts the task of a computation, which runs from the start. Returns its id. */
export async function insertComputation(tx: Tx, task: NewTask): Promise<string> {
  const { id } = await tx
    .insertInto('task')
    .values({ ...task, source: 'user', state: 'running' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

interface Ordered {
  createdBy: string;
  params: unknown;
}

/** Parameters of a computation; undefined when its task has ended. */
export async function findOrdered(db: Db, taskId: string): Promise<Ordered | undefined> {
  const { rows } =
    await sql<Ordered>`select created_by, params from task where id = ${taskId} and state = 'running' and created_by is not null`.execute(
      db,
    );
  return rows[0];
}

/** Resets the progress, because a restarted computation counts from zero. */
export const resetProgress = (tx: Tx, taskId: string) => sql`update task set done = 0, ok = 0 where id = ${taskId}`.execute(tx);

export const setTotal = (db: Db, taskId: string, total: number) => sql`update task set total = ${total} where id = ${taskId}`.execute(db);

/** Adds finished steps; false when the task was stopped. */
export async function addProgress(tx: Tx, taskId: string, count: number): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update task set done = done + ${count}, ok = ok + ${count} where id = ${taskId} and finished_at is null`.execute(tx);
  return numAffectedRows === 1n;
}

export const endTask = (db: Db | Tx, taskId: string, state: 'finished' | 'failed') =>
  sql`update task set state = ${state}, finished_at = now() where id = ${taskId} and finished_at is null`.execute(db);

/** Id of a running computation with these parameters. None takes a day: the age condition lets an index find it. */
export async function findRunning(db: Db | Tx, kind: ComputationKind, params: Record<string, string>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from task where created_at > now() - interval '1 day' and kind = ${kind} and state = 'running' and params @> ${JSON.stringify(params)}::jsonb order by id desc limit 1`.execute(
    db,
  );
  return rows[0]?.id;
}
