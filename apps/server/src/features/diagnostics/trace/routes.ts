import { trace } from '@hes/contract/trace/trace.ts';
import { iso } from '#db/paging.ts';
import { writeAudit } from '#db/audit.ts';
import { findRetention } from '#db/retention.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { unpackFrames } from '#storage/frames.ts';
import { beginOfTrace, isInShare } from '#storage/trace-share.ts';
import { decodeFrame } from './decode-frame.ts';
import { findSharesAt, findTrace, type FoundTrace } from './queries.ts';

const DAY_MS = 86_400_000;

/** Why a trace is not there. Only the id is asked, so the answer tells nothing about devices outside of the user's area. */
async function reasonOf({ db, pool, clock }: Pick<Context, 'db' | 'pool' | 'clock'>, id: string, sharePercent: number): Promise<ApiError> {
  const begun = beginOfTrace(id);
  if (begun === undefined) return new ApiError('NOT_FOUND');
  const { traceDays: days } = await findRetention(pool);
  if (clock.now() - begun > days * DAY_MS) return new ApiError('TRACE_EXPIRED', { days });
  const excluding = (await findSharesAt(db, begun, sharePercent)).filter((percent) => !isInShare(id, percent));
  return excluding.length === 0 ? new ApiError('NOT_FOUND') : new ApiError('TRACE_NOT_KEPT', { percent: Math.max(...excluding) });
}

/** @param sharePercent share of routine collection whose frames are kept by head-ends that did not write theirs */
export const traceRoutes = (sharePercent: number) =>
  implement(trace, {
    get: async ({ ctx, user, params, wire }) => {
      const found = await findTrace(ctx.db, user, params.id);
      if (found === undefined) throw await reasonOf(ctx, params.id, sharePercent);
      await auditLook(ctx, { user, ip: wire.ip }, found);
      return { ...found, at: iso(found.at), frames: unpackFrames(found.frames, ctx.secrets).map(decodeFrame) };
    },
  });

/** Audits the access, because deciphered bytes contain consumption of a household. */
async function auditLook(ctx: Context, { user, ip }: Who, { id, at, dcuId, dcuSn, meterId, meterSn }: FoundTrace): Promise<void> {
  const device = meterId === null ? ({ entity: 'dcu', entityId: dcuId } as const) : ({ entity: 'meter', entityId: meterId } as const);
  const detail = { traceId: id, exchangedAt: iso(at), dcuSn, ...(meterId === null ? {} : { meterSn }) };
  const entry = { userId: user.id, action: 'exchange_read', ...device, detail, ip } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
}
