import type { SwitchFigures, TopologySetting, TopologySwitchRow } from '@hes/contract/debug/topology-switch.ts';
import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import type { TopologySwitchOperation } from '@hes/contract/states/topology.ts';
import { sql } from 'kysely';
import { changedFields, writeAudit } from '#db/audit.ts';
import { writeCommands } from '#db/command-log.ts';
import { isoOrNull, type PageQuery } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { requireDcu } from '#modules/network/topology/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Tx, User, Who } from '#platform/context.ts';
import { createTask } from '#tasks/store.ts';

const PRIORITY = 3;
const DAY_MS = 86_400_000;
/** What must not be cut off in the middle: an upgrade, and a supply that is being switched. */
const STANDS_IN_THE_WAY =
  "i.kind like 'relay%' or i.kind like 'upgrade%' or i.kind like 'firmware%' or i.kind in ('topology_switch', 'archive_dispatch', 'discovery')";

type SettingRow = Omit<TopologySetting, 'updatedAt' | 'lastTakenAt'> & { updatedAt: Date | null; lastTakenAt: Date | null };

export async function findSetting(db: Db | Tx, dcuId: string): Promise<TopologySetting> {
  const found = await sql<SettingRow>`
    select dcu.id as "dcuId", coalesce(s.capture, true) as capture, coalesce(s.poll_min, 60) as "pollMin", coalesce(s.depth_days, 7) as "depthDays",
      date_trunc('milliseconds', s.updated_at) as "updatedAt", u.name as "updatedByName", (select max(taken_at) from topology_snapshot where dcu_id = dcu.id) as "lastTakenAt"
    from dcu left join topology_setting s on s.dcu_id = dcu.id left join app_user u on u.id = s.updated_by where dcu.id = ${dcuId}`.execute(
    db,
  );
  const [row] = found.rows;
  if (row === undefined) throw new ApiError('DCU_NOT_FOUND', { id: dcuId });
  return { ...row, updatedAt: isoOrNull(row.updatedAt), lastTakenAt: isoOrNull(row.lastTakenAt) };
}

export async function readSetting(ctx: Context, user: User, dcuId: string): Promise<TopologySetting> {
  await requireDcu(ctx.db, user, dcuId);
  return findSetting(ctx.db, dcuId);
}

type SettingChange = Pick<TopologySetting, 'capture' | 'pollMin' | 'depthDays' | 'updatedAt'>;

export async function saveSetting(ctx: Context, { user, ip }: Who, dcuId: string, change: SettingChange): Promise<TopologySetting> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    await requireDcu(tx, user, dcuId);
    await sql`select pg_advisory_xact_lock(hashtext('topology_setting'), ${dcuId}::int)`.execute(tx);
    const before = await findSetting(tx, dcuId);
    if (before.updatedAt !== change.updatedAt) throw new ApiError('STALE');
    const { capture, pollMin, depthDays } = change;
    await sql`
      insert into topology_setting (dcu_id, capture, poll_min, depth_days, updated_at, updated_by)
      values (${dcuId}, ${capture}, ${pollMin}, ${depthDays}, ${new Date(now)}, ${user.id})
      on conflict (dcu_id) do update set capture = excluded.capture, poll_min = excluded.poll_min, depth_days = excluded.depth_days,
        updated_at = excluded.updated_at, updated_by = excluded.updated_by`.execute(tx);
    const was = { capture: before.capture, pollMin: before.pollMin, depthDays: before.depthDays };
    const detail = changedFields(was, { capture, pollMin, depthDays });
    await writeAudit(tx, { userId: user.id, action: 'topology_setting_changed', entity: 'dcu', entityId: dcuId, detail, ip }, now);
    return findSetting(tx, dcuId);
  });
}

export async function previewSwitch(db: Db | Tx, user: User, dcuId: string) {
  await requireDcu(db, user, dcuId);
  const [meters, kinds] = await Promise.all([
    sql<{ count: number }>`select count(*)::int as count from meter where dcu_id = ${dcuId}`.execute(db),
    sql<{ kind: string }>`
      select distinct i.kind from task_item i where i.dcu_id = ${dcuId} and i.state in ('waiting', 'reading') and (${sql.raw(STANDS_IN_THE_WAY)})`.execute(
      db,
    ),
  ]);
  return { meters: meters.rows[0]?.count ?? 0, blockedBy: kinds.rows.map((row) => row.kind) };
}

