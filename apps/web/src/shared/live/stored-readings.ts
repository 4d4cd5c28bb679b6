import type { LiveMessage } from '@hes/contract/core/live.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { gap } from '@hes/contract/reading/gap.ts';
import { countedProfile, reading, storedAs } from '@hes/contract/reading/reading.ts';
import { addDays } from '#shared/time/format.ts';

type Span = Extract<LiveMessage, { type: 'reading.stored' }>['data']['spans'][number];

/** Sums over all readings: any new reading may change them. */
const SUMS: ReadonlySet<string> = new Set([dashboard.summary.path, dashboard.map.path]);
/** Lists and counts for a range of days of one profile. */
const LISTS: ReadonlySet<string> = new Set([
  reading.completeness.path,
  reading.daily.path,
  reading.profile.path,
  gap.list.path,
  gap.byMeter.path,
  gap.byDcu.path,
]);

/** Paths of all routes that return readings. */
export const READING_PATHS: readonly string[] = [...SUMS, ...LISTS];

interface Asked {
  profile?: string;
  from?: string;
  to?: string;
}

/** Whether a query covers the stored readings. Spans are UTC days and may overlap the neighbouring local days, hence one day of margin. */
export function isConcerned([path, params, query]: readonly unknown[], spans: readonly Span[]): boolean {
  if (SUMS.has(String(path))) return true;
  if (!LISTS.has(String(path))) return false;
  const { profile: named, from, to }: Asked = Object.assign({}, params, query);
  const profile = countedProfile.safeParse(path === reading.daily.path ? (named ?? 'daily') : named);
  return spans.some((span) => {
    if (profile.success && span.profile !== storedAs(profile.data)) return false;
    return from === undefined || to === undefined || (addDays(span.from, -1) <= to && addDays(span.to, 1) >= from);
  });
}
