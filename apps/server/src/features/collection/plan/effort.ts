import { ENTRIES_PER_READ } from '@hes/contract/asset/archive-diff.ts';
import type { PlanExecution, PlanType } from '@hes/contract/states/plan.ts';

/** Estimated effort for one meter. */
export interface Effort {
  /** Frames in both directions. */
  frames: number;
  bytes: number;
  seconds: number;
}

/** Association with authentication by GMAC, and its release: three round trips. */
const OPEN_AND_CLOSE = { roundTrips: 3, bytes: 480 };
/** A protected request with its wrapper and gateway header. */
const REQUEST_BYTES = 110;
/** Octets in one block of a response over a narrowband channel. */
const BLOCK_BYTES = 1024;
/** Typical for power line communication with several hops. */
const ROUND_TRIP_SECONDS = 1;
const ITEMS_PER_REQUEST = 16;
const ITEM_BYTES = 12;

/** Rows per day, octets per row and days per request of each profile, as the reference meter captures them. */
const PROFILES: Partial<Record<PlanType, { rowsPerDay: number; rowBytes: number; daysPerRequest: number }>> = {
  daily: { rowsPerDay: 1, rowBytes: 72, daysPerRequest: 31 },
  monthly: { rowsPerDay: 1 / 31, rowBytes: 72, daysPerRequest: 400 },
  energy: { rowsPerDay: 24, rowBytes: 72, daysPerRequest: 7 },
  lpa: { rowsPerDay: 96, rowBytes: 46, daysPerRequest: 2 },
  lpb: { rowsPerDay: 96, rowBytes: 40, daysPerRequest: 2 },
};

/** Octets per entry of the lists that a DCU keeps of its meters. They come over its uplink, many per response. */
const ENTRIES: Partial<Record<PlanType, number>> = { archive_check: 56, topology: 62, modules: 130 };
const LINE_ROUND_TRIP_SECONDS = 0.2;

/** Event logs of a meter, and the octets that a quiet day adds to them. */
const LOGS = { count: 4, bytesPerDay: 24 };

/** A row in the DCU's cache also contains the serial number of its meter. */
const SERIAL_NUMBER_BYTES = 14;

/** Estimates the effort from message sizes, for work without measurements. The first run reads the whole look-back. */
export function estimateOf(plan: { type: PlanType; lookBackDays: number; items: readonly string[]; execution: PlanExecution }): Effort {
  const entryBytes = ENTRIES[plan.type];
  if (entryBytes !== undefined) {
    const roundTrips = 1 / ENTRIES_PER_READ;
    return { frames: 2 * roundTrips, bytes: entryBytes + REQUEST_BYTES * roundTrips, seconds: LINE_ROUND_TRIP_SECONDS * roundTrips };
  }
  const profile = PROFILES[plan.type];
  if (plan.execution === 'dcu_task' && profile !== undefined) {
    const bytes = plan.lookBackDays * profile.rowsPerDay * (profile.rowBytes + SERIAL_NUMBER_BYTES);
    const roundTrips = bytes / BLOCK_BYTES;
    return { frames: 2 * roundTrips, bytes: bytes + REQUEST_BYTES * roundTrips, seconds: LINE_ROUND_TRIP_SECONDS * roundTrips };
  }
  const { requests, answerBytes } = exchangeOf(plan);
  const roundTrips = OPEN_AND_CLOSE.roundTrips + Math.max(requests, Math.ceil(answerBytes / BLOCK_BYTES));
  return {
    frames: roundTrips * 2,
    bytes: OPEN_AND_CLOSE.bytes + requests * REQUEST_BYTES + answerBytes,
    seconds: roundTrips * ROUND_TRIP_SECONDS,
  };
}

function exchangeOf({ type, lookBackDays, items }: Parameters<typeof estimateOf>[0]): { requests: number; answerBytes: number } {
  const profile = PROFILES[type];
  // The columns of each log are read first.
  if (type === 'events') return { requests: 2 * LOGS.count, answerBytes: lookBackDays * LOGS.bytesPerDay };
  if (profile === undefined)
    return { requests: Math.max(1, Math.ceil(items.length / ITEMS_PER_REQUEST)), answerBytes: Math.max(1, items.length) * ITEM_BYTES };
  const { rowsPerDay, rowBytes, daysPerRequest } = profile;
  return { requests: Math.ceil(lookBackDays / daysPerRequest), answerBytes: lookBackDays * rowsPerDay * rowBytes };
}
