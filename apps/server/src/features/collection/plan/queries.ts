import type { PlanFields, PlanRow, PlanRunRow } from '@hes/contract/reading/plan.ts';
import type { PlanExecution, PlanTarget, PlanType } from '@hes/contract/states/plan.ts';
import type { TaskState } from '@hes/contract/task/task.ts';
import { CompiledQuery, sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, iso, isoOrNull, type PageQuery, sortColumn } from '#db/paging.ts';
import { levelWalkable, seesWholeNetwork, visible } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db, Tx, User } from '#db/context.ts';
import { dcuTasksStatement, type DcuTasksOrder } from '#features/collection/schedule/dcu-task-queries.ts';
import { isOwnTarget, listChoices } from './targets-queries.ts';

interface RunColumns {
  id: string;
  at: Date;
  trigger: 'schedule' | 'user';
  state: 'started' | 'skipped';
  reason: 'still_running' | 'no_targets' | null;
  queued: number;
  stillWaiting: number;
  taskId: string | null;
  taskState: TaskState | null;
  total: number | null;
  done: number | null;
  ok: number | null;
  failed: number | null;
  finishedAt: Date | null;
  isLoaded: boolean;
}

const runRows = (planId: RawBuilder<unknown>) => sql<RunColumns>`
  select r.id, r.at, r.trigger, r.state, r.reason, r.queued, r.still_waiting, r.task_id, t.state as task_state, t.total, t.done, t.ok, t.failed, t.finished_at, coalesce(t.is_loaded, false) as is_loaded
  from plan_run r left join task t on t.id = r.task_id where r.plan_id = ${planId}`;

const toRun = (row: RunColumns): PlanRunRow => ({ ...row, at: iso(row.at), finishedAt: isoOrNull(row.finishedAt) });

/** A run of a plan that reaches beyond the user's area, without its number of meters. */
const withoutCounts = (row: RunColumns): PlanRunRow => ({
  ...toRun(row),
  taskId: null,
  queued: 0,
  stillWaiting: 0,
  total: null,
  done: null,
  ok: null,
  failed: null,
});

