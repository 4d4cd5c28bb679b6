import type { UpgradeState } from '@hes/contract/states/upgrade.ts';
import type { UpgradeJobFilters, UpgradeJobRow, UpgradeOrder } from '@hes/contract/upgrade/job.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, orderOf, type PageQuery } from '#db/paging.ts';
import { seesWholeNetwork, visibleDevice } from '#db/scope.ts';
import { ENDS_SQL, FAILED_SQL, FAILURES_SQL, SILENT_SQL, findJobRows, findRecordRows } from '#features/upgrade/transfer/row-queries.ts';
import type { Context, Db, Tx, User } from '#db/context.ts';
import { TASK_CHANNEL } from '#tasks/store.ts';
import type { Target } from './target-queries.ts';

const SORT_COLUMNS = { name: 'j.name', createdAt: 'j.created_at', startedAt: 'j.started_at', state: 'j.state' } as const;

const RECORDS = sql`upgrade_record r join endpoint as dcu on dcu.id = r.dcu_id left join meter on r.device_kind = 'meter' and meter.id = r.device_id`;

/** Upgrades `j` with at least one device in the user's area. */
const inArea = (user: User): RawBuilder<boolean> =>
  seesWholeNetwork(user)
    ? sql<boolean>`true`
    : sql<boolean>`exists (select from ${RECORDS} where r.job_id = j.id and ${visibleDevice(user)})`;

interface RingCount {
  jobId: string;
  ring: number;
  targets: number;
  done: number;
  failed: number;
  running: number;
  process: number;
  octets: number;
}

/** Replaces the counts of upgrades by those of the devices in the user's area. */
async function countOwn(db: Db, user: User, rows: UpgradeJobRow[]): Promise<UpgradeJobRow[]> {
  if (seesWholeNetwork(user) || rows.length === 0) return rows;
  const found = await sql<RingCount>`
    select r.job_id, r.ring, count(*)::int as targets, count(*) filter (where r.status in (${sql.raw(ENDS_SQL)}) and r.status not in (${sql.raw(FAILURES_SQL)}))::int as done,
      count(*) filter (where r.status in (${sql.raw(FAILURES_SQL)}))::int as failed,
      count(*) filter (where r.released_at is not null and r.status not in (${sql.raw(ENDS_SQL)}))::int as running,
      sum(r.process)::float8 as process, sum(r.octets_sent)::float8 as octets
    from ${RECORDS} where r.job_id = any(${rows.map((row) => row.id)}::bigint[]) and ${visibleDevice(user)} group by r.job_id, r.ring`.execute(
    db,
  );
  const byJob = Map.groupBy(found.rows, (row) => row.jobId);
  return rows.map((row) => {
    const own = byJob.get(row.id) ?? [];
    const sum = (key: 'targets' | 'done' | 'failed' | 'running' | 'process' | 'octets') => own.reduce((all, ring) => all + ring[key], 0);
    const rings = row.rings.map(({ ring }) => {
      const { targets = 0, done = 0, failed = 0 } = own.find((one) => one.ring === ring) ?? {};
      return { ring, targets, done, failed };
    });
    const counts = {
      targets: sum('targets'),
      done: sum('done'),
      failed: sum('failed'),
      running: sum('running'),
      octetsSent: sum('octets'),
    };
    const process = Math.round((100 * sum('process')) / Math.max(1, counts.targets)) / 100;
    // Broadcasts and the cause of a halt count all devices of the upgrade, also those outside of the area.
    return { ...row, ...counts, process, rings, haltDetail: null, broadcasts: null };
  });
}

