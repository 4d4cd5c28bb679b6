import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { UNKNOWN_OUTCOME } from '@hes/contract/task/words.ts';
import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS, holdOwnerLock } from '#db/advisory-locks.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { ASYNC_COMMIT } from '#db/async-commit.ts';
import type { Epoch } from '#nodes/epoch.ts';
import { IS_POSSIBLY_EXECUTED, IS_SENT_COMMAND, READ_BACK_KINDS } from './possibly-executed.ts';
import type { FinishedItem } from './finished-item.ts';
import type { ClaimedRow } from './operation.ts';
import { MIN_STEP_MS } from './clock-steps.ts';
import { LAST_OPERATOR_PRIORITY } from './retry.ts';
import { DEVICES } from './shared-item.ts';

const LEASE_SECONDS = 60;

/** A DCU with work to do. */
export interface BusyDcu {
  dcuId: string;
  /** Priority of the most urgent waiting operator item; equals `last` when there is none. */
  first: number;
  /** Priority of the least urgent waiting item. */
  last: number;
  /** Id of the node that holds its connection; null: none. */
  nodeId: string | null;
}

/**
 * DCUs with waiting items that none of the other nodes holds, found by four index probes per DCU, however many items wait. One probe starts at
 * the end of the index and one covers operator priorities only, because leased items fill the start of the index.
 */
export async function findBusyDcus(pool: Pool, otherNodes: readonly string[]): Promise<BusyDcu[]> {
  const found = await pool.query<BusyDcu>({
    name: 'busy_dcus',
    text: `
      with recursive d as (
        (select dcu_id from task_item where phase = 'open' order by dcu_id limit 1)
        union all
        select (select i.dcu_id from task_item i where i.phase = 'open' and i.dcu_id > d.dcu_id order by i.dcu_id limit 1) from d where d.dcu_id is not null
      )
      select d.dcu_id as "dcuId", coalesce(urgent.priority, least.priority) as first, least.priority as last, held.node_id as "nodeId"
      from d cross join lateral (
        select e.node_id from endpoint e where e.id = d.dcu_id and (e.node_id is null or e.node_id <> all($1::bigint[])) limit 1
      ) as held cross join lateral (
        select priority from task_item i where i.phase = 'open' and i.dcu_id = d.dcu_id and i.state = 'waiting'
        order by priority desc, not_before desc, id desc limit 1
      ) as least left join lateral (
        select priority from task_item i where i.phase = 'open' and i.dcu_id = d.dcu_id and i.state = 'waiting' and priority <= ${LAST_OPERATOR_PRIORITY}
        order by priority, not_before, id limit 1
      ) as urgent on true`,
    values: [otherNodes],
  });
  return found.rows;
}

/** A paused or stopped task: none of its items is started. */
export interface SuspendedTask {
  id: string;
  isStopped: boolean;
}

export async function findSuspendedTasks(pool: Pool): Promise<SuspendedTask[]> {
  const found = await pool.query<SuspendedTask>({
    name: 'held_tasks',
    text: `select id, false as "isStopped" from task where state = 'paused'
      union all select id, true from task where is_stopped and finished_at is null`,
  });
  return found.rows;
}

/**
 * Claims due items of a DCU between two priorities for `owner`, the most urgent and oldest first, until they have `count` devices. Two owners never claim the
 * same item, and none is claimed after another node has adopted the DCU (`epoch`). Items of paused and stopped tasks are excluded, except possibly executed commands of a stopped task.
 */
