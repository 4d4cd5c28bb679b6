import type { DeviceRef } from '@hes/contract/action/device-order.ts';
import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import type { RunItemState } from '@hes/contract/task/run-state.ts';
import type { TaskItemRow, TaskItemState, TaskRow, TaskState } from '@hes/contract/task/task.ts';
import { runItemStateOf, UNKNOWN_OUTCOME } from '@hes/contract/task/words.ts';
import { READ_BACK_KINDS } from '#tasks/possibly-executed.ts';
import { ITEM_DEVICES } from '#tasks/store.ts';
import { sql, type RawBuilder } from 'kysely';
import { countUpTo, iso, isoOrNull, pageAfter, type CursoredQuery } from '#db/paging.ts';
import { seesWholeNetwork, visibleDevice } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';

/** Value of the indexed column `phase`: "open" for an unfinished item, otherwise its final state. */
const phaseOf = (state: TaskItemState): string => (state === 'waiting' || state === 'reading' ? 'open' : state);

const RUNNING: TaskState[] = ['waiting', 'running', 'paused', 'waiting_approval'];
const RUNNING_SHOWN = 20;

/** Users who see the whole network see every task; other users see their own. */
const mayBeSeen = (user: User): RawBuilder<boolean> =>
  seesWholeNetwork(user) ? sql<boolean>`true` : sql<boolean>`task.created_by = ${user.id}`;

/** Number of failed items whose outcome is unknown. Only orders that need a read-back have such items. */
const unknownOutcomes = sql<number>`case when task.kind = any(${READ_BACK_KINDS}::text[]) and task.failed > 0 then (select count(*)::int from task_item u
  where u.task_id = task.id and u.phase = 'read_fail' and u.reason_code = ${UNKNOWN_OUTCOME}) else 0 end`;

const tasks = (db: Db, user: User) => db.selectFrom('task').leftJoin('appUser', 'appUser.id', 'task.createdBy').where(mayBeSeen(user));

