import type { StoredProfile } from '@hes/contract/reading/reading.ts';
import { dayText } from '@hes/contract/schedule/zone.ts';
import type { Pool, PoolClient } from 'pg';
import type { Bus } from '#platform/bus.ts';
import type { WallClock } from '#platform/clock.ts';
import type { Settings } from '#db/context.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import type { Log } from '#platform/log.ts';
import { countArrivals, HourCalendar, storeArrivals, type WrittenDay } from './arrivals.ts';
import { announceReadings } from './announce.ts';
import { CopyWriter } from './copy-binary.ts';
import { DAY_MS, keyOf, splitReading, type DayRow, type ProfileReading } from './day-rows.ts';
import { commonGrid, isSameGrid } from './grids.ts';
import { fillGaps, type StoredDays } from './gaps.ts';
import { LatestBatch, countValues, type LatestValue } from './latest.ts';
import { mergeRows, regridRow } from './merge-rows.ts';
import { Partitions } from './partitions.ts';
import type { ReadingStore, Stored } from './reading-store.ts';
import { copyDaysInto, CREATE_STAGING, MERGE_DAILY, MERGE_PROFILE, NAME_CORRECTORS, STAGE_PROFILE } from './queries.ts';
import {
  copyDaily,
  copyInto,
  findDays,
  keysOf,
  mergeFreezes,
  mergeLatest,
  profileOctets,
  regridStored,
  withoutOutOfRange,
  type DailyRow,
} from './staging.ts';

/** A batch costs one commit however many rows it has, so collection waits until a large batch has formed. */
const BATCH_ROWS = 1_500;
const BATCH_WAIT_MS = 500;
/** Flushes a smaller batch after this long without a new reading. */
const QUIET_MS = 50;
/** Back-pressure: with this many queued rows, callers wait before they add more. */
const QUEUE_ROWS = 4_000;
const MAX_ATTEMPTS = 5;
const RETRY_MS = 300;
const FULL_RETRY_MS = 1_000;
const PUBLISH_EVERY_MS = 1000;
const COPY_READINGS = copyDaysInto('reading_profile');
const COPY_STAGING = copyDaysInto(STAGE_PROFILE);

/** The part of a batch that one call added, stored atomically. */
interface Piece {
  days: DayRow[];
  daily: DailyRow[];
  values: { meterId: string; values: Record<string, LatestValue> } | undefined;
  /** Stamp of the newest capture in `days`, for `meter_latest`. */
  latest: number | undefined;
  dropped: number;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

/** Transient failures: database restart, lack of resources, or a conflict of transactions. */
function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown }).code; // as: pg and Node both put a code on their errors
  if (typeof code !== 'string') return error instanceof Error && /Connection terminated|timeout exceeded/i.test(error.message);
  return /^(08|57P|53|40)/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT'].includes(code);
}

const DISK_FULL = '53100';
const isDiskFull = (error: unknown): boolean => (error as { code?: unknown }).code === DISK_FULL; // as: pg puts a code on its errors
const UNIQUE_VIOLATION = '23505';
const NULL_VIOLATION = '23502';
/** Another server has stored one of these rows since the lookup, or moved it to another grid. */
function isConflict(error: unknown): boolean {
  const { code, column } = error as { code?: unknown; column?: unknown }; // as: pg puts both on its errors
  return code === UNIQUE_VIOLATION || (code === NULL_VIOLATION && column === 'period_s');
}

/**
 * Stores readings in batches: COPY into a staging table, one merge statement per table, and resolution after the commit. Idempotent: a
 * repeated capture changes nothing.
 */