export async function claimNext(
  pool: Pool,
  claim: { dcuId: string; epoch: Epoch; from: number; to: number; count: number; owner: string },
): Promise<ClaimedRow[]> {
  const taken = await pool.query<ClaimedRow>({
    name: 'claim_next',
    text: `
      with due as (
        select i.id, i.priority, i.not_before, ${DEVICES} as devices from task_item i
        where dcu_id = $1 and phase = 'open' and state = 'waiting' and priority between $2 and $3 and not_before <= now()
          and exists (select from endpoint e where e.id = $1 and e.last_session_id = $6)
          and not exists (select from task p where p.id = i.task_id and p.state = 'paused')
          and not exists (select from task p where p.id = i.task_id and p.is_stopped and p.finished_at is null and not ${IS_POSSIBLY_EXECUTED})
        order by priority, not_before, id limit $4 for update skip locked
      ), next as (
        select id from (select id, devices, sum(devices) over (order by priority, not_before, id) as through from due) as n where through - devices < $4
      ), claimed as (
        update task_item i set state = 'reading', lease_owner = $5, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
          attempts = attempts + 1, started_at = coalesce(started_at, now())
        from next where i.id = next.id
        returning i.id, i.task_id, i.kind, i.priority, i.device_kind, i.dcu_id, i.meter_id, i.meter_ids, i.attempts, i.not_before
      ), noted as (
        insert into task_claim (items) select array_agg(id) from claimed having count(*) > 0
      ), begun as (
        update task set state = 'running', started_at = coalesce(started_at, now())
        where id in (select task_id from claimed) and state = 'waiting'
      )
      select c.id, c.task_id as "taskId", c.kind, t.source, c.priority, c.device_kind as "deviceKind", c.dcu_id as "dcuId",
        c.meter_id as "meterId", c.meter_ids as "meterIds", c.attempts, t.params, t.traceparent
      from claimed c join task t on t.id = c.task_id where ${ASYNC_COMMIT} order by c.priority, c.not_before, c.id`,
    values: [claim.dcuId, claim.from, claim.to, claim.count, claim.owner, claim.epoch],
  });
  return taken.rows;
}

/** Columns of an item that `COUNT_RESULTS` needs in the table expression `ended`. */
const ENDED = `i.id, i.task_id, i.state, ${DEVICES} as devices`;

/** Devices of items that have ended, by their end; the counters of a task. Of a table expression with `state` and `devices`. */
export const TALLY = `coalesce(sum(devices) filter (where state not in ('waiting', 'reading')), 0)::int as done,
  coalesce(sum(devices) filter (where state = 'read_success'), 0)::int as ok, coalesce(sum(devices) filter (where state in ('read_fail', 'expired')), 0)::int as failed`;

/** SQL that counts the devices of `ended` into their tasks and returns the items, with more of their columns on request. */
export const countResults = (columns = ''): string => `
  sums as (
    select task_id, ${TALLY}
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
  select id, task_id as "taskId"${columns} from ended where ${ASYNC_COMMIT}`;

const COUNT_RESULTS = countResults();

export interface EndedItem {
  id: string;
  taskId: string;
}

/**
 * Writes the results of many items, counts them into their tasks, and ignores items whose lease the owner has lost. `held` and `owner` are
 * columns: with constants the planner estimates no leased rows and scans all of them for each result, instead of joining by id.
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
        returning ${ENDED}
      ), ${COUNT_RESULTS}`,
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

/** Reason of an item `i` whose DCU or direct meter has no connection. */
const OFFLINE = "case when is_direct(i.dcu_id) then 'METER_OFFLINE' else 'DCU_OFFLINE' end";

/**
 * Fails items of a DCU that is connected to no node, unless their task waits for the device. An item that may have been executed already waits as well:
 * its outcome is settled by reading the device back.
 */
