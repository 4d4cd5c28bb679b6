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

/** After collection, before refills. */
export const UPGRADE_PRIORITY = ORDERS.upgrade.priority;

/** One device of an upgrade, with what its engine needs to know of upgrade and firmware. */
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
  stumbles: number;
  repairs: number;
  isAnew: boolean;
  isStopping: boolean;
  activatedAt: Date | null;
  /** When it came to its state; kept for the length of a turn only, and from the record at its beginning. */
  enteredAt: number;
  relayBefore: string | null;
  activateAt: Date | null;
  /** The device was told to take the image into use by itself then. */
  scheduledAt: Date | null;
  /** Its DCU is about to send the image to all of its meters: until then nothing is sent to this one alone. */
  isBroadcastAhead: boolean;
  window: { from: string; to: string } | null;
  fileId: string;
  sha256: string;
  imageIdentifier: string;
  firmwareBlockSize: number;
  fromVersions: string[];
}

/** The record of a piece of work; undefined when there is none any more. */
export async function findWork(pool: Pool, itemId: string): Promise<UpgradeWork | undefined> {
  const found = await pool.query<UpgradeWork>(
    `select r.id, r.job_id as "jobId", j.state as "jobState", r.target_kind as target, r.status, r.device_kind as "deviceKind", r.device_id as "deviceId",
      r.old_version as "oldVersion", r.new_version as "newVersion", r.block_size as "blockSize", r.blocks_total as "blocksTotal",
      r.blocks_done as "blocksDone", r.block_map as "blockMap", r.octets_sent::float8 as "octetsSent", r.stumbles, r.repairs, r.is_anew as "isAnew",
      r.is_stopping as "isStopping", r.activated_at as "activatedAt", extract(epoch from r.changed_at)::float8 * 1000 as "enteredAt", r.relay_before as "relayBefore",
      j.activate_at as "activateAt", r.scheduled_at as "scheduledAt",
      coalesce(b.state in ('gathering', 'loading', 'sending'), false) as "isBroadcastAhead",
      case when j.window_from is null then null else jsonb_build_object('from', j.window_from, 'to', j.window_to) end as "window",
      f.file_id as "fileId", x.sha256, f.image_identifier as "imageIdentifier", f.block_size as "firmwareBlockSize", f.from_versions as "fromVersions"
    from upgrade_record r join upgrade_job j on j.id = r.job_id join firmware f on f.id = j.firmware_id join firmware_file x on x.id = f.file_id
      left join upgrade_broadcast b on b.job_id = r.job_id and b.ring = r.ring and b.dcu_id = r.dcu_id and r.device_kind = 'meter'
    where r.item_id = $1`,
    [itemId],
  );
  return found.rows[0];
}

/** What may be written beside a transition. */
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
  stumbles?: number;
  repairs?: number;
  isAnew?: boolean;
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
  stumbles: 'stumbles',
  repairs: 'repairs',
  isAnew: 'is_anew',
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

/** How far it is, without a transition. What a crash takes of it the device itself knows. */
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

/** One transition of the table, with its line in the log: both, or neither. What the table does not know is a bug and throws. */
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
  // Somebody else was faster: a stop, or the supervisor. His word stands.
  if (written.rowCount === 0) throw new Superseded();
  Object.assign(work, fields, { status: next });
}

/** The record went another way while a turn was under way. */
export class Superseded extends Error {}

export const asJson = (checks: readonly PostCheck[]): string => JSON.stringify(checks);
