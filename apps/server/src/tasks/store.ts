import type { Outcome } from '@hes/contract/core/outcome.ts';
import { UNKNOWN_OUTCOME } from '@hes/contract/task/words.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import type { Database } from '#db/tables.ts';
import { IS_POSSIBLY_EXECUTED } from './possibly-executed.ts';

import { PAUSED_FROM, TALLY, type EndedItem } from './queries.ts';
import { DEVICES } from './shared-item.ts';

/** Items, one row for each device: the view that takes shared items apart. */
export const ITEM_DEVICES = sql<Selectable<Database['taskItem']> & { itemId: string }>`task_item_device`;

/** NOTIFY channel that announces queue changes to every server. */
export const TASK_CHANNEL = 'hes_task';

/** Wakes the dispatchers of all servers when the transaction commits. */
export const notifyDispatchers = (tx: Tx | Db) => sql`select pg_notify(${TASK_CHANNEL}, '')`.execute(tx);

const pausedFrom = sql.raw(PAUSED_FROM);

/** Waiting items of a task; skips rows that another statement is claiming or ending. */
const waitingOf = (taskId: string) =>
  sql`select id from task_item where task_id = ${taskId} and phase = 'open' and state = 'waiting' order by id for update skip locked`;

/** Pauses a task: none of its items is started, and items in execution end normally. Returns the number of open items. */
export async function pauseTask(tx: Tx | Db, taskId: string): Promise<number> {
  const open = await sql<{ open: number }>`
    update task set state = 'paused' where id = ${taskId} and state in ('waiting', 'running') and finished_at is null and not is_stopped
      and exists (select from task_item where task_id = ${taskId} and phase = 'open')
    returning total - done as open`.execute(tx);
  const [paused] = open.rows;
  if (paused === undefined) return 0;
  await sql`update task_item set not_before = ${pausedFrom} + (greatest(not_before, now()) - now()) where id in (${waitingOf(taskId)})`.execute(
    tx,
  );
  await notifyDispatchers(tx);
  return paused.open;
}

/** Resumes a paused task and restores the remaining waits of its items. Returns the number of open items. */
export async function resumeTask(tx: Tx | Db, taskId: string): Promise<number> {
  const open = await sql<{ open: number }>`
    update task set state = case when started_at is null then 'waiting' else 'running' end where id = ${taskId} and state = 'paused'
    returning total - done as open`.execute(tx);
  const [resumed] = open.rows;
  if (resumed === undefined) return 0;
  await sql`update task_item set not_before = now() + (not_before - ${pausedFrom}) where not_before >= ${pausedFrom} and id in (${waitingOf(taskId)})`.execute(
    tx,
  );
  await notifyDispatchers(tx);
  return resumed.open;
}

/**
 * Stops a task: waiting items are cancelled now, claimed items and retries as soon as they return to the queue. Items in execution end
 * normally. Returns the number of items that were open.
 */
export async function cancelTask(tx: Tx | Db, taskId: string): Promise<number> {
  const open = await sql<{ open: number }>`
    update task set is_stopped = true where id = ${taskId} and finished_at is null and not is_stopped returning total - done as open`.execute(
    tx,
  );
  const [stopped] = open.rows;
  if (stopped === undefined) return 0;
  await sql`
    update task_item i set state = 'cancelled', reason_code = 'CANCELLED', finished_at = now()
    where id in (${waitingOf(taskId)}) and not ${sql.raw(IS_POSSIBLY_EXECUTED)}`.execute(tx);
  await recountTask(tx, taskId);
  await notifyDispatchers(tx);
  return stopped.open;
}

/** Queues ended items of a task again; `which` is a condition. Returns the number of their devices. */
async function queueAgain(tx: Tx | Db, taskId: string, which: RawBuilder<unknown>): Promise<number> {
  const queued = await sql<{ devices: number }>`
    update task_item i set state = 'waiting', reason_code = null, reason_text = null, attempts = 0, not_before = now(), started_at = null, finished_at = null, details = null
    where task_id = ${taskId} and ${which} returning ${sql.raw(DEVICES)} as devices`.execute(tx);
  return queued.rows.reduce((sum, { devices }) => sum + devices, 0);
}

/** Queues the failed items again. Returns the number of their devices. */
export async function retryTask(tx: Tx | Db, taskId: string): Promise<number> {
  const count = await queueAgain(tx, taskId, sql`phase in ('read_fail', 'expired')`);
  if (count === 0) return 0;
  await sql`update task set is_stopped = false, expires_at = greatest(expires_at, now() + interval '1 day') where id = ${taskId}`.execute(
    tx,
  );
  await recountTask(tx, taskId);
  await notifyDispatchers(tx);
  return count;
}

/** Queues all ended items again; those of one device keep their results until new ones arrive. Returns the number of their devices. */
export async function repeatTask(tx: Tx | Db, taskId: string): Promise<number> {
  const count = await queueAgain(tx, taskId, sql`phase <> 'open'`);
  if (count === 0) return 0;
  await sql`update task set is_stopped = false where id = ${taskId}`.execute(tx);
  await recountTask(tx, taskId);
  await notifyDispatchers(tx);
  return count;
}

/**
 * Settles items that ended with an unknown outcome when their task ended. Returns them; the caller announces them. The task keeps the
 * moment of its end.
 */
export async function settleItems(
  tx: Tx | Db,
  { taskId, meterId }: { taskId: string; meterId: string },
  outcome: Outcome<ItemResult>,
): Promise<EndedItem[]> {
  const settled = await sql<EndedItem>`
    update task_item set state = ${outcome.ok ? 'read_success' : 'read_fail'}, reason_code = ${outcome.ok ? null : outcome.reason}, reason_text = null,
      result = coalesce(${outcome.ok ? JSON.stringify(outcome.value) : null}::jsonb, result)
    where task_id = ${taskId} and meter_id = ${meterId} and phase = 'read_fail' and reason_code = ${UNKNOWN_OUTCOME}
    returning id, task_id, state`.execute(tx);
  if (settled.rows.length > 0) await recountTask(tx, taskId);
  return settled.rows;
}

/** Counters and state of a task from its items. */
const recountTask = (tx: Tx | Db, taskId: string) =>
  sql`
  with n as (
    select coalesce(sum(devices), 0)::int as total, ${sql.raw(TALLY)}, bool_or(state = 'reading') as busy
    from (select i.state, ${sql.raw(DEVICES)} as devices from task_item i where i.task_id = ${taskId}) as item
  )
  update task t set done = n.done, ok = n.ok, failed = n.failed,
    state = case
      when n.done < n.total and t.state = 'paused' and not t.is_stopped then 'paused'
      when n.done < n.total then case when n.busy or n.done > 0 then 'running' else 'waiting' end
      when n.ok = n.total and (n.total > 0 or not t.is_stopped) then 'finished' when t.is_stopped then 'cancelled' when n.ok = 0 then 'failed' else 'partly_failed' end,
    finished_at = case when n.done < n.total then null else coalesce(t.finished_at, now()) end
  from n where t.id = ${taskId}`.execute(tx);

/** Stores what an item in progress has read so far. An item that meanwhile ended keeps its final result. */
export const storePartialResult = (db: Db, itemId: string, result: ItemResult) =>
  db
    .updateTable('taskItem')
    .set({ result: JSON.stringify(result) })
    .where('id', '=', itemId)
    .where('state', '=', 'reading')
    .execute();
