import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { simulate } from '#devices/simulate.ts';
import { DEVIATION_MINUTES } from '#world/calendar.ts';

export interface ClockState {
  /** True time. */
  now(): number;
  /** How far this clock is ahead of it. */
  aheadMs: number;
}

/** A clock that may be wrong, and may be set right. What it captures is stamped with exact slot times all the same. */
export const clockObject = simulate(clock, (state: ClockState) => ({
  read: {
    time: () => fromEpochMs(state.now() + state.aheadMs, DEVIATION_MINUTES),
    timeZone: () => DEVIATION_MINUTES,
    status: () => 0,
    daylightSavingsDeviation: () => 0,
    daylightSavingsEnabled: () => false,
    clockBase: () => 'internalCrystal' as const,
  },
  write: {
    time: (value) => {
      const set = toEpochMs(value, DEVIATION_MINUTES);
      if (set !== null) state.aheadMs = set - state.now();
    },
  },
  invoke: {
    shiftTime: (seconds) => {
      state.aheadMs += seconds * 1000;
    },
  },
}));
