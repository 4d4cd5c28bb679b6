import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { UNKNOWN_OUTCOME } from '@hes/contract/task/words.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS, holdOwnerLock } from '#db/advisory-locks.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { ASYNC_COMMIT } from '#db/async-commit.ts';
import { IS_POSSIBLY_EXECUTED, IS_SENT_COMMAND, READ_BACK_KINDS } from './possibly-executed.ts';
import type { ClaimedItem } from './operation.ts';
import { LAST_OPERATOR_PRIORITY } from './retry.ts';

const LEASE_SECONDS = 60;

/** A DCU with work to do. */
export interface BusyDcu {
  dcuId: string;
  /** Priorities of its least urgent item, and of the most urgent that somebody waits for; without such one of the least urgent. */
  first: number;
  last: number;
}

/**
 * DCUs that have work to do now: three index probes per DCU, whatever number of items waits. The least urgent is looked for from the end,
 * and the most urgent among those that somebody waits for only, so that what is just being read is not gone through.
 */
export async function findBusyDcus(pool: Pool): Promise<BusyDcu[]> {
  const found = await pool.query<BusyDcu>({
    name: 'busy_dcus',
    text: `
      with recursive d as (
        (select dcu_id from task_item where phase = 'open' order by dcu_id limit 1)
        union all
        select (select i.dcu_id from task_item i where i.phase = 'open' and i.dcu_id > d.dcu_id order by i.dcu_id limit 1) from d where d.dcu_id is not null
      )
      select d.dcu_id as "dcuId", coalesce(urgent.priority, least.priority) as first, least.priority as last
      from d cross join lateral (
        select priority from task_item i where i.phase = 'open' and i.dcu_id = d.dcu_id and i.state = 'waiting'
        order by priority desc, not_before desc, id desc limit 1
      ) as least left join lateral (
        select priority from task_item i where i.phase = 'open' and i.dcu_id = d.dcu_id and i.state = 'waiting' and priority <= ${LAST_OPERATOR_PRIORITY}
        order by priority, not_before, id limit 1
      ) as urgent on true`,
  });
  return found.rows;
}

/** A task of which nothing is begun: for the time being, or any more. */
export interface HeldTask {
  id: string;
  isStopped: boolean;
}

export async function findHeldTasks(pool: Pool): Promise<HeldTask[]> {
  const found = await pool.query<HeldTask>({
    name: 'held_tasks',
    text: `select id, false as "isStopped" from task where state = 'paused'
      union all select id, true from task where is_stopped and finished_at is null`,
  });
  return found.rows;
}

/**
 * Takes up to `count` due items of a DCU between two priorities for `owner`, the most urgent and oldest first. Two
 * owners never get the same item; one whose owner dies is free again when its lease has run out. Nothing of a paused or a stopped
 * task is taken: also not what came back to the queue since.
 */
export async function claimNext(
  pool: Pool,
  claim: { dcuId: string; from: number; to: number; count: number; owner: string },
): Promise<ClaimedItem[]> {
  const taken = await pool.query<ClaimedItem>({
    name: 'claim_next',
    text: `
      with next as (
        select id from task_item i
        where dcu_id = $1 and phase = 'open' and state = 'waiting' and priority between $2 and $3 and not_before <= now()
          and not exists (select from task p where p.id = i.task_id and p.state = 'paused')
          and not exists (select from task p where p.id = i.task_id and p.is_stopped and p.finished_at is null and not ${IS_POSSIBLY_EXECUTED})
        order by priority, not_before, id limit $4 for update skip locked
      ), claimed as (
        update task_item i set state = 'reading', lease_owner = $5, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
          attempts = attempts + 1, started_at = coalesce(started_at, now())
        from next where i.id = next.id
        returning i.id, i.task_id, i.kind, i.priority, i.device_kind, i.dcu_id, i.meter_id, i.attempts, i.not_before
      ), noted as (
        insert into task_claim (items) select array_agg(id) from claimed having count(*) > 0
      ), begun as (
        update task set state = 'running', started_at = coalesce(started_at, now())
        where id in (select task_id from claimed) and state = 'waiting'
      )
      select c.id, c.task_id as "taskId", c.kind, t.source, c.priority, c.device_kind as "deviceKind", c.dcu_id as "dcuId",
        c.meter_id as "meterId", c.attempts, t.params
      from claimed c join task t on t.id = c.task_id where ${ASYNC_COMMIT} order by c.priority, c.not_before, c.id`,
    values: [claim.dcuId, claim.from, claim.to, claim.count, claim.owner],
  });
  return taken.rows;
}

