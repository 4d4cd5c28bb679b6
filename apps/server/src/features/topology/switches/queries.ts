import type { SwitchFigures, TopologySetting, TopologySwitchRow } from '@hes/contract/debug/topology-switch.ts';
import type { TopologySwitchOperation } from '@hes/contract/states/topology.ts';
import { kindsWhere } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import type { PageQuery } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

/** Kinds of orders that a switch of the network must not interrupt. */
const UNINTERRUPTED = kindsWhere(({ mustNotBeInterrupted }) => mustNotBeInterrupted);

type SettingRow = Omit<TopologySetting, 'updatedAt' | 'lastTakenAt'> & { updatedAt: Date | null; lastTakenAt: Date | null };

export async function findSettingRow(db: Db | Tx, dcuId: string): Promise<SettingRow | undefined> {
  const { rows } = await sql<SettingRow>`
    select dcu.id as "dcuId", coalesce(s.capture, true) as capture, coalesce(s.poll_min, 60) as "pollMin", coalesce(s.depth_days, 7) as "depthDays",
      date_trunc('milliseconds', s.updated_at) as "updatedAt", u.name as "updatedByName", (select max(taken_at) from topology_snapshot where dcu_id = dcu.id) as "lastTakenAt"
    from dcu left join topology_setting s on s.dcu_id = dcu.id left join app_user u on u.id = s.updated_by where dcu.id = ${dcuId}`.execute(
    db,
  );
  return rows[0];
}

type SettingToWrite = Pick<TopologySetting, 'dcuId' | 'capture' | 'pollMin' | 'depthDays'> & { at: Date; userId: string };

export async function upsertSetting(tx: Tx, { dcuId, capture, pollMin, depthDays, at, userId }: SettingToWrite): Promise<void> {
  await sql`
    insert into topology_setting (dcu_id, capture, poll_min, depth_days, updated_at, updated_by)
    values (${dcuId}, ${capture}, ${pollMin}, ${depthDays}, ${at}, ${userId})
    on conflict (dcu_id) do update set capture = excluded.capture, poll_min = excluded.poll_min, depth_days = excluded.depth_days,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by`.execute(tx);
}

export async function countMeters(db: Db | Tx, dcuId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from meter where dcu_id = ${dcuId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Kinds of the open tasks that a switch would interrupt. */
export async function findBlockingKinds(db: Db | Tx, dcuId: string): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select distinct i.kind from task_item i where i.dcu_id = ${dcuId} and i.phase = 'open' and i.kind = any(${UNINTERRUPTED}::text[])`.execute(
    db,
  );
  return rows.map((row) => row.kind);
}

/** Ends switches whose tasks no longer exist. */
export async function endLostSwitches(tx: Tx, dcuId: string, at: Date): Promise<void> {
  await sql`
    update topology_switch s set state = 'failed', reason_code = 'EXPIRED', ended_at = ${at} where s.dcu_id = ${dcuId} and s.state in ('sent', 'rebuilding')
      and not exists (select from task_item i where i.task_id = s.task_id and i.phase = 'open')`.execute(tx);
}

interface SwitchToWrite {
  dcuId: string;
  taskId: string;
  operation: TopologySwitchOperation;
  reason: string;
  at: Date;
  userId: string;
}

export async function insertSwitch(tx: Tx, { dcuId, taskId, operation, reason, at, userId }: SwitchToWrite): Promise<void> {
  await sql`
    insert into topology_switch (dcu_id, task_id, operation, reason, started_at, started_by)
    values (${dcuId}, ${taskId}, ${operation}, ${reason}, ${at}, ${userId})`.execute(tx);
}

export interface SwitchFilters {
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

export async function findSwitches(db: Db, user: User, query: PageQuery & SwitchFilters): Promise<SwitchRow[]> {
  const { dcuId = null, operation, from = null, to = null } = query;
  const { rows } = await sql<SwitchRow>`
    select s.id, s.dcu_id as "dcuId", dcu.sn as "dcuSn", s.task_id as "taskId", s.operation, s.state, s.reason, s.reason_code as "reasonCode", s.before, s.after,
      s.started_at as "startedAt", s.ended_at as "endedAt", u.name as "startedByName", count(*) over ()::int as matching
    from topology_switch s join dcu on dcu.id = s.dcu_id left join app_user u on u.id = s.started_by
    where ${visible('dcu.transformerId', user)} and (${dcuId}::bigint is null or s.dcu_id = ${dcuId}::bigint)
      and (${operation === undefined} or s.operation = any(${[...(operation ?? [])]}::text[]))
      and (${from}::timestamptz is null or s.started_at >= ${from}::timestamptz) and (${to}::timestamptz is null or s.started_at <= ${to}::timestamptz)
    order by s.started_at desc, s.id desc limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db);
  return rows;
}
