import { monotonicNow, msSince } from '#platform/clock.ts';

/** Unrequested frames that one connection may send in one go, and each second after that. */
interface FrameRate {
  burst: number;
  perSecond: number;
}

/** A DCU forwards the daily pushes of a thousand meters at once; authenticated ones are refunded. */
const FRAME_RATE: FrameRate = { burst: 1_000, perSecond: 250 };

/** Token bucket for unauthenticated frames of one connection that answer no request. */
export class FrameBudget {
  readonly #rate: FrameRate;
  #tokens: number;
  #at = monotonicNow();

  constructor(rate: FrameRate = FRAME_RATE) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** Takes one token; returns the milliseconds until the next frame may be read, 0 while tokens are left. */
  charge(): number {
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (msSince(this.#at) / 1000) * perSecond) - 1;
    this.#at = monotonicNow();
    return this.#tokens >= 0 ? 0 : (1 - this.#tokens) * (1000 / perSecond);
  }

  /** Returns a token after the sender of a frame was authenticated. */
  refund(): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + 1);
  }
}