/** An item as it ends, or goes back to the queue. */
export interface FinishedItem {
  id: string;
  /** As it was claimed: an item that was claimed again since is another worker's to end. */
  attempts: number;
  state: 'read_success' | 'read_fail' | 'waiting';
  reasonCode: ReasonCode | null;
  reasonText: string | null;
  latencyMs: number;
  result: ItemResult | null;
  traceId: string | null;
  /** For `waiting`: milliseconds until it may be taken again. */
  againInMs: number;
}

const COUNT_ENDS = `
  sums as (
    select task_id, count(*) filter (where state <> 'waiting')::int as done,
      count(*) filter (where state = 'read_success')::int as ok, count(*) filter (where state in ('read_fail', 'expired'))::int as failed
    from ended group by task_id
  ), locked as (
    -- In the order of ids: statements that end items of the same tasks wait for each other, and never in a circle.
    select t.id from task t where t.id in (select task_id from sums) order by t.id for update
  ), counted as (
    update task t set done = t.done + s.done, ok = t.ok + s.ok, failed = t.failed + s.failed,
      state = case when t.done + s.done < t.total then t.state when t.ok + s.ok = t.total then 'finished' when t.is_stopped then 'cancelled'
        when t.ok + s.ok = 0 then 'failed' else 'partly_failed' end,
      finished_at = case when t.done + s.done < t.total then null else now() end
    from sums s join locked l on l.id = s.task_id where t.id = s.task_id
  )
  select id, task_id as "taskId" from ended where ${ASYNC_COMMIT}`;

export interface EndedItem {
  id: string;
  taskId: string;
}

/**
 * Writes the ends of many items and counts them into their tasks. Items the owner no longer holds are left alone.
 * `held` and `owner` are columns and not constants, so that items are found by id: with constants the planner begins with what is
 * leased, or leased by us, which it believes to be nothing, and goes through all of that for each item that ended.
 */
export async function finishItems(pool: Pool, owner: string, items: FinishedItem[]): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>({
    name: 'finish_items',
    text: `
      with n as materialized (
        select *, 'reading' as held, $1::text as owner from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::uuid[], $9::int[], $10::int[])
          as n (id, state, reason_code, reason_text, latency_ms, result, trace_id, again_in_ms, attempts)
      ), ended as (
        update task_item i set state = n.state, reason_code = n.reason_code, reason_text = n.reason_text, latency_ms = n.latency_ms,
          result = n.result::jsonb, trace_id = coalesce(n.trace_id, i.trace_id), lease_owner = null, lease_until = null,
          not_before = case when n.state = 'waiting' then now() + make_interval(secs => n.again_in_ms / 1000.0) else i.not_before end,
          finished_at = case when n.state = 'waiting' then null else now() end
        from n where i.id = n.id and i.state = n.held and i.lease_owner = n.owner and i.attempts = n.attempts
        returning i.id, i.task_id, i.state
      ), ${COUNT_ENDS}`,
    values: [
      owner,
      pgArrayLiteral(items.map((item) => item.id)),
      pgArrayLiteral(items.map((item) => item.state)),
      pgArrayLiteral(items.map((item) => item.reasonCode)),
      items.map((item) => item.reasonText),
      pgArrayLiteral(items.map((item) => item.latencyMs)),
      items.map((item) => (item.result === null ? null : JSON.stringify(item.result))),
      pgArrayLiteral(items.map((item) => item.traceId)),
      pgArrayLiteral(items.map((item) => item.againInMs)),
      pgArrayLiteral(items.map((item) => item.attempts)),
    ],
  });
  return ended.rows;
}

/**
 * Fails items of a DCU that is offline, unless their task waits for the device. An item that may have been executed already waits as well:
 * its outcome is settled by reading the device back.
 */
