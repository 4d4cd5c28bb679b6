import type { LimitRow, meterLimit } from '@hes/contract/analysis/anomaly.ts';
import type { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import { findThresholds } from '#features/balance/balance/queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { findLimit, writeLimit } from './limit-queries.ts';

/** Limits of the daily energy of a meter. */
export async function getLimit({ db }: Pick<Context, 'db'>, user: User, id: string): Promise<LimitRow> {
  const { upperLimitFactor, lowerLimitDays } = await findThresholds(db);
  const limit = await findLimit(db, user, id, upperLimitFactor);
  if (limit === undefined) throw new ApiError('NOT_FOUND');
  return { ...limit, lowerLimitDays };
}

/** Sets the limits of one meter. The analysis job judges its recent days again. */
export async function setLimit(ctx: Context, { user, ip }: Who, id: string, change: z.output<typeof meterLimit>): Promise<LimitRow> {
  const before = await getLimit(ctx, user, id);
  const { upperKwh, lowerKwh, version } = change;
  const now = ctx.clock.now();
  const isWritten = await ctx.db.transaction().execute(async (tx) => {
    if (!(await writeLimit(tx, { meterId: id, upperKwh, lowerKwh, version }, new Date(now)))) return false;
    const from = { upperKwh: before.upperKwh, lowerKwh: before.lowerKwh };
    const detail = { sn: before.sn, from, to: { upperKwh, lowerKwh } };
    await writeAudit(tx, { userId: user.id, ip, action: 'meter_limit_changed', entity: 'meter', entityId: id, detail }, now);
    return true;
  });
  const after = await getLimit(ctx, user, id);
  if (!isWritten) throw stale(after);
  return after;
}
