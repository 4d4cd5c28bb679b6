import { StorageUnavailable } from '#platform/storage-unavailable.ts';
import type { Pool } from 'pg';
import { monotonicNow, msBetween, msFromNow, NEVER, type MonotonicMs } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { RequestBatcher } from './request-batcher.ts';
import type { MeterMetadata } from './meter-metadata.ts';
import { insertMetadata, updateEndpoints, updateMeters, type EndpointStateUpdate, type MeterStateUpdate } from './queries.ts';

const WRITE_EVERY_MS = 1_000;
/** Minimum age of an update before it is written: the readings are mostly committed by then, so one row version is enough. */
const COALESCE_MS = 1_000;
/**
 * Meters are written in interleaved shards (id modulo 8), so that HOT updates find free space on each heap page. Writing all at once would
 * move every third row to another page and update all its index entries.
 */
const SHARDS = 8;
/** DCUs are written with one shard only, because every DCU has an update in each while a fleet is read. */
const DCU_SHARD = 0;
const ROWS_PER_STATEMENT = 1_000;
/** The first read of a fleet flushes metadata of many meters at the same time. */
const FLUSH_BATCH = { waitMs: 2, maxItems: ROWS_PER_STATEMENT };

/** A crash of the database loses commits that were acknowledged before they were on disk, which takes less than a second. */
const UNCERTAIN_MS = 5_000;

/** Metadata of another head-end has replaced the one that these belong to. */
const OUTDATED = { watermarks: undefined, metadata: undefined } as const;
/** State of a changed meter that must not be written. */
const DISCARDED = { ...OUTDATED, peerCounter: -1 } as const;

/** An update with watermarks only carries the unchanged metadata that they belong to. */
const isMetadataChanged = (metadata: MeterStateUpdate['metadata']): metadata is NonNullable<MeterStateUpdate['metadata']> =>
  metadata !== undefined && metadata.after !== metadata.before;

/** Watermarks of a meter that were written, and the metadata that they belong to. */
interface WrittenWatermarks extends Required<Pick<MeterStateUpdate, 'watermarks' | 'metadata'>> {
  /** When they were last written. */
  at: MonotonicMs;
}

/** By meter id, oldest first. */
type PendingUpdates = Map<string, MeterStateUpdate & { since: MonotonicMs }>;

/** Removes and returns the updates that were begun by `until`, oldest first. */
function takeUntil(pending: PendingUpdates, until: MonotonicMs): MeterStateUpdate[] {
  const taken: MeterStateUpdate[] = [];
  for (const update of pending.values()) {
    if (msBetween(until, update.since) > 0) break;
    pending.delete(update.id);
    taken.push(update);
  }
  return taken;
}

/**
 * Writes state of devices that changes with every exchange: last contact, highest counter, metadata, watermarks. Changes of a device are
 * coalesced into one write of its row. It has its own timer instead of a `DebouncedFlush`, because each tick writes one shard only.
 */
