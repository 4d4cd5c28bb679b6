/** True time in the simulated world. It can be held still, so that what was read a moment ago can be compared to the last digit. */
export interface WorldClock {
  now(): number;
  /** Holds time at a moment, the present one when not said. */
  hold(at?: number): void;
  release(): void;
  isHeld(): boolean;
  /** Lets it run so far ahead of the clock on the wall, so that days pass in minutes. */
  runAhead(ms: number): void;
}

export function createWorldClock(source: () => number): WorldClock {
  let held: number | undefined;
  let aheadMs = 0;
  const now = (): number => held ?? source() + aheadMs;
  return {
    now,
    hold(at) {
      held = at ?? now();
    },
    runAhead(ms) {
      aheadMs = ms;
    },
    release() {
      held = undefined;
    },
    isHeld: () => held !== undefined,
  };
}
