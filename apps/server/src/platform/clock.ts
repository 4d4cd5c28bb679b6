declare const MONOTONIC: unique symbol;

/**
 * A time of the monotonic clock of this process, unaffected by corrections of the wall clock. Opaque, so that arithmetic with epoch
 * milliseconds does not compile.
 */
export interface MonotonicMs {
  readonly [MONOTONIC]: true;
}

/** For timestamps, calendars, and deadlines that outlive the process. Jumps when the clock of the machine is set. */
export interface WallClock {
  /** Epoch milliseconds. */
  now(): number;
}

/** Source of time; tests replace it. */
export interface Clock extends WallClock {
  /** For durations within this process. */
  monotonic(): MonotonicMs;
}

/** Time `ms` milliseconds after the origin of the monotonic clock. */
export const monotonicAt = (ms: number): MonotonicMs => ms as unknown as MonotonicMs; // as: opaque outside of this file
const msOf = (moment: MonotonicMs): number => moment as unknown as number; // as: made above

export const monotonicNow = (): MonotonicMs => monotonicAt(performance.now());

export const msBetween = (earlier: MonotonicMs, later: MonotonicMs): number => msOf(later) - msOf(earlier);
/** Milliseconds since `moment`. */
export const msSince = (moment: MonotonicMs): number => msBetween(moment, monotonicNow());
/** Milliseconds until `moment`; negative when it has passed. */
export const msUntil = (moment: MonotonicMs): number => -msSince(moment);
export const msAfter = (moment: MonotonicMs, ms: number): MonotonicMs => monotonicAt(msOf(moment) + ms);
export const msFromNow = (ms: number): MonotonicMs => msAfter(monotonicNow(), ms);
/** Origin of the process age. */
const BEGUN = monotonicAt(0);
/** Age of the process, for periodic work with a fixed phase. */
export const processAgeMs = (): number => msSince(BEGUN);
/** Sentinels before and after all other times. */
export const LONG_AGO = monotonicAt(Number.NEGATIVE_INFINITY);
export const NEVER = monotonicAt(Number.POSITIVE_INFINITY);

/** Timestamps of one piece of work in epoch milliseconds: the start by the wall clock, plus the monotonic time since. */
export function stampsFrom(begunAt: number): () => number {
  const begun = monotonicNow();
  return () => begunAt + Math.round(msSince(begun));
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: monotonicNow };
