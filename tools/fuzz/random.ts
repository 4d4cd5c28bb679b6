/** Reproducible pseudo-random numbers: xorshift32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** 0 to 4,294,967,295. */
  uint32(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state;
  }

  /** 0 to `limit` - 1. */
  below(limit: number): number {
    return this.uint32() % limit;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T; // as: callers hand in a list that is not empty
  }
}
