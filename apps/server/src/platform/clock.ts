declare const MONOTONIC: unique symbol;

/**
 * A moment of this process's monotonic clock, which no correction of the wall clock moves. It is not a number, so that arithmetic with epoch
 * milliseconds does not compile.
 */
export interface MonotonicMs {
  readonly [MONOTONIC]: true;
}

/** For stamps, calendars, and deadlines that outlive the process. It steps when somebody sets the clock of the machine. */
export interface WallClock {
  /** Epoch milliseconds. */
  now(): number;
}

/** Where the time comes from, so that tests can move it. */
export interface Clock extends WallClock {
  /** For every span that begins and ends in this process. */
  monotonic(): MonotonicMs;
}

/** A moment of a clock that only tests have: so many milliseconds after it began. */
export const monotonicAt = (ms: number): MonotonicMs => ms as unknown as MonotonicMs; // as: opaque outside of this file
const msOf = (moment: MonotonicMs): number => moment as unknown as number; // as: made above

export const monotonicNow = (): MonotonicMs => monotonicAt(performance.now());

export const msBetween = (earlier: MonotonicMs, later: MonotonicMs): number => msOf(later) - msOf(earlier);
/** Milliseconds that have passed since a moment. */
export const msSince = (moment: MonotonicMs): number => msBetween(moment, monotonicNow());
/** Milliseconds that are left until a moment; below zero when it is over. */
export const msUntil = (moment: MonotonicMs): number => -msSince(moment);
export const msAfter = (moment: MonotonicMs, ms: number): MonotonicMs => monotonicAt(msOf(moment) + ms);
export const msFromNow = (ms: number): MonotonicMs => msAfter(monotonicNow(), ms);
/** From here the age of the process is counted. */
const BEGUN = monotonicAt(0);
/** How old the process is, for work that keeps its place within every second. */
export const processAgeMs = (): number => msSince(BEGUN);
/** Before every other moment, and after every other. */
export const LONG_AGO = monotonicAt(Number.NEGATIVE_INFINITY);
export const NEVER = monotonicAt(Number.POSITIVE_INFINITY);

/** Stamps of one piece of work, in epoch milliseconds: its first by the wall clock, all others so much later as time has passed. */
export function stampsFrom(begunAt: number): () => number {
  const begun = monotonicNow();
  return () => begunAt + Math.round(msSince(begun));
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: monotonicNow };
