import type { HaltCause } from '@hes/contract/states/upgrade.ts';
import type { HaltRule } from '@hes/contract/upgrade/job.ts';
import { sql } from 'kysely';
import { ENDS_SQL, FAILED_SQL, SILENT_SQL } from '#features/upgrade/transfer/row-queries.ts';
import type { Db, Tx } from '#db/context.ts';
import { TASK_CHANNEL } from '#tasks/store.ts';

/** Longer than the engine's own timeout: this applies to devices whose DCU does not reconnect. */
const SILENT_MINUTES = 12;
const AWAY_HOURS = 24;
/** Tolerance: a task item ends a moment after its record. */
const ENDED_SECONDS = 30;
/** A success rate needs at least this many readings. */
const MIN_READINGS = 20;

export interface RingView {
  id: string;
  ring: number;
  rings: number;
  continueBy: 'itself' | 'hand';
  watchMinutes: number;
  ringDoneAt: Date | null;
  window: { from: string; to: string } | null;
  concurrency: number;
  perDcu: number;
  haltRule: HaltRule;
  targets: number;
  done: number;
  failures: number;
  silent: number;
  readDropForgiven: boolean;
}

/**
 * Running upgrades with the counts of their rings so far; failures before the last continuation do not count. Locks the jobs first,
 * so that a retry or pause of a user happens before or after this check.
 */
export async function findRunning(tx: Tx): Promise<RingView[]> {
  const held = await sql<{ id: string }>`select id from upgrade_job where state = 'running' order by id for update skip locked`.execute(tx);
  if (held.rows.length === 0) return [];
  const found = await sql<RingView & { windowFrom: string | null; windowTo: string | null }>`
    select j.id, j.ring, j.rings, j.continue_by, j.watch_minutes, j.ring_done_at, j.window_from, j.window_to, j.concurrency, j.per_dcu, j.halt_rule, j.read_drop_forgiven,
      count(r.id)::int as targets, count(r.id) filter (where r.status in (${sql.raw(ENDS_SQL)}))::int as done,
      greatest(count(r.id) filter (where ${sql.raw(FAILED_SQL)}) - j.forgiven_failures, 0)::int as failures,
      greatest(count(r.id) filter (where ${sql.raw(SILENT_SQL)}) - j.forgiven_silent, 0)::int as silent
    from upgrade_job j left join upgrade_record r on r.job_id = j.id and r.ring <= j.ring
    where j.id = any(${held.rows.map(({ id }) => id)}::bigint[]) group by j.id order by j.id`.execute(tx);
  return found.rows.map(({ windowFrom, windowTo, ...row }) => ({
    ...row,
    window: windowFrom === null || windowTo === null ? null : { from: windowFrom, to: windowTo },
  }));
}

/** Ends records whose DCU was lost after the activation request, whose DCU does not connect, or whose task item has ended. */
export async function endSilent(tx: Tx, jobId: string): Promise<string[]> {
  const ended = await sql<{ id: string }>`
    with away as (
      select r.id, r.status, case when i.finished_at is not null then coalesce(i.reason_code, 'CANCELLED') when r.activated_at is null then case d.kind when 'dcu' then 'DCU_OFFLINE' else 'METER_OFFLINE' end
        else 'UPGRADE_SILENT' end as reason
      from upgrade_record r join upgrade_job j on j.id = r.job_id and r.ring <= j.ring join endpoint d on d.id = r.dcu_id left join task_item i on i.id = r.item_id
      where r.job_id = ${jobId} and r.status not in (${sql.raw(ENDS_SQL)}) and (i.finished_at < now() - make_interval(secs => ${ENDED_SECONDS})
        or d.online_status in ('offline', 'never') and i.state is distinct from 'reading'
        and (r.status in ('wait_update', 'updating', 'update_success') and r.activated_at < now() - make_interval(mins => ${SILENT_MINUTES})
          or r.status not in ('wait_update', 'updating', 'update_success') and r.changed_at < now() - make_interval(hours => ${AWAY_HOURS})))
    ), ended as (
      update upgrade_record r set status = 'error', failed_in = away.status, reason_code = away.reason, changed_at = now(), finished_at = now()
      from away where r.id = away.id returning r.id, away.status as was, away.reason
    ), logged as (
      insert into upgrade_log (record_id, from_status, to_status, reason_code) select id, was, 'error', reason from ended
    )
    select id from ended`.execute(tx);
  return ended.rows.map((row) => row.id);
}

