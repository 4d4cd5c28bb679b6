import type { LossyMessage } from '#platform/bus.ts';
import type { LogFields } from '#platform/log.ts';
import type { PoolOptions } from '#db/pool.ts';
import type { ProfileReading } from '../day-rows.ts';
import type { LatestValue } from '../latest.ts';
import type { Stored } from '../reading-store.ts';
import type { DailyRow } from '../staging.ts';
import { prepareFrames } from '../frames.ts';
import type { EndedTrace, TraceRow } from '../trace-writer.ts';

/** Start options of the thread. */
export interface ThreadOptions {
  connection: PoolOptions['connection'];
  timeZone: string;
}

/** A reading whose columns lie in the `numbers` of its message. */
export interface PackedReading extends Omit<ProfileReading, 'stamps' | 'status' | 'channels'> {
  /** Index of the first column in `numbers`. Order of the columns: stamps, status words if any, then each present channel. */
  at: number;
  /** Length of each column. */
  captures: number;
  hasStatus: boolean;
  /** Channel numbers, in the order of their columns. */
  present: number[];
  /** Length of the list of channels, absent ones included. */
  channelCount: number;
}

/** A trace whose frames lie in the `octets` of its message. */
export interface PackedTrace extends Omit<TraceRow, 'frames'> {
  at: number;
  length: number;
}

/** Data to store; the answer carries the same `id`. */
export type StoreRequest = { id: number; urgent: boolean } & (
  | { kind: 'profile'; reading: PackedReading }
  | { kind: 'daily'; rows: DailyRow[] }
  | { kind: 'values'; meterId: string; values: Record<string, LatestValue> }
);

/** `numbers` and `octets` hold the columns and frames of all requests and traces: two buffers are transferred, however many readings there are. */
export interface ToStore {
  kind: 'store';
  now: number;
  requests: StoreRequest[];
  traces: PackedTrace[];
  numbers: Float64Array<ArrayBuffer>;
  octets: Buffer<ArrayBuffer>;
}

export type ToThread = ToStore | { kind: 'stop' };

export type FromThread =
  | { kind: 'stored'; answers: { id: number; stored?: Stored; error?: unknown }[] }
  | { kind: 'publish'; topic: string; message: LossyMessage }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: LogFields };

const FIRST_NUMBERS = 8_192;
const FIRST_OCTETS = 65_536;

/** An array buffer that doubles when it is full. */
class GrowableBuffer<T extends Float64Array<ArrayBuffer> | Buffer<ArrayBuffer>> {
  #elements: T;
  readonly #allocate: (length: number) => T;
  used = 0;

  constructor(first: number, allocate: (length: number) => T) {
    this.#allocate = allocate;
    this.#elements = allocate(first);
  }

  /** Reserves `length` elements and returns the index of the first. */
  reserve(length: number): number {
    const at = this.used;
    this.used += length;
    if (this.used > this.#elements.length) {
      const larger = this.#allocate(Math.max(this.used, this.#elements.length * 2));
      larger.set(this.#elements.subarray(0, at));
      this.#elements = larger;
    }
    return at;
  }

  set(values: ArrayLike<number>, at: number): void {
    this.#elements.set(values, at);
  }

  get elements(): T {
    return this.#elements;
  }
}

/** Collects requests and traces for one message to the thread. */
export class TransferBatch {
  readonly #numbers = new GrowableBuffer(FIRST_NUMBERS, (length) => new Float64Array(length));
  readonly #octets = new GrowableBuffer(FIRST_OCTETS, (length) => Buffer.allocUnsafeSlow(length));
  readonly #requests: StoreRequest[] = [];
  readonly #traces: PackedTrace[] = [];

  addRequest(request: StoreRequest): void {
    this.#requests.push(request);
  }

  addTrace({ frames, opener, id, dcuId, meterId, sessionId, begunAt, durationMs, bytes }: EndedTrace): void {
    const packed = prepareFrames(frames, opener);
    const at = this.#octets.reserve(packed.size);
    packed.writeTo(this.#octets.elements, at);
    this.#traces.push({ id, dcuId, meterId, sessionId, begunAt, durationMs, bytes, at, length: packed.size });
  }

  /** Copies the columns of a reading into the batch; returns the reading for its request. */
  packReading(reading: ProfileReading): PackedReading {
    const { stamps, status, channels, ...rest } = reading;
    const present = channels.flatMap((values, channel) => (values === undefined ? [] : [channel]));
    const captures = stamps.length;
    const at = this.#numbers.reserve(captures * (1 + (status === undefined ? 0 : 1) + present.length));
    let next = at;
    for (const column of [stamps, status, ...channels]) {
      if (column === undefined) continue;
      this.#numbers.set(column, next);
      next += captures;
    }
    return { ...rest, at, captures, hasStatus: status !== undefined, present, channelCount: channels.length };
  }

  get isEmpty(): boolean {
    return this.#requests.length + this.#traces.length === 0;
  }

  /** The message, whose buffers are transferred; the batch must not be used afterwards. */
  toMessage(now: number): ToStore {
    return {
      kind: 'store',
      now,
      requests: this.#requests,
      traces: this.#traces,
      numbers: this.#numbers.elements,
      octets: this.#octets.elements,
    };
  }
}

/** Restores a reading; its columns are views of `numbers`. */
export function unpackReading(
  { at, captures, hasStatus, present, channelCount, ...rest }: PackedReading,
  numbers: Float64Array,
): ProfileReading {
  let from = at;
  const next = () => numbers.subarray(from, (from += captures));
  const stamps = next();
  const status = hasStatus ? next() : undefined;
  const channels: (Float64Array | undefined)[] = Array.from({ length: channelCount }, () => undefined);
  for (const channel of present) channels[channel] = next();
  return { ...rest, stamps, status, channels };
}

/** Restores a trace; its frames are a view of `octets`. */
export function unpackTrace({ at, length, ...row }: PackedTrace, octets: Uint8Array): TraceRow {
  return { ...row, frames: octets.subarray(at, at + length) };
}
