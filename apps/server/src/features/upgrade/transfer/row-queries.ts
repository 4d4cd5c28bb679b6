import type { UpgradeJobRow } from '@hes/contract/upgrade/job.ts';
import type { UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { UPGRADE_ENDS, UPGRADE_FAILURES } from '@hes/contract/states/upgrade.ts';
import type { Pool } from 'pg';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { isOpen } from './window.ts';

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');
/** Final states of a record, as a list of SQL literals. */
export const ENDS_SQL = quoted(UPGRADE_ENDS);
export const FAILURES_SQL = quoted(UPGRADE_FAILURES);
/** Condition of a record `r` that failed without being cancelled. */
export const FAILED_SQL = `r.status in (${FAILURES_SQL}) and r.reason_code is distinct from 'CANCELLED'`;
export const SILENT_SQL = "r.status = 'error' and r.reason_code = 'UPGRADE_SILENT'";
const DONE_SQL = quoted(UPGRADE_ENDS.filter((state) => !UPGRADE_FAILURES.includes(state)));

/** Joined tables for the columns that the console shows. */
const RECORD_FROM = `upgrade_record r join upgrade_job j on j.id = r.job_id join firmware f on f.id = j.firmware_id join endpoint e on e.id = r.dcu_id left join dcu d on d.id = r.dcu_id
  left join meter m on r.device_kind = 'meter' and m.id = r.device_id left join transformer t on t.id = coalesce(m.transformer_id, e.transformer_id)`;

const RECORD_COLUMNS = `r.id, r.job_id as "jobId", j.name as "jobName", j.state as "jobState", f.name as "firmwareName", r.target_kind as type, r.changed_at as time, r.status,
  r.failed_in as "failedIn", r.old_version as "oldVersion", r.new_version as "newVersion", r.check_result as "checkResult", r.check_text as "checkText",
  r.process, r.device_kind as "deviceKind", r.device_id as "deviceId", coalesce(m.sn, d.sn) as sn, r.dcu_id as "dcuId", d.sn as "dcuSn",
  t.name as "transformerName", r.ring, r.block_size as "blockSize", r.blocks_total as "blocksTotal", r.blocks_done as "blocksDone",
  r.octets_sent::float8 as "octetsSent", r.rate, r.attempts, r.reason_code as "reasonCode", r.reason_text as "reasonText", r.started_at as "startedAt",
  r.finished_at as "finishedAt", r.trace_id as "traceId", r.scheduled_at as "scheduledAt"`;

type Dated<T, K extends keyof T> = Omit<T, K> & { [P in K]: null extends T[P] ? Date | null : Date };
type RawRecord = Dated<UpgradeRecordRow, 'time' | 'startedAt' | 'finishedAt' | 'scheduledAt'>;

/** Records as the console shows them, in the order of the ids. */
export async function findRecordRows(pool: Pool, ids: readonly string[]): Promise<UpgradeRecordRow[]> {
  if (ids.length === 0) return [];
  const found = await pool.query<RawRecord>(
    `select ${RECORD_COLUMNS} from ${RECORD_FROM} where r.id = any($1::bigint[]) order by array_position($1::bigint[], r.id)`,
    [ids],
  );
  return found.rows.map((row) => ({
    ...row,
    process: Math.round(row.process * 100) / 100,
    time: row.time.toISOString(),
    scheduledAt: row.scheduledAt?.toISOString() ?? null,
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }));
}

type RawJob = Dated<Omit<UpgradeJobRow, 'isInWindow'>, 'createdAt' | 'startedAt' | 'finishedAt' | 'activateAt'>;

/** Upgrades as the console shows them, in the order of the ids. */
export async function findJobRows(pool: Pool, ids: readonly string[], at: { now: number; timeZone: string }): Promise<UpgradeJobRow[]> {
  if (ids.length === 0) return [];
  const found = await pool.query<RawJob>(
    `with n as (
      select job_id, ring, count(*)::int as targets, count(*) filter (where status in (${DONE_SQL}))::int as done,
        count(*) filter (where status in (${FAILURES_SQL}))::int as failed,
        count(*) filter (where released_at is not null and status not in (${ENDS_SQL}))::int as running, sum(process) as process, sum(octets_sent) as octets
      from upgrade_record where job_id = any($1::bigint[]) group by job_id, ring
    ), s as (
      select job_id, sum(targets)::int as targets, sum(done)::int as done, sum(failed)::int as failed, sum(running)::int as running, sum(octets)::float8 as octets,
        round((sum(process) / sum(targets))::numeric, 2)::float8 as process,
        jsonb_agg(jsonb_build_object('ring', ring, 'targets', targets, 'done', done, 'failed', failed) order by ring) as rings
      from n group by job_id
    ), b as (
      select job_id, count(*)::int as total, count(*) filter (where state = 'done')::int as done, count(*) filter (where state = 'failed')::int as failed,
        sum(octets_sent)::float8 as octets from upgrade_broadcast where job_id = any($1::bigint[]) group by job_id
    )
    select j.id, j.name, j.reason, j.firmware_id as "firmwareId", f.name as "firmwareName", f.version as "firmwareVersion", j.target_kind as "targetKind",
      j.state, j.halt_cause as "haltCause", j.halt_detail as "haltDetail", j.ring, s.rings, s.targets, s.done, s.failed, s.running, s.process,
      s.octets + coalesce(b.octets, 0) as "octetsSent",
      case when b.job_id is null then null else jsonb_build_object('total', b.total, 'done', b.done, 'failed', b.failed, 'octetsSent', b.octets) end as broadcasts,
      j.continue_by as "continueBy", j.watch_minutes as "watchMinutes",
      case when j.window_from is null then null else jsonb_build_object('from', j.window_from, 'to', j.window_to) end as "window",
      j.concurrency, j.per_dcu as "perDcu", j.halt_rule as "haltRule", j.activate_at as "activateAt", j.created_at as "createdAt", u.name as "createdByName",
      j.started_at as "startedAt", j.finished_at as "finishedAt"
    from upgrade_job j join firmware f on f.id = j.firmware_id join s on s.job_id = j.id left join b on b.job_id = j.id left join app_user u on u.id = j.created_by
    where j.id = any($1::bigint[]) order by array_position($1::bigint[], j.id)`,
    [ids],
  );
  return found.rows.map((row) => ({
    ...row,
    isInWindow: isOpen(row.window, at.now, new Zone(at.timeZone)),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    activateAt: row.activateAt?.toISOString() ?? null,
  }));
}
