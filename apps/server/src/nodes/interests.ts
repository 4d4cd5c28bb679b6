import { msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';

/** Nodes announce their topics when they change, and at this interval. */
export const ANNOUNCE_MS = 15_000;
/** Announced topics expire after this time, so that those of a dead node do not last. */
const INTEREST_MS = 50_000;

/** The topics that other nodes follow, as far as they have announced them. */
export class Interests {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Topics by the owner of another node. */
  readonly #topics = new Map<string, { topics: ReadonlySet<string>; at: MonotonicMs }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Replaces all topics of a node. */
  note(owner: string, topics: Iterable<string>): void {
    this.#topics.set(owner, { topics: new Set(topics), at: this.#clock.monotonic() });
  }

  has(topic: string): boolean {
    const now = this.#clock.monotonic();
    for (const { topics, at } of this.#topics.values()) if (topics.has(topic) && msBetween(at, now) < INTEREST_MS) return true;
    return false;
  }

  clear(): void {
    this.#topics.clear();
  }
}