function matching(user: User, filters: UpgradeJobFilters): RawBuilder<boolean> {
  const conditions = [inArea(user)];
  if (filters.name) conditions.push(sql<boolean>`j.name ilike ${containing(filters.name)}`);
  if (filters.state) conditions.push(sql<boolean>`j.state = any(${[...filters.state]}::text[])`);
  if (filters.targetKind) conditions.push(sql<boolean>`j.target_kind = any(${[...filters.targetKind]}::text[])`);
  if (filters.firmwareId) conditions.push(sql<boolean>`j.firmware_id = ${filters.firmwareId}`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

type RowContext = Pick<Context, 'db' | 'pool' | 'clock' | 'settings'>;
const at = (ctx: RowContext) => ({ now: ctx.clock.now(), timeZone: ctx.settings.timeZone });

export async function listJobs(ctx: RowContext, user: User, query: PageQuery & UpgradeJobFilters) {
  const where = matching(user, query);
  const { column, direction } = orderOf(query.sort ?? 'createdAt,desc', SORT_COLUMNS, 'j.created_at');
  const [ids, counted] = await Promise.all([
    sql<{
      id: string;
    }>`select j.id from upgrade_job j where ${where} order by ${sql.raw(column)} ${sql.raw(direction)} nulls last, j.id desc
      limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(ctx.db),
    countUpTo(ctx.db, sql`select j.id from upgrade_job j where ${where}`),
  ]);
  const rows = await findJobRows(
    ctx.pool,
    ids.rows.map((row) => row.id),
    at(ctx),
  );
  const items = await countOwn(ctx.db, user, rows);
  return { items, ...counted, page: query.page, size: query.size };
}

export async function findJob(ctx: RowContext, user: User, id: string): Promise<UpgradeJobRow | undefined> {
  const found = await sql`select from upgrade_job j where j.id = ${id} and ${inArea(user)}`.execute(ctx.db);
  if (found.rows.length === 0) return undefined;
  return (await countOwn(ctx.db, user, await findJobRows(ctx.pool, [id], at(ctx))))[0];
}

export async function countByStatus(db: Db, user: User, jobId: string): Promise<Partial<Record<UpgradeState, number>>> {
  const found = await sql<{
    status: UpgradeState;
    count: number;
  }>`select r.status, count(*)::int as count from ${RECORDS} where r.job_id = ${jobId} and ${visibleDevice(user)} group by r.status`.execute(
    db,
  );
  return Object.fromEntries(found.rows.map(({ status, count }) => [status, count]));
}

/** Failed devices of an upgrade in the user's area, by ring and serial number. */
export async function findFailures(ctx: Pick<Context, 'db' | 'pool'>, user: User, jobId: string, count: number) {
  const found = await sql<{ id: string }>`
    select r.id from ${RECORDS} where r.job_id = ${jobId} and r.status in (${sql.raw(FAILURES_SQL)}) and ${visibleDevice(user)}
    order by r.ring, coalesce(meter.sn, dcu.sn) limit ${count}`.execute(ctx.db);
  return findRecordRows(
    ctx.pool,
    found.rows.map((row) => row.id),
  );
}

/** Locks and returns the job if all of its devices lie in the user's area; a user with a part of them cannot control it. */
export async function lockJob(
  tx: Tx,
  user: User,
  id: string,
): Promise<{ state: UpgradeJobRow['state']; ring: number; rings: number } | undefined> {
  const found = await sql<{ state: UpgradeJobRow['state']; ring: number; rings: number }>`
    select j.state, j.ring, j.rings from upgrade_job j where j.id = ${id} and not exists (
      select from ${RECORDS} where r.job_id = j.id and not ${visibleDevice(user)}) for update`.execute(tx);
  return found.rows[0];
}

interface Firmware {
  id: string;
  version: string;
  targetKind: string;
  upgradeProtocol: string;
}

export async function insertJob(
  tx: Tx,
  userId: string,
  order: UpgradeOrder,
  firmware: Firmware,
  rings: number,
  now: Date,
): Promise<string> {
  const made = await sql<{ id: string }>`
    insert into upgrade_job (name, reason, firmware_id, target_kind, rings, continue_by, watch_minutes, window_from, window_to, concurrency, per_dcu, halt_rule,
      activate_at,
      created_by, created_at, started_at)
    values (${order.name}, ${order.reason}, ${firmware.id}, ${firmware.targetKind}, ${rings}, ${order.continueBy}, ${order.watchMinutes},
      ${order.window?.from ?? null}, ${order.window?.to ?? null}, ${order.concurrency}, ${order.perDcu}, ${JSON.stringify(order.haltRule)}::jsonb, ${order.activateAt},
      ${userId}, ${now}, ${now}) returning id`.execute(tx);
  return made.rows[0]?.id ?? '';
}

/** Inserts one record per target, except those that another upgrade has started with in the meantime. Returns the number of records. */
export async function insertRecords(
  tx: Tx,
  jobId: string,
  firmware: Firmware,
  targets: readonly Target[],
  rings: readonly number[],
): Promise<number> {
  const ringOf = rings.flatMap((count, index) => Array.from({ length: count }, () => index + 1));
  const kind = firmware.targetKind === 'meter' ? 'meter' : 'dcu';
  const made = await sql`
    insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, old_version, new_version)
    select ${jobId}, ${firmware.targetKind}, ${kind}, n.device_id, n.dcu_id, n.ring, n.version, ${firmware.version}
    from unnest(${targets.map((target) => target.id)}::bigint[], ${targets.map((target) => target.dcuId)}::bigint[], ${ringOf}::int[],
      ${targets.map((target) => target.version)}::text[]) with ordinality as n (device_id, dcu_id, ring, version, k) order by n.k
    on conflict do nothing`.execute(tx);
  return Number(made.numAffectedRows ?? 0);
}

/** Creates a broadcast for each ring and DCU with more than one meter. Returns the DCU of each. */
export async function insertBroadcasts(tx: Tx, jobId: string, firmware: Firmware): Promise<{ dcuId: string }[]> {
  if (firmware.upgradeProtocol !== 'dlms_image_via_dcu' || firmware.targetKind !== 'meter') return [];
  const made = await sql<{ dcuId: string }>`
    insert into upgrade_broadcast (job_id, ring, dcu_id)
    select job_id, ring, dcu_id from upgrade_record where job_id = ${jobId} group by job_id, ring, dcu_id having count(*) > 1
    returning dcu_id`.execute(tx);
  return made.rows;
}

/** Links task items to records and holds them until the supervisor releases them. */
export async function attachItems(tx: Tx, jobId: string, taskId: string): Promise<void> {
  await sql`update task_item set not_before = now() + interval '100 years' where task_id = ${taskId} and state = 'waiting'`.execute(tx);
  await sql`update upgrade_record r set item_id = i.id from task_item i
    where i.task_id = ${taskId} and r.job_id = ${jobId} and r.status not in (${sql.raw(ENDS_SQL)})
      and i.device_kind = r.device_kind and r.device_id = coalesce(i.meter_id, i.dcu_id)`.execute(tx);
  // A DCU has one broadcast per ring with meters of it; its items are interchangeable.
  await sql`with b as (select id, dcu_id, row_number() over (partition by dcu_id order by ring) as k from upgrade_broadcast where job_id = ${jobId}),
      i as (select id, dcu_id, row_number() over (partition by dcu_id order by id) as k from task_item where task_id = ${taskId} and device_kind = 'dcu')
    update upgrade_broadcast u set item_id = i.id from b join i on i.dcu_id = b.dcu_id and i.k = b.k where u.id = b.id and u.item_id is null`.execute(
    tx,
  );
  await sql`update upgrade_job set task_id = ${taskId} where id = ${jobId}`.execute(tx);
}

export const setState = (tx: Tx, id: string, state: UpgradeJobRow['state'], now: Date) =>
  sql`update upgrade_job set state = ${state}, halt_cause = null, halt_detail = null,
    finished_at = case when ${state} = 'stopped' then ${now}::timestamptz else finished_at end where id = ${id}`.execute(tx);

/** The user who continues after a halt has seen the failures: only later failures count towards the next halt. */
export const acknowledgeFailures = (tx: Tx, id: string) =>
  sql`update upgrade_job j set forgiven_failures = n.failures, forgiven_silent = n.silent, read_drop_forgiven = read_drop_forgiven or halt_cause = 'read_success'
    from (select count(*) filter (where ${sql.raw(FAILED_SQL)})::int as failures, count(*) filter (where ${sql.raw(SILENT_SQL)})::int as silent
      from upgrade_record r join upgrade_job k on k.id = r.job_id and r.ring <= k.ring where r.job_id = ${id}) n
    where j.id = ${id} and j.state = 'halted'`.execute(tx);

/** Queues released items at once, so that a state change takes effect before their next scheduled turn. */
export async function wakeRecords(tx: Tx, id: string): Promise<void> {
  await sql`update task_item i set not_before = now() from upgrade_record r where r.job_id = ${id} and r.item_id = i.id and r.released_at is not null
    and r.status not in (${sql.raw(ENDS_SQL)}) and i.state = 'waiting'`.execute(tx);
  await sql`update task_item i set not_before = now() from upgrade_broadcast b where b.job_id = ${id} and b.item_id = i.id and b.released_at is not null
    and b.state not in ('done', 'failed') and i.state = 'waiting'`.execute(tx);
  await sql`select pg_notify(${TASK_CHANNEL}, '')`.execute(tx);
}

export const beginRing = (tx: Tx, id: string) =>
  sql`update upgrade_job set state = 'running', ring = ring + 1, ring_done_at = null where id = ${id}`.execute(tx);

/**
 * Cancels records: idle ones at once, those in a turn at its next step. Devices that already activate are followed to the end and
 * not cancelled. Returns the ids of the cancelled records.
 */
export async function stopRecords(tx: Tx, which: RawBuilder<boolean>, userId: string, text: string | null): Promise<string[]> {
  const flagged = await sql<{ id: string }>`
    update upgrade_record r set is_stopping = true where ${which} and r.status not in (${sql.raw(ENDS_SQL)})
      and not (r.status in ('wait_update', 'updating', 'update_success') and r.activated_at is not null and r.activated_at <= now()) returning r.id`.execute(
    tx,
  );
  const ids = flagged.rows.map((row) => row.id);
  await sql`with idle as (
      select r.id, r.status, r.item_id from upgrade_record r left join task_item i on i.id = r.item_id
      where r.id = any(${ids}::bigint[]) and i.state is distinct from 'reading' and r.scheduled_at is null
    ), ended as (
      update upgrade_record r set status = 'error', failed_in = idle.status, reason_code = 'CANCELLED', reason_text = ${text}, check_result = 'skipped',
        changed_at = now(), finished_at = now() from idle where r.id = idle.id returning r.id, idle.status as was, idle.item_id
    ), freed as (
      update task_item i set not_before = now() from ended where i.id = ended.item_id and i.state = 'waiting'
    )
    insert into upgrade_log (record_id, from_status, to_status, text, reason_code, user_id) select id, was, 'error', ${text}, 'CANCELLED', ${userId} from ended`.execute(
    tx,
  );
  // A turn deletes the schedule of a device that would activate the image at its time.
  await sql`update task_item i set not_before = now() from upgrade_record r
    where r.id = any(${ids}::bigint[]) and r.scheduled_at is not null and i.id = r.item_id and i.state = 'waiting'`.execute(tx);
  await sql`select pg_notify(${TASK_CHANNEL}, '')`.execute(tx);
  return ids;
}

export const ofJob = (id: string): RawBuilder<boolean> => sql<boolean>`r.job_id = ${id}`;
