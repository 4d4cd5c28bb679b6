import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { gap } from '@hes/contract/reading/gap.ts';
import { COUNTED_PROFILES, reading, storedAs } from '@hes/contract/reading/reading.ts';
import { addDays } from '#core/time/format.ts';

type Span = Extract<LiveMessage, { type: 'reading.stored' }>['data']['spans'][number];

/** Sums over all readings: any new reading may change them. */
const SUMS = [dashboard.summary, dashboard.map];
/** Lists and counts for a range of days of one profile. */
const LISTS = [reading.completeness, reading.daily, reading.profile, gap.list, gap.byMeter, gap.byDcu];

/** All routes that return readings. */
export const READING_ROUTES: readonly Pick<Route, 'path'>[] = [...SUMS, ...LISTS];

const pathsOf = (routes: readonly Pick<Route, 'path'>[]): ReadonlySet<string> => new Set(routes.map(({ path }) => path));
const sumPaths = pathsOf(SUMS);
const listPaths = pathsOf(LISTS);

interface Asked {
  profile?: string;
  from?: string;
  to?: string;
}

/** Whether a query covers the stored readings. Spans are UTC days and may overlap the neighbouring local days, hence one day of margin. */
export function isConcerned([path, params, query]: readonly unknown[], spans: readonly Span[]): boolean {
  if (sumPaths.has(String(path))) return true;
  if (!listPaths.has(String(path))) return false;
  const { profile: named, from, to }: Asked = Object.assign({}, params, query);
  const asked = path === reading.daily.path ? (named ?? 'daily') : named;
  const profile = COUNTED_PROFILES.find((name) => name === asked);
  return spans.some((span) => {
    if (profile !== undefined && span.profile !== storedAs(profile)) return false;
    return from === undefined || to === undefined || (addDays(span.from, -1) <= to && addDays(span.to, 1) >= from);
  });
}
