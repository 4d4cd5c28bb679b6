import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { findArchiveRowsBySn, findStandings, hesEntryOf, settleEntries, type RecordResult } from './archive-queries.ts';
import type { Context } from '#db/context.ts';
import type { ArchivedMeter, ArchiveTarget } from '#southbound/dcu-parts.ts';

type StoreContext = Pick<Context, 'db' | 'bus' | 'clock' | 'log'>;

const ROWS_PER_MESSAGE = 200;

/** Publishes archive records to open consoles. */
async function publishRecords(ctx: StoreContext, dcuId: string, sns: readonly string[]): Promise<void> {
  const ts = new Date(ctx.clock.now()).toISOString();
  try {
    const rows = await findArchiveRowsBySn(ctx.db, dcuId, sns);
    for (let at = 0; at < rows.length; at += ROWS_PER_MESSAGE)
      ctx.bus.publish(`archive:${dcuId}`, { type: 'archive.item', ts, id: dcuId, data: { items: rows.slice(at, at + ROWS_PER_MESSAGE) } });
  } catch (error) {
    // The console requests the rows again when the task ends.
    ctx.log.warn('Archive rows could not be published', { error, dcuId });
  }
}

/** Stores entries that were read back and publishes their records. */
export async function storeReadBack(
  ctx: StoreContext,
  dcuId: string,
  entries: ReadonlyMap<string, ArchiveEntry | null>,
  options: { results?: ReadonlyMap<string, RecordResult>; by: string | null },
): Promise<void> {
  if (entries.size === 0) return;
  await ctx.db.transaction().execute(async (tx) => {
    await lockDcuInTransaction(tx, 'archive', dcuId);
    await settleEntries(tx, dcuId, entries, { at: new Date(ctx.clock.now()), ...options });
  });
  await publishRecords(ctx, dcuId, [...entries.keys()]);
}

/** Marks changes that got no response as unknown. */
export async function markUnknown(ctx: StoreContext, dcuId: string, sns: readonly string[], reason: string): Promise<void> {
  await ctx.db
    .updateTable('archiveRecord')
    .set({ lastResult: 'unknown', lastReasonCode: reason })
    .where('dcuId', '=', dcuId)
    .where('sn', 'in', [...sns])
    .execute();
  await publishRecords(ctx, dcuId, sns);
}

export interface Comparison {
  taskId: string;
  entries: readonly ArchivedMeter[];
  frames: number;
  durationMs: number;
  results?: ReadonlyMap<string, RecordResult> | undefined;
  by: string | null;
}

/** Stores the reading of a whole archive and judges every record by it. */
export async function storeComparison(ctx: StoreContext, dcuId: string, comparison: Comparison): Promise<Record<string, number>> {
  const at = new Date(ctx.clock.now());
  const read = new Map(comparison.entries.map(({ sn, entry }) => [sn, entry]));
  const settled = await ctx.db.transaction().execute(async (tx) => {
    await lockDcuInTransaction(tx, 'archive', dcuId);
    const known = await findStandings(tx, dcuId);
    const entries = new Map<string, ArchiveEntry | null>(known.map((row) => [row.sn, null]));
    for (const [sn, entry] of read) entries.set(sn, entry);
    await settleEntries(tx, dcuId, entries, {
      at,
      by: comparison.by,
      ...(comparison.results === undefined ? {} : { results: comparison.results }),
    });
    await tx
      .insertInto('archiveSnapshot')
      .values({
        dcuId,
        taskId: comparison.taskId,
        takenAt: at,
        entries: JSON.stringify(Object.fromEntries(read)),
        count: read.size,
        frames: comparison.frames,
        durationMs: Math.round(comparison.durationMs),
      })
      .execute();
    return entries;
  });
  await publishRecords(ctx, dcuId, [...settled.keys()]);
  return countDifferences(ctx, dcuId);
}

async function countDifferences(ctx: StoreContext, dcuId: string): Promise<Record<string, number>> {
  const rows = await ctx.db
    .selectFrom('archiveRecord')
    .where('dcuId', '=', dcuId)
    .where('diffKind', 'is not', null)
    .select(({ fn }) => ['diffKind', fn.countAll<string>().as('count')])
    .groupBy('diffKind')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.diffKind ?? '', Number(row.count)]));
}

/** Scope of a change of an archive. */
export interface ArchiveOrder {
  mode: 'dispatch' | 'delete' | 'clear' | 'plan';
  /** Serial numbers; absent: all bound meters that are not distributed yet. */
  sns?: readonly string[] | undefined;
}

/** Entries of the head-end for the meters that are bound to a DCU. */
export async function findKnownEntries(ctx: StoreContext, dcuId: string): Promise<Map<string, ArchiveEntry>> {
  const standings = await findStandings(ctx.db, dcuId);
  return new Map(
    standings.flatMap((row) => {
      const entry = hesEntryOf(row);
      return entry === null ? [] : [[row.sn, entry] as const];
    }),
  );
}

/** Builds the target of an order from the present records. */
export async function targetOf(
  ctx: StoreContext,
  dcuId: string,
  order: ArchiveOrder,
  present: readonly ArchivedMeter[],
): Promise<ArchiveTarget> {
  const standings = await findStandings(ctx.db, dcuId);
  const bound = new Map(standings.flatMap((row) => (row.bindState === 'bound' ? [[row.sn, hesEntryOf(row)] as const] : [])));
  const chosen = order.sns === undefined ? undefined : new Set(order.sns);
  const wanted = new Map<string, ArchiveEntry>();
  if (order.mode === 'dispatch' || order.mode === 'plan')
    for (const [sn, entry] of bound) if (entry !== null && (chosen === undefined || chosen.has(sn))) wanted.set(sn, entry);
  const unwanted = new Set<string>();
  if (order.mode === 'clear') for (const { sn } of present) unwanted.add(sn);
  // A meter that was bound after the order was placed is not removed.
  if (order.mode === 'delete' || order.mode === 'plan') for (const sn of chosen ?? []) if (!bound.has(sn)) unwanted.add(sn);
  // A replaced meter is removed when its successor is dispatched, because both have the same measurement point.
  if (order.mode === 'dispatch')
    for (const sn of await findPredecessors(ctx.db, dcuId, [...wanted.keys()])) if (!bound.has(sn)) unwanted.add(sn);
  return { wanted, unwanted };
}

/** Serial numbers of meters of a DCU that one of these replaced. */
async function findPredecessors(db: StoreContext['db'], dcuId: string, sns: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('meterExchange')
    .innerJoin('meter as gone', 'gone.id', 'meterExchange.oldMeterId')
    .innerJoin('meter as come', 'come.id', 'meterExchange.newMeterId')
    .where('meterExchange.dcuId', '=', dcuId)
    .where('come.sn', 'in', [...sns, ''])
    .select('gone.sn')
    .execute();
  return rows.map(({ sn }) => sn);
}
