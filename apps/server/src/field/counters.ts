import type { Pool } from 'pg';
import { RequestBatcher } from './request-batcher.ts';
import { ExchangeError } from './channel.ts';
import { acceptDemandedCounter, updateProvedCounter, reserveCounters, reserveSpan, type DeviceRef } from './queries.ts';

/** Counters reserved at a time for all devices together. A crash loses at most these; a counter is never reused. */
const SPAN = 1000;
/** Counters reserved at a time for one device whose counter is above the shared span. */
const BLOCK = 100;
/** Pause before a new span, in which further devices that move join. */
const SPAN_PAUSE_MS = 100;
const LAST_COUNTER = 0xffff_ffff;
/**
 * Maximum distance of a demanded counter from the last one that the device has accepted. The demand is not authenticated, so a forged one
 * could otherwise use up the counters of the key.
 */
const LARGEST_JUMP = 1_000_000;

interface Range {
  next: number;
  end: number;
}

/** A device with the counter reservation of its row: all counters below `ownMark` may have been used. */
export interface CountedDevice extends DeviceRef {
  ownMark: number;
  /** Last counter that the device accepted in a completed association, as far as it is above the shared span. */
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
 * Invocation counters, reserved in the database before use: a counter used twice, even after a crash, would reveal the key stream of GCM.
 * Devices count separately through one shared span of the process; a device that demanded a higher counter has its own blocks.
 */
export class Counters {
  readonly #pool: Pool;
  readonly #ranges = { dcu: new Map<string, Range>(), meter: new Map<string, Range>() };
  readonly #reserving: RequestBatcher<DeviceRef, number>;
  #span: Range | undefined;
  #reservingSpan: Promise<void> | undefined;
  #beginningSpan: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#reserving = new RequestBatcher((devices) => reserveCounters(pool, devices, BLOCK), { waitMs: 2, maxItems: 200 });
  }

  /** Reserves `count` counters for `takeNext`; undefined: already reserved. Fails with COUNTER_REPLAY when the key is used up. */
  reserve(device: CountedDevice, count: number): Promise<void> | undefined {
    const range = this.#ranges[device.kind].get(device.id);
    if (range !== undefined && range.end - range.next >= count) return undefined;
    return this.#assignSpan(device, count) ? undefined : this.#reserveMore(device, count);
  }

  #lowest({ kind, id, ownMark }: CountedDevice): number {
    return Math.max(this.#ranges[kind].get(id)?.next ?? 0, ownMark);
  }

  /** Assigns the shared span to a device, above its used counters; false: the span is too low. */
  #assignSpan(device: CountedDevice, count: number): boolean {
    const lowest = this.#lowest(device);
    const span = this.#span;
    if (span === undefined || lowest + count > span.end) return false;
    this.#ranges[device.kind].set(device.id, { next: Math.max(span.next, lowest), end: span.end });
    return true;
  }

  async #reserveMore(device: CountedDevice, count: number): Promise<void> {
    if (this.#span === undefined || this.#lowest(device) <= this.#span.end) {
      // The rest of the previous span is discarded, because gaps are harmless.
      await (this.#reservingSpan ??= this.#reserveSpan().finally(() => (this.#reservingSpan = undefined)));
      if (this.#assignSpan(device, count)) return;
    }
    this.#ranges[device.kind].set(device.id, rangeAt(await this.#reserving.load(device), BLOCK));
  }

  /**
   * Begins a span above all counters that any node has reserved so far, for devices that another node had before: they would refuse the
   * lower counters that this one has left. Devices that move within the same moment share one span.
   */
  async beginSpan(): Promise<void> {
    await (this.#beginningSpan ??= new Promise((resolve) => setTimeout(resolve, SPAN_PAUSE_MS))
      .then(() => this.#reserveSpan())
      .finally(() => (this.#beginningSpan = undefined)));
  }

  /** Drops what is left for these devices, so that their next counters are from the current span. */
  forget(devices: readonly DeviceRef[]): void {
    for (const { kind, id } of devices) this.#ranges[kind].delete(id);
  }

  async #reserveSpan(): Promise<void> {
    this.#span = rangeAt(await reserveSpan(this.#pool, SPAN), SPAN);
  }

  /** Returns the next counter; `reserve` must have been called before. */
  takeNext({ kind, id }: DeviceRef): number {
    const range = this.#ranges[kind].get(id);
    if (range === undefined || range.next >= range.end) throw new Error(`No counter is reserved for ${kind}/${id}`);
    return range.next++;
  }

  /**
   * Continues above `lowest`, the counter that the device demands. Fails with COUNTER_REPLAY when the demand is implausible, or when a
   * demand of this device was accepted within the last day.
   */
  async jumpTo(device: CountedDevice, lowest: number): Promise<CounterJump> {
    const known = this.#lowest(device);
    const proved = Math.max(this.#span?.next ?? 0, device.provedCounter);
    if (lowest < known || lowest - proved > LARGEST_JUMP)
      throw new ExchangeError('COUNTER_REPLAY', `The device expects counter ${lowest}, the head-end is at ${known}`);
    if (!(await acceptDemandedCounter(this.#pool, device, lowest + 1)))
      throw new ExchangeError('COUNTER_REPLAY', `The device expects counter ${lowest}, and a jump was accepted within a day`);
    this.#ranges[device.kind].set(device.id, { next: lowest + 1, end: lowest + 1 });
    return { from: known, to: lowest + 1 };
  }

  /** Records that a completed association accepted the last counter. Written once per block, and only for devices above the shared span. */
  recordAcceptedCounter(device: CountedDevice): Promise<void> | undefined {
    const range = this.#ranges[device.kind].get(device.id);
    if (range === undefined || range.end === this.#span?.end || range.next - device.provedCounter < BLOCK) return undefined;
    device.provedCounter = range.next;
    return updateProvedCounter(this.#pool, device, range.next);
  }
}
