/** Answers before an estimate counts. */
const MIN_SAMPLES = 8;
/** Nothing on a power line is certain to be faster. */
const SHORTEST_MS = 4_000;
/** Before anything is known of a channel. */
const FIRST_MS = 15_000;
const SMOOTHING = 1 / 8;
const VARIATION_SMOOTHING = 1 / 4;
const VARIATIONS = 8;

/** What answers took, as TCP estimates it (RFC 6298). */
class Estimate {
  #samples = 0;
  #smoothedMs = 0;
  #variationMs = 0;

  answeredIn(ms: number): void {
    if (this.#samples++ === 0) {
      this.#smoothedMs = ms;
      this.#variationMs = ms / 2;
      return;
    }
    this.#variationMs += (Math.abs(ms - this.#smoothedMs) - this.#variationMs) * VARIATION_SMOOTHING;
    this.#smoothedMs += (ms - this.#smoothedMs) * SMOOTHING;
  }

  missed(): void {
    this.#variationMs *= 2;
  }

  /** Undefined: too few answers were seen. */
  get ms(): number | undefined {
    return this.#samples < MIN_SAMPLES ? undefined : this.#smoothedMs + VARIATIONS * this.#variationMs;
  }
}

/**
 * How long to wait for an answer, learnt from the answers before: a lost frame on a fast channel costs seconds, and a slow
 * channel is given the time it needs, up to `longestMs`. Each kind of question is learnt by itself, because a day of a
 * profile takes many times what a greeting takes; of a kind that is seldom asked, the channel as a whole is what is known.
 */
export class Patience {
  readonly #longestMs: number;
  readonly #shortestMs: number;
  readonly #channel = new Estimate();
  readonly #questions = new Map<number, Estimate>();

  constructor({ longestMs, shortestMs = SHORTEST_MS }: { longestMs: number; shortestMs?: number | undefined }) {
    this.#longestMs = longestMs;
    this.#shortestMs = shortestMs;
  }

  #of(question: number): Estimate {
    const known = this.#questions.get(question);
    if (known !== undefined) return known;
    const fresh = new Estimate();
    this.#questions.set(question, fresh);
    return fresh;
  }

  answeredIn(question: number, ms: number): void {
    this.#of(question).answeredIn(ms);
    this.#channel.answeredIn(ms);
  }

  /** Silence: the channel may have become slower than was learnt. */
  missed(question: number): void {
    this.#of(question).missed();
    this.#channel.missed();
  }

  msFor(question: number): number {
    const learntMs = this.#questions.get(question)?.ms ?? this.#channel.ms;
    if (learntMs === undefined) return Math.min(FIRST_MS, this.#longestMs);
    return Math.min(this.#longestMs, Math.max(this.#shortestMs, learntMs));
  }
}
