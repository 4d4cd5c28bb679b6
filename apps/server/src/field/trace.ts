import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Log } from '#platform/log.ts';
import { CopyWriter } from '#storage/copy-binary.ts';
import { packFrames, type KeptFrame } from '#storage/frames.ts';
import { Partitions } from '#storage/partitions.ts';
import { copyInto } from '#storage/staging.ts';

const WRITE_EVERY_MS = 500;
const BATCH_ROWS = 200;
/** Traces that may wait; beyond it the oldest are dropped, because readings come first. */
const QUEUE_ROWS = 5_000;
const DAY_MS = 86_400_000;
const COLUMNS = 8;
const COPY_TRACE = 'copy trace (id, at, dcu_id, meter_id, session_id, frames, bytes, duration_ms) from stdin (format binary)';

export interface TraceOwner {
  dcuId: string;
  meterId: string | null;
  sessionId: string | null;
}

/** The exact bytes of one piece of work, both ways, with the plain text where we hold the key. */
export class Trace {
  readonly id = randomUUID();
  readonly owner: TraceOwner;
  readonly begunAt: number;
  readonly frames: KeptFrame[] = [];
  bytes = 0;

  constructor(owner: TraceOwner, begunAt: number) {
    this.owner = owner;
    this.begunAt = begunAt;
  }

  add(direction: KeptFrame['direction'], at: number, octets: Uint8Array, plain: Uint8Array | undefined): void {
    this.frames.push({ at, direction, octets, plain });
    this.bytes += octets.length;
  }

  /** The plain text of the frame that came last is known only after it was deciphered. */
  explainLast(plain: Uint8Array | undefined): void {
    const last = this.frames.at(-1);
    if (last !== undefined && plain !== undefined) last.plain = plain;
  }
}

/** Writes traces in batches, behind the readings they explain. */
export class TraceWriter {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #partitions: Partitions;
  #queue: { trace: Trace; durationMs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
    this.#partitions = new Partitions(pool);
  }

  /** Takes a trace that is complete. */
  write(trace: Trace, endedAt: number): void {
    if (trace.frames.length === 0) return;
    this.#queue.push({ trace, durationMs: endedAt - trace.begunAt });
    if (this.#queue.length > QUEUE_ROWS) this.#queue.shift();
    if (this.#queue.length >= BATCH_ROWS) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), WRITE_EVERY_MS);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#drain().finally(() => (this.#writing = undefined));
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_ROWS);
      try {
        await this.#copy(batch);
      } catch (error) {
        this.#log.warn('Traces could not be written', { error, traces: batch.length });
      }
    }
  }

  async #copy(batch: { trace: Trace; durationMs: number }[]): Promise<void> {
    await this.#partitions.ensure('trace', new Set(batch.map(({ trace }) => Math.floor(trace.begunAt / DAY_MS))));
    const out = new CopyWriter();
    for (const { trace, durationMs } of batch) {
      out.row(COLUMNS);
      out.uuid(trace.id);
      out.timestamp(trace.begunAt);
      out.int8(trace.owner.dcuId);
      if (trace.owner.meterId === null) out.null();
      else out.int8(trace.owner.meterId);
      if (trace.owner.sessionId === null) out.null();
      else out.int8(trace.owner.sessionId);
      out.bytea(packFrames(trace.frames));
      out.int4(trace.bytes);
      out.int4(Math.max(0, Math.round(durationMs)));
    }
    const client: PoolClient = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await copyInto(client, COPY_TRACE, out.finish());
    } catch (error) {
      broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Writes what is waiting. */
  async stop(): Promise<void> {
    this.#start();
    await this.#writing;
  }
}
