import { dcuLog } from '@hes/contract/debug/dcu-log.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { decodeFrame } from '#features/diagnostics/trace/decode-frame.ts';
import { ApiError } from '#platform/api-error.ts';
import { frameSheet } from './export-frames.ts';
import { findFrame, listCaptures, listFrames } from './queries.ts';
import { replay, type SimulatorDoor } from './replay.ts';
import { checkDays, clearLog, framesAsLines, readOwnLog, switchCapture, writeNote } from './service.ts';

export const dcuLogRoutes = (simulator: SimulatorDoor): Implemented[] => [
  ...exportRoutes(frameSheet),
  ...implement(dcuLog, {
    list: ({ ctx, user, query }) => {
      checkDays(query);
      return listFrames(ctx.db, user, query, ctx.settings.timeZone);
    },
    get: async ({ ctx, user, params }) => {
      const found = await findFrame(ctx.db, user, params.id);
      if (found === undefined) throw new ApiError('NOT_FOUND');
      const { at, direction, octets, plain, note } = found;
      return { ...decodeFrame({ at: at.getTime(), direction, octets, plain: plain ?? undefined }), note };
    },
    note: ({ ctx, user, params, body, wire }) => writeNote(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    captures: async ({ ctx, user }) => ({ items: await listCaptures(ctx.db, user) }),
    capture: ({ ctx, user, body, wire }) => switchCapture(ctx, { user, ip: wire.ip }, body),
    clear: ({ ctx, user, body, wire }) => clearLog(ctx, { user, ip: wire.ip }, body.dcuId),
    device: ({ ctx, user, body, wire }) => readOwnLog(ctx, { user, ip: wire.ip }, body),
    replay: ({ ctx, user, body, wire }) => replay(ctx, { user, ip: wire.ip }, body, simulator),
    ndjson: ({ ctx, user, query }) => framesAsLines(ctx, user, query),
  }),
];
