import type { Pool } from 'pg';
import { Batcher } from './batcher.ts';
import { ExchangeError } from './channel.ts';
import { raiseCounters, reserveCounters, type DeviceRef } from './queries.ts';

/** Counters taken from the database at a time: a crash loses at most these, and never goes back. */
export const BLOCK = 100;
const LAST_COUNTER = 0xffff_ffff;
/** A device may ask us to go on further ahead than we know, but not absurdly so: that would burn the key. */
const LARGEST_JUMP = 1_000_000;

interface Range {
  next: number;
  end: number;
}

const keyOf = (device: DeviceRef): string => `${device.kind}/${device.id}`;

/**
 * Invocation counters: taken in blocks from the database before use, handed out once each, never again, whatever
 * crashes when. One counter used twice with one key gives away the key stream.
 */
export class Counters {
  readonly #pool: Pool;
  readonly #ranges = new Map<string, Range>();
  readonly #reserving: Batcher<DeviceRef, number>;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#reserving = new Batcher((devices) => reserveCounters(pool, devices, BLOCK), { waitMs: 2, maxItems: 200 });
  }

  /** Makes sure `count` counters can be taken without waiting. Fails with COUNTER_REPLAY when the key is used up. */
  async ensure(device: DeviceRef, count: number): Promise<void> {
    const range = this.#ranges.get(keyOf(device));
    if (range !== undefined && range.end - range.next >= count) return;
    const first = await this.#reserving.ask(device);
    if (first + BLOCK > LAST_COUNTER)
      throw new ExchangeError('COUNTER_REPLAY', 'The invocation counter is used up: the key must be changed');
    // What was left of the block before is given up: gaps are harmless.
    this.#ranges.set(keyOf(device), { next: first, end: first + BLOCK });
  }

  /** Reserves a block for each of these devices that has none, in one go. */
  async prepare(devices: readonly DeviceRef[]): Promise<void> {
    const missing = devices.filter((device) => !this.#ranges.has(keyOf(device)));
    if (missing.length === 0) return;
    const firsts = await reserveCounters(this.#pool, missing, BLOCK);
    missing.forEach((device, index) => {
      const first = firsts[index] ?? LAST_COUNTER;
      // A key that is used up is told to whoever wants to use it.
      if (first + BLOCK <= LAST_COUNTER && !this.#ranges.has(keyOf(device)))
        this.#ranges.set(keyOf(device), { next: first, end: first + BLOCK });
    });
  }

  /** The next counter. Call `ensure` before. */
  take(device: DeviceRef): number {
    const range = this.#ranges.get(keyOf(device));
    if (range === undefined || range.next >= range.end) throw new Error(`No counter is reserved for ${keyOf(device)}`);
    return range.next++;
  }

  /** The device has seen `lowest` or more from us: go on above it. Fails with COUNTER_REPLAY when that is implausible. */
  async jumpTo(device: DeviceRef, lowest: number): Promise<void> {
    const range = this.#ranges.get(keyOf(device));
    const known = range?.next ?? 0;
    if (lowest < known || lowest - known > LARGEST_JUMP)
      throw new ExchangeError('COUNTER_REPLAY', `The device expects counter ${lowest}, we are at ${known}`);
    this.#ranges.delete(keyOf(device));
    await raiseCounters(this.#pool, device, lowest + 1);
  }

  forget(device: DeviceRef): void {
    this.#ranges.delete(keyOf(device));
  }
}
