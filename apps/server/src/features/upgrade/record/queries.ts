import type { UpgradeState } from '@hes/contract/states/upgrade.ts';
import { UPGRADE_FAILURES } from '@hes/contract/states/upgrade.ts';
import type { PostCheck, UpgradeLogLine, UpgradeRecordFilters } from '@hes/contract/upgrade/record.ts';
import { MAX_RANGE_MS } from '@hes/contract/core/page.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, orderOf, type PageQuery } from '#db/paging.ts';
import { visibleDevice } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import { FAILED_SQL, findRecordRows, SILENT_SQL } from '#features/upgrade/transfer/row-queries.ts';
import type { DayWindow } from '#features/upgrade/transfer/window.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Tx, User } from '#db/context.ts';

const FROM = sql`upgrade_record r join endpoint as dcu on dcu.id = r.dcu_id left join meter on r.device_kind = 'meter' and meter.id = r.device_id`;
const SORT_COLUMNS = {
  time: 'r.changed_at',
  status: 'r.status',
  sn: 'coalesce(meter.sn, dcu.sn)',
  process: 'r.process',
  ring: 'r.ring',
  attempts: 'r.attempts',
} as const;

type Filters = Omit<UpgradeRecordFilters, 'status'> & { status?: UpgradeRecordFilters['status'] };

