import { ENTRIES_PER_CHANGE, planArchive, type PlacedEntry } from '@hes/contract/asset/archive-diff.ts';
import type { ArchiveEntry, PlanStep } from '@hes/contract/asset/archive.ts';
import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ArchiveChange, ArchiveProgress, ArchiveTarget } from '#southbound/dcu-parts.ts';
import { serialOf, wireOf, type WireArchive, type WireEntry } from './archive-entries.ts';

type Change = { kind: 'insert' | 'update'; sn: string; place: number; entry: WireEntry };

const placed = (archive: WireArchive, entries: readonly WireEntry[]): PlacedEntry[] =>
  entries.map((wire) => ({ sn: serialOf(wire), entry: archive.entryOf(wire) }));

/** Copy of the DCU's archive during a change: indexes shift when entries are removed. */
class Mirror {
  entries: WireEntry[];
  constructor(entries: readonly WireEntry[]) {
    this.entries = [...entries];
  }
  placeOf(sn: string): number {
    return this.entries.findIndex((entry) => serialOf(entry) === sn) + 1;
  }
}

/**
 * Changes an archive to its target, based on its last reading. Only missing or wrong entries are sent, so a repetition inserts no
 * duplicates. Ends when the link is lost; entries of the open request are then unknown.
 */
export async function repairArchive(
  archive: WireArchive,
  present: readonly WireEntry[],
  target: ArchiveTarget,
  progress: ArchiveProgress,
): Promise<Outcome<ArchiveChange>> {
  const steps = planArchive(placed(archive, present), target.wanted, target.unwanted);
  const mirror = new Mirror(present);
  const repaired: ArchiveChange = { counts: { inserted: 0, updated: 0, removed: 0, refused: 0 }, refused: new Map() };
  const ofKind = (kind: PlanStep['kind']) => steps.filter((step) => step.kind === kind).map((step) => step.sn);
  const removed = await removeAll(archive, mirror, ofKind('remove'), { target, progress, repaired });
  if (!removed.ok) return removed;
  for (const kind of ['update', 'insert'] as const) {
    // An entry whose removal was refused cannot be inserted again.
    const sns = ofKind(kind).filter((sn) => !repaired.refused.has(sn) && !isPointTaken(archive, mirror, target, sn, repaired));
    for (let at = 0; at < sns.length; at += ENTRIES_PER_CHANGE) {
      const changed = await changeSome(archive, mirror, sns.slice(at, at + ENTRIES_PER_CHANGE), { kind, target, progress, repaired });
      if (!changed.ok) return changed;
    }
  }
  repaired.counts.refused = repaired.refused.size;
  return ok(repaired);
}

/** Whether another entry that stays has the measurement point. The DCU would refuse the insertion, so it is not sent. */
function isPointTaken(archive: WireArchive, mirror: Mirror, target: ArchiveTarget, sn: string, repaired: ArchiveChange): boolean {
  const point = target.wanted.get(sn)?.measurementPoint;
  const holder = mirror.entries.find((entry) => archive.entryOf(entry).measurementPoint === point);
  if (holder === undefined || serialOf(holder) === sn) return false;
  repaired.refused.set(sn, 'POINT_TAKEN');
  return true;
}

interface Work {
  target: ArchiveTarget;
  progress: ArchiveProgress;
  repaired: ArchiveChange;
}

/** Removes from the end to the beginning, so that no index shifts before its removal; adjacent entries share a request. */
async function removeAll(
  archive: WireArchive,
  mirror: Mirror,
  sns: readonly string[],
  { target, progress, repaired }: Work,
): Promise<Outcome<void>> {
  const places = sns.map((sn) => mirror.placeOf(sn)).toSorted((a, b) => b - a);
  while (places.length > 0) {
    const to = places.shift() ?? 0;
    let from = to;
    while (places[0] === from - 1) from = places.shift() ?? from;
    const gone = mirror.entries.slice(from - 1, to).map(serialOf);
    const answer = await archive.remove(from, to);
    if (answer.ok) {
      mirror.entries.splice(from - 1, gone.length);
      repaired.counts.removed += gone.length;
      // Entries that return at another measurement point are reported after their insertion.
      const over = gone.filter((sn) => !target.wanted.has(sn));
      await progress.proved(new Map(over.map((sn) => [sn, null])), new Map());
    } else if (isOfTheLink(answer.reason)) {
      await progress.unknown(gone, answer.reason);
      return answer;
    } else {
      for (const sn of gone) repaired.refused.set(sn, answer.reason);
    }
  }
  return ok(undefined);
}