export class DeviceStateWriter {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #shards = Array.from({ length: SHARDS }, (): PendingUpdates => new Map());
  /** Receives the ids of meters for which another head-end has stored other metadata. */
  onMetadataConflict: (ids: string[]) => void = () => undefined;
  #shard = 0;
  readonly #dcus = new Map<string, number>();
  /** Meters discarded during the running write; a failed update of theirs is not queued again. */
  readonly #discarded = new Set<string>();
  /** Metadata that is not in the database yet. */
  readonly #unsaved = new Map<string, MeterMetadata>();
  /** Watermarks that were written last, by meter: a crash of the database may undo them. */
  readonly #written = new Map<string, WrittenWatermarks>();
  /** Meters of the running write. */
  #inFlight: ReadonlySet<string> = new Set();
  readonly #flushes: RequestBatcher<string, void>;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
    this.#flushes = new RequestBatcher((ids) => this.#flushMeters(ids), FLUSH_BATCH);
  }

  #updateOf(id: string): MeterStateUpdate {
    const pending = this.#shardOf(id);
    let update = pending.get(id);
    if (update === undefined)
      pending.set(
        id,
        (update = { id, heardAt: null, readAt: null, peerCounter: -1, watermarks: undefined, metadata: undefined, since: monotonicNow() }),
      );
    this.#scheduleTick();
    return update;
  }

  #shardOf(id: string): PendingUpdates {
    return this.#shards[Number(id) % SHARDS] as PendingUpdates; // as: there is one for each remainder
  }

  #scheduleTick(): void {
    this.#timer ??= setTimeout(() => this.#writeNextShard(), WRITE_EVERY_MS / SHARDS);
  }

  recordMeterContact(id: string, at: number, peerCounter: number): void {
    const update = this.#updateOf(id);
    update.heardAt = at;
    update.peerCounter = Math.max(update.peerCounter, peerCounter);
  }

  recordMeterRead(id: string, at: number): void {
    this.#updateOf(id).readAt = at;
  }

  recordMetadata(id: string, before: MeterMetadata, after: MeterMetadata): void {
    const update = this.#updateOf(id);
    update.metadata = { before: update.metadata?.before ?? before, after };
    this.#unsaved.set(id, after);
  }

  /** Whether the database does not hold everything yet that this process knows about a meter. */
  hasUnsavedState(id: string): boolean {
    return this.#shardOf(id).has(id) || this.#unsaved.has(id) || this.#inFlight.has(id);
  }

  /**
   * Writes the metadata of a meter and its watermarks now; resolves after the commit and rejects when the write fails. Rows must not be
   * stored before: after a crash between the two, the scalers that they were decoded with would be unknown.
   */
  async flushMetadata(id: string): Promise<void> {
    if (this.#unsaved.has(id)) await this.#flushes.load(id);
  }

  async #flushMeters(ids: string[]): Promise<void[]> {
    const isWritten = this.#writing.then(() =>
      this.#write(
        ids.flatMap((id) => this.#takeMeter(id)),
        [],
      ),
    );
    this.#writing = isWritten.then(() => undefined);
    if (!(await isWritten)) throw new StorageUnavailable('Metadata of meters could not be written');
    return ids.map(() => undefined);
  }

  #takeMeter(id: string): MeterStateUpdate[] {
    const pending = this.#shardOf(id);
    const update = pending.get(id);
    pending.delete(id);
    return update === undefined ? [] : [update];
  }

  /** Records the later of two watermarks with one key. A watermark is valid only with the metadata that it was recorded with. */
  recordWatermark(id: string, key: string, at: number, metadata: MeterMetadata): void {
    const update = this.#updateOf(id);
    const watermarks = (update.watermarks ??= {});
    watermarks[key] = Math.max(at, watermarks[key] ?? at);
    update.metadata ??= { before: metadata, after: metadata };
  }

  /**
   * Discards counters, metadata and watermarks of changed meters: with new keys or a new meter they are wrong. A discarded watermark only
   * causes a repeated read.
   */
  discardMeters(ids: readonly string[]): void {
    for (const id of ids) {
      this.#discarded.add(id);
      this.#forget(id, DISCARDED);
    }
  }

  #forget(id: string, state: Partial<MeterStateUpdate>): void {
    this.#unsaved.delete(id);
    this.#written.delete(id);
    const update = this.#shardOf(id).get(id);
    if (update !== undefined) Object.assign(update, state);
  }

  /**
   * Writes the last watermarks again, which the database may have lost in a crash. Without them it says that less was read than this
   * process knows, which does not read below its watermarks.
   */
  repeatWatermarks(): void {
    // Behind the running write, which may change the metadata that they belong to.
    this.#writing = this.#writing.then(() => {
      for (const [id, { watermarks, metadata }] of this.#written) {
        const update = this.#updateOf(id);
        update.watermarks = { ...watermarks, ...update.watermarks };
        if (!isMetadataChanged(update.metadata)) update.metadata = metadata;
      }
      this.#written.clear();
    });
  }

  recordDcuContact(id: string, at: number): void {
    this.#dcus.set(id, at);
    this.#scheduleTick();
  }

  #writeNextShard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const shard = (this.#shard = (this.#shard + 1) % SHARDS);
    this.#writing = this.#writing.then(async () => {
      await this.#write(takeUntil(this.#shards[shard] ?? new Map(), msFromNow(-COALESCE_MS)), shard === DCU_SHARD ? this.#takeDcus() : []);
    });
    if (this.#dcus.size > 0 || this.#shards.some((pending) => pending.size > 0)) this.#scheduleTick();
  }

  #takeDcus(): EndpointStateUpdate[] {
    const taken = [...this.#dcus].map(([id, heardAt]) => ({ id, heardAt: new Date(heardAt) }));
    this.#dcus.clear();
    return taken;
  }

  /** Returns whether all updates were written; the others are queued again. */
  async #write(meters: MeterStateUpdate[], dcus: EndpointStateUpdate[]): Promise<boolean> {
    this.#discarded.clear();
    this.#inFlight = new Set(meters.map(({ id }) => id));
    let written = 0;
    try {
      await insertMetadata(this.#pool, new Set(meters.flatMap(({ metadata }) => (isMetadataChanged(metadata) ? metadata.after : []))));
      for (; written < meters.length; written += ROWS_PER_STATEMENT) {
        const batch = meters.slice(written, written + ROWS_PER_STATEMENT);
        const conflicts = await updateMeters(this.#pool, batch);
        this.#noteWritten(batch);
        // Later records of these meters belong to the metadata that this write has cleared.
        for (const id of conflicts) this.#forget(id, OUTDATED);
        this.onMetadataConflict(conflicts);
      }
      if (dcus.length > 0) await updateEndpoints(this.#pool, dcus);
      this.#isFailing = false;
      return true;
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('The state of devices could not be written; the write is retried', { error });
      this.#isFailing = true;
      for (const update of meters.slice(written)) this.#requeue(update);
      for (const { id, heardAt } of dcus) if (!this.#dcus.has(id)) this.#dcus.set(id, heardAt.getTime());
      return false;
    } finally {
      this.#inFlight = new Set();
    }
  }

  /** While no write succeeds, the last watermarks stay noted, however long the database is away. */
  #noteWritten(updates: MeterStateUpdate[]): void {
    const at = monotonicNow();
    for (const [id, written] of this.#written) if (msBetween(written.at, at) >= UNCERTAIN_MS) this.#written.delete(id);
    for (const { id, watermarks, metadata } of updates) {
      if (this.#unsaved.get(id) === metadata?.after) this.#unsaved.delete(id);
      const known = this.#written.get(id);
      if (this.#discarded.has(id) || metadata === undefined || (watermarks === undefined && known === undefined)) continue;
      const both = { before: known?.metadata?.before ?? metadata.before, after: metadata.after };
      this.#written.set(id, { at, watermarks: { ...known?.watermarks, ...watermarks }, metadata: both });
    }
  }

  /** Merges a failed update below a newer one. Its watermarks must not get lost, because this process does not read below them again. */
  #requeue(update: MeterStateUpdate): void {
    const pending = this.#shardOf(update.id);
    const old = this.#discarded.has(update.id) ? { ...update, ...DISCARDED } : update;
    const fresh = pending.get(old.id);
    const metadata =
      old.metadata === undefined || fresh?.metadata === undefined
        ? (fresh?.metadata ?? old.metadata)
        : { before: old.metadata.before, after: fresh.metadata.after };
    pending.set(old.id, {
      id: old.id,
      heardAt: fresh?.heardAt ?? old.heardAt,
      readAt: fresh?.readAt ?? old.readAt,
      peerCounter: Math.max(old.peerCounter, fresh?.peerCounter ?? -1),
      watermarks: old.watermarks === undefined && fresh?.watermarks === undefined ? undefined : { ...old.watermarks, ...fresh?.watermarks },
      metadata,
      since: fresh?.since ?? monotonicNow(),
    });
    this.#scheduleTick();
  }

  /** Writes all pending updates. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write(
      this.#shards.flatMap((pending) => takeUntil(pending, NEVER)),
      this.#takeDcus(),
    );
    clearTimeout(this.#timer);
  }
}
