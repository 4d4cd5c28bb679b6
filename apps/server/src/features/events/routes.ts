import { event } from '@hes/contract/event/event.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { eventSheet, incidentSheet } from './export-events.ts';
import { listCodes, listMutes } from './code-queries.ts';
import { countEvents, listEvents, listIncidents } from './queries.ts';
import { acknowledgeSelection, getEvent, muteCode, saveCode, searchOf, unmuteCode, writeNote } from './service.ts';

export const eventRoutes: Implemented[] = [
  ...exportRoutes(eventSheet),
  ...exportRoutes(incidentSheet),
  ...implement(event, {
    list: ({ ctx, user, query }) => listEvents(ctx.db, user, { ...searchOf(ctx, query), after: query.after }, ctx.clock.now()),
    facets: ({ ctx, user, query }) => countEvents(ctx.db, user, searchOf(ctx, query)),
    incidents: ({ ctx, user, query }) => listIncidents(ctx.db, user, searchOf(ctx, query)),
    get: ({ ctx, user, params }) => getEvent(ctx, user, params.id),
    acknowledge: ({ ctx, user, body, wire }) => acknowledgeSelection(ctx, { user, ip: wire.ip }, body),
    note: ({ ctx, user, params, body, wire }) => writeNote(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    mutes: async ({ ctx, user }) => ({ items: await listMutes(ctx.db, user) }),
    mute: ({ ctx, user, body, wire }) => muteCode(ctx, { user, ip: wire.ip }, body),
    unmute: ({ ctx, user, params, wire }) => unmuteCode(ctx, { user, ip: wire.ip }, params.id),
    codes: async ({ ctx }) => ({ items: await listCodes(ctx.db) }),
    saveCode: ({ ctx, user, body, wire }) => saveCode(ctx, { user, ip: wire.ip }, body),
  }),
];
