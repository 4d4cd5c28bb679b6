import { DCU_PARTS } from '@hes/contract/asset/dcu-part.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { ArchiveEntry, ArchiveLogRow, ArchiveRow, ArchiveSummary, PlanStep, RepairPlan } from '@hes/contract/asset/archive.ts';
import { sql, type RawBuilder } from 'kysely';
import { ARCHIVE_SOURCE, selectArchiveRows } from './archive-queries.ts';
import { dcuHas } from '#db/dcu-parts.ts';
import { containing, countUpTo, iso, isoOrNull, type PageQuery, sortColumn } from '#db/paging.ts';
import { dcuUnder, visible } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';

export interface ArchiveFilter {
  dcuId?: string | undefined;
  node?: NodeKey | undefined;
  sn?: string | undefined;
  bindState?: readonly string[] | undefined;
  dispatchState?: readonly string[] | undefined;
  distributionState?: readonly string[] | undefined;
  deleteStatus?: readonly string[] | undefined;
  diff?: readonly string[] | undefined;
  communicationMode?: readonly string[] | undefined;
}

const among = (column: RawBuilder<unknown>, values: readonly string[] | undefined): RawBuilder<unknown> =>
  values === undefined ? sql`true` : sql`${column} = any(${[...values]}::text[])`;

function conditionOf(user: User, filter: ArchiveFilter): RawBuilder<unknown> {
  const mode =
    filter.communicationMode === undefined
      ? sql`true`
      : sql`exists (select from meter mm where mm.sn = x.sn and mm.communication_mode = any(${[...filter.communicationMode]}::text[]))`;
  return sql`${visible('dcu.transformerId', user)} and ${dcuUnder(filter.node)}
    and ${filter.dcuId === undefined ? sql`true` : sql`x.dcu_id = ${filter.dcuId}`}
    and ${filter.sn ? sql`x.sn like ${containing(filter.sn).toUpperCase()}` : sql`true`}
    and ${among(sql`x.bind_state`, filter.bindState)} and ${among(sql`x.dispatch_state`, filter.dispatchState)}
    and ${among(sql`x.distribution_state`, filter.distributionState)} and ${among(sql`x.delete_status`, filter.deleteStatus)}
    and ${among(sql`x.diff_kind`, filter.diff)} and ${mode}`;
}

const SORTS: Record<string, RawBuilder<unknown>> = {
  sn: sql`x.sn`,
  diffKind: sql`x.diff_kind`,
  bindState: sql`x.bind_state`,
  dispatchState: sql`x.dispatch_state`,
  lastDispatchAt: sql`x.last_dispatch_at`,
  measurementPoint: sql`x.idx`,
};

/** Without an order: rows of one DCU that differ first, as there is something to do about them. */
function orderOf({ sort, dcuId }: PageQuery & ArchiveFilter): RawBuilder<unknown> {
  const [field = '', direction] = (sort ?? '').split(',');
  const column = sortColumn(SORTS, field);
  if (column === undefined)
    return dcuId === undefined
      ? sql`order by x.dcu_id, x.idx nulls last, x.sn`
      : sql`order by x.diff_kind is null or x.diff_kind = 'same', x.idx nulls last, x.sn`;
  return direction === 'desc'
    ? sql`order by ${column} desc nulls last, x.sn, x.dcu_id`
    : sql`order by ${column} nulls first, x.sn, x.dcu_id`;
}

/** DCU and serial number identify an archive row, because a meter that was only discovered has no id. */
async function toCome(db: Db, whereInOrder: RawBuilder<unknown>, query: PageQuery): Promise<RawBuilder<unknown>> {
  const found = await takeRows(
    db,
    sql<{ dcuId: string; sn: string }>`select x.dcu_id, x.sn from ${ARCHIVE_SOURCE} where ${whereInOrder}`,
    ['dcuId', 'sn'],
    query,
  );
  const dcuIds = [...new Set(found.map((row) => row.dcuId))];
  return sql`x.dcu_id = any(${dcuIds}::bigint[]) and x.dcu_id || '/' || x.sn = any(${found.map(({ dcuId, sn }) => `${dcuId}/${sn}`)}::text[])`;
}

