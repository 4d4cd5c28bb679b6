/** How many entries an eviction examines at most, so that one `set` never walks through a whole cache. */
const MAX_EXAMINED = 100;

/**
 * A map that evicts the entries that were set longest ago when it holds more than its maximum. `get` keeps the order, so that hot reads cost no
 * more than those of a `Map`.
 */
export class BoundedCache<Key, Value> {
  readonly #maxEntries: number;
  readonly #mayEvict: (value: Value) => boolean;
  readonly #entries = new Map<Key, Value>();

  /** Entries that `mayEvict` refuses stay and count as set again; the cache exceeds its maximum while it holds too many of them. */
  constructor(maxEntries: number, mayEvict: (value: Value) => boolean = () => true) {
    this.#maxEntries = maxEntries;
    this.#mayEvict = mayEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Keys, the one that was set longest ago first. */
  keys(): IterableIterator<Key> {
    return this.#entries.keys();
  }

  /** Sets an entry and makes it the newest. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxEntries) this.#evict();
  }

  /** The value of a key, which `make` creates when the cache does not hold it. */
  getOrSet(key: Key, make: () => Value): Value {
    const cached = this.#entries.get(key);
    if (cached !== undefined) return cached;
    const made = make();
    this.set(key, made);
    return made;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #evict(): void {
    let examined = 0;
    for (const [key, value] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries || examined++ === MAX_EXAMINED) return;
      this.#entries.delete(key);
      if (!this.#mayEvict(value)) this.#entries.set(key, value);
    }
  }
}