export async function listRuns(db: Db, user: User, planId: string, query: PageQuery) {
  const { targetKind, targetIds } = await getPlan(db, user, planId);
  const tell = (await isOwnTarget(db, user, targetKind, targetIds)) ? toRun : withoutCounts;
  const rows = runRows(sql`${planId}`);
  const [found, counted] = await Promise.all([
    sql<RunColumns>`${rows} order by r.at desc, r.id desc limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db),
    countUpTo(db, sql`select from plan_run where plan_id = ${planId}`),
  ]);
  return { items: found.rows.map(tell), ...counted, page: query.page, size: query.size };
}

interface PlanColumns {
  id: string;
  name: string;
  type: PlanType;
  schedule: string;
  scheduleSettings: PlanFields['scheduleSettings'];
  targetKind: PlanTarget;
  targetIds: string[];
  items: string[];
  lookBackDays: number;
  execution: PlanExecution;
  retryCount: number | null;
  retryIntervalMinutes: number | null;
  windowFrom: string | null;
  windowTo: string | null;
  priority: number;
  enabled: boolean;
  isBuiltin: boolean;
  nextRunAt: Date | null;
  ownerName: string | null;
  createdAt: Date;
  updatedAt: Date;
  version: number;
}

const COLUMNS = sql`p.id, p.name, p.type, p.schedule, p.schedule_settings, p.target_kind, p.target_ids::text[] as target_ids,
  array(select o.key from collect_plan_item i join obis_code o on o.id = i.obis_id where i.plan_id = p.id order by i.sort) as items,
  p.look_back_days, p.execution, p.retry_count, p.retry_interval_min as retry_interval_minutes, p.window_from, p.window_to,
  p.priority, p.enabled, p.is_builtin, p.next_run_at, u.name as owner_name, p.created_at, p.updated_at, p.version`;

/** Counts the targeted meters in use within the caller's area. */
async function countMeters(db: Db, user: User, kind: PlanTarget, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from meter where meter.inventory_state <> 'in_warehouse' and meter.dcu_id is not null
      and ${aimedAt(kind, ids)} and ${visible('meter.transformerId', user)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Condition on `meter` for the targets of a plan. */
export function aimedAt(kind: PlanTarget, ids: readonly string[]): RawBuilder<boolean> {
  const list = sql`${[...ids]}::bigint[]`;
  switch (kind) {
    case 'all':
      return sql<boolean>`true`;
    case 'level':
      return sql<boolean>`exists (select from transformer t join network_level l on l.id = t.level_id where t.id = meter.transformer_id and l.path && ${list})`;
    case 'transformer':
      return sql<boolean>`meter.transformer_id = any(${list})`;
    case 'dcu':
      return sql<boolean>`meter.dcu_id = any(${list})`;
    case 'meter_type':
      return sql<boolean>`meter.meter_type_id = any(${list})`;
    case 'meter':
      return sql<boolean>`meter.id = any(${list})`;
  }
}

/** Queues the update of tasks in the DCUs that a plan reaches. Returns the task id; undefined when it reaches none. */
export async function orderDcuTasks(tx: Tx, order: DcuTasksOrder): Promise<string | undefined> {
  const { text, values } = dcuTasksStatement(order);
  const { rows } = await tx.executeQuery<{ id: string }>(CompiledQuery.raw(text, values));
  return rows[0]?.id;
}

/** State of the last task that updated the plan in its DCUs. */
async function findDcuTasks(db: Db, planId: string): Promise<PlanRow['dcuTasks']> {
  const { rows } = await sql<Omit<NonNullable<PlanRow['dcuTasks']>, 'at'> & { at: Date }>`
    select id as task_id, created_at as at, total, ok, failed from task where kind = 'dcu_tasks' and plan_id = ${planId} order by id desc limit 1`.execute(
    db,
  );
  const [order] = rows;
  return order === undefined ? null : { ...order, at: iso(order.at) };
}

/** Plans `p` that reach meters of the user's area. Plans for the whole network or for a meter type are visible to all users. */
function reaches(user: User): RawBuilder<boolean> {
  if (seesWholeNetwork(user)) return sql<boolean>`true`;
  return sql<boolean>`case p.target_kind
    when 'level' then exists (select from network_level l where l.id = any(p.target_ids) and ${levelWalkable({ id: sql`l.id`, path: sql`l.path` }, user)})
    when 'transformer' then exists (select from transformer where transformer.id = any(p.target_ids) and ${visible('transformer.id', user)})
    when 'dcu' then exists (select from dcu where dcu.id = any(p.target_ids) and ${visible('dcu.transformerId', user)})
    when 'meter' then exists (select from meter where meter.id = any(p.target_ids) and ${visible('meter.transformerId', user)})
    else true end`;
}

async function toRow(db: Db, user: User, row: PlanColumns): Promise<PlanRow> {
  const isOwn = await isOwnTarget(db, user, row.targetKind, row.targetIds);
  const [meters, names, last, dcuTasks] = await Promise.all([
    countMeters(db, user, row.targetKind, row.targetIds),
    row.targetKind === 'all' ? [] : listChoices(db, user, { kind: row.targetKind, ids: row.targetIds }),
    sql<RunColumns>`${runRows(sql`${row.id}`)} order by r.at desc, r.id desc limit 1`.execute(db),
    row.execution === 'dcu_task' && isOwn ? findDcuTasks(db, row.id) : null,
  ]);
  const [run] = last.rows;
  return {
    ...row,
    meters,
    targetNames: names.map((choice) => choice.name),
    lastRun: run === undefined ? null : isOwn ? toRun(run) : withoutCounts(run),
    dcuTasks,
    nextRunAt: row.enabled ? isoOrNull(row.nextRunAt) : null,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

const SORT: Record<string, string> = {
  name: 'p.name',
  type: 'p.type',
  priority: 'p.priority',
  nextRunAt: 'p.next_run_at',
  lastRunAt: 'p.last_run_at',
};

export async function listPlans(
  db: Db,
  user: User,
  query: PageQuery & {
    name?: string | undefined;
    type?: readonly PlanType[] | undefined;
    enabled?: boolean | undefined;
    lastResult?: readonly TaskState[] | undefined;
  },
) {
  const conditions = [
    reaches(user),
    ...(query.name ? [sql<boolean>`p.name ilike ${containing(query.name)}`] : []),
    ...(query.type ? [sql<boolean>`p.type = any(${[...query.type]}::text[])`] : []),
    ...(query.enabled === undefined ? [] : [sql<boolean>`p.enabled = ${query.enabled}`]),
    ...(query.lastResult
      ? [
          sql<boolean>`(select t.state from plan_run r join task t on t.id = r.task_id where r.plan_id = p.id order by r.at desc limit 1) = any(${[...query.lastResult]}::text[])`,
        ]
      : []),
  ];
  const where = sql.join(conditions, sql` and `);
  const [field = '', direction] = (query.sort ?? '').split(',');
  const order = sql.raw(`${sortColumn(SORT, field) ?? 'p.id'} ${direction === 'desc' ? 'desc' : 'asc'} nulls last`);
  const [found, counted] = await Promise.all([
    sql<PlanColumns>`select ${COLUMNS} from collect_plan p left join app_user u on u.id = p.owner_id where ${where}
      order by ${order}, p.id limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db),
    countUpTo(db, sql`select from collect_plan p where ${where}`),
  ]);
  const items = await Promise.all(found.rows.map((row) => toRow(db, user, row)));
  return { items, ...counted, page: query.page, size: query.size };
}