export async function listArchive(db: Db, user: User, query: PageQuery & ArchiveFilter) {
  const where = conditionOf(user, query);
  const order = orderOf(query);
  const [items, counted] = await Promise.all([
    query.cursor === undefined
      ? selectArchiveRows(db, where, sql`${order} limit ${query.size} offset ${(query.page - 1) * query.size}`)
      : selectArchiveRows(db, await toCome(db, sql`${where} ${order}`, query), order),
    countUpTo(db, sql`select 1 from ${ARCHIVE_SOURCE} where ${where}`),
  ]);
  return { items, ...counted, page: query.page, size: query.size };
}

interface SummaryColumns extends Omit<ArchiveSummary, 'comparedAt'> {
  comparedAt: Date | null;
}

const NO_DIFFERENCES = { same: 0, hes_only: 0, dcu_only: 0, param_diff: 0, idx_conflict: 0, other_dcu: 0, air_only: 0 } as const;

/** Archive summaries of DCUs, those with pending changes first. */
export async function listSummaries(
  db: Db,
  user: User,
  query: PageQuery & { dcuId?: string | undefined; node?: NodeKey | undefined; mismatched?: boolean | undefined },
) {
  const where = sql`${visible('dcu.transformerId', user)} and ${dcuUnder(query.node)} and ${query.dcuId === undefined ? sql`true` : sql`dcu.id = ${query.dcuId}`}`;
  const counts = sql`lateral (
    select count(*) filter (where bind_state = 'bound')::int as bound,
      count(*) filter (where bind_state = 'bound' and dispatch_state = 'not_distributed')::int as pending,
      count(*) filter (where bind_state = 'not_bound' and dispatch_state = 'distributed')::int as surplus
    from archive_record r where r.dcu_id = dcu.id) c`;
  const wanted = query.mismatched === true ? sql`c.pending + c.surplus > 0` : sql`true`;
  const from = sql`from dcu cross join ${counts} where ${where} and ${wanted}`;
  const [rows, counted] = await Promise.all([
    sql<SummaryColumns>`
      select dcu.id as "dcuId", dcu.sn as "dcuSn", dcu.name as "dcuName", dcu.online_status as "onlineStatus", t.name as "transformerName",
        dt.max_meters as "maxMeters", p.bound, p.pending, p.surplus, s.taken_at as "comparedAt", s.count as "dcuEntries",
        case when ${dcuHas('archive', sql.ref('dcu.id'))} then null else ${DCU_PARTS.archive.reason} end as lacks,
        coalesce((select jsonb_object_agg(k.diff_kind, k.n) from (
          select diff_kind, count(*)::int as n from archive_record r where r.dcu_id = dcu.id and diff_kind is not null group by diff_kind) k), '{}') as diff,
        (select i.task_id from task_item i where i.dcu_id = dcu.id and i.kind in ('archive_compare', 'archive_dispatch') and i.phase = 'open'
          order by i.id limit 1) as "activeTaskId"
      from (select dcu.id, c.* ${from} order by c.pending + c.surplus desc, dcu.sn limit ${query.size} offset ${(query.page - 1) * query.size}) p
      join dcu on dcu.id = p.id join dcu_type dt on dt.id = dcu.dcu_type_id left join transformer t on t.id = dcu.transformer_id
      left join lateral (select taken_at, count from archive_snapshot s where s.dcu_id = dcu.id order by taken_at desc limit 1) s on true
      order by p.pending + p.surplus desc, dcu.sn`.execute(db),
    countUpTo(db, sql`select 1 ${from}`),
  ]);
  const items = rows.rows.map((row) => ({ ...row, diff: { ...NO_DIFFERENCES, ...row.diff }, comparedAt: isoOrNull(row.comparedAt) }));
  return { items, ...counted, page: query.page, size: query.size };
}

const ORDER_KINDS = ['archive_compare', 'archive_dispatch'];

