import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import type { BillPeriod } from '@hes/contract/analysis/bill.ts';
import type { FileAnswer } from '@hes/contract/core/file.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import { writeAudit } from '#db/audit.ts';
import { checkRange } from '#features/readings/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { pricesAt } from '#features/billing/price/queries.ts';
import { countUncalculated } from './calculate-queries.ts';
import { daysOfBalances, daysOfDcu, daysOfMeter, findLine, findPeriod, hasMeter, lockPeriod, markPublished, pricesOf } from './queries.ts';
import { statementOf } from './statement.ts';

/** Publishes a period irrevocably. The publisher differs from the calculating user, and the whole network must be calculated. */
export async function publishBill(ctx: Context, { user, ip }: Who, { id, version }: { id: string; version: number }): Promise<BillPeriod> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const period = await lockPeriod(tx, id);
    if (period === undefined) throw new ApiError('NOT_FOUND');
    if (period.state === 'published') throw new ApiError('PUBLISHED');
    if (period.state === 'open' || period.taskState === 'running') throw new ApiError('PERIOD_BUSY');
    if (period.version !== version) throw stale((await findPeriod(tx, { id })) ?? period);
    if (period.calculatedBy === user.id) throw new ApiError('SAME_USER');
    const count = await countUncalculated(tx, id);
    if (count > 0) throw new ApiError('PERIOD_PARTIAL', { count });
    await markPublished(tx, id, user.id, new Date(now));
    const detail = { from: period.firstDay, to: period.lastDay };
    await writeAudit(tx, { userId: user.id, action: 'bill_published', entity: 'bill_period', entityId: id, detail, ip }, now);
  });
  const period = await findPeriod(ctx.db, { id });
  if (period === undefined) throw new ApiError('NOT_FOUND');
  return period;
}

export async function getLine(ctx: Context, user: User, key: { id: string; meterId: string }) {
  const line = await findLine(ctx.db, user, key, ctx.settings.timeZone);
  if (line === undefined) throw new ApiError('NOT_FOUND');
  return line;
}

export async function getStatement(ctx: Context, user: User, key: { id: string; meterId: string }, locale: Locale): Promise<FileAnswer> {
  const [line, period] = await Promise.all([findLine(ctx.db, user, key, ctx.settings.timeZone), findPeriod(ctx.db, { id: key.id })]);
  if (line === undefined || period === undefined) throw new ApiError('NOT_FOUND');
  // Periods from before prices were stored use the current price list.
  const prices = (await pricesOf(ctx.db, period.id)) ?? (await pricesAt(ctx.db, period.firstDay));
  const content = await statementOf({ line, period, prices, locale, timeZone: ctx.settings.timeZone, now: ctx.clock.now() });
  return { name: `${line.sn}-${period.firstDay}-${period.lastDay}.pdf`, type: 'application/pdf', content };
}

interface TrendQuery {
  from: string;
  to: string;
  node?: NodeKey | undefined;
}

/** Consumption by day: of a meter or a DCU from the freezes, of larger nodes from the stored balances. */
export async function trendOf(ctx: Context, user: User, query: TrendQuery) {
  checkRange(query);
  const { db } = ctx;
  const node = query.node === undefined ? undefined : nodeOf(query.node);
  if (node?.kind === 'meter') {
    const days = (await hasMeter(db, user, node.id)) ? await daysOfMeter(db, node.id, query.from, query.to) : [];
    return { items: days.map((day) => ({ ...day, metersData: day.plus === null ? 0 : 1 })) };
  }
  return { items: node?.kind === 'dcu' ? await daysOfDcu(db, user, node.id, query) : await daysOfBalances(db, user, query) };
}
