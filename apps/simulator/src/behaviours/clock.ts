import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { CLOCK_STATUS, fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { simulate } from '#devices/simulate.ts';
import type { LocalTime } from '#world/local-time.ts';

export interface ClockState {
  /** True time, epoch milliseconds. */
  now(): number;
  /** Clock deviation in milliseconds; positive: ahead. */
  aheadMs: number;
  /** Local time of the clock. */
  local: LocalTime;
}

const SUMMER_MINUTES = 60;

/** A clock with a deviation that a client can correct. Captures are stamped with exact slot times regardless of it. */
export const clockObject = simulate(clock, (state: ClockState) => {
  const shown = (): number => state.now() + state.aheadMs;
  const isSummer = (): boolean => state.local.isSummer(shown());
  return {
    read: {
      time: () => fromEpochMs(shown(), state.local.deviationMinutes(shown()), { daylightSaving: isSummer() }),
      timeZone: () => state.local.deviationMinutes(shown()) + (isSummer() ? SUMMER_MINUTES : 0),
      status: () => (isSummer() ? CLOCK_STATUS.daylightSaving : 0),
      daylightSavingsDeviation: () => (isSummer() ? SUMMER_MINUTES : 0),
      daylightSavingsEnabled: () => isSummer(),
      clockBase: () => 'internalCrystal' as const,
    },
    write: {
      time: (value) => {
        const set = toEpochMs(value, state.local.deviationMinutes(state.now()));
        if (set !== null) state.aheadMs = set - state.now();
      },
    },
    invoke: {
      shiftTime: (seconds) => {
        state.aheadMs += seconds * 1000;
      },
    },
  };
});