export class ReadingWriter implements ReadingStore {
  readonly #pool: Pool;
  readonly #clock: WallClock;
  readonly #log: Log;
  readonly #bus: Pick<Bus, 'publish'>;
  readonly #partitions: Partitions;
  readonly #calendar: HourCalendar;
  readonly #flush = new DebouncedFlush(() => this.#drain(), { quietMs: QUIET_MS, longestMs: BATCH_WAIT_MS });
  /** Reused by all batches: megabytes of garbage per batch would cause full collections of the heap. */
  readonly #out = new CopyWriter();
  #queue: Piece[] = [];
  #queuedRows = 0;
  #waiting: (() => void)[] = [];
  readonly #publishing = new DebouncedFlush(() => this.#publish(), { quietMs: PUBLISH_EVERY_MS, longestMs: PUBLISH_EVERY_MS });
  #unpublished: Unpublished = createUnpublished();
  #isStopping = false;
  /** Captures dropped since the start; rises when meter clocks are wrong. */
  dropped = 0;

  constructor(context: { pool: Pool; clock: WallClock; log: Log; bus: Pick<Bus, 'publish'>; settings: Settings }) {
    this.#pool = context.pool;
    this.#clock = context.clock;
    this.#log = context.log.child({ part: 'writer' });
    this.#bus = context.bus;
    this.#partitions = new Partitions(context.pool);
    this.#calendar = new HourCalendar(context.settings.timeZone);
  }

  async storeProfile(reading: ProfileReading, urgent = false): Promise<Stored> {
    const { rows, dropped, latest } = splitReading(reading, this.#calendar);
    this.dropped += dropped;
    if (rows.length === 0) return { fresh: 0, dropped };
    return this.#add({ days: rows, daily: [], values: undefined, latest: latest?.stamp, dropped }, urgent);
  }

  async storeDaily(rows: DailyRow[], urgent = false): Promise<Stored> {
    if (rows.length === 0) return { fresh: 0, dropped: 0 };
    return this.#add({ days: [], daily: rows.map(withoutOutOfRange), values: undefined, latest: undefined, dropped: 0 }, urgent);
  }

  storeValues(meterId: string, values: Record<string, LatestValue>, urgent = false): Promise<Stored> {
    return this.#add({ days: [], daily: [], values: { meterId, values }, latest: undefined, dropped: 0 }, urgent);
  }

  async #add(content: Omit<Piece, 'resolve' | 'reject'>, urgent: boolean): Promise<Stored> {
    while (this.#queuedRows >= QUEUE_ROWS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...content, resolve, reject });
      this.#queuedRows += content.days.length + content.daily.length + 1;
      if (urgent || this.#queuedRows >= BATCH_ROWS) this.#flush.flushNow();
      else this.#flush.schedule();
    });
  }

  /** Stores the queue; readings that arrive meanwhile form the next batch. */
  async #drain(): Promise<void> {
    const pieces = this.#queue;
    if (pieces.length === 0) return;
    this.#queue = [];
    this.#queuedRows = 0;
    for (const proceed of this.#waiting.splice(0)) proceed();
    await this.#store(pieces);
  }

