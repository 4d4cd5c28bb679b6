import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { clockClassOf } from '@hes/contract/states/clock.ts';
import type { Db } from '#db/context.ts';
import { isoOrNull } from '#db/paging.ts';
import { findThresholds } from '#features/balance/port.ts';
import { findClock } from './meter-queries.ts';

/** The clock of a device as it was read last; one that was never read has no class but `unknown`. */
export async function clockFacts(db: Db, kind: 'dcu' | 'meter', id: string): Promise<NonNullable<MeterFacts['clock']>> {
  const [found, limits] = await Promise.all([findClock(db, kind, id), findThresholds(db)]);
  if (found === undefined) return { class: 'unknown', deviationMs: null, readAt: null, lastSyncAt: null };
  const deviationMs = found.deviationMs === null ? null : Number(found.deviationMs);
  return {
    class: clockClassOf(deviationMs, found.status, limits),
    deviationMs,
    readAt: isoOrNull(found.readAt),
    lastSyncAt: isoOrNull(found.lastSyncAt),
  };
}