function matching(user: User, filters: Filters): RawBuilder<boolean> {
  const { from, to } = filters;
  if (from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) > MAX_RANGE_MS) throw new ApiError('RANGE_TOO_LONG');
  const conditions = [visibleDevice(user)];
  if (filters.jobId) conditions.push(sql<boolean>`r.job_id = ${filters.jobId}`);
  if (filters.type) conditions.push(sql<boolean>`r.target_kind = any(${[...filters.type]}::text[])`);
  if (filters.status) conditions.push(sql<boolean>`r.status = any(${[...filters.status]}::text[])`);
  if (filters.sn) conditions.push(sql<boolean>`coalesce(meter.sn, dcu.sn) like ${containing(filters.sn).toUpperCase()}`);
  if (filters.ring) conditions.push(sql<boolean>`r.ring = ${filters.ring}`);
  if (filters.dcuSn) conditions.push(sql<boolean>`dcu.kind = 'dcu' and dcu.sn like ${containing(filters.dcuSn).toUpperCase()}`);
  if (filters.dcuId) conditions.push(sql<boolean>`r.dcu_id = ${filters.dcuId}`);
  if (from) conditions.push(sql<boolean>`r.changed_at >= ${from}::timestamptz`);
  if (to) conditions.push(sql<boolean>`r.changed_at <= ${to}::timestamptz`);
  if (filters.checkResult) conditions.push(sql<boolean>`r.check_result = any(${[...filters.checkResult]}::text[])`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

export async function listRecords(ctx: Pick<Context, 'db' | 'pool'>, user: User, query: PageQuery & UpgradeRecordFilters) {
  const where = matching(user, query);
  const { column, direction } = orderOf(query.sort ?? 'time,desc', SORT_COLUMNS, 'r.changed_at');
  const [ids, counted] = await Promise.all([
    takeRows(
      ctx.db,
      sql<{ id: string }>`select r.id from ${FROM} where ${where} order by ${sql.raw(column)} ${sql.raw(direction)}, r.id`,
      ['id'],
      query,
    ),
    countUpTo(ctx.db, sql`select r.id from ${FROM} where ${where}`),
  ]);
  const items = await findRecordRows(
    ctx.pool,
    ids.map((row) => row.id),
  );
  return { items, ...counted, page: query.page, size: query.size };
}

export async function summariseRecords(db: Db, user: User, filters: Filters) {
  const found = await sql<{
    status: UpgradeState;
    count: number;
  }>`select r.status, count(*)::int as count from ${FROM} where ${matching(user, filters)} group by r.status`.execute(db);
  return {
    total: found.rows.reduce((sum, row) => sum + row.count, 0),
    byStatus: Object.fromEntries(found.rows.map(({ status, count }) => [status, count])),
  };
}

interface WallGroup {
  dcuId: string | null;
  dcuSn: string | null;
  transformerName: string | null;
  cells: { id: string; sn: string; status: UpgradeState }[];
}

/** The devices of an upgrade by DCU, then its direct meters by transformer. */
export async function findWall(db: Db, user: User, jobId: string): Promise<{ items: WallGroup[] }> {
  const dcuId = sql`case dcu.kind when 'dcu' then dcu.id end`;
  const dcuSn = sql`case dcu.kind when 'dcu' then dcu.sn end`;
  const found = await sql<WallGroup>`
    select ${dcuId} as dcu_id, ${dcuSn} as dcu_sn, t.name as transformer_name,
      jsonb_agg(jsonb_build_object('id', r.id::text, 'sn', coalesce(meter.sn, dcu.sn), 'status', r.status) order by coalesce(meter.sn, dcu.sn)) as cells
    from ${FROM} left join transformer t on t.id = dcu.transformer_id where ${matching(user, { jobId })}
    group by ${dcuId}, ${dcuSn}, t.id order by ${dcuSn}, t.name`.execute(db);
  return { items: found.rows };
}

/** Failed records of an upgrade in the user's area. */
export async function findFailed(tx: Tx, user: User, jobId: string): Promise<string[]> {
  const found = await sql<{ id: string }>`
    select r.id from ${FROM} where ${matching(user, { jobId, status: [...UPGRADE_FAILURES] })} order by r.id`.execute(tx);
  return found.rows.map((row) => row.id);
}

/** Columns that lists leave out because of their size. */
export async function findDetail(db: Db, user: User, id: string): Promise<{ blockMap: string; postChecks: PostCheck[] } | undefined> {
  const found = await sql<{ blockMap: string; postChecks: PostCheck[] }>`
    select r.block_map, r.post_checks from ${FROM} where r.id = ${id} and ${visibleDevice(user)}`.execute(db);
  return found.rows[0];
}

type RawLine = Omit<UpgradeLogLine, 'at'> & { at: Date };

export async function listLog(db: Db, recordId: string) {
  const found = await sql<RawLine>`
    select l.id, l.at, l.from_status, l.to_status, l.text, l.reason_code, u.name as user_name
    from upgrade_log l left join app_user u on u.id = l.user_id where l.record_id = ${recordId} order by l.id limit 2000`.execute(db);
  return { items: found.rows.map((line) => ({ ...line, at: line.at.toISOString() })) };
}

export interface Chosen {
  id: string;
  jobId: string;
  jobName: string;
  status: UpgradeState;
  deviceId: string;
  deviceKind: 'dcu' | 'meter';
  dcuId: string;
}

/** Locks and returns records in the user's area. Locks their upgrades first, because the supervisor may be finishing one. */
export async function lockRecords(tx: Tx, user: User, ids: readonly string[]): Promise<Chosen[]> {
  await sql`select from upgrade_job where id in (select job_id from upgrade_record where id = any(${[...ids]}::bigint[])) order by id for update`.execute(
    tx,
  );
  const found = await sql<Chosen>`
    select r.id, r.job_id, j.name as job_name, r.status, r.device_id, r.device_kind, r.dcu_id from ${FROM} join upgrade_job j on j.id = r.job_id
    where r.id = any(${[...ids]}::bigint[]) and ${visibleDevice(user)} order by r.id for update of r`.execute(tx);
  return found.rows;
}

/** Reopens failed records. A device with an open record in another upgrade is left out: one upgrade per device at a time. */
export async function reopenRecords(tx: Tx, userId: string, ids: readonly string[], isAnew: boolean): Promise<string[]> {
  const opened = await sql<{ id: string }>`
    with chosen as (
      select r.id, r.status from upgrade_record r where r.id = any(${[...ids]}::bigint[]) and r.status = any(${[...UPGRADE_FAILURES]}::text[])
        and not exists (select from upgrade_record o where o.id <> r.id and o.target_kind = r.target_kind and o.device_kind = r.device_kind and o.device_id = r.device_id
          and o.status not in ('no_need_complete', 'complete', 'update_fail', 'error'))
    ), opened as (
      update upgrade_record r set status = 'idle', attempts = attempts + 1, stumbles = 0, repairs = 0, is_stopping = false, is_anew = ${isAnew}, released_at = null,
        activated_at = null, scheduled_at = null, check_result = null, check_text = null, reason_code = null, reason_text = null, failed_in = null, finished_at = null,
        post_checks = '[]', changed_at = now(), process = case when ${isAnew} then 0 else process end
      from chosen where r.id = chosen.id returning r.id, chosen.status as was
    ), logged as (
      insert into upgrade_log (record_id, from_status, to_status, text, user_id) select id, was, 'idle', ${isAnew ? 'start' : 'resume'}, ${userId} from opened
    )
    select id from opened`.execute(tx);
  return opened.rows.map((row) => row.id);
}

/** Reopens a finished job. Its present failures no longer count towards a halt, but a retried record that fails again does. */
export const reopenJob = (tx: Tx, jobId: string) =>
  sql`with n as (
      select j.id, j.state in ('finished', 'stopped') as is_over, count(*) filter (where ${sql.raw(FAILED_SQL)})::int as failures,
        count(*) filter (where ${sql.raw(SILENT_SQL)})::int as silent
      from upgrade_job j join upgrade_record r on r.job_id = j.id and r.ring <= j.ring where j.id = ${jobId} group by j.id
    )
    update upgrade_job j set state = case when is_over then 'running' else j.state end,
      finished_at = case when is_over then null else j.finished_at end, ring_done_at = case when is_over then null else j.ring_done_at end,
      forgiven_failures = case when is_over then n.failures else least(j.forgiven_failures, n.failures) end,
      forgiven_silent = case when is_over then n.silent else least(j.forgiven_silent, n.silent) end
    from n where j.id = n.id`.execute(tx);

/** The window applies to the whole job, including records that still wait. */
export const setWindow = (tx: Tx, jobId: string, window: DayWindow | null) =>
  sql`update upgrade_job set window_from = ${window?.from ?? null}, window_to = ${window?.to ?? null} where id = ${jobId}`.execute(tx);

export const byIds = (ids: readonly string[]): RawBuilder<boolean> => sql<boolean>`r.id = any(${[...ids]}::bigint[])`;
