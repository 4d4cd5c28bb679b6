import type { PlanType } from '@hes/contract/states/plan.ts';

/** What one meter costs. */
export interface Effort {
  /** Both directions. */
  frames: number;
  bytes: number;
  seconds: number;
}

/** Association with authentication by GMAC, and its release: three round trips. */
const OPEN_AND_CLOSE = { roundTrips: 3, bytes: 480 };
/** A protected request with its wrapper and gateway header. */
const REQUEST_BYTES = 110;
/** What fits one block of an answer over a narrow channel. */
const BLOCK_BYTES = 1024;
/** Over power line, with some hops. */
const ROUND_TRIP_SECONDS = 1;
const ITEMS_PER_REQUEST = 16;
const ITEM_BYTES = 12;

/** Rows a day, octets a row and days a request of the profiles, as the reference meter captures them. */
const PROFILES: Partial<Record<PlanType, { rowsPerDay: number; rowBytes: number; daysPerRequest: number }>> = {
  daily: { rowsPerDay: 1, rowBytes: 72, daysPerRequest: 31 },
  energy: { rowsPerDay: 24, rowBytes: 72, daysPerRequest: 7 },
  lpa: { rowsPerDay: 96, rowBytes: 46, daysPerRequest: 2 },
  lpb: { rowsPerDay: 96, rowBytes: 40, daysPerRequest: 2 },
};

/** From the sizes of messages, for work that was not measured yet. A first run reads all of the look-back. */
export function estimateOf(plan: { type: PlanType; lookBackDays: number; items: readonly string[] }): Effort {
  const profile = PROFILES[plan.type];
  const requests =
    profile === undefined
      ? Math.max(1, Math.ceil(plan.items.length / ITEMS_PER_REQUEST))
      : Math.ceil(plan.lookBackDays / profile.daysPerRequest);
  const answerBytes =
    profile === undefined ? Math.max(1, plan.items.length) * ITEM_BYTES : plan.lookBackDays * profile.rowsPerDay * profile.rowBytes;
  const roundTrips = OPEN_AND_CLOSE.roundTrips + Math.max(requests, Math.ceil(answerBytes / BLOCK_BYTES));
  return {
    frames: roundTrips * 2,
    bytes: OPEN_AND_CLOSE.bytes + requests * REQUEST_BYTES + answerBytes,
    seconds: roundTrips * ROUND_TRIP_SECONDS,
  };
}