const withColumns = (rows: ReturnType<typeof tasks>) =>
  rows.select([
    'task.id',
    'task.kind',
    'task.source',
    'task.title',
    'task.state',
    'task.total',
    'task.done',
    'task.ok',
    'task.failed',
    unknownOutcomes.as('unknown'),
    'task.priority',
    'task.createdBy',
    'appUser.name as createdByName',
    'task.createdAt',
    'task.startedAt',
    'task.finishedAt',
    'task.params',
    'task.originId',
    'task.isLoaded',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

const toRow = (row: Selected): TaskRow => ({
  ...row,
  kind: row.kind as TaskKind, // as: createTask writes no other value
  createdAt: iso(row.createdAt),
  startedAt: isoOrNull(row.startedAt),
  finishedAt: isoOrNull(row.finishedAt),
  params: row.params as Record<string, unknown>, // as: an object by createTask
});

export async function listTasks(
  db: Db,
  user: User,
  query: CursoredQuery & {
    kind?: string | undefined;
    kinds?: readonly string[] | undefined;
    state?: readonly TaskState[] | undefined;
    mine?: boolean | undefined;
  },
) {
  let rows = tasks(db, user);
  if (query.kind !== undefined) rows = rows.where('task.kind', '=', query.kind);
  if (query.kinds !== undefined) rows = rows.where(sql<boolean>`task.kind = any(${[...query.kinds]}::text[])`);
  if (query.state !== undefined) rows = rows.where(sql<boolean>`task.state = any(${[...query.state]}::text[])`);
  if (query.mine === true) rows = rows.where('task.createdBy', '=', user.id);
  const { after, size } = query;
  if (after !== undefined) {
    const found = await withColumns(rows.where('task.id', '>', after))
      .orderBy('task.id')
      .limit(size)
      .execute();
    return pageAfter(found.map(toRow), { after, size });
  }
  const [items, counted] = await Promise.all([
    withColumns(rows)
      .orderBy('task.createdAt', 'desc')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('task.id')),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size, next: null };
}

export async function findTask(db: Db, user: User, id: string): Promise<TaskRow | undefined> {
  const row = await withColumns(tasks(db, user)).where('task.id', '=', id).executeTakeFirst();
  return row && toRow(row);
}

/** Whether every device of a task lies in the user's area. */
export async function isWithinArea(db: Db, user: User, taskId: string): Promise<boolean> {
  if (seesWholeNetwork(user)) return true;
  const { rows } =
    await sql`select from task_item_device i join endpoint as dcu on dcu.id = i.dcu_id left join meter on meter.id = i.meter_id
    where i.task_id = ${taskId} and not ${visibleDevice(user)} limit 1`.execute(db);
  return rows.length === 0;
}

/** An upgrade that a user has paused, that has halted, or that waits for a user before its next ring. Its devices wait with it. */
const isHeld = sql<boolean>`exists (select from upgrade_job j where j.task_id = task.id and j.state in ('paused', 'halted', 'waiting_ring'))`;

/** Unfinished tasks by priority; tasks of users come before those of plans. A held upgrade is shown as paused. */
export async function findRunningTasks(db: Db, user: User): Promise<TaskRow[]> {
  const rows = await withColumns(tasks(db, user))
    .select(isHeld.as('isHeld'))
    .where('task.state', 'in', RUNNING)
    .orderBy('task.priority')
    .orderBy('task.createdAt', 'desc')
    .limit(RUNNING_SHOWN)
    .execute();
  return rows.map(({ isHeld, ...row }) => toRow(isHeld && row.state === 'running' ? { ...row, state: 'paused' } : row));
}

/** Of the endpoint `dcu`; null: a direct meter, which is its own endpoint. */
const DCU_SN = sql<string | null>`case dcu.kind when 'dcu' then dcu.sn end`;

const items = (db: Db, user: User, taskId: string) =>
  db
    .selectFrom(ITEM_DEVICES.as('taskItem'))
    .innerJoin('endpoint as dcu', 'dcu.id', 'taskItem.dcuId')
    .leftJoin('meter', 'meter.id', 'taskItem.meterId')
    .leftJoin('transformer', (join) => join.on('transformer.id', '=', (on) => on.fn.coalesce('meter.transformerId', 'dcu.transformerId')))
    .where('taskItem.taskId', '=', taskId)
    .where(visibleDevice(user));

export async function listTaskItems(
  db: Db,
  user: User,
  taskId: string,
  query: CursoredQuery & { state?: readonly TaskItemState[] | undefined },
) {
  const { after, size } = query;
  let rows = items(db, user, taskId);
  if (query.state !== undefined)
    rows = rows.where(
      sql<boolean>`task_item.phase = any(${query.state.map(phaseOf)}::text[]) and task_item.state = any(${[...query.state]}::text[])`,
    );
  const inOrder = rows.select(['taskItem.id', 'taskItem.itemId']).orderBy('taskItem.id').limit(size);
  if (after !== undefined)
    return pageAfter(await findItems(db, user, taskId, await inOrder.where('taskItem.id', '>', after).execute()), { after, size });
  const [places, counted] = await Promise.all([
    inOrder.offset((query.page - 1) * size).execute(),
    countUpTo(db, rows.select('taskItem.id')),
  ]);
  return { items: await findItems(db, user, taskId, places), ...counted, page: query.page, size, next: null };
}

async function findItems(db: Db, user: User, taskId: string, places: readonly { id: string; itemId: string }[]): Promise<TaskItemRow[]> {
  // Results are read for the page only: those of a shared item are kept together, and large.
  const found = await items(db, user, taskId)
    .where(sql<boolean>`task_item.item_id = any(${places.map(({ itemId }) => itemId)}::bigint[])`)
    .where(sql<boolean>`task_item.id = any(${places.map(({ id }) => id)}::bigint[])`)
    .select([
      'taskItem.id',
      'taskItem.taskId',
      'taskItem.deviceKind',
      'taskItem.dcuId',
      DCU_SN.as('dcuSn'),
      'taskItem.meterId',
      'meter.sn as meterSn',
      'transformer.name as transformerName',
      'taskItem.state',
      'taskItem.reasonCode',
      'taskItem.reasonText',
      'taskItem.attempts',
      'taskItem.startedAt',
      'taskItem.finishedAt',
      'taskItem.latencyMs',
      'taskItem.result',
      'taskItem.traceId',
    ])
    .orderBy('taskItem.id')
    .execute();
  return found.map((row): TaskItemRow => ({
    ...row,
    startedAt: isoOrNull(row.startedAt),
    finishedAt: isoOrNull(row.finishedAt),
    result: row.result as TaskItemRow['result'], // as: written by the operations in the contract's shape
  }));
}

/** Devices of a task, or those of its failed items only. */
export async function findDevices(db: Db, taskId: string, only: 'all' | 'failed'): Promise<DeviceRef[]> {
  let rows = db
    .selectFrom(ITEM_DEVICES.as('taskItem'))
    .where('taskId', '=', taskId)
    .select(['deviceKind', 'dcuId', 'meterId'])
    .orderBy('id');
  if (only === 'failed') rows = rows.where('phase', 'in', ['read_fail', 'expired', 'cancelled']);
  return (await rows.execute()).map(({ dcuId, meterId }) =>
    meterId === null ? { kind: 'dcu' as const, id: dcuId } : { kind: 'meter' as const, id: meterId },
  );
}

/** State of every item of a task, grouped by DCU, then those of direct meters by transformer. */
export async function findWall(db: Db, user: User, taskId: string) {
  const rows = await items(db, user, taskId)
    .select([
      'taskItem.id',
      'taskItem.state',
      'taskItem.reasonCode',
      'taskItem.meterId',
      'meter.sn as meterSn',
      sql<string | null>`case dcu.kind when 'dcu' then dcu.id end`.as('dcuId'),
      DCU_SN.as('dcuSn'),
      'transformer.id as transformerId',
      'transformer.name as transformerName',
    ])
    .orderBy(DCU_SN)
    .orderBy('taskItem.id')
    .execute();
  const byDcu = new Map<
    string,
    {
      dcuId: string | null;
      dcuSn: string | null;
      transformerName: string | null;
      cells: { id: string; meterId: string | null; meterSn: string | null; state: RunItemState }[];
    }
  >();
  for (const { dcuId, dcuSn, transformerId, transformerName, state, reasonCode, ...cell } of rows) {
    const key = dcuId ?? `direct ${transformerId}`;
    const group = byDcu.get(key) ?? { dcuId, dcuSn, transformerName, cells: [] };
    group.cells.push({ ...cell, state: runItemStateOf({ state, reasonCode }) });
    byDcu.set(key, group);
  }
  return [...byDcu.values()];
}
