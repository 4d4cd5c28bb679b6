import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import type { World } from '#world/world.ts';
import { hasMeterKeys } from './dcu-cache.ts';
import { type ArchiveEntry, ascii, entryOf } from './dcu-archive.ts';

/** Slot of the keys with which the DCU collects. */
const OWN_KEYS = 1;
const OTHER_PHASE = { a: 'b', b: 'c', c: 'a', abc: 'a' } as const;

/** The archive of a DCU on the first day: the delivered data with the drift of the plan. */
export function initialArchive(world: World, dcu: DcuPlan, own: readonly MeterPlan[]): ArchiveEntry[] {
  const drift = new Map(world.plan.archiveDrift.filter(({ meter }) => meter.dcu === dcu).map(({ kind, meter }) => [meter, kind]));
  const entries: ArchiveEntry[] = [];
  for (const [i, meter] of own.filter((one) => one.isUncommissioned !== true).entries()) {
    const delivered = { ...entryOf(meter, i + 1), keySlot: hasMeterKeys(dcu) ? OWN_KEYS : 0 };
    const entry = meter.recordedPhase === undefined ? delivered : { ...delivered, phase: meter.recordedPhase };
    const kind = drift.get(meter);
    if (kind === 'missing') continue;
    entries.push(kind === 'phase' ? { ...entry, phase: OTHER_PHASE[meter.phase] } : entry);
    // Entry of a previous meter that was never deleted when the meter was removed.
    if (kind === 'stale') entries.push({ ...entry, serialNumber: ascii(`19${meter.sn.slice(2)}`), measurementPoint: own.length + 1 + i });
  }
  return entries;
}
