import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze } from '@hes/contract/reading/reading.ts';
import type { CachedType } from '@hes/contract/states/plan.ts';
import { msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { Stored } from '#storage/reading-store.ts';
import type { WorkItem } from '#tasks/operation.ts';
import type { MeterDevice } from '../devices.ts';
import type { CachedRows } from '#southbound/dcu-parts.ts';
import { partsOfDcu, hasCache } from '#southbound/parts-of-dcu.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import { overLink } from '../operations/over-link.ts';

/** Lifetime of a response. Rows that the DCU reads meanwhile are found by the next attempt or the next run. */
const HELD_MS = 5 * 60_000;
/** Interval between requests to a DCU without the cache object. */
const NONE_FOR_MS = 3_600_000;
/** Limit of rows held for all DCUs together; above it the oldest responses are evicted and requested again. */
const MAX_ROWS = 2_000_000;
/** Range requested for a meter without rows in the last response; when it has rows again, the whole range is requested. */
const RETRY_RANGE_MS = 6 * 3_600_000;
const MAX_WITHOUT_ROWS = 100_000;

interface Answer {
  traceId: string;
  readAt: number;
  bySn: Map<string, CachedRows>;
}

interface HeldAnswer {
  taskId: string;
  /** Attempts of the requesting item; a later attempt requests the cache again. */
  attempts: number;
  from: number;
  until: MonotonicMs;
  /** Number of rows not taken yet. */
  rows: number;
  answer: Promise<Answer | undefined>;
}

interface Wanted {
  device: MeterDevice;
  profile: CachedType;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
  /** Selects rows by their time. */
  isWanted?(at: number): boolean;
}

/** Rows of one meter from the cache of its DCU. */
export interface Taken {
  /** Trace of the response of the DCU. */
  traceId: string | undefined;
  /** Times of the rows, oldest first. */
  stamps: number[];
  periodSeconds: number;
  store(urgent: boolean): Promise<Stored>;
}

/**
 * Caches of DCUs with rows that they have read from their meters. One request returns the rows of all meters, and the item of each meter
 * takes its own. The southbound profile declares the cache objects; a DCU may still lack them.
 */
export class DcuCaches {
  readonly #held = new Map<string, HeldAnswer>();
  /** End of the last requested range without rows, by profile and meter. */
  readonly #emptyTo = new BoundedCache<string, number>(MAX_WITHOUT_ROWS);

  /** Takes the rows of one meter in a range; undefined: no rows. */
  async takeRows(tools: OperationTools, item: WorkItem, wanted: Wanted): Promise<Taken | undefined> {
    const key = `${wanted.profile}/${wanted.device.id}`;
    // Freezes are one row a day, so their whole range is always requested.
    const emptyTo = isFreeze(wanted.profile) ? undefined : this.#emptyTo.get(key);
    const from = Math.max(wanted.from, (emptyTo ?? 0) - RETRY_RANGE_MS);
    const taken = await this.#takeFrom(tools, item, { ...wanted, from });
    if (taken === undefined) {
      this.#emptyTo.set(key, wanted.to);
      return undefined;
    }
    this.#emptyTo.delete(key);
    return from === wanted.from ? taken : this.#takeFrom(tools, item, wanted);
  }

  async #takeFrom(tools: OperationTools, item: WorkItem, wanted: Wanted): Promise<Taken | undefined> {
    const held = this.#heldFor(tools, item, wanted);
    const answer = await held.answer;
    const rows = answer?.bySn.get(wanted.device.sn);
    if (answer === undefined || rows === undefined) return undefined;
    // Rows are removed when taken, so that a fleet does not fill the memory during a run.
    answer.bySn.delete(wanted.device.sn);
    held.rows -= rows.stamps.length;
    return takenOf(tools, item, { wanted, rows, answer });
  }

  #heldFor(tools: OperationTools, item: WorkItem, wanted: Wanted): HeldAnswer {
    const now = tools.ctx.clock.monotonic();
    const key = `${item.dcuId}/${wanted.profile}`;
    const held = this.#held.get(key);
    if (held !== undefined && msBetween(now, held.until) > 0 && (held.taskId === '' || isFor(held, item, wanted))) return held;
    for (const [known, { until }] of this.#held) if (msBetween(now, until) <= 0) this.#held.delete(known);
    const { taskId, attempts } = item;
    const fresh: HeldAnswer = {
      taskId,
      attempts,
      from: wanted.from,
      until: msAfter(now, HELD_MS),
      rows: 0,
      answer: Promise.resolve(undefined),
    };
    fresh.answer = readCache(tools, item, wanted).then((read) => {
      if (!read.ok) {
        if (read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED')
          Object.assign(fresh, { taskId: '', until: msAfter(now, NONE_FOR_MS) });
        return undefined;
      }
      for (const { stamps } of read.value.bySn.values()) fresh.rows += stamps.length;
      this.#evictOldest(fresh);
      return read.value;
    });
    this.#held.delete(key);
    this.#held.set(key, fresh);
    return fresh;
  }

  #evictOldest(newest: HeldAnswer): void {
    let rows = 0;
    for (const held of this.#held.values()) rows += held.rows;
    for (const [key, held] of this.#held) {
      if (rows <= MAX_ROWS) return;
      if (held === newest || held.rows === 0) continue;
      this.#held.delete(key);
      rows -= held.rows;
    }
  }
}

const isFor = (held: HeldAnswer, { taskId, attempts }: WorkItem, { from }: Wanted): boolean =>
  held.taskId === taskId && held.attempts >= attempts && held.from <= from;

interface Found {
  wanted: Wanted;
  rows: CachedRows;
  answer: Answer;
}

/** Selects rows with the period of the newest one, because a reading has one period; the others are read from the meter. */
function takenOf(tools: OperationTools, item: WorkItem, { wanted, rows, answer }: Found): Taken | undefined {
  const { from, to, isWanted = () => true } = wanted;
  const newest = rows.periods.at(-1) ?? Number.NaN;
  const stampOf = (row: number) => rows.stamps[row] ?? Number.NaN;
  const chosen = [...rows.stamps.keys()]
    .filter((row) => stampOf(row) >= from && stampOf(row) <= to && isWanted(stampOf(row)) && Object.is(rows.periods[row], newest))
    .toSorted((a, b) => stampOf(a) - stampOf(b));
  if (chosen.length === 0) return undefined;
  const pick = (column: number[]) => chosen.map((row) => column[row] ?? Number.NaN);
  const { traceId, readAt } = answer;
  const of = { meterId: wanted.device.id, dcuId: item.dcuId, readAt, source: 'cache' as const, traceId, taskId: item.taskId };
  const stamps = pick(rows.stamps);
  const status = pick(rows.status);
  const values = rows.values.map((column) => column && pick(column));
  const { profile } = wanted;
  if (isFreeze(profile)) {
    const freezes = stamps.map((at, row) => ({
      ...of,
      freezeDay: tools.zone.dayOf(at),
      registers: values.map((column) => column?.[row] ?? Number.NaN),
      statusWord: Number.isNaN(status[row]) ? undefined : status[row],
      deviceTime: new Date(at).toISOString(),
    }));
    return { traceId, stamps, periodSeconds: 0, store: (urgent) => tools.writer.storeDaily(freezes, urgent) };
  }
  const periodSeconds = Number.isNaN(newest) ? DEFAULT_PERIOD_S[profile] : newest;
  const reading = {
    ...of,
    profile,
    periodSeconds,
    stamps: Float64Array.from(stamps),
    status: status.every((word) => Number.isNaN(word)) ? undefined : Float64Array.from(status),
    channels: values.map((column) => column && Float64Array.from(column)),
  };
  return { traceId, stamps, periodSeconds, store: (urgent) => tools.writer.storeProfile(reading, urgent) };
}

async function readCache(tools: OperationTools, item: WorkItem, { profile, from, to }: Wanted): Promise<Outcome<Answer>> {
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return failed('DCU_OFFLINE');
  // A DCU without a cache is not asked, and no association is opened for it.
  if (!(await hasCache(tools.ctx.db, item.dcuId))) return failed('OBJECT_UNDEFINED', 'The southbound profile of the DCU has no cache');
  let answer: Outcome<Answer> = failed('DCU_OFFLINE');
  const report = await overLink(tools, item, { session, device: tools.devices.buildDcu(session.endpoint) }, async (reached) => {
    const { cache } = await partsOfDcu(tools, reached);
    const read = cache === undefined ? failed('OBJECT_UNDEFINED') : await cache({ profile, from, to });
    answer = read.ok ? ok({ traceId: reached.traceId, readAt: reached.now, bySn: read.value }) : read;
    return read.ok ? ok({}) : read;
  });
  return report.outcome.ok ? answer : report.outcome;
}
