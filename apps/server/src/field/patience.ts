/** Answers before an estimate counts: of one kind of question two are alike, of all kinds together a few say little. */
const MIN_SAMPLES = { question: 2, channel: 8 };
/** A meter over a power line may need several hops, each of some seconds. */
const LONGEST_MS = 30_000;
const SHORTEST_MS = 4_000;
const FIRST_MS = 15_000;
const SHORTEST_READ_MS = 30_000;
const LONGEST_READ_MS = 600_000;
/** Losses and neighbours make an answer take longer than usual. */
const READ_MARGIN = 4;
const SMOOTHING = 1 / 8;
const VARIATION_SMOOTHING = 1 / 4;
const VARIATIONS = 8;

/** How long answers are waited for. */
export interface Waits {
  /** Nobody is waited for longer; 30 s when not said. */
  longestMs?: number | undefined;
  /** Nor given up earlier, however fast the others answer, because nothing on a power line is certain to be faster; 4 s when not said. */
  shortestMs?: number | undefined;
  /** Before anything is known of a channel; 15 s when not said. */
  firstMs?: number | undefined;
  /** No answer in blocks is given up before it has taken so long; 30 s when not said. */
  shortestReadMs?: number | undefined;
  /** Nor read for longer, however large it is; 10 min when not said. */
  longestReadMs?: number | undefined;
}

/** What answers took, as TCP estimates it (RFC 6298). */
class Estimate {
  readonly #enough: number;
  #samples = 0;
  #smoothedMs = 0;
  #variationMs = 0;
  /** In a row. */
  #silences = 0;

  constructor(enough: number) {
    this.#enough = enough;
  }

  answeredIn(ms: number): void {
    this.#silences = 0;
    if (this.#samples++ === 0) {
      this.#smoothedMs = ms;
      this.#variationMs = ms / 2;
      return;
    }
    this.#variationMs += (Math.abs(ms - this.#smoothedMs) - this.#variationMs) * VARIATION_SMOOTHING;
    this.#smoothedMs += (ms - this.#smoothedMs) * SMOOTHING;
  }

  missed(): void {
    this.#silences++;
  }

  /** By how much longer than usual to wait. One frame in ten may be lost and says nothing; the more follow each other, the likelier the channel has become slower. */
  get backoff(): number {
    return 2 ** Math.max(0, this.#silences - 1);
  }

  /** What an answer takes as a rule; undefined: too few were seen. */
  get usualMs(): number | undefined {
    return this.#samples < this.#enough ? undefined : this.#smoothedMs;
  }

  /** Undefined: too few answers were seen. */
  get ms(): number | undefined {
    return this.#samples < this.#enough ? undefined : this.#smoothedMs + VARIATIONS * this.#variationMs;
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
  readonly #firstMs: number;
  readonly #shortestReadMs: number;
  readonly #longestReadMs: number;
  readonly #channel = new Estimate(MIN_SAMPLES.channel);
  readonly #questions = new Map<number, Estimate>();

  constructor({
    longestMs = LONGEST_MS,
    shortestMs = SHORTEST_MS,
    firstMs = FIRST_MS,
    shortestReadMs = SHORTEST_READ_MS,
    longestReadMs = LONGEST_READ_MS,
  }: Waits) {
    this.#shortestReadMs = shortestReadMs;
    this.#longestReadMs = longestReadMs;
    this.#longestMs = longestMs;
    this.#shortestMs = shortestMs;
    this.#firstMs = Math.min(firstMs, longestMs);
  }

  #of(question: number): Estimate {
    const known = this.#questions.get(question);
    if (known !== undefined) return known;
    const fresh = new Estimate(MIN_SAMPLES.question);
    this.#questions.set(question, fresh);
    return fresh;
  }

  answeredIn(question: number, ms: number): void {
    this.#of(question).answeredIn(ms);
    this.#channel.answeredIn(ms);
  }

  /** Silence: something was lost, or the channel has become slower than was learnt. */
  missed(question: number): void {
    this.#of(question).missed();
    this.#channel.missed();
  }

  /**
   * The longest that an answer of so many round trips may take, waiting for the channel not counted: several times what such answers
   * usually take here, within an absolute limit.
   */
  readLimitMs(question: number, roundTrips: number): number {
    const own = this.#questions.get(question);
    const usualMs = own?.usualMs ?? this.#channel.usualMs ?? this.#firstMs;
    return Math.min(this.#longestReadMs, Math.max(this.#shortestReadMs, READ_MARGIN * roundTrips * usualMs));
  }

  msFor(question: number): number {
    const own = this.#questions.get(question);
    const known = own?.ms === undefined ? this.#channel : own;
    const usualMs = known.ms === undefined ? this.#firstMs : Math.max(this.#shortestMs, known.ms);
    return Math.min(this.#longestMs, usualMs * known.backoff);
  }
}