export async function findLog(db: Db, dcuId: string, size: number): Promise<ArchiveLogRow[]> {
  const found = await sql<Omit<ArchiveLogRow, 'createdAt' | 'finishedAt'> & { createdAt: Date; finishedAt: Date | null }>`
    select t.id as "taskId", t.kind, t.title, t.params, t.created_at as "createdAt", i.finished_at as "finishedAt", u.name as "createdByName", i.state,
      i.reason_code as "reasonCode", i.reason_text as "reasonText", i.latency_ms as "latencyMs", i.trace_id as "traceId",
      coalesce(i.result -> 'counts', '{}') as counts
    from task_item i join task t on t.id = i.task_id left join app_user u on u.id = t.created_by
    where i.dcu_id = ${dcuId} and i.kind = any(${ORDER_KINDS}::text[]) order by i.id desc limit ${size}`.execute(db);
  return found.rows.map((row) => ({ ...row, createdAt: iso(row.createdAt), finishedAt: isoOrNull(row.finishedAt) }));
}

export interface OrderDcu {
  id: string;
  sn: string;
  transformerId: string | null;
  maxMeters: number;
}

/** The DCUs of these ids in the user's area. */
export const findOrderDcus = (db: Db | Tx, user: User, ids: readonly string[]): Promise<OrderDcu[]> =>
  db
    .selectFrom('dcu')
    .innerJoin('dcuType', 'dcuType.id', 'dcu.dcuTypeId')
    .where(visible('dcu.transformerId', user))
    .where(sql<boolean>`dcu.id = any(${[...ids]}::bigint[])`)
    .select(['dcu.id', 'dcu.sn', 'dcu.transformerId', 'dcuType.maxMeters'])
    .orderBy('dcu.id')
    .execute();

/** Whether an item of these kinds runs at the DCU or is due. Items that wait for their window do not count. */
export async function isBusy(db: Db | Tx, dcuId: string, kinds: readonly string[]): Promise<boolean> {
  const found = await sql<{ busy: boolean }>`
    select exists (select from task_item where dcu_id = ${dcuId} and kind = any(${[...kinds]}::text[]) and phase = 'open'
      and (state = 'reading' or not_before <= now())) as busy`.execute(db);
  return found.rows[0]?.busy === true;
}

export const findRecords = (db: Db | Tx, user: User, ids: readonly string[]) =>
  db
    .selectFrom('archiveRecord')
    .innerJoin('dcu', 'dcu.id', 'archiveRecord.dcuId')
    .where(visible('dcu.transformerId', user))
    .where(sql<boolean>`archive_record.id = any(${[...ids]}::bigint[])`)
    .select([
      'archiveRecord.id',
      'archiveRecord.dcuId',
      'dcu.sn as dcuSn',
      'archiveRecord.sn',
      'archiveRecord.meterId',
      'archiveRecord.bindState',
      'archiveRecord.dispatchState',
    ])
    .orderBy('archiveRecord.id')
    .execute();

export const rowsOf = (db: Db, sns: readonly string[], dcuIds: readonly string[]): Promise<ArchiveRow[]> =>
  selectArchiveRows(
    db,
    sql`x.dcu_id = any(${[...dcuIds]}::bigint[]) and x.sn = any(${[...sns]}::text[])`,
    sql`order by x.dcu_id, x.idx nulls last, x.sn, x.dcu_id`,
  );

/** Serial numbers that wait for distribution. */
export async function findPending(db: Db | Tx, dcuId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('archiveRecord')
    .where('dcuId', '=', dcuId)
    .where('bindState', '=', 'bound')
    .where('dispatchState', '=', 'not_distributed')
    .select('sn')
    .execute();
  return rows.map((row) => row.sn);
}

export const countBound = async (db: Db | Tx, dcuId: string): Promise<number> => {
  const row = await db
    .selectFrom('archiveRecord')
    .where('dcuId', '=', dcuId)
    .where('bindState', '=', 'bound')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
};

/** Locks meters for binding, in the order of ids. A meter without transformer is available to every user with the right to bind. */
export const lockMeters = (tx: Tx, user: User, ids: readonly string[]) =>
  tx
    .selectFrom('meter')
    .where(sql<boolean>`(meter.transformer_id is null or ${visible('meter.transformerId', user)})`)
    .where(sql<boolean>`meter.id = any(${[...ids]}::bigint[])`)
    .select(['id', 'sn', 'dcuId', 'inventoryState'])
    .orderBy('id')
    .forUpdate()
    .execute();

export interface Binding {
  dcu: OrderDcu;
  phase?: string | undefined;
  communicationMode?: string | undefined;
}

