import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { BroadcastState } from '@hes/contract/states/upgrade.ts';
import type { Pool } from 'pg';
import type { DayWindow } from './window.ts';

/** A broadcast of one image to the meters of a ring at one DCU, joined with its job and firmware. */
export interface BroadcastWork {
  id: string;
  jobId: string;
  jobState: string;
  ring: number;
  dcuId: string;
  state: BroadcastState;
  blockSize: number | null;
  blocksTotal: number | null;
  blocksDone: number;
  octetsSent: number;
  consecutiveFailures: number;
  releasedAt: Date | null;
  changedAt: Date;
  window: DayWindow | null;
  fileId: string;
  sha256: string;
  imageIdentifier: string;
}

export async function findBroadcast(pool: Pool, itemId: string): Promise<BroadcastWork | undefined> {
  const found = await pool.query<BroadcastWork>(
    `select b.id, b.job_id as "jobId", j.state as "jobState", b.ring, b.dcu_id as "dcuId", b.state, b.block_size as "blockSize",
      b.blocks_total as "blocksTotal", b.blocks_done as "blocksDone", b.octets_sent::float8 as "octetsSent", b.stumbles as "consecutiveFailures",
      b.released_at as "releasedAt", b.changed_at as "changedAt",
      case when j.window_from is null then null else jsonb_build_object('from', j.window_from, 'to', j.window_to) end as "window",
      f.file_id as "fileId", x.sha256, f.image_identifier as "imageIdentifier"
    from upgrade_broadcast b join upgrade_job j on j.id = b.job_id join firmware f on f.id = j.firmware_id join firmware_file x on x.id = f.file_id
    where b.item_id = $1`,
    [itemId],
  );
  return found.rows[0];
}

/** Counts the meters that are ready to receive by block size, the most frequent first, and those that may become ready. */
export async function findAudience(
  pool: Pool,
  { jobId, ring, dcuId }: BroadcastWork,
): Promise<{ ready: { blockSize: number; meters: number }[]; coming: number }> {
  const found = await pool.query<{ blockSize: number; ready: number; coming: number }>(
    `select r.block_size as "blockSize", count(*) filter (where r.status = 'start_translate')::int as ready,
      count(*) filter (where r.status in ('idle', 'check_version', 'download_file', 'enable_translate', 'set_block_size', 'translate_init'))::int as coming
    from upgrade_record r where r.job_id = $1 and r.ring = $2 and r.dcu_id = $3 group by r.block_size order by ready desc`,
    [jobId, ring, dcuId],
  );
  return {
    ready: found.rows.filter((row) => row.ready > 0).map(({ blockSize, ready }) => ({ blockSize, meters: ready })),
    coming: found.rows.reduce((sum, row) => sum + row.coming, 0),
  };
}

interface BroadcastFields {
  state?: BroadcastState;
  meters?: number;
  blockSize?: number;
  blocksTotal?: number;
  blocksDone?: number;
  octetsSent?: number;
  consecutiveFailures?: number;
  reasonCode?: ReasonCode;
}

const COLUMNS: Record<keyof BroadcastFields, string> = {
  state: 'state',
  meters: 'meters',
  blockSize: 'block_size',
  blocksTotal: 'blocks_total',
  blocksDone: 'blocks_done',
  octetsSent: 'octets_sent',
  consecutiveFailures: 'stumbles',
  reasonCode: 'reason_code',
};

export async function saveBroadcast(pool: Pool, work: BroadcastWork, fields: BroadcastFields): Promise<void> {
  const entries = Object.entries(fields) as [keyof BroadcastFields, unknown][]; // as: keys of the interface
  const setters = entries.map(([key], index) => `, ${COLUMNS[key]} = $${index + 2}`).join('');
  await pool.query(`update upgrade_broadcast set changed_at = now()${setters} where id = $1`, [
    work.id,
    ...entries.map(([, value]) => value),
  ]);
  Object.assign(work, fields);
}

/** Ends a broadcast and queues its meters at once, to read their missing blocks. */
export async function endBroadcast(pool: Pool, work: BroadcastWork, state: 'done' | 'failed', reasonCode?: ReasonCode): Promise<void> {
  await saveBroadcast(pool, work, { state, ...(reasonCode === undefined ? {} : { reasonCode }) });
  await pool.query(
    `update task_item i set not_before = now() from upgrade_record r
    where r.job_id = $1 and r.ring = $2 and r.dcu_id = $3 and r.item_id = i.id and r.status = 'start_translate' and i.state = 'waiting'`,
    [work.jobId, work.ring, work.dcuId],
  );
}
