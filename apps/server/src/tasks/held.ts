/**
 * The items this process has in its hands. Only their leases go on: an end is answered before it is on disk, and a crash of
 * the database may give back what we are done with; nobody but us would ever take that up again.
 */
export class Held {
  /** How often: an item that goes back to the queue may be taken again before its last end is written. */
  readonly #times = new Map<string, number>();

  take(ids: readonly string[]): void {
    for (const id of ids) this.#times.set(id, (this.#times.get(id) ?? 0) + 1);
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) {
      const times = (this.#times.get(id) ?? 0) - 1;
      if (times > 0) this.#times.set(id, times);
      else this.#times.delete(id);
    }
  }

  get size(): number {
    return this.#times.size;
  }

  get ids(): string[] {
    return [...this.#times.keys()];
  }
}
