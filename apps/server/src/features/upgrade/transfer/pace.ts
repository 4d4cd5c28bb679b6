import { ok } from '@hes/contract/core/outcome.ts';
import type { WorkReport } from '#tasks/operation.ts';

/** How an upgrade shares its DCU with everything else, and how patient it is, in milliseconds. */
export interface UpgradePace {
  /** Between its turns an upgrade holds neither the device nor a worker: collection takes its own in between. */
  turnMs: number;
  /** Until the next look at a DCU for which others wait: the longer, the more of them there are. */
  aheadMs: { each: number; soonest: number; latest: number };
  /** Until the next look at an upgrade that is held: paused, halted, or waiting for a broadcast. */
  heldMs: number;
  /** Until the next look at a window that is shut. */
  shutMs: number;
  /** Until the next look at a device that waits for the time to take its image into use. */
  asleepMs: number;
  /** After a turn that came to nothing; twice as long after each further one. */
  stumbleMs: { first: number; longest: number };
  /** A device at work is asked soon at first, and the less often the longer it takes. */
  pollMs: { soonest: number; latest: number };
}

export const USUAL_PACE: UpgradePace = {
  turnMs: 4_000,
  aheadMs: { each: 100, soonest: 250, latest: 5_000 },
  heldMs: 5_000,
  shutMs: 30_000,
  asleepMs: 30_000,
  stumbleMs: { first: 2_000, longest: 60_000 },
  pollMs: { soonest: 1_000, latest: 10_000 },
};

/** How long to leave a device alone that has been at work for so long. */
export const pollAfter = ({ pollMs }: UpgradePace, sinceMs: number): number =>
  Math.min(Math.max(sinceMs / 2, pollMs.soonest), pollMs.latest);

/** How long to leave a DCU to those who are more urgent: until about half of them can be through, and never long when few are left. */
export const afterOthers = ({ aheadMs }: UpgradePace, waiting: number): number =>
  Math.min(Math.max(waiting * aheadMs.each, aheadMs.soonest), aheadMs.latest);

/** How long after so many turns in a row that came to nothing. */
export const stumbleMs = ({ stumbleMs: { first, longest } }: UpgradePace, stumbles: number): number =>
  Math.min(first * 2 ** stumbles, longest);

/** So many turns in a row that came to nothing, and it makes no sense any more. */
export const MAX_STUMBLES = 12;

export const DONE: WorkReport = { outcome: ok({}), traceId: undefined };
export const again = (againInMs: number, traceId?: string): WorkReport => ({
  outcome: ok({}),
  traceId,
  againInMs: Math.max(Math.round(againInMs), 1),
});
