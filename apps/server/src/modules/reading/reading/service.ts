import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { maxRangeDays, type CountedProfile } from '@hes/contract/reading/reading.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#platform/context.ts';
import { countByDay, countByDayOfMeter, countExpectedMeters } from './queries.ts';

const DAY_MS = 86_400_000;

/** Refuses ranges that end before they begin or hold more than 31 days, or twelve month ends. @spec seed §5 */
export function checkRange({ from, to, profile = 'daily' }: { from: string; to: string; profile?: CountedProfile | undefined }): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw new ApiError('VALIDATION', {}, [{ field: 'to', message: 'The last day lies before the first.' }]);
  if (profile === 'monthly' && days > maxRangeDays(profile))
    throw new ApiError('VALIDATION', {}, [{ field: 'to', message: 'A year at most.' }]);
  if (days > maxRangeDays(profile)) throw new ApiError('RANGE_TOO_LONG');
}

export interface CompletenessQuery {
  from: string;
  to: string;
  profile: CountedProfile;
  node?: NodeKey | undefined;
  meterId?: string | undefined;
}

function meterOf(key: NodeKey | undefined): string | undefined {
  const node = key === undefined ? undefined : nodeOf(key);
  return node?.kind === 'meter' ? node.id : undefined;
}

/** Expected and got by calendar day of the utility. */
export async function completenessByDay(ctx: Context, user: User, query: CompletenessQuery) {
  const { timeZone } = ctx.settings;
  const meterId = query.meterId ?? meterOf(query.node);
  const [meters, days] = await Promise.all([
    countExpectedMeters(ctx.db, user, { node: query.node, meterId }),
    meterId === undefined ? countByDay(ctx.db, user, query, timeZone) : countByDayOfMeter(ctx.db, { ...query, meterId }, timeZone),
  ]);
  return days.map(({ day, got, slots }) => ({ day, got, expected: meters * slots }));
}

/** Today's calendar day in the utility's zone, YYYY-MM-DD. */
export const localDay = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);

/** Today's figures of one DCU the user may see. */
export async function todayOfDcu(ctx: Context, user: User, dcu: { dcuId: string; activeMeters: number }) {
  const { timeZone } = ctx.settings;
  const today = localDay(ctx.clock.now(), timeZone);
  const range = { from: today, to: today, node: `dcu:${dcu.dcuId}` as const };
  const [[lpa], [daily]] = await Promise.all([
    countByDay(ctx.db, user, { ...range, profile: 'lpa' }, timeZone),
    countByDay(ctx.db, user, { ...range, profile: 'daily' }, timeZone),
  ]);
  return {
    lpaGot: lpa?.got ?? 0,
    lpaExpected: (lpa?.slots ?? 0) * dcu.activeMeters,
    dailyGot: daily?.got ?? 0,
    dailyExpected: (daily?.slots ?? 0) * dcu.activeMeters,
  };
}
