import type { CounterStore } from '@hes/dlms/association/server-options.ts';

/** 2020-01-01. */
const EPOCH_MS = 1_577_836_800_000;
/** Eighths of a second since then fit 32 bits until 2037, and exceed the rate of responses of any meter. */
const TICK_MS = 125;

/** The invocation counters of one device, and the highest that any client has used. */
export interface DeviceCounters extends CounterStore {
  highest(): number;
}

/**
 * Derives the device's counters from the wall clock: the simulator keeps no state over a restart, and a counter must never
 * repeat. The highest counter of clients is kept since the start only.
 */
export function createCounters(now: () => number): DeviceCounters {
  let sent = 0;
  let highest = -1;
  return {
    next: () => (sent = Math.max(sent + 1, Math.floor((now() - EPOCH_MS) / TICK_MS))),
    last: () => highest,
    accept: (_title, counter) => (highest = Math.max(highest, counter)),
    highest: () => Math.max(0, highest),
  };
}
