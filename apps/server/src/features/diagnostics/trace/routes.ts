import { trace } from '@hes/contract/trace/trace.ts';
import { iso } from '#db/paging.ts';
import { writeAudit } from '#db/audit.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { unpackFrames } from '#storage/frames.ts';
import { decodeFrame } from './decode-frame.ts';
import { findTrace, type FoundTrace } from './queries.ts';

export const traceRoutes = implement(trace, {
  get: async ({ ctx, user, params, wire }) => {
    const found = await findTrace(ctx.db, user, params.id);
    if (found === undefined) throw new ApiError('NOT_FOUND');
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
