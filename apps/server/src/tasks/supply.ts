import type { Pool } from 'pg';
import type { Log } from '#platform/log.ts';
import type { Held } from './held.ts';
import type { Reach, ClaimedItem } from './operation.ts';
import { claimNext, releaseItems, type EndedItem } from './queries.ts';
import { LAST_OPERATOR_PRIORITY } from './retry.ts';

/** Somebody waits, or collection: each lane has a worker of its own, so that no lane waits for the other's items. */
export type Lane = 'operator' | 'bulk';

const PRIORITIES = { operator: { from: 1, to: LAST_OPERATOR_PRIORITY }, bulk: { from: LAST_OPERATOR_PRIORITY + 1, to: 9 } } as const;
const CLAIM = { operator: 4, bulk: 64 } as const;
/**
 * More is taken when no more than this is left: of collection ahead of time, because the channel must not stand still while the database
 * looks; of what somebody waits for as late as can be, because something more urgent may come.
 */
const LEFT = { operator: 0, bulk: CLAIM.bulk / 2 } as const;

/** The lanes that take items between two priorities, both included. */
export const lanesBetween = (first: number, last: number): Lane[] =>
  (['operator', 'bulk'] as const).filter((lane) => first <= PRIORITIES[lane].to && last >= PRIORITIES[lane].from);

export interface SupplyTools {
  pool: Pool;
  log: Log;
  owner: string;
  reach: Reach;
  held: Held;
  onChanged(items: Iterable<EndedItem>): void;
  stopping(): boolean;
  /** Its task was paused or stopped since it was taken. */
  isHeld(item: ClaimedItem): boolean;
}

/** What one lane of one DCU has taken from the queue and not begun. Whoever makes one closes it. */
export class Supply {
  readonly #tools: SupplyTools;
  readonly #dcuId: string;
  readonly #lane: Lane;
  #items: ClaimedItem[] = [];
  #claiming: Promise<void> | undefined;
  /** The queue gave less than was asked for: what came in the meantime wakes the dispatcher. */
  #isAll = false;

  constructor(tools: SupplyTools, dcuId: string, lane: Lane) {
    this.#tools = tools;
    this.#dcuId = dcuId;
    this.#lane = lane;
  }

  /** What is to be done next; undefined when that was all, when the DCU has gone away, and when the server stops. */
  async next(): Promise<ClaimedItem | undefined> {
    const { stopping, reach, isHeld } = this.#tools;
    while (!stopping() && reach.isOnline(this.#dcuId)) {
      if (!this.#isAll && this.#items.length <= LEFT[this.#lane]) this.#claiming ??= this.#claim();
      const [item] = this.#items;
      if (item !== undefined && !isHeld(item)) return this.#items.shift();
      if (item !== undefined) await this.#giveBack(this.#items.filter(isHeld));
      else if (this.#claiming !== undefined) await this.#claiming;
      else return undefined;
    }
    return undefined;
  }

  /** New work was queued since the last look. */
  lookAgain(): void {
    this.#isAll = false;
  }

  /** Gives back what the DCU left undone by going away, and what the server leaves undone by stopping. */
  async close(): Promise<void> {
    this.#isAll = true;
    await this.#claiming;
    await this.#giveBack(this.#items);
  }

  /** What could not be given back is free again when its lease has run out. Never throws, as no worker of a lane may. */
  async #giveBack(items: readonly ClaimedItem[]): Promise<void> {
    if (items.length === 0) return;
    this.#items = this.#items.filter((item) => !items.includes(item));
    const { pool, owner, held, onChanged, log } = this.#tools;
    const ids = items.map(({ id }) => id);
    held.drop(ids);
    try {
      await releaseItems(pool, owner, ids);
      onChanged(items);
    } catch (error) {
      log.warn('Work that was taken was not given back, and is free when its lease has run out', { error, items: ids.length });
    }
  }

  /** What cannot be prepared is not begun: it is free again when its lease has run out. Never throws: a failing database is tried again later. */
  async #claim(): Promise<void> {
    const { pool, owner, reach, held, onChanged, log } = this.#tools;
    const [dcuId, lane] = [this.#dcuId, this.#lane];
    let ids: string[] = [];
    try {
      const claimed = await claimNext(pool, { dcuId, ...PRIORITIES[lane], count: CLAIM[lane], owner });
      if (claimed.length < CLAIM[lane]) this.#isAll = true;
      ids = claimed.map(({ id }) => id);
      held.take(ids);
      // Who ordered something watches it being read; of collection only the ends are told.
      if (lane === 'operator') onChanged(claimed);
      await reach.prepare(claimed);
      this.#items.push(...claimed);
    } catch (error) {
      this.#isAll = true;
      held.drop(ids);
      log.error('Work could not be taken', { error, dcuId, lane });
    } finally {
      this.#claiming = undefined;
    }
  }
}
