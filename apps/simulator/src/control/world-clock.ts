/** True time in the simulated world. Holding it makes a reading comparable to the last digit. */
export interface WorldClock {
  now(): number;
  /** Stops time at a moment, by default the present one. */
  hold(at?: number): void;
  release(): void;
  isHeld(): boolean;
  /** Sets the offset from real time in milliseconds, which makes days pass in minutes. */
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
