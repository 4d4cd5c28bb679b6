import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import type { Heard } from '#world/air.ts';
import { DEVIATION_MINUTES } from '#world/calendar.ts';
import { ascii } from './dcu-archive.ts';

export type DiscoveredEntry = ValueOf<typeof DCU_ENTRIES.discovered>;

/** The search for meters of one DCU: discovered meters appear one by one while it runs. */
export interface DcuSearch {
  start(): void;
  stop(): void;
  clear(): void;
  discovered(): DiscoveredEntry[];
  hasHeard(sn: string): boolean;
}

/** Interval between two discovered meters. */
const PACE_MS = { realistic: 600, fast: 3 } as const;

/**
 * `air` returns the meters in reach and is called at every start, because meters change. Results are derived from the
 * elapsed time without timers.
 */
export function createDcuSearch(options: { air(): Heard[]; now(): number; channel: 'realistic' | 'fast' }): DcuSearch {
  const { air, now, channel } = options;
  const found = new Map<string, { heard: Heard; firstSeenMs: number; lastSeenMs: number }>();
  let running: { heard: Heard[]; beganAt: number; taken: number } | undefined;

  /** Adds the meters that the search has discovered by now. */
  function catchUp(): void {
    if (running === undefined) return;
    const due = Math.min(running.heard.length, Math.floor((performance.now() - running.beganAt) / PACE_MS[channel]));
    for (const heard of running.heard.slice(running.taken, due)) {
      const known = found.get(heard.meter.sn);
      found.set(heard.meter.sn, { heard, firstSeenMs: known?.firstSeenMs ?? now(), lastSeenMs: now() });
    }
    running.taken = due;
  }

  return {
    start: () => void (running ??= { heard: air(), beganAt: performance.now(), taken: 0 }),
    stop() {
      catchUp();
      running = undefined;
    },
    clear() {
      catchUp();
      found.clear();
    },
    discovered() {
      catchUp();
      return [...found.values()].map(entryOf);
    },
    hasHeard(sn) {
      catchUp();
      return found.has(sn);
    },
  };
}

function entryOf({ heard, firstSeenMs, lastSeenMs }: { heard: Heard; firstSeenMs: number; lastSeenMs: number }): DiscoveredEntry {
  const { meter, hops, signal } = heard;
  return {
    serialNumber: ascii(meter.sn),
    address: new Uint8Array(0),
    protocol: 'dlms',
    communicationMode: meter.mode,
    phase: meter.phase,
    hops,
    signal,
    firstSeen: fromEpochMs(firstSeenMs, DEVIATION_MINUTES),
    lastSeen: fromEpochMs(lastSeenMs, DEVIATION_MINUTES),
  };
}
