import type { Pool } from 'pg';
import type { Log } from '#platform/log.ts';
import type { InFlight } from './in-flight.ts';
import type { Reach, ClaimedItem, ClaimedRow } from './operation.ts';
import { claimNext, releaseItems, type EndedItem } from './queries.ts';
import type { ResultWriter } from './result-writer.ts';
import { LAST_OPERATOR_PRIORITY } from './retry.ts';
import { SharedClaim } from './shared-claim.ts';

/** Operator orders and bulk collection have separate workers, so neither lane waits for items of the other. */
export type Lane = 'operator' | 'bulk';

const PRIORITIES = { operator: { from: 1, to: LAST_OPERATOR_PRIORITY }, bulk: { from: LAST_OPERATOR_PRIORITY + 1, to: 9 } } as const;
/** Devices of a claim; a shared item may exceed it. */
const CLAIM_SIZES = { operator: 4, bulk: 64 } as const;
/**
 * Low watermark: the next claim starts when at most this many items are left. Bulk claims early to keep the channel busy during the query;
 * the operator lane claims late because a more urgent order may arrive.
 */
const LOW_WATERMARKS = { operator: 0, bulk: CLAIM_SIZES.bulk / 2 } as const;

/** Lanes whose priorities overlap the given range, both ends included. */
export const lanesBetween = (first: number, last: number): Lane[] =>
  (['operator', 'bulk'] as const).filter((lane) => first <= PRIORITIES[lane].to && last >= PRIORITIES[lane].from);

export interface ClaimBufferTools {
  pool: Pool;
  log: Log;
  owner: string;
  reach: Reach;
  inFlight: InFlight;
  resultWriter: Pick<ResultWriter, 'addMember'>;
  onChanged(items: Iterable<EndedItem>): void;
  stopping(): boolean;
  /** The item's task was paused or stopped after the claim. */
  isSuspended(item: ClaimedItem): boolean;
}

/** The work of a claimed row, a piece for each device. */
function devicesOf({ meterIds, ...row }: ClaimedRow): ClaimedItem[] {
  if (meterIds === null) return [row];
  const shared = new SharedClaim({ ...row, meterIds });
  return meterIds.map((meterId) => ({ ...row, meterId, shared }));
}

const NOT_STARTED = {
  state: 'waiting',
  reasonCode: null,
  reasonText: null,
  latencyMs: 0,
  result: null,
  traceId: null,
  againInMs: 0,
  wasStarted: false,
} as const;

/** Claimed items of one lane of one DCU that are not started. The creator must call `close`. */
export class ClaimBuffer {
  readonly #tools: ClaimBufferTools;
  readonly #dcuId: string;
  readonly #lane: Lane;
  #items: ClaimedItem[] = [];
  #claiming: Promise<void> | undefined;
  /** No further claim before `allowClaim`: the last one was not full, or failed. Newer items wake the dispatcher. */
  #isExhausted = false;

  constructor(tools: ClaimBufferTools, dcuId: string, lane: Lane) {
    this.#tools = tools;
    this.#dcuId = dcuId;
    this.#lane = lane;
  }

  /**
   * Next item to execute; undefined when the queue is empty, the DCU is offline, or the server stops. Items of a busy meter stay in the buffer:
   * they would occupy a slot while they wait for its connection. `onTaken` is called before another worker can take an item.
   */
  async next(isBusy: (item: ClaimedItem) => boolean, onTaken: (item: ClaimedItem) => void): Promise<ClaimedItem | undefined> {
    const { stopping, reach, isSuspended } = this.#tools;
    while (!stopping() && reach.isOnline(this.#dcuId)) {
      const ready = this.#items.filter((item) => isSuspended(item) || !isBusy(item));
      if (!this.#isExhausted && ready.length <= LOW_WATERMARKS[this.#lane]) this.#claiming ??= this.#claim();
      const [item] = ready;
      if (item !== undefined && !isSuspended(item)) {
        this.#items.splice(this.#items.indexOf(item), 1);
        onTaken(item);
        return item;
      }
      if (item !== undefined) await this.#release(ready.filter(isSuspended));
      else if (this.#claiming !== undefined) await this.#claiming;
      else return undefined;
    }
    return undefined;
  }

  /** Allows another claim after new work was queued. */
  allowClaim(): void {
    this.#isExhausted = false;
  }

  /** Releases the items that were not started, after a DCU disconnected or the server stops. */
  async close(): Promise<void> {
    this.#isExhausted = true;
    await this.#claiming;
    await this.#release(this.#items);
  }

  /** Never throws. Items whose release fails are found by the dispatcher, and return to the queue then. */
  async #release(items: readonly ClaimedItem[]): Promise<void> {
    if (items.length === 0) return;
    this.#items = this.#items.filter((item) => !items.includes(item));
    const { pool, owner, inFlight, resultWriter, onChanged, log } = this.#tools;
    // Other members of a shared item may be in execution.
    for (const { shared, meterId, id, attempts } of items)
      if (shared !== undefined && meterId !== null) resultWriter.addMember(shared, meterId, { id, attempts, ...NOT_STARTED });
    const single = items.filter(({ shared }) => shared === undefined);
    if (single.length === 0) return;
    const ids = single.map(({ id }) => id);
    inFlight.remove(ids);
    try {
      await releaseItems(pool, owner, ids);
      onChanged(single);
    } catch (error) {
      log.warn('Claimed items could not be released and return to the queue later', { error, items: ids.length });
    }
  }

  /** Never throws: the next claim retries after a database failure. The dispatcher finds items that cannot be prepared. */
  async #claim(): Promise<void> {
    const { pool, owner, reach, inFlight, onChanged, log } = this.#tools;
    const [dcuId, lane] = [this.#dcuId, this.#lane];
    let ids: string[] = [];
    try {
      const epoch = reach.epochOf(dcuId);
      const rows = epoch === undefined ? [] : await claimNext(pool, { dcuId, epoch, ...PRIORITIES[lane], count: CLAIM_SIZES[lane], owner });
      const claimed = rows.flatMap(devicesOf);
      if (claimed.length < CLAIM_SIZES[lane]) this.#isExhausted = true;
      ids = claimed.map(({ id }) => id);
      inFlight.add(ids);
      // Operators follow the start of their items; for collection only results are published.
      if (lane === 'operator') onChanged(claimed);
      await reach.prepare(claimed);
      this.#items.push(...claimed);
    } catch (error) {
      this.#isExhausted = true;
      inFlight.remove(ids);
      log.error('Items could not be claimed', { error, dcuId, lane });
    } finally {
      this.#claiming = undefined;
    }
  }
}
