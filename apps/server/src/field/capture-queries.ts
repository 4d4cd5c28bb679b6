import type { Pool } from 'pg';
import type { Tx } from '#db/context.ts';

export interface Capture {
  dcuId: string;
  level: 'errors' | 'all';
  endsAt: Date;
  /** Null: both. */
  direction: 'down' | 'up' | null;
  meterIds: string[];
}

export interface CapturedFrame {
  dcuId: string;
  at: Date;
  direction: 'down' | 'up';
  channel: 'D' | 'M' | 'P';
  meterId: string | null;
  service: string;
  octets: Buffer;
  plain: Buffer | null;
  latencyMs: number | null;
  result: string | null;
  sessionId: string | null;
  traceId: string;
  taskId: string | null;
}

export async function findCaptures(pool: Pool): Promise<Capture[]> {
  const { rows } = await pool.query<Capture>(
    `select dcu_id::text as "dcuId", level, ends_at as "endsAt", direction, meter_ids::text[] as "meterIds" from dcu_capture where ends_at > now()`,
  );
  return rows;
}

/** Serial numbers of the meters behind some DCUs, by their ids. */
export async function findMeterSns(pool: Pool, dcuIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; sn: string }>('select id::text as id, sn from meter where dcu_id = any($1::bigint[])', [
    dcuIds,
  ]);
  return new Map(rows.map(({ id, sn }) => [id, sn]));
}

export async function insertFrames(pool: Pool, frames: CapturedFrame[]): Promise<void> {
  const column = <K extends keyof CapturedFrame>(key: K) => frames.map((frame) => frame[key]);
  await pool.query(
    `insert into dcu_frame_log (dcu_id, at, direction, channel, meter_id, service, octets, plain, latency_ms, result, session_id, trace_id, task_id)
     select n.dcu_id, n.at, n.direction, n.channel, n.meter_id, n.service, n.octets, n.plain, n.latency_ms, n.result, n.session_id, n.trace_id, n.task_id
     from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bytea[], $8::bytea[], $9::int[], $10::text[], $11::bigint[], $12::uuid[], $13::bigint[])
       with ordinality as n (dcu_id, at, direction, channel, meter_id, service, octets, plain, latency_ms, result, session_id, trace_id, task_id, k)
     where exists (select from endpoint d where d.id = n.dcu_id) order by n.k`,
    [
      column('dcuId'),
      column('at'),
      column('direction'),
      column('channel'),
      column('meterId'),
      column('service'),
      column('octets'),
      column('plain'),
      column('latencyMs'),
      column('result'),
      column('sessionId'),
      column('traceId'),
      column('taskId'),
    ],
  );
}

export const setFrameNote = (tx: Tx, id: string, note: string | null) =>
  tx.updateTable('dcuFrameLog').set({ note }).where('id', '=', id).execute();

/** Deletes the captured frames of a DCU and returns their number. */
export async function deleteFrames(tx: Tx, dcuId: string): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('dcuFrameLog').where('dcuId', '=', dcuId).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
