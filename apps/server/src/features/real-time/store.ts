import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { Pool } from 'pg';
import type { Tx } from '#db/context.ts';

/** Whether a meter has three phases. Its own rating takes precedence over that of its type. */
export async function isThreePhase(pool: Pool, meterId: string): Promise<boolean> {
  const found = await pool.query<{ is: boolean }>(
    "select coalesce(m.phase, t.phase) <> '1p2w' as is from meter m join meter_type t on t.id = m.meter_type_id where m.id = $1",
    [meterId],
  );
  return found.rows[0]?.is === true;
}

export interface InstantReading {
  meterId: string;
  /** Epoch milliseconds. */
  at: number;
  values: readonly ReadValue[];
  taskItemId: string;
}

/** Stores the values of one reading that the user ordered to be kept. */
export async function storeInstant(pool: Pool, { meterId, at, values, taskItemId }: InstantReading): Promise<void> {
  const kept = Object.fromEntries(
    values.filter((value) => value.reasonCode === null).map(({ item, value, unit }) => [item, { value, unit }]),
  );
  await pool.query(
    'insert into reading_instant (meter_id, at, values, task_item_id) values ($1, $2, $3::jsonb, $4) on conflict (meter_id, at) do nothing',
    [meterId, new Date(at), JSON.stringify(kept), taskItemId],
  );
}

/** Returns when the user ordered this real-time task; undefined when the user has no such task. */
export async function findOwnTask(tx: Tx, userId: string, taskId: string): Promise<Date | undefined> {
  const task = await tx
    .selectFrom('task')
    .where('id', '=', taskId)
    .where('kind', '=', 'real_time')
    .where('createdBy', '=', userId)
    .select('createdAt')
    .executeTakeFirst();
  return task?.createdAt;
}
