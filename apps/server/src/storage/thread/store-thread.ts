import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Context } from '#db/context.ts';
import { connectionOf } from '#db/pool.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import { measures } from '#platform/measures.ts';
import type { ProfileReading } from '../day-rows.ts';
import type { LatestValue } from '../latest.ts';
import type { ReadingStore, Stored } from '../reading-store.ts';
import type { DailyRow } from '../staging.ts';
import type { EndedTrace, TraceStore } from '../trace-writer.ts';
import { TransferBatch, type FromThread, type StoreRequest, type ThreadOptions, type ToThread } from './messages.ts';

type StoreContext = Pick<Context, 'pool' | 'bus' | 'clock' | 'log' | 'settings'>;
/** A request without its id. */
type Content = StoreRequest extends infer O ? (O extends StoreRequest ? Omit<O, 'id' | 'urgent'> : never) : never;

/** Objects of the thread live for one batch: a smaller young generation would copy most of them twice before they are garbage. */
const YOUNG_GENERATION_MB = 32;
/** Memory outside the heap counts towards the limit of the old generation: a lower limit quadruples the full collections. */
const INITIAL_OLD_SPACE_MB = 256;
/** Maximum delay of a request: a message costs as much as its content, so requests of this period share one. */
const BATCH_WAIT_MS = 10;

interface Waiting {
  rows: number;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

/**
 * Writes readings and traces on a separate thread, so that encoding and storing delay neither device channels nor HTTP requests. A failed
 * thread is replaced; its pending requests are rejected, and the meters are read again.
 */
export class StoreThread implements ReadingStore, TraceStore {
  readonly #ctx: StoreContext;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker;
  #batch = new TransferBatch();
  readonly #flush = new DebouncedFlush(() => this.#send(), { quietMs: BATCH_WAIT_MS, longestMs: BATCH_WAIT_MS });
  #lastId = 0;
  #stopping = false;

  constructor(ctx: StoreContext) {
    this.#ctx = ctx;
    this.#worker = this.#start();
  }

  #start(): Worker {
    const workerData: ThreadOptions = { connection: connectionOf(this.#ctx.pool), timeZone: this.#ctx.settings.timeZone };
    // V8 reads the flag when it creates a heap, and has no other option for a single thread.
    setFlagsFromString(`--initial-old-space-size=${INITIAL_OLD_SPACE_MB}`);
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData,
      name: 'hes-store',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.once('online', () => setFlagsFromString('--initial-old-space-size=0'));
    worker.on('message', (message: FromThread) => this.#receive(message));
    worker.on('error', (error) => this.#ctx.log.error('The writer of readings failed', { error }));
    worker.on('exit', (code) => {
      const lost = new Error(`The writer of readings ended with ${code}`);
      for (const { reject } of this.#waiting.values()) reject(lost);
      this.#waiting.clear();
      if (!this.#stopping) this.#worker = this.#start();
    });
    return worker;
  }

  #receive(message: FromThread): void {
    if (message.kind === 'publish') return this.#ctx.bus.publish(message.topic, message.message);
    if (message.kind === 'log') return this.#ctx.log[message.level](message.message, message.fields);
    let rows = 0;
    for (const { id, stored, error } of message.answers) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (stored === undefined) waiting?.reject(error);
      else {
        rows += waiting?.rows ?? 0;
        waiting?.resolve(stored);
      }
    }
    measures.rowsStored.publish({ rows });
  }

  storeProfile(reading: ProfileReading, urgent = false): Promise<Stored> {
    return this.#add({ kind: 'profile', reading: this.#batch.packReading(reading) }, { rows: reading.stamps.length, urgent });
  }

  storeDaily(rows: DailyRow[], urgent = false): Promise<Stored> {
    return this.#add({ kind: 'daily', rows }, { rows: rows.length, urgent });
  }

  storeValues(meterId: string, values: Record<string, LatestValue>, urgent = false): Promise<Stored> {
    return this.#add({ kind: 'values', meterId, values }, { rows: 1, urgent });
  }

  storeTrace(trace: EndedTrace): void {
    this.#batch.addTrace(trace);
    this.#flush.schedule();
  }

  #add(content: Content, { rows, urgent }: { rows: number; urgent: boolean }): Promise<Stored> {
    const id = ++this.#lastId;
    const stored = new Promise<Stored>((resolve, reject) => this.#waiting.set(id, { rows, resolve, reject }));
    this.#batch.addRequest({ ...content, id, urgent });
    if (urgent) this.#flush.flushNow();
    else this.#flush.schedule();
    return stored;
  }

  #send(): void {
    if (this.#batch.isEmpty) return;
    const message = this.#batch.toMessage(this.#ctx.clock.now());
    this.#batch = new TransferBatch();
    this.#post(message, [message.numbers.buffer, message.octets.buffer]);
  }

  #post(message: ToThread, transferred: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  /** Stores the queue, then ends the thread. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#flush.flushAll();
    const ended = once(this.#worker, 'exit');
    this.#post({ kind: 'stop' });
    await ended;
  }
}