/** Binds meters to the DCU; the caller updates their archive records. */
export const bindMeters = (tx: Tx, ids: readonly string[], { dcu, phase, communicationMode }: Binding, now: Date) =>
  sql`
    update meter set dcu_id = ${dcu.id}, transformer_id = coalesce(${dcu.transformerId}::bigint, transformer_id),
      inventory_state = case when inventory_state = 'in_warehouse' then 'installed' else inventory_state end,
      installed_at = case when inventory_state = 'in_warehouse' then ${now} else installed_at end,
      recorded_phase = coalesce(${phase ?? null}, recorded_phase), communication_mode = coalesce(${communicationMode ?? null}, communication_mode),
      updated_at = ${now}, version = version + 1
    where id = any(${[...ids]}::bigint[])`.execute(tx);

/** Unbinds meters from their DCU. A meter at a transformer stays there: moving it to the warehouse is another action. */
export const unbindMeters = (tx: Tx, ids: readonly string[], now: Date) =>
  sql`
    update meter set dcu_id = null, inventory_state = case when transformer_id is null then 'in_warehouse' else inventory_state end,
      updated_at = ${now}, version = version + 1
    where id = any(${[...ids]}::bigint[])`.execute(tx);

/** Records of these meters at other DCUs, which change because their binding has changed. */
export const findOtherRecords = (tx: Tx, meterIds: readonly string[], dcuId: string) =>
  tx
    .selectFrom('archiveRecord')
    .where(sql<boolean>`meter_id = any(${[...meterIds]}::bigint[])`)
    .where('dcuId', '<>', dcuId)
    .select(['dcuId', 'sn'])
    .execute();

export interface Snapshot {
  id: string;
  takenAt: Date;
  entries: Record<string, ArchiveEntry>;
  frames: number;
  durationMs: number;
}

export async function findSnapshot(db: Db | Tx, dcuId: string): Promise<Snapshot | undefined> {
  const row = await db
    .selectFrom('archiveSnapshot')
    .where('dcuId', '=', dcuId)
    .select(['id', 'takenAt', 'entries', 'frames', 'durationMs'])
    .orderBy('takenAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { ...row, entries: row.entries as Snapshot['entries'] }; // as: written by the comparison
}

export interface NewPlan {
  dcuId: string;
  snapshotId: string;
  steps: PlanStep[];
  frames: number;
  seconds: number;
  createdBy: string;
}

export async function insertPlan(db: Db | Tx, plan: NewPlan): Promise<string> {
  const row = await db
    .insertInto('archivePlan')
    .values({ ...plan, steps: JSON.stringify(plan.steps), seconds: plan.seconds.toFixed(1) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findPlan(db: Db | Tx, user: User, id: string): Promise<RepairPlan | undefined> {
  const row = await db
    .selectFrom('archivePlan')
    .innerJoin('dcu', 'dcu.id', 'archivePlan.dcuId')
    .innerJoin('archiveSnapshot', 'archiveSnapshot.id', 'archivePlan.snapshotId')
    .where(visible('dcu.transformerId', user))
    .where('archivePlan.id', '=', id)
    .select([
      'archivePlan.id',
      'archivePlan.dcuId',
      'dcu.sn as dcuSn',
      'archivePlan.createdAt',
      'archiveSnapshot.takenAt as comparedAt',
      'archivePlan.steps',
      'archivePlan.frames',
      'archivePlan.seconds',
      'archivePlan.appliedAt',
      'archivePlan.taskId',
    ])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const steps = row.steps as PlanStep[]; // as: written by insertPlan
  const count = (kind: PlanStep['kind']) => steps.filter((step) => step.kind === kind).length;
  return {
    ...row,
    steps,
    inserts: count('insert'),
    updates: count('update'),
    removes: count('remove'),
    seconds: Number(row.seconds),
    createdAt: iso(row.createdAt),
    comparedAt: iso(row.comparedAt),
    appliedAt: isoOrNull(row.appliedAt),
  };
}

export const markApplied = (tx: Tx, id: string, taskId: string, now: Date) =>
  tx.updateTable('archivePlan').set({ appliedAt: now, taskId }).where('id', '=', id).execute();
