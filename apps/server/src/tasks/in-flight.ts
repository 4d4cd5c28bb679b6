/**
 * Items claimed by this process whose result is not written yet; only their leases are renewed. Results are acknowledged before they are on
 * disk, so a crash of the database can return finished items to `reading`; this process must then release them itself.
 */
export class InFlight {
  /** Claims per item: an item that returns to the queue can be claimed again before its previous result is written. */
  readonly #claims = new Map<string, number>();

  add(ids: readonly string[]): void {
    for (const id of ids) this.#claims.set(id, (this.#claims.get(id) ?? 0) + 1);
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      const claims = (this.#claims.get(id) ?? 0) - 1;
      if (claims > 0) this.#claims.set(id, claims);
      else this.#claims.delete(id);
    }
  }

  get size(): number {
    return this.#claims.size;
  }

  get ids(): string[] {
    return [...this.#claims.keys()];
  }
}