export async function failOffline(pool: Pool, dcuId: string, graceSeconds: number): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = 'read_fail', reason_code = ${OFFLINE}, finished_at = now()
      from task t
      where t.id = i.task_id and not t.waits_for_device and i.dcu_id = $1 and i.phase = 'open' and i.state = 'waiting' and i.not_before <= now()
        and (t.created_at <= now() - make_interval(secs => $2) or t.created_at > now()) and not exists (select from endpoint e where e.id = i.dcu_id and (e.online_status = 'unknown' or e.node_id is not null))
        and not ${IS_POSSIBLY_EXECUTED}
      returning ${ENDED}
    ), ${COUNT_RESULTS}`,
    [dcuId, graceSeconds],
  );
  return ended.rows;
}

/**
 * A pause moves due times to this instant plus the remaining wait, so resumed switches stay spread over their period. Only items that wait
 * for approval (`infinity`) are due later.
 */
export const PAUSED_FROM = "timestamptz '3000-01-01 00:00:00+00'";

/** Condition of a waiting item `i` that is due later, but neither paused nor waiting for approval. */
const IS_DUE_LATER = `i.phase = 'open' and i.state = 'waiting' and i.not_before > now() and i.not_before < ${PAUSED_FROM}`;

/**
 * Corrects due times after the database's clock was set back: a retry that was postponed before would otherwise wait for the length of the
 * step in addition. Items that a plan postponed to its window keep their time of day. Returns the number of items.
 */
export async function shiftDueTimes(pool: Pool, setBackMs: number): Promise<number> {
  const shifted = await pool.query(
    `update task_item i set not_before = greatest(now(), i.not_before - make_interval(secs => $1)) from task t
     where t.id = i.task_id and ${IS_DUE_LATER} and i.attempts > 0 and t.created_at <= now()`,
    [setBackMs / 1000],
  );
  return shifted.rowCount ?? 0;
}

/**
 * Corrects open tasks that were created later than now: the clock was ahead at that time. It also finds steps that could not be measured
 * because the database was not available. Items change before tasks, as in the other statements of the queue. Returns the number of items.
 */
export async function correctFutureTasks(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ items: number }>(
    `with early as (
      select id, created_at - now() as ahead from task where created_at > now() + make_interval(secs => ${MIN_STEP_MS / 1000}) and finished_at is null
    ), moved as (
      update task_item i set not_before = greatest(now(), i.not_before - e.ahead) from early e where i.task_id = e.id and ${IS_DUE_LATER} returning i.id
    ), dated as (
      update task t set created_at = now() from early e where t.id = e.id
    )
    select count(*)::int as items from moved`,
  );
  return rows[0]?.items ?? 0;
}

/** What became of items that should be due. */
export interface BroughtForward {
  /** Number of items that waited for a later time. */
  corrected: number;
  /** Ids of the items that are due and not claimed yet. */
  unclaimed: string[];
}

/** Makes those of the items due that still wait for a later time. Upgrades on hold, which are postponed for years, keep waiting. */
export async function bringForward(pool: Pool, ids: readonly string[]): Promise<BroughtForward> {
  const { rows } = await pool.query<{ id: string; isCorrected: boolean }>(
    `with corrected as (
      update task_item i set not_before = now() where i.id = any($1) and ${IS_DUE_LATER} and i.not_before < now() + interval '1 day' returning i.id
    )
    select id, true as "isCorrected" from corrected
    union all select id, false from task_item i where i.id = any($1) and i.phase = 'open' and i.state = 'waiting' and i.not_before <= now()`,
    [ids],
  );
  return { corrected: rows.filter(({ isCorrected }) => isCorrected).length, unclaimed: rows.map(({ id }) => id) };
}

/** Fails those of the items that still wait, with the given reason, and returns them. */
export async function refuseItems(pool: Pool, ids: readonly string[], reason: ReasonCode): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = 'read_fail', reason_code = $2, finished_at = now() where i.id = any($1) and i.state = 'waiting'
      returning ${ENDED}
    ), ${COUNT_RESULTS}`,
    [ids, reason],
  );
  return ended.rows;
}