/** Reading success of upgraded meters before and after, in percent; undefined with too few readings. */
export async function readSuccess(tx: Tx, jobId: string): Promise<{ before: number; after: number; of: number } | undefined> {
  const found = await sql<{ before: number | null; after: number | null; of: number; earlier: number }>`
    with n as (
      select i.state = 'read_success' as is_ok, i.finished_at > r.finished_at as is_after
      from upgrade_record r cross join lateral (
        select x.kind, x.state, x.finished_at from task_item x where x.meter_id = r.device_id
        union all select x.kind, x.state, x.finished_at from task_item x
          where x.dcu_id = r.dcu_id and x.meter_ids is not null and r.device_id = any(x.meter_ids) and x.finished_at > r.started_at - interval '1 day'
      ) as i
      where r.job_id = ${jobId} and r.device_kind = 'meter' and r.status = 'complete' and i.kind <> 'upgrade' and i.state in ('read_success', 'read_fail')
        and i.finished_at > r.started_at - interval '1 day' and (i.finished_at < r.started_at or i.finished_at > r.finished_at)
    )
    select 100.0 * avg(is_ok::int) filter (where not is_after)::float8 as before, 100.0 * avg(is_ok::int) filter (where is_after)::float8 as after,
      count(*) filter (where is_after)::int as of, count(*) filter (where not is_after)::int as earlier from n`.execute(tx);
  const row = found.rows[0];
  if (row === undefined || row.of < MIN_READINGS || row.earlier < MIN_READINGS) return undefined;
  return { before: Number(row.before), after: Number(row.after), of: row.of };
}

export const haltJob = (tx: Tx, id: string, cause: HaltCause, detail: { count: number; of: number; percent: number; limit: number }) =>
  sql`update upgrade_job set state = 'halted', halt_cause = ${cause}, halt_detail = ${JSON.stringify(detail)}::jsonb where id = ${id}`.execute(
    tx,
  );

export const markRingDone = (tx: Tx, id: string, now: Date) =>
  sql`update upgrade_job set ring_done_at = ${now} where id = ${id} and ring_done_at is null`.execute(tx);

export const waitForHand = (tx: Tx, id: string) => sql`update upgrade_job set state = 'waiting_ring' where id = ${id}`.execute(tx);

export const finishJob = (tx: Tx, id: string, now: Date) =>
  sql`update upgrade_job set state = 'finished', finished_at = ${now} where id = ${id}`.execute(tx);

/**
 * Releases devices of the current ring within the limits per DCU and per upgrade. Meters of one broadcast are released together and
 * count as one item of their DCU.
 */
export async function releaseDevices(tx: Tx, { id, ring, concurrency, perDcu }: RingView): Promise<number> {
  const released = await sql`
    with busy as (
      select distinct r.dcu_id, r.job_id, case when b.id is null then r.id end as record_id
      from upgrade_record r join endpoint d on d.id = r.dcu_id join upgrade_job j on j.id = r.job_id
        left join upgrade_broadcast b on b.job_id = r.job_id and b.ring = r.ring and b.dcu_id = r.dcu_id and r.device_kind = 'meter'
      where r.released_at is not null and r.status not in (${sql.raw(ENDS_SQL)}) and (d.online_status = 'online' or r.job_id = ${id} and r.changed_at > now() - interval '5 minutes')
        -- A device that only waits for its activation time occupies no slot.
        and not (r.status in ('activate_image', 'send_upgrade_rt', 'send_upgrade_sta', 'wait_update') and coalesce(j.activate_at > now(), false))
    ), taken as (
      select dcu_id, count(*) as devices from busy group by dcu_id
    ), next_of as (
      select r.id, r.dcu_id, r.ring, coalesce(t.devices, 0) + row_number() over (partition by r.dcu_id order by r.ring, r.id) as place
      from upgrade_record r join endpoint d on d.id = r.dcu_id and d.online_status = 'online' left join taken t on t.dcu_id = r.dcu_id
      where r.job_id = ${id} and r.ring <= ${ring} and r.status = 'idle' and r.released_at is null
    ), first as (
      select id, dcu_id, ring from next_of where place <= ${perDcu}
      order by place, ring, id limit greatest(${concurrency} - (select count(*) from busy where job_id = ${id}), 0)
    ), heard as (
      update upgrade_broadcast b set released_at = now() from first
      where b.job_id = ${id} and b.ring = first.ring and b.dcu_id = first.dcu_id and b.state = 'gathering' and b.released_at is null
      returning b.ring, b.dcu_id, b.item_id
    ), next as (
      select r.id, r.item_id from upgrade_record r where r.id in (select id from first)
        or r.job_id = ${id} and r.status = 'idle' and r.released_at is null and (r.ring, r.dcu_id) in (select ring, dcu_id from heard)
    ), freed as (
      update task_item i set not_before = now() where i.state = 'waiting' and i.id in (select item_id from next union all select item_id from heard)
    )
    update upgrade_record r set released_at = now() from next where r.id = next.id`.execute(tx);
  const count = Number(released.numAffectedRows ?? 0);
  if (count > 0) await sql`select pg_notify(${TASK_CHANNEL}, '')`.execute(tx);
  return count;
}

export const hasOpenJobs = async (db: Db): Promise<boolean> =>
  (await sql`select from upgrade_job where state = 'running' limit 1`.execute(db)).rows.length > 0;