export async function getPlan(db: Db, user: User, id: string): Promise<PlanRow> {
  const { rows } = await sql<PlanColumns>`
    select ${COLUMNS} from collect_plan p left join app_user u on u.id = p.owner_id where p.id = ${id} and ${reaches(user)}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return toRow(db, user, row);
}

/** Locks a plan until the transaction ends. Returns false when it does not exist. */
export const lockPlan = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('collectPlan').where('id', '=', id).select('id').forUpdate().executeTakeFirst()) !== undefined;

const valuesOf = (plan: PlanFields, nextRunAt: Date | null, now: Date) => ({
  name: plan.name,
  type: plan.type,
  schedule: plan.schedule,
  scheduleSettings: plan.scheduleSettings === null ? null : JSON.stringify(plan.scheduleSettings),
  targetKind: plan.targetKind,
  targetIds: plan.targetKind === 'all' ? [] : plan.targetIds,
  lookBackDays: plan.lookBackDays,
  execution: plan.execution,
  retryCount: plan.retryCount,
  retryIntervalMin: plan.retryIntervalMinutes,
  windowFrom: plan.windowFrom,
  windowTo: plan.windowTo,
  priority: plan.priority,
  enabled: plan.enabled,
  nextRunAt,
  updatedAt: now,
});

export async function insertPlan(tx: Tx, plan: PlanFields, nextRunAt: Date | null, ownerId: string, now: Date): Promise<string> {
  const { id } = await tx
    .insertInto('collectPlan')
    .values({ ...valuesOf(plan, nextRunAt, now), ownerId, createdAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await replaceItems(tx, id, plan.items);
  return id;
}

export async function updatePlan(tx: Tx, id: string, plan: PlanFields, nextRunAt: Date | null, now: Date): Promise<void> {
  await tx
    .updateTable('collectPlan')
    .set((expression) => ({ ...valuesOf(plan, nextRunAt, now), version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  await replaceItems(tx, id, plan.items);
}

export const setEnabled = (tx: Tx, id: string, enabled: boolean, nextRunAt: Date | null, now: Date) =>
  tx
    .updateTable('collectPlan')
    .set((expression) => ({ enabled, nextRunAt, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

async function replaceItems(tx: Tx, planId: string, keys: readonly string[]): Promise<void> {
  await tx.deleteFrom('collectPlanItem').where('planId', '=', planId).execute();
  await sql`
    insert into collect_plan_item (plan_id, obis_id, sort)
    select ${planId}, o.id, k.n from unnest(${[...keys]}::text[]) with ordinality as k (key, n) join obis_code o on o.key = k.key`.execute(
    tx,
  );
}

export const deletePlan = (tx: Tx, id: string) => tx.deleteFrom('collectPlan').where('id', '=', id).execute();

/** Columns of an existing plan that the import compares. */
export interface NamedPlan {
  id: string;
  schedule: string;
  scheduleSettings: PlanFields['scheduleSettings'];
  targetKind: PlanFields['targetKind'];
  targetIds: string[];
}

/** Plans by their names in lower case. */
export async function findPlansByName(db: Db, names: readonly string[]): Promise<Map<string, NamedPlan>> {
  const wanted = names.map((name) => name.toLowerCase());
  const { rows } = await sql<NamedPlan & { name: string }>`
    select id, name, schedule, schedule_settings, target_kind, target_ids::text[] as target_ids from collect_plan
    where lower(name) = any(${wanted}::text[])`.execute(db);
  return new Map(rows.map(({ name, ...plan }) => [name.toLowerCase(), plan]));
}

/** Those of the keys whose objects can be read. */
export async function findReadableKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select key from obis_code where enabled and kind = 'attribute' and class_id <> 7 and key = any(${[...keys]}::text[])`.execute(db);
  return new Set(rows.map((row) => row.key));
}
