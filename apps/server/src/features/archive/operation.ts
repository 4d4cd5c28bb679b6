import { planArchive } from '@hes/contract/asset/archive-diff.ts';
import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { RecordResult } from './archive-queries.ts';
import { monotonicNow, msSince } from '#platform/clock.ts';
import type { Operations, WorkItem } from '#tasks/operation.ts';
import { findKnownEntries, markUnknown, storeReadBack, storeComparison, targetOf, type ArchiveOrder } from './store.ts';
import { lacks, type ArchiveChange, type ArchivedMeter, type ArchiveProgress } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

/** A change is repeated at most this often for entries that are missing afterwards without a refusal. */
const ROUNDS = 2;

const orderOf = ({ params: { mode, sns } }: WorkItem<'archive_dispatch'>): ArchiveOrder => ({ mode, sns });

/** Reads the whole archive of a DCU, stores it, and judges every record by it. */
async function compareArchive(tools: OperationTools, item: WorkItem<'archive_compare'>, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const { archive } = await partsOfDcu(tools, work);
  if (archive === undefined) return lacks('archive');
  const begun = monotonicNow();
  const read = await archive.read(await findKnownEntries(tools.ctx, item.dcuId));
  if (!read.ok) return read;
  const counts = await storeComparison(tools.ctx, item.dcuId, {
    taskId: item.taskId,
    entries: read.value,
    frames: archive.frames,
    durationMs: msSince(begun),
    by: item.params.by ?? null,
  });
  return ok({ counts: { entries: read.value.length, ...counts } });
}

const progressOf = (tools: OperationTools, item: WorkItem<'archive_dispatch'>): ArchiveProgress => ({
  proved: (entries, refused) =>
    storeReadBack(tools.ctx, item.dcuId, entries, { results: resultsOf(entries.keys(), refused), by: item.params.by ?? null }),
  unknown: (sns, reason) => markUnknown(tools.ctx, item.dcuId, sns, reason),
});

const resultsOf = (sns: Iterable<string>, refused: ReadonlyMap<string, ReasonCode>): Map<string, RecordResult> =>
  new Map([...sns].map((sn) => [sn, resultOf(refused.get(sn))]));
const resultOf = (reason: ReasonCode | undefined): RecordResult =>
  reason === undefined ? { result: 'ok', reasonCode: null } : { result: 'refused', reasonCode: reason };

/** Serial numbers of the order whose entries still differ from the target. */
function findMissing(
  present: readonly ArchivedMeter[],
  target: { wanted: ReadonlyMap<string, ArchiveEntry>; unwanted: ReadonlySet<string> },
): string[] {
  return [...new Set(planArchive(present, target.wanted, target.unwanted).map((step) => step.sn))];
}

/** Changes an archive as ordered, and confirms the change by reading the whole archive back. */
async function changeArchive(tools: OperationTools, item: WorkItem<'archive_dispatch'>, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const { archive } = await partsOfDcu(tools, work);
  if (archive === undefined) return lacks('archive');
  const begun = monotonicNow();
  const order = orderOf(item);
  const progress = progressOf(tools, item);
  const total: ArchiveChange = { counts: { inserted: 0, updated: 0, removed: 0, refused: 0 }, refused: new Map() };
  const known = await findKnownEntries(tools.ctx, item.dcuId);
  let read = await archive.read(known);
  if (!read.ok) return read;
  const target = await targetOf(tools.ctx, item.dcuId, order, read.value);
  for (let round = 0; round < ROUNDS && findMissing(read.value, target).some((sn) => !total.refused.has(sn)); round++) {
    const repaired = await archive.change(target, progress);
    if (!repaired.ok) return repaired;
    for (const key of ['inserted', 'updated', 'removed'] as const) total.counts[key] += repaired.value.counts[key];
    for (const [sn, reason] of repaired.value.refused) total.refused.set(sn, reason);
    read = await archive.read(known);
    if (!read.ok) return read;
  }
  const left = findMissing(read.value, target);
  const concerned = new Set([...target.wanted.keys(), ...target.unwanted]);
  const refusals = new Map(left.map((sn) => [sn, total.refused.get(sn) ?? 'READ_BACK_DIFFERS'] as const));
  const counts = await storeComparison(tools.ctx, item.dcuId, {
    taskId: item.taskId,
    entries: read.value,
    frames: archive.frames,
    durationMs: msSince(begun),
    results: resultsOf(concerned, refusals),
    by: item.params.by ?? null,
  });
  if (left.length > 0) {
    // The item fails when some entries were refused; each row carries its own reason.
    return failed('READ_BACK_DIFFERS', `${concerned.size - left.length}/${concerned.size}`);
  }
  return ok({ counts: { ...total.counts, entries: read.value.length, ...counts } });
}

/** Operations on the archives of DCUs. */
export const archiveOperations = (tools: OperationTools): Pick<Operations, 'archive_compare' | 'archive_dispatch'> => ({
  archive_compare: (item) => withDevice(tools, item, (work) => compareArchive(tools, item, work)),
  archive_dispatch: (item) => withDevice(tools, item, (work) => changeArchive(tools, item, work)),
});
