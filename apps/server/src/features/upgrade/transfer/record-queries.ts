import { ORDERS } from '@hes/contract/orders/every-order.ts';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import {
  UPGRADE_ENDS,
  UPGRADE_FAILURES,
  UPGRADE_NEXT,
  type CheckResult,
  type UpgradeState,
  type UpgradeTarget,
} from '@hes/contract/states/upgrade.ts';
import type { PostCheck } from '@hes/contract/upgrade/record.ts';
import type { Pool } from 'pg';
import { ASYNC_COMMIT } from '#db/async-commit.ts';

/** Lower than collection, higher than refills. */
const UPGRADE_PRIORITY = ORDERS.upgrade.priority;

/** The upgrade record of one device, joined with its job and firmware. */
export interface UpgradeWork {
  id: string;
  jobId: string;
  jobState: string;
  target: UpgradeTarget;
  status: UpgradeState;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  oldVersion: string | null;
  newVersion: string;
  blockSize: number | null;
  blocksTotal: number | null;
  blocksDone: number;
  blockMap: string;
  octetsSent: number;
  consecutiveFailures: number;
  repairs: number;
  isRestart: boolean;
  isStopping: boolean;
  activatedAt: Date | null;
  /** Epoch milliseconds of the last transition. Read at the start of a turn and updated in memory during it. */
  enteredAt: number;
  relayBefore: string | null;
  activateAt: Date | null;
  /** Time of activation that is stored in the schedule of the device. */
  scheduledAt: Date | null;
  /** Its DCU will broadcast the image to all of its meters: until then no block is sent to this one alone. */
  isBroadcastAhead: boolean;
  window: { from: string; to: string } | null;
  fileId: string;
  sha256: string;
  imageIdentifier: string;
  /** Block size that the meter type prescribes, else that of the firmware, octets. */
  preferredBlockSize: number;
  fromVersions: string[];
}

/** The record of a task item; undefined for items of broadcasts and deleted records. */
export async function findWork(pool: Pool, itemId: string): Promise<UpgradeWork | undefined> {
  const found = await pool.query<UpgradeWork>(
    `select r.id, r.job_id as "jobId", j.state as "jobState", r.target_kind as target, r.status, r.device_kind as "deviceKind", r.device_id as "deviceId",
      r.old_version as "oldVersion", r.new_version as "newVersion", r.block_size as "blockSize", r.blocks_total as "blocksTotal",
      r.blocks_done as "blocksDone", r.block_map as "blockMap", r.octets_sent::float8 as "octetsSent", r.stumbles as "consecutiveFailures", r.repairs, r.is_anew as "isRestart",
      r.is_stopping as "isStopping", r.activated_at as "activatedAt", extract(epoch from r.changed_at)::float8 * 1000 as "enteredAt", r.relay_before as "relayBefore",
      j.activate_at as "activateAt", r.scheduled_at as "scheduledAt",
      coalesce(b.state in ('gathering', 'loading', 'sending'), false) as "isBroadcastAhead",
      case when j.window_from is null then null else jsonb_build_object('from', j.window_from, 'to', j.window_to) end as "window",
      f.file_id as "fileId", x.sha256, f.image_identifier as "imageIdentifier", coalesce(t.image_block_size, f.block_size) as "preferredBlockSize", f.from_versions as "fromVersions"
    from upgrade_record r join upgrade_job j on j.id = r.job_id join firmware f on f.id = j.firmware_id join firmware_file x on x.id = f.file_id
      left join upgrade_broadcast b on b.job_id = r.job_id and b.ring = r.ring and b.dcu_id = r.dcu_id and r.device_kind = 'meter'
      left join meter m on m.id = r.device_id and r.device_kind = 'meter' left join meter_type t on t.id = m.meter_type_id
    where r.item_id = $1`,
    [itemId],
  );
  return found.rows[0];
}

/** Fields that a transition may store with the new state. */
export interface RecordFields {
  oldVersion?: string;
  checkResult?: CheckResult;
  checkText?: string | null;
  process?: number;
  blockSize?: number;
  blocksTotal?: number;
  blocksDone?: number;
  blockMap?: string;
  octetsSent?: number;
  rate?: number;
  consecutiveFailures?: number;
  repairs?: number;
  isRestart?: boolean;
  activatedAt?: Date | null;
  relayBefore?: string | null;
  scheduledAt?: Date | null;
  postChecks?: string;
  traceId?: string;
}

