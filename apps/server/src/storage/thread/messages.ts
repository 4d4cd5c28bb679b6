import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { LogFields } from '#platform/log.ts';
import type { PoolOptions } from '#db/pool.ts';
import type { ProfileReading } from '../day-rows.ts';
import type { LatestValue } from '../latest.ts';
import type { Stored } from '../reading-store.ts';
import type { DailyRow } from '../staging.ts';
import { packable } from '../frames.ts';
import type { EndedTrace, TraceRow } from '../trace-writer.ts';

/** What the thread is started with. */
export interface ThreadOptions {
  connection: PoolOptions['connection'];
  timeZone: string;
}

/** A reading whose columns lie in the numbers that go over with it. */
export interface PackedReading extends Omit<ProfileReading, 'stamps' | 'status' | 'channels'> {
  /** Where its columns begin, and how many captures each has: stamps, then the status words if there are any, then a column for each channel that is present. */
  at: number;
  captures: number;
  hasStatus: boolean;
  /** Channel numbers, in the order of their columns. */
  present: number[];
  /** Of the whole list of channels. */
  channelCount: number;
}

/** A trace whose frames lie in the octets that go over with it. */
export interface PackedTrace extends Omit<TraceRow, 'frames'> {
  at: number;
  length: number;
}

/** Something to store; `id` comes back in the answer. */
export type Order = { id: number; urgent: boolean } & (
  | { kind: 'profile'; reading: PackedReading }
  | { kind: 'daily'; rows: DailyRow[] }
  | { kind: 'values'; meterId: string; values: Record<string, LatestValue> }
);

/** `numbers` and `octets` hold what the orders and the traces point at: two pieces of memory change hands, however many readings they are. */
export interface ToStore {
  kind: 'store';
  now: number;
  orders: Order[];
  traces: PackedTrace[];
  numbers: Float64Array<ArrayBuffer>;
  octets: Buffer<ArrayBuffer>;
}

export type ToThread = ToStore | { kind: 'stop' };

export type FromThread =
  | { kind: 'stored'; answers: { id: number; stored?: Stored; error?: unknown }[] }
  | { kind: 'publish'; topic: string; message: LiveMessage }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: LogFields };

const FIRST_NUMBERS = 8_192;
const FIRST_OCTETS = 65_536;

/** Memory for many pieces; twice as much when it is full. */
class Room<T extends Float64Array<ArrayBuffer> | Buffer<ArrayBuffer>> {
  #all: T;
  readonly #more: (length: number) => T;
  used = 0;

  constructor(first: number, more: (length: number) => T) {
    this.#more = more;
    this.#all = more(first);
  }

  /** Where `length` more of them begin. */
  take(length: number): number {
    const at = this.used;
    this.used += length;
    if (this.used > this.#all.length) {
      const larger = this.#more(Math.max(this.used, this.#all.length * 2));
      larger.set(this.#all.subarray(0, at));
      this.#all = larger;
    }
    return at;
  }

  set(values: ArrayLike<number>, at: number): void {
    this.#all.set(values, at);
  }

  get all(): T {
    return this.#all;
  }
}

/** What goes over together. */
export class Parcel {
  readonly #numbers = new Room(FIRST_NUMBERS, (length) => new Float64Array(length));
  readonly #octets = new Room(FIRST_OCTETS, (length) => Buffer.allocUnsafeSlow(length));
  readonly #orders: Order[] = [];
  readonly #traces: PackedTrace[] = [];

  order(order: Order): void {
    this.#orders.push(order);
  }

  trace({ frames, opener, id, dcuId, meterId, sessionId, begunAt, durationMs, bytes }: EndedTrace): void {
    const packed = packable(frames, opener);
    const at = this.#octets.take(packed.size);
    packed.writeTo(this.#octets.all, at);
    this.#traces.push({ id, dcuId, meterId, sessionId, begunAt, durationMs, bytes, at, length: packed.size });
  }

  /** Copies the columns of a reading into the numbers that go over together. */
  reading(reading: ProfileReading): PackedReading {
    const { stamps, status, channels, ...rest } = reading;
    const present = channels.flatMap((values, channel) => (values === undefined ? [] : [channel]));
    const captures = stamps.length;
    const at = this.#numbers.take(captures * (1 + (status === undefined ? 0 : 1) + present.length));
    let next = at;
    for (const column of [stamps, status, ...channels]) {
      if (column === undefined) continue;
      this.#numbers.set(column, next);
      next += captures;
    }
    return { ...rest, at, captures, hasStatus: status !== undefined, present, channelCount: channels.length };
  }

  get isEmpty(): boolean {
    return this.#orders.length + this.#traces.length === 0;
  }

  /** As a message; nothing may be put in any more. */
  sealed(now: number): ToStore {
    return { kind: 'store', now, orders: this.#orders, traces: this.#traces, numbers: this.#numbers.all, octets: this.#octets.all };
  }
}

/** The reading again; its columns are views of the numbers that came with it. */
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

/** The trace again; its frames are a view of the octets that came with it. */
export function unpackTrace({ at, length, ...row }: PackedTrace, octets: Uint8Array): TraceRow {
  return { ...row, frames: octets.subarray(at, at + length) };
}
