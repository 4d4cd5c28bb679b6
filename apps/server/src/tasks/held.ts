/**
 * In-flight items of this process; only their leases are renewed. Results are acknowledged before they are on disk, so a crash of the
 * database can return finished items to `reading`; this process must then release them itself.
 */
export class Held {
  /** Claims per item: an item that returns to the queue can be claimed again before its previous result is written. */
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
