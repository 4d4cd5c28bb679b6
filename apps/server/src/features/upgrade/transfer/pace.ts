import { ok } from '@hes/contract/core/outcome.ts';
import type { WorkReport } from '#tasks/operation.ts';

/** How an upgrade shares its DCU with other work, and its retry and polling delays, in milliseconds. */
export interface UpgradePace {
  /** Longest turn. Between turns an upgrade holds neither the device nor a worker, so collection can run. */
  turnMs: number;
  /** Delay of a turn that yields to more urgent work: `each` per waiting item, within the bounds. */
  yieldMs: { each: number; soonest: number; latest: number };
  /** Delay while the upgrade is paused, halted or waiting for a broadcast. */
  onHoldMs: number;
  /** Delay outside the time window of the upgrade. */
  outsideWindowMs: number;
  /** Longest delay while a device waits for its scheduled activation. */
  sleepingMs: number;
  /** Delay after a failed turn, doubled with each further consecutive failure. */
  backOffMs: { first: number; longest: number };
  /** Bounds of the polling interval of a busy device, which grows with the time it takes. */
  pollMs: { soonest: number; latest: number };
}

export const USUAL_PACE: UpgradePace = {
  turnMs: 4_000,
  yieldMs: { each: 100, soonest: 250, latest: 5_000 },
  onHoldMs: 5_000,
  outsideWindowMs: 30_000,
  sleepingMs: 30_000,
  backOffMs: { first: 2_000, longest: 60_000 },
  pollMs: { soonest: 1_000, latest: 10_000 },
};

/** Delay until the next poll of a device that has been busy for `sinceMs`. */
export const pollDelay = ({ pollMs }: UpgradePace, sinceMs: number): number =>
  Math.min(Math.max(sinceMs / 2, pollMs.soonest), pollMs.latest);

/** Delay in favour of `waiting` more urgent items: about half of them finish within it. */
export const yieldDelay = ({ yieldMs }: UpgradePace, waiting: number): number =>
  Math.min(Math.max(waiting * yieldMs.each, yieldMs.soonest), yieldMs.latest);

/** Delay after this many consecutive failures. */
export const backOffDelay = ({ backOffMs: { first, longest } }: UpgradePace, failures: number): number =>
  Math.min(first * 2 ** failures, longest);

/** After this many consecutive failures the upgrade of a device is abandoned. */
export const MAX_CONSECUTIVE_FAILURES = 12;

export const DONE: WorkReport = { outcome: ok({}), traceId: undefined };
export const rescheduleIn = (againInMs: number, traceId?: string): WorkReport => ({
  outcome: ok({}),
  traceId,
  againInMs: Math.max(Math.round(againInMs), 1),
});
