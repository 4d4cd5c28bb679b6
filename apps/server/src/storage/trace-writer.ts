import type { Pool, PoolClient } from 'pg';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import type { Log } from '#platform/log.ts';
import { CopyWriter } from './copy-binary.ts';
import type { FrameOpener, KeptFrame } from './frames.ts';
import { Partitions } from './partitions.ts';
import { copyInto } from './staging.ts';

const BATCH_WAIT_MS = 1_000;
/** Flushes a smaller batch after this long without a new trace, so that an operator can open it. */
const QUIET_MS = 50;
const BATCH_ROWS = 500;
/** Queued traces; beyond it the oldest are dropped, because readings have priority. */
const QUEUE_ROWS = 5_000;
const DAY_MS = 86_400_000;
const COLUMNS = 8;
const COPY_TRACE = 'copy trace (id, at, dcu_id, meter_id, session_id, frames, bytes, duration_ms) from stdin (format binary)';

/** A finished trace as a row of the table. */
export interface TraceRow {
  id: string;
  dcuId: string;
  meterId: string | null;
  sessionId: string | null;
  /** Epoch milliseconds. */
  begunAt: number;
  durationMs: number;
  /** Octets on the wire, both ways. */
  bytes: number;
  /** Encoded by `packFrames`. */
  frames: Uint8Array;
}

/** A finished trace before its frames are packed. */
export interface EndedTrace extends Omit<TraceRow, 'frames'> {
  /** The task that caused it: published to consoles but not stored, because items refer to their traces. */
  taskId?: string | undefined;
  /** Collection that succeeded, of which only a share is kept. Absent: a command, an operator's order or a failure, which is always kept. */
  isRoutine?: boolean;
  frames: readonly KeptFrame[];
  opener: FrameOpener | undefined;
}

/** Sink for finished traces. */
export interface TraceStore {
  storeTrace(trace: EndedTrace): void;
}

/** Writes traces in batches, with lower priority than readings. */
export class TraceWriter {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #partitions: Partitions;
  readonly #flush = new DebouncedFlush(() => this.#drain(), { quietMs: QUIET_MS, longestMs: BATCH_WAIT_MS });
  /** Reused by the next batch. */
  readonly #out = new CopyWriter();
  #queue: TraceRow[] = [];

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
    this.#partitions = new Partitions(pool);
  }

  storeTrace(row: TraceRow): void {
    this.#queue.push(row);
    if (this.#queue.length > QUEUE_ROWS) this.#queue.shift();
    if (this.#queue.length >= BATCH_ROWS) this.#flush.flushNow();
    else this.#flush.schedule();
  }

  async #drain(): Promise<void> {
    const batch = this.#queue;
    if (batch.length === 0) return;
    this.#queue = [];
    try {
      await this.#copy(batch);
    } catch (error) {
      this.#log.warn('Traces could not be written', { error, traces: batch.length });
    }
  }

  async #copy(batch: TraceRow[]): Promise<void> {
    await this.#partitions.ensure('trace', new Set(batch.map(({ begunAt }) => Math.floor(begunAt / DAY_MS))));
    const client: PoolClient = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await copyInto(client, COPY_TRACE, octetsOf(batch, this.#out));
    } catch (error) {
      broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Writes the queue. */
  stop(): Promise<void> {
    return this.#flush.flushAll();
  }
}

function octetsOf(batch: readonly TraceRow[], out: CopyWriter): Buffer {
  out.restart();
  for (const row of batch) {
    out.row(COLUMNS);
    out.uuid(row.id);
    out.timestamp(row.begunAt);
    out.int8(row.dcuId);
    if (row.meterId === null) out.null();
    else out.int8(row.meterId);
    if (row.sessionId === null) out.null();
    else out.int8(row.sessionId);
    out.bytea(row.frames);
    out.int4(row.bytes);
    out.int4(Math.max(0, Math.round(row.durationMs)));
  }
  return out.finish();
}