/** Cancels waiting items of stopped tasks: released claims and retries that returned to the queue after the stop. */
export async function endStopped(pool: Pool): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = 'cancelled', reason_code = 'CANCELLED', finished_at = now() from task t
      where t.id = i.task_id and t.is_stopped and t.finished_at is null and i.phase = 'open' and i.state = 'waiting' and not ${IS_POSSIBLY_EXECUTED}
      returning ${ENDED}
    ), ${COUNT_RESULTS}`,
  );
  return ended.rows;
}

/** Ends waiting items of expired tasks. A relay command that was sent fails with an unknown outcome instead. */
export async function expireItems(pool: Pool): Promise<EndedItem[]> {
  const ended = await pool.query<EndedItem>(
    `with ended as (
      update task_item i set state = case when ${IS_SENT_COMMAND} then 'read_fail' else 'expired' end, finished_at = now(),
        reason_code = case when ${IS_SENT_COMMAND} then '${UNKNOWN_OUTCOME}' when d.online_status in ('online', 'unknown') then 'EXPIRED' else ${OFFLINE} end
      from task t, endpoint d
      where t.id = i.task_id and d.id = i.dcu_id and t.finished_at is null and t.expires_at < now() and i.phase = 'open' and i.state = 'waiting'
      returning ${ENDED}
    ), ${COUNT_RESULTS}`,
  );
  return ended.rows;
}

/** Leases with more time left are not renewed: most items end earlier, which saves their write. */
const RENEW_BELOW_SECONDS = 40;

/** Renews leases of in-flight items that expire soon. Rows locked by a statement that ends them are skipped. */
export async function renewLeases(pool: Pool, owner: string, ids: readonly string[]): Promise<void> {
  await pool.query(
    `update task_item set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where id in (select id from task_item where id = any($2) and state = 'reading' and lease_owner = $1
       and lease_until < now() + make_interval(secs => ${RENEW_BELOW_SECONDS}) for update skip locked)`,
    [owner, ids],
  );
}

/** Leased items of the claim `c`, by id: a nested loop that does not depend on the planner's estimate of leased rows. */
const LEASED_OF_CLAIM = "select i.id from unnest(c.items) as n (id) join task_item i on i.id = n.id where i.state = 'reading'";

/**
 * Selects leased items `i` through `task_claim`: an index on the lease columns would be updated twice per item. The condition is repeated
 * outside, because an item can end while its row lock is awaited.
 */
const fromLeased = (condition: string): string =>
  `from task_claim c cross join lateral (${LEASED_OF_CLAIM} and (${condition}) offset 0) as leased where i.id = leased.id and i.state = 'reading' and (${condition})`;

/**
 * Holds the owner's advisory lock on this session, which other servers read as a liveness marker. TCP keepalives close the session of a
 * machine without power, and with it the lock, within 30 s.
 */
export async function holdLivenessLock(client: PoolClient, owner: string): Promise<void> {
  await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4');
  await holdOwnerLock(client, owner);
}

/** A claimed item was due: a due time in the future is that of a clock that was ahead when the item was claimed. */
const RELEASED = "state = 'waiting', lease_owner = null, lease_until = null, not_before = least(not_before, now())";

/**
 * Returns items of dead owners, and expired ones of this owner that are not in flight, to the queue; returns their number. Leases of other
 * live owners stay even after their expiry, because the database clock that measures it can step. A node is alive until it has ended: after
 * a crash of the database all locks are gone, also those of the living.
 */
export async function releaseDeadLeases(pool: Pool, owner: string, inFlightIds: readonly string[]): Promise<number> {
  const released = await pool.query(
    `update task_item i set ${RELEASED}
     ${fromLeased(`i.lease_owner = $1 and i.lease_until < now() and i.id <> all($3) or i.lease_owner <> $1 and not exists (select from node n where n.owner = i.lease_owner and n.ended_at is null)
       and (exists (select from node n where n.owner = i.lease_owner) or not exists (select from pg_locks l
         where l.locktype = 'advisory' and l.classid = $2 and l.objid = (hashtext(i.lease_owner)::bigint & 4294967295)::oid and l.objsubid = 2))`)}`,
    [owner, ADVISORY_LOCKS.owner.number, inFlightIds],
  );
  return released.rowCount ?? 0;
}

/** Deletes claims without leased items. */
export async function deleteEmptyClaims(pool: Pool): Promise<void> {
  await pool.query(`delete from task_claim c where not exists (${LEASED_OF_CLAIM})`);
}

/** Returns items leased to this owner but not in flight to the queue: a database crash has undone their results. Returns their number. */
export async function releaseOrphans(pool: Pool, owner: string, inFlightIds: readonly string[]): Promise<number> {
  const released = await pool.query(`update task_item i set ${RELEASED} ${fromLeased('i.lease_owner = $1 and i.id <> all($2)')}`, [
    owner,
    inFlightIds,
  ]);
  return released.rowCount ?? 0;
}

/**
 * Ids of items that are leased to this owner but not in flight: those of claims that are on their way to it, and those whose release failed,
 * whose claim had no response, or whose result was undone. A clock that was ahead has given leases that do not expire for long.
 */
export async function findUnknownLeases(pool: Pool, owner: string, inFlightIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select leased.id from task_claim c cross join lateral (${LEASED_OF_CLAIM} and i.lease_owner = $1 and i.id <> all($2) offset 0) as leased`,
    [owner, inFlightIds],
  );
  return rows.map(({ id }) => id);
}