export async function orderSwitch(
  ctx: Context,
  { user, ip }: Who,
  { dcuId, operation, reason }: { dcuId: string; operation: TopologySwitchOperation; reason: string },
): Promise<{ taskId: string }> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await requireDcu(tx, user, dcuId);
    await sql`select pg_advisory_xact_lock(hashtext('topology_switch'), ${dcuId}::int)`.execute(tx);
    const { meters, blockedBy } = await previewSwitch(tx, user, dcuId);
    if (blockedBy.length > 0) throw new ApiError('BUSY', { sn: dcu.sn });
    // A switch whose task is gone has no end of its own.
    await sql`
      update topology_switch s set state = 'failed', reason_code = 'EXPIRED', ended_at = ${new Date(now)} where s.dcu_id = ${dcuId} and s.state in ('sent', 'rebuilding')
        and not exists (select from task_item i where i.task_id = s.task_id and i.state in ('waiting', 'reading'))`.execute(tx);
    const { id: taskId } = await createTask(tx, {
      kind: 'topology_switch',
      source: 'user',
      title: 'Network topology switch',
      params: { operation },
      priority: PRIORITY,
      createdBy: user.id,
      reason,
      items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
    });
    await sql`
      insert into topology_switch (dcu_id, task_id, operation, reason, started_at, started_by)
      values (${dcuId}, ${taskId}, ${operation}, ${reason}, ${new Date(now)}, ${user.id})`.execute(tx);
    const detail = { dcuSn: dcu.sn, operation, reason, meters };
    await writeAudit(tx, { userId: user.id, action: 'topology_switched', entity: 'dcu', entityId: dcuId, detail, ip }, now);
    const command = {
      userId: user.id,
      kind: 'topology_switch',
      deviceKind: 'dcu' as const,
      deviceId: dcuId,
      reason,
      request: { operation },
      result: null,
      taskId,
    };
    await writeCommands(tx, [command], now);
    return { taskId };
  });
}

interface SwitchFilters {
  dcuId?: string | undefined;
  operation?: readonly TopologySwitchOperation[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}
type SwitchRow = Omit<TopologySwitchRow, 'before' | 'after' | 'startedAt' | 'endedAt'> & {
  before: SwitchFigures | null;
  after: SwitchFigures | null;
  startedAt: Date;
  endedAt: Date | null;
  matching: number;
};

const figures = (of: SwitchFigures | null): SwitchFigures | null =>
  of && { nodes: of.nodes, meanLevel: of.meanLevel, successPct: of.successPct };

export async function listSwitches(db: Db, user: User, query: PageQuery & SwitchFilters) {
  const { dcuId = null, operation, from = null, to = null } = query;
  if (from !== null && to !== null && Date.parse(to) - Date.parse(from) > MAX_RANGE_DAYS * DAY_MS) throw new ApiError('RANGE_TOO_LONG');
  const found = await sql<SwitchRow>`
    select s.id, s.dcu_id as "dcuId", dcu.sn as "dcuSn", s.task_id as "taskId", s.operation, s.state, s.reason, s.reason_code as "reasonCode", s.before, s.after,
      s.started_at as "startedAt", s.ended_at as "endedAt", u.name as "startedByName", count(*) over ()::int as matching
    from topology_switch s join dcu on dcu.id = s.dcu_id left join app_user u on u.id = s.started_by
    where ${visible('dcu.transformerId', user)} and (${dcuId}::bigint is null or s.dcu_id = ${dcuId}::bigint)
      and (${operation === undefined} or s.operation = any(${[...(operation ?? [])]}::text[]))
      and (${from}::timestamptz is null or s.started_at >= ${from}::timestamptz) and (${to}::timestamptz is null or s.started_at <= ${to}::timestamptz)
    order by s.started_at desc, s.id desc limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db);
  return {
    items: found.rows.map(({ matching: _matching, ...row }) => ({
      ...row,
      before: figures(row.before),
      after: figures(row.after),
      startedAt: row.startedAt.toISOString(),
      endedAt: isoOrNull(row.endedAt),
    })),
    total: found.rows[0]?.matching ?? 0,
    totalIsExact: true,
    page: query.page,
    size: query.size,
  };
}