  /** Stores pieces together; after a permanent failure each one separately. */
  async #store(pieces: Piece[]): Promise<void> {
    let isWaiting = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const fresh = await this.#write(pieces);
        this.#countUnpublished(pieces);
        for (const piece of pieces) piece.resolve({ fresh, dropped: piece.dropped });
        return;
      } catch (error) {
        // The next attempt finds the rows of the other server and merges them.
        if (isConflict(error) && attempt < MAX_ATTEMPTS) continue;
        if (isDiskFull(error) && !this.#isStopping) {
          // The batch waits for free space; back-pressure then stops collection before readings are lost.
          if (!isWaiting) this.#log.error('The disk is full: readings wait for free space', { error });
          isWaiting = true;
          attempt = 0;
          await new Promise((resolve) => setTimeout(resolve, FULL_RETRY_MS));
          continue;
        }
        if (isTransient(error) && attempt < MAX_ATTEMPTS) {
          this.#log.warn('Readings could not be stored yet', { error, attempt });
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** attempt));
          continue;
        }
        if (pieces.length > 1 && !isTransient(error)) {
          for (const piece of pieces) await this.#store([piece]);
          return;
        }
        this.#log.error('Readings could not be stored', { error });
        for (const piece of pieces) piece.reject(error);
        return;
      }
    }
  }

  async #write(pieces: Piece[]): Promise<number> {
    const batch = buildBatch(pieces, this.#clock.now());
    await this.#partitions.ensure('reading_profile', new Set(batch.days.map((row) => row.day)));
    await this.#partitions.ensure('reading_daily', new Set(batch.daily.map((row) => row.freezeDay)));
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      // In the transaction: a pooler may give each one another backend.
      await client.query(CREATE_STAGING);
      let fresh = 0;
      let changed: DayRow[] = [];
      let changedDaily: DailyRow[] = [];
      if (batch.days.length > 0) {
        const { rows, written } = await writeDays(client, batch.days, this.#out);
        fresh += await storeArrivals(client, countArrivals(rows, written, this.#calendar));
        changed = changedOnly(rows, written);
      }
      if (batch.daily.length > 0) {
        await copyDaily(client, batch.daily);
        const merged = await mergeDaily(client, batch.daily, this.#calendar.timeZone);
        fresh += merged.fresh;
        changedDaily = merged.changed;
      }
      await announceReadings(client, changed, changedDaily);
      await fillGaps(client, storedDays(batch));
      await mergeLatest(client, batch.latest);
      await client.query('commit');
      return fresh;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  #countUnpublished(pieces: Piece[]): void {
    for (const piece of pieces) {
      for (const row of piece.days) {
        this.#unpublished.values += countValues(row);
        this.#unpublished.meters.add(row.meterId);
        extendSpan(this.#unpublished.days, row.profile, row.day);
      }
      for (const row of piece.daily) {
        this.#unpublished.values += row.registers.filter((value) => !Number.isNaN(value)).length;
        this.#unpublished.meters.add(row.meterId);
        extendSpan(this.#unpublished.days, 'daily', row.freezeDay);
      }
    }
    if (this.#unpublished.values > 0) this.#publishing.schedule();
  }

  #publish(): void {
    const { values, meters, days } = this.#unpublished;
    if (values === 0) return;
    const spans = [...days].map(([profile, { first, last }]) => ({ profile, from: dayText(first), to: dayText(last) }));
    const data = { values, meters: meters.size, spans };
    this.#unpublished = createUnpublished();
    this.#bus.publish('reading', { type: 'reading.stored', ts: new Date(this.#clock.now()).toISOString(), id: '0', data });
  }

  /** Stores the queue and publishes the last stored readings. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#flush.flushAll();
    await this.#publishing.flushAll();
  }
}

/** Readings stored since the last message to consoles. */
interface Unpublished {
  values: number;
  meters: Set<string>;
  days: Map<StoredProfile, { first: number; last: number }>;
}

const createUnpublished = (): Unpublished => ({ values: 0, meters: new Set(), days: new Map() });

function extendSpan(days: Unpublished['days'], profile: StoredProfile, day: number): void {
  const known = days.get(profile);
  if (known === undefined) days.set(profile, { first: day, last: day });
  else Object.assign(known, { first: Math.min(known.first, day), last: Math.max(known.last, day) });
}

interface WrittenDays {
  /** The rows on the grids on which they were written. */
  rows: DayRow[];
  written: WrittenDay[];
}

/**
 * Writes day rows. New rows are copied directly into the table, which halves the cost of a first collection; the others are staged and
 * merged on the common grid.
 */
async function writeDays(client: PoolClient, rows: DayRow[], out: CopyWriter): Promise<WrittenDays> {
  const known = await findDays(client, rows);
  const fresh = rows.filter((row) => !known.has(keyOf(row)));
  if (fresh.length > 0) await copyInto(client, COPY_READINGS, profileOctets(fresh, out));
  const written = fresh.map((row) => ({ meter_id: row.meterId, profile: row.profile, day: row.day, before: null }));
  if (fresh.length === rows.length) return { rows, written };
  const changed: DayRow[] = [];
  const others = rows.flatMap((row) => {
    const stored = known.get(keyOf(row));
    if (stored === undefined) return [];
    const regridded = regridRow(row, commonGrid(stored, row));
    if (!isSameGrid(stored, regridded)) changed.push(regridded);
    return regridded;
  });
  await regridStored(client, changed);
  await copyInto(client, COPY_STAGING, profileOctets(others, out));
  const merged = await client.query<WrittenDay & { isCorrected: boolean }>({
    name: 'merge_profile',
    text: MERGE_PROFILE,
    values: keysOf(others),
  });
  const corrected = new Set(merged.rows.filter((row) => row.isCorrected).map((row) => row.meter_id));
  await recordCorrectors(
    client,
    others.filter((row) => corrected.has(row.meterId)),
  );
  return { rows: [...fresh, ...others], written: [...written, ...merged.rows] };
}

/** The rows that changed something. A row that was read again with the same values is not announced. */
function changedOnly(rows: DayRow[], written: readonly WrittenDay[]): DayRow[] {
  if (rows.length === written.length) return rows;
  const keys = new Set(written.map((row) => keyOf({ meterId: row.meter_id, profile: row.profile, day: row.day })));
  return rows.filter((row) => keys.has(keyOf(row)));
}

/** Merges the staged freezes; returns the number of new ones, and the rows that changed something. */
async function mergeDaily(
  client: PoolClient,
  rows: readonly DailyRow[],
  timeZone: string,
): Promise<{ fresh: number; changed: DailyRow[] }> {
  const merged = await client.query<{ fresh: number; corrected: string[] | null; written: string[] | null }>({
    name: 'merge_daily',
    text: MERGE_DAILY,
    values: [timeZone],
  });
  const { fresh = 0, corrected = null, written = null } = merged.rows[0] ?? {};
  const correctors = rows.filter((row) => corrected?.includes(row.meterId) === true).map((row) => ({ ...row, profile: 'daily' }));
  await recordCorrectors(client, correctors);
  const keys = new Set(written);
  return { fresh, changed: rows.filter((row) => keys.has(`${row.meterId}/${row.freezeDay}`)) };
}

/** Records the tasks whose values replaced others in this transaction. */
async function recordCorrectors(
  client: PoolClient,
  rows: readonly { meterId: string; profile: string; traceId: string | undefined; taskId?: string | undefined }[],
): Promise<void> {
  const named = rows.filter((row) => row.taskId !== undefined);
  if (named.length === 0) return;
  await client.query(NAME_CORRECTORS, [
    named.map((row) => row.meterId),
    named.map((row) => row.profile),
    named.map((row) => row.traceId ?? null),
    named.map((row) => row.taskId),
  ]);
}

const storedDays = ({ days, daily }: Pick<Batch, 'days' | 'daily'>): StoredDays => ({
  meterIds: [...days, ...daily].map(({ meterId }) => meterId),
  profiles: [...days.map(({ profile }) => profile), ...daily.map(() => 'daily' as const)],
  days: [...days.map(({ day }) => day), ...daily.map(({ freezeDay }) => freezeDay)],
});

interface Batch {
  days: DayRow[];
  daily: DailyRow[];
  latest: LatestBatch;
}

/** Joins pieces into one batch with one row per key: the merge statement can update a row only once. */
function buildBatch(pieces: Piece[], now: number): Batch {
  const days = new Map<string, DayRow>();
  const daily = new Map<string, DailyRow>();
  const latest = new LatestBatch();
  for (const piece of pieces) {
    for (const row of piece.days) {
      const key = keyOf(row);
      const known = days.get(key);
      days.set(key, known === undefined ? row : mergeRows(known, row));
      const newest = piece.latest;
      if (newest !== undefined && Math.floor((newest - row.leadSeconds * 1000) / DAY_MS) === row.day) latest.addProfile(row, newest, now);
    }
    for (const row of piece.daily) {
      const key = `${row.meterId}/${row.freezeDay}`;
      daily.set(key, mergeFreezes(daily.get(key), row));
      latest.addDaily(row.meterId, row.freezeDay, row.registers);
    }
    if (piece.values !== undefined) Object.assign(latest.entryOf(piece.values.meterId).values, piece.values.values);
  }
  return { days: [...days.values()], daily: [...daily.values()], latest };
}