export async function failOffline(pool: Pool, dcuId: string, graceSeconds: number): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = 'read_fail', reason_code = 'DCU_OFFLINE', finished_at = now()
      from task t
      where t.id = i.task_id and not t.waits_for_device and i.dcu_id = $1 and i.phase = 'open' and i.state = 'waiting' and i.not_before <= now()
        and (t.created_at <= now() - make_interval(secs => $2) or t.created_at > now()) and not exists (select from dcu d where d.id = i.dcu_id and d.online_status = 'unknown')
        and not ${IS_POSSIBLY_EXECUTED}
      returning i.id, i.task_id, i.state
    ), ${COUNT_ENDS}`,
    [dcuId, graceSeconds],
  );
  return ended.rows;
}

/**
 * Due times of a paused task are counted from here: an item keeps the rest of its wait in its row, so that switches that were spread over a
 * quarter of an hour are not all due at once when the task is resumed. No other item but one that waits for approval is due later.
 */
export const HELD_FROM = "timestamptz '3000-01-01 00:00:00+00'";

/**
 * Corrects due times after the database's clock was set back: an item that was queued or postponed before would otherwise wait for as long
 * as the step. Items that a plan has postponed to its window keep their time of day. Returns the number of items.
 */
export async function shiftDueTimes(pool: Pool, setBackMs: number): Promise<number> {
  const shifted = await pool.query(
    `update task_item i set not_before = greatest(now(), i.not_before - make_interval(secs => $1)) from task t
     where t.id = i.task_id and i.phase = 'open' and i.state = 'waiting' and i.not_before > now() and i.not_before < ${HELD_FROM}
       and (i.attempts > 0 or t.created_at > now())`,
    [setBackMs / 1000],
  );
  return shifted.rowCount ?? 0;
}

/** Ends items that nobody has begun, for a reason. Answers those that were still waiting. */
export async function refuseItems(pool: Pool, ids: readonly string[], reason: ReasonCode): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = 'read_fail', reason_code = $2, finished_at = now() where i.id = any($1) and i.state = 'waiting'
      returning i.id, i.task_id, i.state
    ), ${COUNT_ENDS}`,
    [ids, reason],
  );
  return ended.rows;
}

/** Ends what waits in tasks that were stopped: what was taken and not begun, and what would be tried again. */
export async function endStopped(pool: Pool): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = 'cancelled', reason_code = 'CANCELLED', finished_at = now() from task t
      where t.id = i.task_id and t.is_stopped and t.finished_at is null and i.phase = 'open' and i.state = 'waiting' and not ${IS_POSSIBLY_EXECUTED}
      returning i.id, i.task_id, i.state
    ), ${COUNT_ENDS}`,
  );
  return ended.rows;
}

/** Ends what waits in tasks that have expired. A command to a relay that was sent has not expired: its outcome is unknown. */
export async function expireItems(pool: Pool): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = case when ${IS_SENT_COMMAND} then 'read_fail' else 'expired' end, finished_at = now(),
        reason_code = case when ${IS_SENT_COMMAND} then '${UNKNOWN_OUTCOME}' when d.online_status in ('online', 'unknown') then 'EXPIRED' else 'DCU_OFFLINE' end
      from task t, dcu d
      where t.id = i.task_id and d.id = i.dcu_id and t.finished_at is null and t.expires_at < now() and i.phase = 'open' and i.state = 'waiting'
      returning i.id, i.task_id, i.state
    ), ${COUNT_ENDS}`,
  );
  return ended.rows;
}

/** A lease that was renewed late has this left; most work is done long before. */
const RENEW_BELOW_SECONDS = 40;

/** Leases of what a living owner has in its hands go on before they end; what is just being ended needs none, and is not waited for. */
export async function renewLeases(pool: Pool, owner: string, ids: readonly string[]): Promise<void> {
  await pool.query(
    `update task_item set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where id in (select id from task_item where id = any($2) and state = 'reading' and lease_owner = $1
       and lease_until < now() + make_interval(secs => ${RENEW_BELOW_SECONDS}) for update skip locked)`,
    [owner, ids],
  );
}

/** What is being read of the claim `c`: items by their ids, one after the other, whatever the planner believes about how many are being read. */
const READ_OF_CLAIM = "select i.id from unnest(c.items) as n (id) join task_item i on i.id = n.id where i.state = 'reading'";

/**
 * Of all items `i` that are leased some. Each is in the claim it was taken with, which is looked up because no index knows what is leased:
 * it would change twice with every item. Asked twice, because an item may have ended while its row was waited for.
 */
const fromLeased = (which: string): string =>
  `from task_claim c cross join lateral (${READ_OF_CLAIM} and (${which}) offset 0) as leased where i.id = leased.id and i.state = 'reading' and (${which})`;

/**
 * Shows other head-ends that this owner lives: the database removes the lock when the connection is gone, however it ended. It asks a silent
 * connection whether it is still there, so that a machine without power loses the lock within half a minute.
 */
export async function showAlive(client: PoolClient, owner: string): Promise<void> {
  await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4');
  await holdOwnerLock(client, owner);
}

/**
 * Work of owners that died goes back to the queue. What another living owner holds is never taken from it: whether a lease has run out is said
 * by the database's clock, which may step. Of ours goes back what has run out and is not in flight. Answers how many items that were.
 */
