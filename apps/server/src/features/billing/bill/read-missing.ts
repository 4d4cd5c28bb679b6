import { MAX_METERS_PER_ORDER } from '@hes/contract/action/read.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { localDay } from '#features/readings/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { findPeriod, findUnread } from './queries.ts';

/** Orders the daily freezes of the period from meters whose line is missing or estimated. */
export async function readMissing(ctx: Context, who: Who, id: string, node: NodeKey | undefined) {
  const period = await findPeriod(ctx.db, { id });
  if (period === undefined) throw new ApiError('NOT_FOUND');
  const { meters, total } = await findUnread(ctx.db, who.user, { periodId: id, node }, MAX_METERS_PER_ORDER);
  if (meters.length === 0) throw new ApiError('NOTHING_TO_DO');
  const { firstDay: from, lastDay } = period;
  const { taskId } = await ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, 'daily', {
      params: { from, to: closingDay(lastDay, localDay(ctx.clock.now(), ctx.settings.timeZone)) },
      items: meters.map(({ meterId, dcuId }) => ({ deviceKind: 'meter', dcuId, meterId })),
    }),
  );
  return { taskId, meters: meters.length, left: total - meters.length };
}

/** The closing value of a period is the freeze of the next midnight, if that is past. */
function closingDay(lastDay: string, today: string): string {
  const next = new Date(Date.parse(lastDay) + 86_400_000).toISOString().slice(0, 10);
  return next < today ? next : today;
}