const COLUMNS: Record<keyof RecordFields, string> = {
  oldVersion: 'old_version',
  checkResult: 'check_result',
  checkText: 'check_text',
  process: 'process',
  blockSize: 'block_size',
  blocksTotal: 'blocks_total',
  blocksDone: 'blocks_done',
  blockMap: 'block_map',
  octetsSent: 'octets_sent',
  rate: 'rate',
  consecutiveFailures: 'stumbles',
  repairs: 'repairs',
  isRestart: 'is_anew',
  activatedAt: 'activated_at',
  relayBefore: 'relay_before',
  scheduledAt: 'scheduled_at',
  postChecks: 'post_checks',
  traceId: 'trace_id',
};

function settersOf(fields: RecordFields, first: number): { text: string; values: unknown[] } {
  const entries = Object.entries(fields) as [keyof RecordFields, unknown][]; // as: keys of the interface
  return {
    text: entries.map(([key], index) => `, ${COLUMNS[key]} = $${index + first}`).join(''),
    values: entries.map(([, value]) => value),
  };
}

/** Stores progress without a transition. Its commit is asynchronous: after a crash the device reports its progress again. */
export async function saveProgress(pool: Pool, work: UpgradeWork, fields: RecordFields): Promise<void> {
  const { text, values } = settersOf(fields, 2);
  await pool.query(`update upgrade_record set changed_at = now()${text} where id = $1 and ${ASYNC_COMMIT}`, [work.id, ...values]);
  Object.assign(work, fields);
}

export interface Step {
  text?: string | null;
  reason?: ReasonCode;
  fields?: RecordFields;
}

/** Stores a transition with its line in the log in one statement. Throws when the transition table does not allow it. */
export async function goTo(
  pool: Pool,
  work: UpgradeWork,
  next: UpgradeState,
  { text = null, reason, fields = {} }: Step = {},
): Promise<void> {
  if (!UPGRADE_NEXT[work.status].includes(next)) throw new Error(`An upgrade cannot go from ${work.status} to ${next}`);
  const isEnd = UPGRADE_ENDS.includes(next);
  const isFailure = UPGRADE_FAILURES.includes(next);
  const setters = settersOf(fields, 8);
  const written = await pool.query(
    `with moved as (
      update upgrade_record set status = $2, changed_at = now(), started_at = coalesce(started_at, now()),
        finished_at = case when $4 then now() else null end, failed_in = case when $5 then $3 else null end,
        reason_code = $6, reason_text = case when $5 then $7 else null end${setters.text}
      where id = $1 and status = $3 returning id)
    insert into upgrade_log (record_id, from_status, to_status, text, reason_code) select id, $3, $2, $7, $6 from moved`,
    [work.id, next, work.status, isEnd, isFailure, reason ?? null, text, ...setters.values],
  );
  // A stop or the supervisor changed the state first; that change has precedence.
  if (written.rowCount === 0) throw new Superseded();
  Object.assign(work, fields, { status: next });
}

/** The state of the record changed during a turn. */
export class Superseded extends Error {}

export const asJson = (checks: readonly PostCheck[]): string => JSON.stringify(checks);

export async function saveTrace(pool: Pool, recordId: string, traceId: string): Promise<void> {
  await pool.query('update upgrade_record set trace_id = $2 where id = $1', [recordId, traceId]);
}

/** Stores the new firmware version with the DCU or meter. */
export async function saveFirmwareVersion(pool: Pool, target: 'dcu' | 'meter', { deviceId, newVersion }: UpgradeWork): Promise<void> {
  await pool.query(`update ${target} set firmware_version = $2 where id = $1`, [deviceId, newVersion]);
}

/** The count stops here; a longer queue does not change the delay. */
const MAX_COUNT = 100;

/** Number of waiting items that are more urgent than upgrades, for each DCU in the order of the ids. */
export async function countUrgentItems(pool: Pool, dcuIds: readonly string[]): Promise<number[]> {
  const found = await pool.query<{ dcuId: string; ahead: number }>({
    name: 'upgrade_ahead',
    text: `select d as "dcuId", (select count(*)::int from (select from task_item
      where dcu_id = d and phase = 'open' and state = 'waiting' and priority < ${UPGRADE_PRIORITY} and not_before <= now() limit ${MAX_COUNT}) n) as ahead
      from unnest($1::bigint[]) d`,
    values: [dcuIds],
  });
  const countOf = new Map(found.rows.map((row) => [row.dcuId, row.ahead]));
  return dcuIds.map((dcuId) => countOf.get(dcuId) ?? 0);
}

/** The octets of a stored firmware file. */
export async function readImage(pool: Pool, fileId: string): Promise<Buffer> {
  const found = await pool.query<{ octets: Buffer }>('select octets from firmware_chunk where file_id = $1 order by n', [fileId]);
  return Buffer.concat(found.rows.map((row) => row.octets));
}
