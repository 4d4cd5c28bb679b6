/** True time in the simulated world. It can be held still, so that what was read a moment ago can be compared to the last digit. */
export interface WorldClock {
  now(): number;
  /** Holds time at a moment, the present one when not said. */
  hold(at?: number): void;
  release(): void;
  isHeld(): boolean;
}

export function createWorldClock(source: () => number): WorldClock {
  let held: number | undefined;
  return {
    now: () => held ?? source(),
    hold(at) {
      held = at ?? source();
    },
    release() {
      held = undefined;
    },
    isHeld: () => held !== undefined,
  };
}