/** Returns items that are leased to this owner to the queue; returns their number. The claim counts as an attempt: it may have been executed. */
export async function releaseLost(pool: Pool, owner: string, ids: readonly string[]): Promise<number> {
  const released = await pool.query(
    `update task_item i set ${RELEASED} where i.id = any($2) and i.state = 'reading' and i.lease_owner = $1`,
    [owner, ids],
  );
  return released.rowCount ?? 0;
}

/** Releases claimed items that were not started, and does not count the claim as an attempt. */
export async function releaseItems(pool: Pool, owner: string, ids: string[]): Promise<void> {
  await pool.query(
    `update task_item i set ${RELEASED}, attempts = greatest(attempts - 1, 0)
    where i.id = any($2) and i.state = 'reading' and i.lease_owner = $1`,
    [owner, ids],
  );
}

/** Releases every item of an owner that stops, without counting an attempt unless a command may have been executed by it. */
export async function releaseAllItems(pool: Pool, owner: string): Promise<void> {
  await pool.query(
    `update task_item i set ${RELEASED},
      attempts = case when i.kind = any($2) then attempts else greatest(attempts - 1, 0) end ${fromLeased('i.lease_owner = $1')}`,
    [owner, READ_BACK_KINDS],
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
      t.created_at as "createdAt", t.started_at as "startedAt", t.finished_at as "finishedAt", t.params, t.origin_id as "originId", t.is_loaded as "isLoaded"
    from task t left join app_user u on u.id = t.created_by where t.id = any($1)`,
    [ids],
  );
  return found.rows.map((row) => ({ ...row, ...iso(row), createdAt: row.createdAt.toISOString() }));
}

/** Items as the console shows them. */
export async function findItemRows(pool: Pool, ids: string[]): Promise<TaskItemRow[]> {
  const found = await pool.query<Omit<TaskItemRow, 'startedAt' | 'finishedAt'> & Instants>(
    `select i.id, i.task_id as "taskId", i.device_kind as "deviceKind", i.dcu_id as "dcuId", e.sn as "dcuSn", i.meter_id as "meterId", m.sn as "meterSn",
      tr.name as "transformerName", i.state, i.reason_code as "reasonCode", i.reason_text as "reasonText", i.attempts,
      i.started_at as "startedAt", i.finished_at as "finishedAt", i.latency_ms as "latencyMs", i.result, i.trace_id as "traceId"
    from task_item_device i join endpoint e on e.id = i.dcu_id left join meter m on m.id = i.meter_id
    left join transformer tr on tr.id = coalesce(m.transformer_id, e.transformer_id) where i.item_id = any($1) order by i.id`,
    [ids],
  );
  return found.rows.map((row) => ({ ...row, ...iso(row) }));
}
