import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { maxRangeDays, type CountedProfile } from '@hes/contract/reading/reading.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Completeness } from '@hes/contract/reading/reading.ts';
import type { Context, Db, User } from '#db/context.ts';
import { countGapStates, countMissing, listGaps } from './gap-queries.ts';
import { countByDay, countByDayOfMeter, countExpectedMeters } from './queries.ts';

const DAY_MS = 86_400_000;

/** Rejects ranges that end before they begin or exceed 31 days, or twelve month ends. @spec seed §5 */
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

/** Runs queries on one snapshot of the database and adds its time. */
const atOneMoment = async <T>(ctx: Context, read: (db: Db) => Promise<T>): Promise<T & { asOf: string }> =>
  ctx.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => ({ asOf: new Date(ctx.clock.now()).toISOString(), ...(await read(tx)) }));

function meterOf({ meterId, node }: CompletenessQuery): string | undefined {
  const chosen = node === undefined ? undefined : nodeOf(node);
  return meterId ?? (chosen?.kind === 'meter' ? chosen.id : undefined);
}

/** Expected, received and missing readings from one snapshot. */
export const completenessFigures = (ctx: Context, user: User, query: CompletenessQuery): Promise<Completeness> =>
  atOneMoment(ctx, (db) => figuresOf({ ...ctx, db }, user, query));

async function figuresOf(ctx: Context, user: User, query: CompletenessQuery): Promise<Omit<Completeness, 'asOf'>> {
  const items = await completenessByDay(ctx, user, query);
  const { profile, from, to, node } = query;
  const filter = { profile, from, to, node, meterId: meterOf(query) };
  const { open, lost, no_data: noData } = await countMissing(ctx.db, user, filter, ctx.settings.timeZone);
  const missing = items.reduce((sum, { expected, got }) => sum + expected - got, 0);
  return { items, missing: { open, lost, noData, unlisted: Math.max(0, missing - open - lost - noData) } };
}

/** A page of gaps and its figures from one snapshot. */
export async function listGapsWithFigures(ctx: Context, user: User, query: Parameters<typeof listGaps>[2]) {
  const { timeZone } = ctx.settings;
  const { asOf, figures, ...list } = await atOneMoment(ctx, async (db) => ({
    ...(await listGaps(db, user, query, timeZone)),
    gaps: await countGapStates(db, user, query, timeZone),
    figures: await figuresOf({ ...ctx, db }, user, query),
  }));
  return { ...list, figures: { ...figures, asOf } };
}

/** Expected and received readings by local day. */
export async function completenessByDay(ctx: Pick<Context, 'db' | 'settings'>, user: User, query: CompletenessQuery) {
  const { timeZone } = ctx.settings;
  const meterId = meterOf(query);
  const meters = await countExpectedMeters(ctx.db, user, { node: query.node, meterId });
  const days =
    meterId === undefined
      ? await countByDay(ctx.db, user, query, timeZone)
      : await countByDayOfMeter(ctx.db, { ...query, meterId }, timeZone);
  return days.map(({ day, got, slots }) => ({ day, got, expected: meters * slots }));
}

/** The local day, YYYY-MM-DD. */
export const localDay = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);

/** Today's figures of one DCU in the user's area. */
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
