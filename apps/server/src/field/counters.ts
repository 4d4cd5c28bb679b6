import type { Pool } from 'pg';
import { RequestBatcher } from './request-batcher.ts';
import { ExchangeError } from './channel.ts';
import { believeCounter, keepProvedCounter, reserveCounters, takeSpan, type DeviceRef } from './queries.ts';

/** Counters taken from the database at a time, for all devices together: a crash loses at most these, and never goes back. */
const SPAN = 1000;
/** The same for one device that is ahead of all others. */
const BLOCK = 100;
const LAST_COUNTER = 0xffff_ffff;
/**
 * A counter error is not authenticated, so a forged one could use up the key. It moves our counter at most this far beyond the last counter
 * that the device proved to have accepted, however often it comes.
 */
const LARGEST_JUMP = 1_000_000;

interface Range {
  next: number;
  end: number;
}

/** A device, with the mark of its own below which all counters may have been used. */
export interface CountedDevice extends DeviceRef {
  ownMark: number;
  /** The last counter of ours that the device accepted in a completed association, as far as it lies above the common span. */
  provedCounter: number;
}

export interface CounterJump {
  from: number;
  to: number;
}

function rangeAt(first: number, size: number): Range {
  if (first + size > LAST_COUNTER) throw new ExchangeError('COUNTER_REPLAY', 'The invocation counter is used up: the key must be changed');
  return { next: first, end: first + size };
}

/**
 * Invocation counters: set aside in the database before use, handed out once each, never again, whatever crashes when. One
 * counter used twice with one key gives away the key stream. A span is set aside for all devices of this process, through
 * which each of them counts by itself; only one that asked for more than we knew has blocks of its own.
 */
export class Counters {
  readonly #pool: Pool;
  readonly #ranges = { dcu: new Map<string, Range>(), meter: new Map<string, Range>() };
  readonly #reserving: RequestBatcher<DeviceRef, number>;
  #span: Range | undefined;
  #taking: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#reserving = new RequestBatcher((devices) => reserveCounters(pool, devices, BLOCK), { waitMs: 2, maxItems: 200 });
  }

  /** Makes sure `count` counters can be taken; a promise when that has to be waited for. Fails with COUNTER_REPLAY when the key is used up. */
  ensure(device: CountedDevice, count: number): Promise<void> | undefined {
    const range = this.#ranges[device.kind].get(device.id);
    if (range !== undefined && range.end - range.next >= count) return undefined;
    return this.#enter(device, count) ? undefined : this.#extend(device, count);
  }

  #lowest({ kind, id, ownMark }: CountedDevice): number {
    return Math.max(this.#ranges[kind].get(id)?.next ?? 0, ownMark);
  }

  /** Lets a device count through the span, above what it has used. */
  #enter(device: CountedDevice, count: number): boolean {
    const lowest = this.#lowest(device);
    const span = this.#span;
    if (span === undefined || lowest + count > span.end) return false;
    this.#ranges[device.kind].set(device.id, { next: Math.max(span.next, lowest), end: span.end });
    return true;
  }

  async #extend(device: CountedDevice, count: number): Promise<void> {
    if (this.#span === undefined || this.#lowest(device) <= this.#span.end) {
      // What is left of the span before is given up: gaps are harmless.
      await (this.#taking ??= this.#take().finally(() => (this.#taking = undefined)));
      if (this.#enter(device, count)) return;
    }
    this.#ranges[device.kind].set(device.id, rangeAt(await this.#reserving.load(device), BLOCK));
  }

  async #take(): Promise<void> {
    this.#span = rangeAt(await takeSpan(this.#pool, SPAN), SPAN);
  }

  /** The next counter. Call `ensure` before. */
  take({ kind, id }: DeviceRef): number {
    const range = this.#ranges[kind].get(id);
    if (range === undefined || range.next >= range.end) throw new Error(`No counter is reserved for ${kind}/${id}`);
    return range.next++;
  }

  /**
   * Continues above `lowest`, because the device answered that it has seen it. Fails with COUNTER_REPLAY when that is implausible, or when a
   * jump of this device was believed less than a day ago.
   */
  async jumpTo(device: CountedDevice, lowest: number): Promise<CounterJump> {
    const known = this.#lowest(device);
    const proved = Math.max(this.#span?.next ?? 0, device.provedCounter);
    if (lowest < known || lowest - proved > LARGEST_JUMP)
      throw new ExchangeError('COUNTER_REPLAY', `The device expects counter ${lowest}, we are at ${known}`);
    if (!(await believeCounter(this.#pool, device, lowest + 1)))
      throw new ExchangeError('COUNTER_REPLAY', `The device expects counter ${lowest}, and a jump was believed within a day`);
    this.#ranges[device.kind].set(device.id, { next: lowest + 1, end: lowest + 1 });
    return { from: known, to: lowest + 1 };
  }

  /** The device completed an association: it accepted our last counter. Only devices ahead of the span need this written, once a block. */
  proved(device: CountedDevice): Promise<void> | undefined {
    const range = this.#ranges[device.kind].get(device.id);
    if (range === undefined || range.end === this.#span?.end || range.next - device.provedCounter < BLOCK) return undefined;
    device.provedCounter = range.next;
    return keepProvedCounter(this.#pool, device, range.next);
  }
}
