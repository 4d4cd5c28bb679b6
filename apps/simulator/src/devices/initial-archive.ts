import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import type { World } from '#world/world.ts';
import { hasMeterKeys } from './dcu-cache.ts';
import { type ArchiveEntry, ascii, entryOf } from './dcu-archive.ts';

/** The slot of the keys with which the DCU reads by itself. */
const OWN_KEYS = 1;
const OTHER_PHASE = { a: 'b', b: 'c', c: 'a', abc: 'a' } as const;

/** What a DCU's archive holds on the first day: what was delivered, but for what has gone wrong since. */
export function initialArchive(world: World, dcu: DcuPlan, own: readonly MeterPlan[]): ArchiveEntry[] {
  const drift = new Map(world.plan.archiveDrift.filter(({ meter }) => meter.dcu === dcu).map(({ kind, meter }) => [meter, kind]));
  const entries: ArchiveEntry[] = [];
  for (const [i, meter] of own.filter((one) => one.isUncommissioned !== true).entries()) {
    const delivered = { ...entryOf(meter, i + 1), keySlot: hasMeterKeys(dcu) ? OWN_KEYS : 0 };
    const entry = meter.recordedPhase === undefined ? delivered : { ...delivered, phase: meter.recordedPhase };
    const kind = drift.get(meter);
    if (kind === 'missing') continue;
    entries.push(kind === 'phase' ? { ...entry, phase: OTHER_PHASE[meter.phase] } : entry);
    // The meter that hung there before: nobody told the DCU when it was taken down.
    if (kind === 'stale') entries.push({ ...entry, serialNumber: ascii(`19${meter.sn.slice(2)}`), measurementPoint: own.length + 1 + i });
  }
  return entries;
}
