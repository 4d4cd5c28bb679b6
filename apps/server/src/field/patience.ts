/** Answers before the estimate counts. */
const MIN_SAMPLES = 8;
/** Nothing on a power line is certain to be faster. */
const SHORTEST_MS = 4_000;
/** Before anything is known of a channel. */
const FIRST_MS = 15_000;
const SMOOTHING = 1 / 8;
const VARIATION_SMOOTHING = 1 / 4;
const VARIATIONS = 8;

/**
 * How long to wait for an answer, learnt from the answers before, as TCP does (RFC 6298): a lost frame on a fast
 * channel costs seconds, and a slow channel is given the time it needs, up to `longestMs`.
 */
export class Patience {
  readonly #longestMs: number;
  #samples = 0;
  #smoothedMs = 0;
  #variationMs = 0;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  answeredIn(ms: number): void {
    if (this.#samples++ === 0) {
      this.#smoothedMs = ms;
      this.#variationMs = ms / 2;
      return;
    }
    this.#variationMs += (Math.abs(ms - this.#smoothedMs) - this.#variationMs) * VARIATION_SMOOTHING;
    this.#smoothedMs += (ms - this.#smoothedMs) * SMOOTHING;
  }

  /** Silence: the channel may have become slower than was learnt. */
  missed(): void {
    this.#variationMs *= 2;
  }

  get ms(): number {
    if (this.#samples < MIN_SAMPLES) return Math.min(FIRST_MS, this.#longestMs);
    return Math.min(this.#longestMs, Math.max(SHORTEST_MS, this.#smoothedMs + VARIATIONS * this.#variationMs));
  }
}
