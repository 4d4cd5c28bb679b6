/** Samples before an estimate is used. Requests of one class have similar round-trip times; those of a whole channel vary more. */
const MIN_SAMPLES = { requestClass: 2, channel: 8 };
/** A response over a power line may pass several hops of some seconds each. */
const LONGEST_MS = 30_000;
const SHORTEST_MS = 4_000;
const FIRST_MS = 15_000;
const SHORTEST_READ_MS = 30_000;
const LONGEST_READ_MS = 600_000;
/** Lost frames and requests to other meters lengthen a read. */
const READ_MARGIN = 4;
const SMOOTHING = 1 / 8;
const VARIATION_SMOOTHING = 1 / 4;
const VARIATIONS = 8;

/** Limits of response timeouts, in milliseconds. */
export interface TimeoutLimits {
  /** Upper limit of a response timeout; default 30 s. */
  longestMs?: number | undefined;
  /** Lower limit of a response timeout, because a power line can always become slower; default 4 s. */
  shortestMs?: number | undefined;
  /** Response timeout of a channel without samples; default 15 s. */
  firstMs?: number | undefined;
  /** Lower limit for the duration of a read of several blocks; default 30 s. */
  shortestReadMs?: number | undefined;
  /** Upper limit for the duration of a read of several blocks; default 10 min. */
  longestReadMs?: number | undefined;
}

/** Estimates the round-trip time as TCP does (RFC 6298). */
class RttEstimator {
  readonly #minSamples: number;
  #samples = 0;
  #smoothedMs = 0;
  #variationMs = 0;
  /** Consecutive. */
  #timeouts = 0;

  constructor(minSamples: number) {
    this.#minSamples = minSamples;
  }

  addSample(ms: number): void {
    this.#timeouts = 0;
    if (this.#samples++ === 0) {
      this.#smoothedMs = ms;
      this.#variationMs = ms / 2;
      return;
    }
    this.#variationMs += (Math.abs(ms - this.#smoothedMs) - this.#variationMs) * VARIATION_SMOOTHING;
    this.#smoothedMs += (ms - this.#smoothedMs) * SMOOTHING;
  }

  addTimeout(): void {
    this.#timeouts++;
  }

  /** Factor of the back-off. A single timeout does not raise it, because one frame in ten may be lost; consecutive ones double it. */
  get backoff(): number {
    return 2 ** Math.max(0, this.#timeouts - 1);
  }

  /** Smoothed round-trip time. Undefined: too few samples. */
  get smoothedMs(): number | undefined {
    return this.#samples < this.#minSamples ? undefined : this.#smoothedMs;
  }

  /** Smoothed round-trip time plus a multiple of its variation, without back-off. Undefined: too few samples. */
  get timeoutMs(): number | undefined {
    return this.#samples < this.#minSamples ? undefined : this.#smoothedMs + VARIATIONS * this.#variationMs;
  }
}

/**
 * Response timeouts of one channel, from the round-trip times measured on it. Each class of requests has its own estimate, because a day of
 * a profile takes many times as long as an association request; a class with too few samples uses the estimate of the whole channel.
 */
export class ResponseTimeout {
  readonly #longestMs: number;
  readonly #shortestMs: number;
  readonly #firstMs: number;
  readonly #shortestReadMs: number;
  readonly #longestReadMs: number;
  readonly #channel = new RttEstimator(MIN_SAMPLES.channel);
  readonly #byClass = new Map<number, RttEstimator>();

  constructor({
    longestMs = LONGEST_MS,
    shortestMs = SHORTEST_MS,
    firstMs = FIRST_MS,
    shortestReadMs = SHORTEST_READ_MS,
    longestReadMs = LONGEST_READ_MS,
  }: TimeoutLimits) {
    this.#shortestReadMs = shortestReadMs;
    this.#longestReadMs = longestReadMs;
    this.#longestMs = longestMs;
    this.#shortestMs = shortestMs;
    this.#firstMs = Math.min(firstMs, longestMs);
  }

  #estimatorOf(requestClass: number): RttEstimator {
    const known = this.#byClass.get(requestClass);
    if (known !== undefined) return known;
    const fresh = new RttEstimator(MIN_SAMPLES.requestClass);
    this.#byClass.set(requestClass, fresh);
    return fresh;
  }

  addSample(requestClass: number, ms: number): void {
    this.#estimatorOf(requestClass).addSample(ms);
    this.#channel.addSample(ms);
  }

  addTimeout(requestClass: number): void {
    this.#estimatorOf(requestClass).addTimeout();
    this.#channel.addTimeout();
  }

  /** Limit for the duration of a read of this number of round trips, in milliseconds, without the time in the queue of the channel. */
  readLimitMs(requestClass: number, roundTrips: number): number {
    const own = this.#byClass.get(requestClass);
    const roundTripMs = own?.smoothedMs ?? this.#channel.smoothedMs ?? this.#firstMs;
    return Math.min(this.#longestReadMs, Math.max(this.#shortestReadMs, READ_MARGIN * roundTrips * roundTripMs));
  }

  timeoutMs(requestClass: number): number {
    const own = this.#byClass.get(requestClass);
    const estimator = own?.timeoutMs === undefined ? this.#channel : own;
    const timeoutMs = estimator.timeoutMs === undefined ? this.#firstMs : Math.max(this.#shortestMs, estimator.timeoutMs);
    return Math.min(this.#longestMs, timeoutMs * estimator.backoff);
  }
}
