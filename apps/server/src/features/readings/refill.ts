import type { RefillEstimate, RefillOrder } from '@hes/contract/reading/gap.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { dayNumberOf, Zone } from '@hes/contract/schedule/zone.ts';
import { scanGaps } from '#storage/gaps.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { findCandidates, findRefillable, sumUp, type RefillCandidate } from './gap-queries.ts';
import { checkRange } from './service.ts';

const HOUR_MS = 3_600_000;
/** A more recent capture may still arrive. */
const GRACE_MS = 60_000;

/** Scans for gaps first, so that an order about yesterday does not depend on the periodic scan. */
async function candidatesOf(ctx: Context, user: User, order: RefillOrder): Promise<RefillCandidate[]> {
  checkRange(order);
  const ids = await findRefillable(ctx.db, user, order);
  const zone = new Zone(ctx.settings.timeZone);
  const now = ctx.clock.now();
  const to = Math.min(now - GRACE_MS, zone.startOf(dayNumberOf(order.to) + 1) - 1);
  await scanGaps(ctx.pool, {
    profile: order.profile,
    from: zone.startOf(dayNumberOf(order.from)),
    to,
    timeZone: ctx.settings.timeZone,
    now,
    condition: 'm.id = any($6::bigint[])',
    ids,
  });
  return findCandidates(ctx.db, user, order, ctx.settings.timeZone);
}

export async function estimateRefill(ctx: Context, user: User, order: RefillOrder): Promise<RefillEstimate> {
  return sumUp(await candidatesOf(ctx, user, order), order.minutesPerDcu * 60);
}

/** Queues the gaps within the budget; the others stay open for the periodic job or the next order. */
export async function orderRefill(ctx: Context, who: Who, order: RefillOrder): Promise<{ taskId: string }> {
  const fitting = (await candidatesOf(ctx, who.user, order)).filter(({ upTo }) => upTo <= order.minutesPerDcu * 60);
  if (fitting.length === 0) throw new ApiError('NOTHING_TO_DO');
  const { profile, from, to, source, priority } = order;
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, 'refill', {
      params: { profile, from, to, ...(source === 'cache' ? { source } : {}) },
      priority,
      items: fitting.map(({ dcuId, meterId }) => ({ deviceKind: 'meter', dcuId, meterId })),
      expiresAt: new Date(ctx.clock.now() + 12 * HOUR_MS),
      record: { detail: { profile, from, to, meters: fitting.length } },
    }),
  );
}
