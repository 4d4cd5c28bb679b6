import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { monthEndFrom, type Zone } from '@hes/contract/schedule/zone.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import type { ProfilePlace } from '#db/profile-places.ts';
import type { CachedRows, CacheQuery, DcuLink } from '#southbound/dcu-parts.ts';
import { addRows, CACHES } from './cached-rows.ts';

/** Ranges of single requests. Monthly freezes are requested one by one, because a range would return the days between them for all meters. */
function partsOf({ profile, from: first, to: last }: CacheQuery, zone: Zone): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  if (profile === 'monthly') {
    for (let at = monthEndFrom(first, zone); at <= last; at = monthEndFrom(at + 1, zone)) parts.push({ from: at, to: at });
    return parts;
  }
  const { msPerRequest } = CACHES[profile];
  for (let from = first; from <= last; from += msPerRequest) parts.push({ from, to: Math.min(last, from + msPerRequest - 1000) });
  return parts;
}

/** Reads the rows of all meters in a range. */
export async function readCache(
  { link, now, zone }: DcuLink,
  objects: ReadonlyMap<string, Pick<ProfilePlace, 'obis'>>,
  query: CacheQuery,
): Promise<Outcome<Map<string, CachedRows>>> {
  const [place, meterColumn, periodColumn] = [CACHES[query.profile].key, 'CACHED_METER', 'CACHED_PERIOD'].map((key) => objects.get(key));
  if (place === undefined || meterColumn === undefined)
    return failed('OBJECT_UNDEFINED', 'The southbound profile of the DCU has no such cache');
  const columns = { meter: obis(meterColumn.obis), period: periodColumn && obis(periodColumn.obis) };
  const profile = { cosemClass: profileGeneric, instance: obis(place.obis) };
  const captured = await link.read(profile, 'captureObjects');
  if (!captured.ok) return captured;
  const bySn = new Map<string, CachedRows>();
  for (const { from, to } of partsOf(query, zone)) {
    const deviation = zone.deviationMinutes(from);
    const range = rangeSelection({ from: fromEpochMs(from, deviation), to: fromEpochMs(to, deviation) });
    const read = await link.read(profile, 'buffer', range);
    if (!read.ok) return read;
    const added = addRows(bySn, read.value, { profile: query.profile, zone, now, columns, objects: captured.value });
    if (!added.ok) return added;
  }
  return ok(bySn);
}
