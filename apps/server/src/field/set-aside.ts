import { FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import type { Pool } from 'pg';
import type { Clock } from '#platform/clock.ts';
import type { MeterDevice } from './devices.ts';
import type { FieldEvents } from './field-events.ts';

const MINUTE_MS = 60_000;
/** Pauses after the first, second, … consecutive response without end. */
const PAUSES_MS = [15 * MINUTE_MS, 60 * MINUTE_MS, 240 * MINUTE_MS, 1440 * MINUTE_MS];

/** Pauses collection of meters whose responses exceed a limit of size or time. */
export class SetAside {
  readonly #ctx: { pool: Pool; clock: Clock };
  readonly #events: FieldEvents;

  constructor(ctx: { pool: Pool; clock: Clock }, events: FieldEvents) {
    this.#ctx = ctx;
    this.#events = events;
  }

  /** Whether collection of the meter is paused now. */
  isPaused(device: MeterDevice): boolean {
    return device.setAside.until > this.#ctx.clock.now();
  }

  /** Starts a pause, longer than the previous one. Resolves after the commit. */
  async startPause(device: MeterDevice, why: string, { dcuId, traceId }: { dcuId: string; traceId: string | undefined }): Promise<void> {
    // Orders of operators run during a pause; their failures do not lengthen it.
    if (this.isPaused(device)) return;
    const times = device.setAside.times + 1;
    const until = this.#ctx.clock.now() + (PAUSES_MS[Math.min(times, PAUSES_MS.length) - 1] ?? 0);
    device.setAside = { until, times };
    await this.#ctx.pool.query('update meter set set_aside_until = $2, set_aside_times = $3, set_aside_why = $4 where id = $1', [
      device.id,
      new Date(until),
      times,
      why,
    ]);
    const lines = [stateLine('cost', device.sn, `ANSWER_TOO_LONG, ${why} → ${new Date(until).toISOString()}`)];
    await this.#events.raise({ device, dcuId, traceId: traceId ?? null, code: FIELD_EVENT.setAside, lines });
  }

  /** Ends the pause after a successful read and resets the number of consecutive pauses. */
  async endPause(device: MeterDevice, { dcuId, traceId }: { dcuId: string; traceId: string | undefined }): Promise<void> {
    device.setAside = { until: 0, times: 0 };
    await this.#ctx.pool.query('update meter set set_aside_until = null, set_aside_times = 0, set_aside_why = null where id = $1', [
      device.id,
    ]);
    await this.#events.raise({ device, dcuId, traceId: traceId ?? null, code: FIELD_EVENT.readAgain, lines: [] });
  }
}
