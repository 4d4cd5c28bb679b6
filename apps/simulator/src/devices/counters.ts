import type { CounterStore } from '@hes/dlms/association/server-options.ts';

const SECOND_MS = 1000;

/** The counters of one device, and the highest that any client has used. */
export interface DeviceCounters extends CounterStore {
  highest(): number;
}

/**
 * What a device sends is counted from the seconds of the wall clock: the simulator forgets everything when it ends, and a
 * counter must still never come twice. Of clients it remembers the highest counter since it started.
 */
export function createCounters(now: () => number): DeviceCounters {
  let sent = 0;
  let highest = -1;
  return {
    next: () => (sent = Math.max(sent + 1, Math.floor(now() / SECOND_MS))),
    last: () => highest,
    accept: (_title, counter) => (highest = Math.max(highest, counter)),
    highest: () => Math.max(0, highest),
  };
}
