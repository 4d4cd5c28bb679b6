import { clock } from '../cosem/classes/clock.ts';
import type { MethodArgument } from '../cosem/cosem-class.ts';
import { fromEpochMs, toEpochMs } from '../cosem/date-time.ts';
import { serverObject, type DescribedObject, type MethodOutcome, type ObjectOptions } from './server-object.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const QUARTER_MS = 15 * MINUTE_MS;
const LONGEST_SHIFT_SECONDS = 900;

export interface ClockOptions {
  /** True time in epoch milliseconds. */
  now(): number;
  /** Minutes; UTC minus local time. */
  deviationMinutes: number;
  /** Period to which `adjustToMeasuringPeriod` rounds. */
  measuringPeriodSeconds?: number;
  /** Called after the clock was moved, with the difference; profiles and logs record it. */
  onMoved?(byMs: number): void;
}

type Preset = MethodArgument<typeof clock, 'presetAdjustingTime'>;

/** A device clock that can drift and can be set. */
export class DeviceClock {
  readonly #options: ClockOptions;
  #aheadMs = 0;
  #preset: Preset | undefined;

  constructor(options: ClockOptions) {
    this.#options = options;
  }

  /** Time shown by the clock, in milliseconds. */
  get timeMs(): number {
    return this.#options.now() + this.#aheadMs;
  }

  get deviationMinutes(): number {
    return this.#options.deviationMinutes;
  }

  set(timeMs: number): void {
    const byMs = timeMs - this.timeMs;
    this.#aheadMs += byMs;
    this.#options.onMoved?.(byMs);
  }

  /** Rounds to the nearest multiple of a period. */
  adjustTo(periodMs: number): void {
    this.set(Math.round(this.timeMs / periodMs) * periodMs);
  }

  adjustToMeasuringPeriod(): void {
    this.adjustTo((this.#options.measuringPeriodSeconds ?? QUARTER_MS / SECOND_MS) * SECOND_MS);
  }

  shift(seconds: number): MethodOutcome {
    if (Math.abs(seconds) > LONGEST_SHIFT_SECONDS) return 'otherReason';
    this.set(this.timeMs + seconds * SECOND_MS);
    return 'success';
  }

  preset(preset: Preset): void {
    this.#preset = preset;
  }

  /** Applies the preset time if its validity interval includes the current time. */
  adjustToPreset(): MethodOutcome {
    const { deviationMinutes } = this;
    const moments = this.#preset && [this.#preset.validityIntervalStart, this.#preset.validityIntervalEnd, this.#preset.presetTime];
    const [start, end, time] = moments?.map((moment) => toEpochMs(moment, deviationMinutes)) ?? [];
    if (start == null || end == null || time == null || this.timeMs < start || this.timeMs > end) return 'otherReason';
    this.#preset = undefined;
    this.set(time);
    return 'success';
  }
}

export const clockObject = (device: DeviceClock, options: ObjectOptions): DescribedObject =>
  serverObject(
    clock,
    {
      read: {
        time: () => fromEpochMs(device.timeMs, device.deviationMinutes),
        timeZone: () => device.deviationMinutes,
        status: () => 0,
        daylightSavingsDeviation: () => 0,
        daylightSavingsEnabled: () => false,
        clockBase: () => 'internalCrystal' as const,
      },
      write: {
        time: (value) => {
          const timeMs = toEpochMs(value, device.deviationMinutes);
          if (timeMs === null) return 'otherReason';
          device.set(timeMs);
          return 'success';
        },
      },
      invoke: {
        adjustToQuarter: () => device.adjustTo(QUARTER_MS),
        adjustToMeasuringPeriod: () => device.adjustToMeasuringPeriod(),
        adjustToMinute: () => device.adjustTo(MINUTE_MS),
        adjustToPresetTime: () => device.adjustToPreset(),
        presetAdjustingTime: (preset) => device.preset(preset),
        shiftTime: (seconds) => device.shift(seconds),
      },
    },
    options,
  );