export async function releaseDeadLeases(pool: Pool, owner: string, held: readonly string[]): Promise<number> {
  const released = await pool.query(
    `update task_item i set state = 'waiting', lease_owner = null, lease_until = null
     ${fromLeased(`i.lease_owner = $1 and i.lease_until < now() and i.id <> all($3) or i.lease_owner <> $1 and not exists (select from pg_locks l
       where l.locktype = 'advisory' and l.classid = $2 and l.objid = (hashtext(i.lease_owner)::bigint & 4294967295)::oid and l.objsubid = 2)`)}`,
    [owner, ADVISORY_LOCKS.owner.number, held],
  );
  return released.rowCount ?? 0;
}

/** Of claims with nothing left to do nothing is kept. */
export async function forgetClaims(pool: Pool): Promise<void> {
  await pool.query(`delete from task_claim c where not exists (${READ_OF_CLAIM})`);
}

/** Work of ours that we are not doing goes back to the queue: what a crash of the database undid. Answers how many items that were. */
export async function releaseForgotten(pool: Pool, owner: string, held: readonly string[]): Promise<number> {
  const released = await pool.query(
    `update task_item i set state = 'waiting', lease_owner = null, lease_until = null ${fromLeased('i.lease_owner = $1 and i.id <> all($2)')}`,
    [owner, held],
  );
  return released.rowCount ?? 0;
}

/** Items that were taken and not begun go back as if nobody had taken them. */
export async function releaseItems(pool: Pool, owner: string, ids: string[] | 'all'): Promise<void> {
  const which = ids === 'all' ? fromLeased('i.lease_owner = $1') : "where i.id = any($2) and i.state = 'reading' and i.lease_owner = $1";
  await pool.query(
    `update task_item i set state = 'waiting', lease_owner = null, lease_until = null, attempts = greatest(attempts - 1, 0) ${which}`,
    ids === 'all' ? [owner] : [owner, ids],
  );
}

interface Instants {
  createdAt?: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const iso = (row: Instants) => ({ startedAt: row.startedAt?.toISOString() ?? null, finishedAt: row.finishedAt?.toISOString() ?? null });

/** Number of failed items whose outcome is unknown. Only orders that need a read-back have such items. */
const UNKNOWN_OUTCOMES = `case when t.kind = any('{${READ_BACK_KINDS.join(',')}}') and t.failed > 0 then (select count(*)::int from task_item i
  where i.task_id = t.id and i.phase = 'read_fail' and i.reason_code = '${UNKNOWN_OUTCOME}') else 0 end`;

/** Tasks as the console shows them. */
export async function findTaskRows(pool: Pool, ids: string[]): Promise<TaskRow[]> {
  const found = await pool.query<Omit<TaskRow, 'createdAt' | 'startedAt' | 'finishedAt'> & Required<Instants>>(
    `select t.id, t.kind, t.source, t.title, t.state, t.total, t.done, t.ok, t.failed, ${UNKNOWN_OUTCOMES} as unknown, t.priority, t.created_by as "createdBy", u.name as "createdByName",
      t.created_at as "createdAt", t.started_at as "startedAt", t.finished_at as "finishedAt", t.params, t.origin_id as "originId"
    from task t left join app_user u on u.id = t.created_by where t.id = any($1)`,
    [ids],
  );
  return found.rows.map((row) => ({ ...row, ...iso(row), createdAt: row.createdAt.toISOString() }));
}

/** Items as the console shows them. */
export async function findItemRows(pool: Pool, ids: string[]): Promise<TaskItemRow[]> {
  const found = await pool.query<Omit<TaskItemRow, 'startedAt' | 'finishedAt'> & Instants>(
    `select i.id, i.task_id as "taskId", i.device_kind as "deviceKind", i.dcu_id as "dcuId", d.sn as "dcuSn", i.meter_id as "meterId", m.sn as "meterSn",
      tr.name as "transformerName", i.state, i.reason_code as "reasonCode", i.reason_text as "reasonText", i.attempts,
      i.started_at as "startedAt", i.finished_at as "finishedAt", i.latency_ms as "latencyMs", i.result, i.trace_id as "traceId"
    from task_item i join dcu d on d.id = i.dcu_id left join meter m on m.id = i.meter_id
    left join transformer tr on tr.id = coalesce(m.transformer_id, d.transformer_id) where i.id = any($1) order by i.id`,
    [ids],
  );
  return found.rows.map((row) => ({ ...row, ...iso(row) }));
}