async function changeSome(
  archive: WireArchive,
  mirror: Mirror,
  sns: readonly string[],
  { kind, target, progress, repaired }: Work & { kind: 'insert' | 'update' },
): Promise<Outcome<void>> {
  const changes: Change[] = sns.flatMap((sn) => {
    const entry = target.wanted.get(sn);
    const place = kind === 'update' ? mirror.placeOf(sn) : 0;
    return entry === undefined ? [] : [{ kind, sn, place, entry: wireOf(sn, entry, mirror.entries[place - 1]) }];
  });
  const answer = await archive.changeEntries(changes);
  if (!answer.ok) {
    await progress.unknown(sns, answer.reason);
    return answer;
  }
  const done: { place: number; sn: string }[] = [];
  for (const [i, { sn, place, entry }] of changes.entries()) {
    const outcome = answer.value[i] ?? failed('BAD_ANSWER');
    if (!outcome.ok) {
      repaired.refused.set(sn, refusalFor(outcome));
      continue;
    }
    if (kind === 'insert') mirror.entries.push(entry);
    else mirror.entries[place - 1] = entry;
    repaired.counts[kind === 'insert' ? 'inserted' : 'updated']++;
    done.push({ sn, place: kind === 'insert' ? mirror.entries.length : place });
  }
  return confirmBatch(archive, mirror, { done, refused: new Map(sns.flatMap((sn) => refusalOf(repaired, sn))) }, progress);
}

/** A DCU reports contradictory entries as `other reason`. This is a permanent refusal, not a temporary failure. */
const refusalFor = ({ reason, detail }: { reason: ReasonCode; detail?: string }): ReasonCode =>
  detail === 'otherReason' ? 'DCU_REFUSED' : reason;

const refusalOf = (repaired: ArchiveChange, sn: string): [string, ReasonCode][] => {
  const reason = repaired.refused.get(sn);
  return reason === undefined ? [] : [[sn, reason]];
};

/** Reads a batch back, because a successful response does not confirm the entry. */
async function confirmBatch(
  archive: WireArchive,
  mirror: Mirror,
  batch: { done: { place: number; sn: string }[]; refused: Map<string, ReasonCode> },
  progress: ArchiveProgress,
): Promise<Outcome<void>> {
  const { done, refused } = batch;
  const stands = new Map<string, ArchiveEntry | null>();
  if (done.length > 0) {
    const places = done.map(({ place }) => place);
    const [from, to] = [Math.min(...places), Math.max(...places)];
    // Updates that lie far apart are confirmed by the final reading of the whole archive.
    if (to - from < 3 * ENTRIES_PER_CHANGE) {
      const back = await archive.retrieve(from, to);
      if (!back.ok) return back;
      for (const { sn } of done) stands.set(sn, null);
      for (const wire of back.value) if (stands.has(serialOf(wire))) stands.set(serialOf(wire), archive.entryOf(wire));
    }
  }
  for (const sn of refused.keys()) {
    const entry = mirror.entries.find((wire) => serialOf(wire) === sn);
    stands.set(sn, entry === undefined ? null : archive.entryOf(entry));
  }
  await progress.proved(stands, refused);
  return ok(undefined);
}

const LINK_REASONS = new Set<ReasonCode>([
  'DCU_TIMEOUT',
  'METER_TIMEOUT',
  'LINK_LOST',
  'DCU_OFFLINE',
  'BAD_ANSWER',
  'BLOCK_ERROR',
  'DECRYPT_FAILED',
  'COUNTER_REPLAY',
]);

/** Whether the link failed, as opposed to a refusal by the DCU. */
const isOfTheLink = (reason: ReasonCode): boolean => LINK_REASONS.has(reason);
