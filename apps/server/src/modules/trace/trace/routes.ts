import { trace } from '@hes/contract/trace/trace.ts';
import { iso } from '#db/paging.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { unpackFrames } from '#storage/frames.ts';
import { decodeFrame } from './decode-frame.ts';
import { findTrace } from './queries.ts';

export const traceRoutes = implement(trace, {
  get: async ({ ctx, user, params }) => {
    const found = await findTrace(ctx.db, user, params.id);
    if (found === undefined) throw new ApiError('NOT_FOUND');
    return { ...found, at: iso(found.at), frames: unpackFrames(found.frames, ctx.secrets).map(decodeFrame) };
  },
});
