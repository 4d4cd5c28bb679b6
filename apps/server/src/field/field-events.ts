import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { FieldEventCode } from '@hes/contract/states/field-event.ts';
import { LONG_AGO, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import type { DeviceEvents, EventWriter } from '#storage/events/event-writer.ts';
import type { Device } from './devices.ts';

const HOUR_MS = 3_600_000;
/** Devices and codes whose last event is remembered. */
const MAX_KEPT = 50_000;
/** Interval between retries of storing, and the number of events that wait for a retry; further events are dropped. */
const RETRY_MS = 5_000;
const MAX_UNSTORED = 10_000;
const NO_OCTETS = new Uint8Array(0);

export interface FieldEvent {
  device: Pick<Device, 'kind' | 'id' | 'sn'>;
  dcuId: string | null;
  traceId: string | null;
  code: FieldEventCode;
  /** Lines of `changeLine` and `stateLine`. */
  lines: readonly string[];
  raw?: Uint8Array;
  /** Epoch milliseconds; default: now. */
  occurAt?: number;
}

/** Raises events about devices that the head-end itself detects. */
export class FieldEvents {
  readonly #ctx: Pick<Context, 'clock' | 'log'>;
  readonly #events: EventWriter;
  readonly #lastAt = new BoundedCache<string, MonotonicMs>(MAX_KEPT);
  /** Called with the trace of an event before its dialogue ends, so that it is kept. */
  onRaised: (traceId: string) => void = () => undefined;
  #unstored: DeviceEvents[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #retryMs: number;

  constructor(ctx: Pick<Context, 'clock' | 'log'>, events: EventWriter, retryMs = RETRY_MS) {
    this.#ctx = ctx;
    this.#events = events;
    this.#retryMs = retryMs;
  }

  /** Resolves after the commit. An event that cannot be stored now is stored later, and never fails the operation that detected it. */
  async raise({ device, dcuId, traceId, code, lines, raw = NO_OCTETS, occurAt = this.#ctx.clock.now() }: FieldEvent): Promise<void> {
    if (traceId !== null) this.onRaised(traceId);
    const isMeter = device.kind === 'meter';
    const event = { log: isMeter ? ('comms' as const) : ('dcu' as const), code, occurAt, message: lines.join('\n'), raw };
    const raised: DeviceEvents = {
      deviceKind: device.kind,
      meterId: isMeter ? device.id : null,
      dcuId: isMeter ? dcuId : device.id,
      source: 'pull',
      traceId,
      events: [event],
    };
    try {
      await this.#events.store(raised);
    } catch (error) {
      this.#ctx.log.warn('An event about a device was not stored, and is stored later', { error, sn: device.sn, code });
      this.#keep(raised);
    }
  }

  #keep(raised: DeviceEvents): void {
    if (this.#unstored.length < MAX_UNSTORED) this.#unstored.push(raised);
    this.#timer ??= setTimeout(() => void this.#storeAgain(), this.#retryMs);
  }

  async #storeAgain(): Promise<void> {
    this.#timer = undefined;
    const again = this.#unstored;
    this.#unstored = [];
    // Stored one by one, because an event of a deleted device fails.
    await Promise.all(again.map((raised) => this.#events.store(raised).catch(() => this.#keep(raised))));
  }

  /** Retries the unstored events once. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#storeAgain();
    clearTimeout(this.#timer);
  }

  /** Raises an event at most once an hour per device and code, so that an attacker cannot flood the event list. */
  async raiseHourly(event: FieldEvent): Promise<void> {
    const key = `${event.device.kind}/${event.device.id}/${event.code}`;
    const now = this.#ctx.clock.monotonic();
    if (msBetween(this.#lastAt.get(key) ?? LONG_AGO, now) < HOUR_MS) return;
    this.#lastAt.set(key, now);
    await this.raise(event);
  }
}
