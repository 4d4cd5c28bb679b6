import type { BindState, DeleteStatus, DiffKind, DispatchState, DistributionState } from '../states/archive.ts';
import type { ArchiveEntry, ArchiveField, PlanStep } from './archive.ts';

/** Entries of both sides for one meter, with the states of the previous comparison. */
export interface Standing {
  bindState: BindState;
  /** Null: the meter is not bound to this DCU. */
  hes: ArchiveEntry | null;
  dcu: ArchiveEntry | null;
  isBoundElsewhere: boolean;
  before: { dispatchState: DispatchState; distributionState: DistributionState | null; deleteStatus: DeleteStatus };
}

export interface Judgement {
  dispatchState: DispatchState;
  distributionState: DistributionState | null;
  deleteStatus: DeleteStatus;
  diffKind: Exclude<DiffKind, 'air_only'> | null;
  diffFields: ArchiveField[];
}

const FIELDS: readonly ArchiveField[] = [
  'measurementPoint',
  'address',
  'protocol',
  'communicationMode',
  'meterType',
  'phase',
  'isMaster',
  'enabled',
];

/** The fields in which two entries differ, in the order of the table. */
export const differingFields = (one: ArchiveEntry, other: ArchiveEntry): ArchiveField[] =>
  FIELDS.filter((field) => one[field] !== other[field]);

/** Derives the states of a record from the entries of both sides: four combinations of binding and distribution. @spec seed §4 */
export function judgeArchive({ bindState, hes, dcu, isBoundElsewhere, before }: Standing): Judgement {
  if (bindState === 'bound' && hes !== null) return judgeBound(hes, dcu);
  if (dcu !== null) {
    return {
      dispatchState: 'distributed',
      distributionState: 'distributed',
      deleteStatus: before.deleteStatus === 'delete_failed' ? 'delete_failed' : 'pending_delete',
      diffKind: isBoundElsewhere ? 'other_dcu' : 'dcu_only',
      diffFields: [],
    };
  }
  const wasThere =
    before.dispatchState === 'distributed' || before.deleteStatus === 'pending_delete' || before.deleteStatus === 'delete_failed';
  return {
    dispatchState: 'not_distributed',
    distributionState: wasThere || before.distributionState === 'deleted' ? 'deleted' : null,
    deleteStatus: wasThere || before.deleteStatus === 'deleted' ? 'deleted' : 'none',
    diffKind: null,
    diffFields: [],
  };
}

function judgeBound(hes: ArchiveEntry, dcu: ArchiveEntry | null): Judgement {
  const pending = { dispatchState: 'not_distributed', distributionState: 'pending_distribution', deleteStatus: 'none' } as const;
  if (dcu === null) return { ...pending, diffKind: 'hes_only', diffFields: [] };
  const diffFields = differingFields(hes, dcu);
  if (diffFields.length > 0)
    return { ...pending, diffKind: diffFields.includes('measurementPoint') ? 'idx_conflict' : 'param_diff', diffFields };
  return { dispatchState: 'distributed', distributionState: 'distributed', deleteStatus: 'none', diffKind: 'same', diffFields: [] };
}

/** One entry of the DCU's archive; arrays of these are in the order of the DCU. */
export interface PlacedEntry {
  sn: string;
  entry: ArchiveEntry;
}

/**
 * Plans the steps after which an archive holds every entry of `wanted` and none of `unwanted`; entries that match are not touched.
 * Removes come first because they free space and measurement points; an entry whose measurement point is taken by
 * a remaining one is removed and inserted again.
 */
export function planArchive(
  present: readonly PlacedEntry[],
  wanted: ReadonlyMap<string, ArchiveEntry>,
  unwanted: ReadonlySet<string>,
): PlanStep[] {
  const removes = new Map<string, PlanStep>();
  const updates: PlanStep[] = [];
  const inserts: PlanStep[] = [];
  const points = new Set(present.filter(({ sn }) => !unwanted.has(sn) || wanted.has(sn)).map(({ entry }) => entry.measurementPoint));
  const known = new Set<string>();
  for (const { sn, entry } of present) {
    known.add(sn);
    const target = wanted.get(sn);
    const removal: PlanStep = { kind: 'remove', sn, measurementPoint: entry.measurementPoint, fields: [] };
    if (target === undefined) {
      if (unwanted.has(sn)) removes.set(sn, removal);
      continue;
    }
    const fields = differingFields(target, entry);
    if (fields.length === 0) continue;
    if (target.measurementPoint === entry.measurementPoint || !points.has(target.measurementPoint)) {
      updates.push({ kind: 'update', sn, measurementPoint: target.measurementPoint, fields });
    } else {
      removes.set(sn, removal);
      inserts.push({ kind: 'insert', sn, measurementPoint: target.measurementPoint, fields });
    }
  }
  for (const [sn, { measurementPoint }] of wanted) if (!known.has(sn)) inserts.push({ kind: 'insert', sn, measurementPoint, fields: [] });
  return [...removes.values(), ...updates, ...inserts.toSorted((a, b) => a.measurementPoint - b.measurementPoint)];
}

/** Entries per request and per response; they fit the smallest APDU size a DCU may have. */
export const ENTRIES_PER_CHANGE = 8;
export const ENTRIES_PER_READ = 24;
const OPEN_AND_RELEASE = 3;

const readFrames = (entries: number): number => 1 + Math.ceil(entries / ENTRIES_PER_READ);

/** Round trips of the comparison, of the steps with a comparison after each batch, and of the final read-back. */
export function framesOf(steps: readonly PlanStep[], entries: number): number {
  const count = (kind: PlanStep['kind']): number => steps.filter((step) => step.kind === kind).length;
  const batches = Math.ceil(count('update') / ENTRIES_PER_CHANGE) + Math.ceil(count('insert') / ENTRIES_PER_CHANGE);
  const after = entries - count('remove') + count('insert');
  return OPEN_AND_RELEASE + readFrames(entries) + count('remove') + 2 * batches + readFrames(after);
}
