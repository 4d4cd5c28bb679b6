import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { day, id, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { anomalyType } from '../states/anomaly.ts';
import { bindState, dispatchState } from '../states/archive.ts';
import { eventLog } from '../states/event.ts';
import { signalStrength } from '../states/signal.ts';

/** Node of the network and local day of a card; without a day, the last 24 hours or the newest day with data. */
export const cardQuery = z.object({ node: nodeKey.optional(), date: day.optional() });

const card = { method: 'GET', allow: 'signed-in' } as const;

/** Each card of the dashboard is a separate call, so that a failure affects one card only. */
export const dashboardCard = {
  events: route({
    ...card,
    path: '/dashboard/events',
    summary: 'Abnormal events of the last 24 hours or of a day, by hour, and the ten newest',
    query: cardQuery,
    response: z.object({
      serious: z.number().int(),
      warning: z.number().int(),
      /** Oldest first; the last hour is incomplete. */
      hours: z.array(z.object({ at: instant, serious: z.number().int(), warning: z.number().int() })),
      latest: z.array(
        z.object({
          id,
          occurAt: instant,
          level: z.enum(['serious', 'warning']),
          log: eventLog,
          code: z.number().int(),
          /** Null: the code has no name in the catalogue. */
          nameEn: z.string().nullable(),
          nameZh: z.string().nullable(),
          sn: z.string(),
          transformerName: z.string().nullable(),
        }),
      ),
    }),
  }),
  archives: route({
    ...card,
    path: '/dashboard/archives',
    summary: 'Archive entries by the four combinations of binding and dispatch',
    query: cardQuery,
    response: listOf(z.object({ bind: bindState, dispatch: dispatchState, count: z.number().int() })),
  }),
  signal: route({
    ...card,
    path: '/dashboard/signal',
    summary: 'Stations by signal class',
    query: cardQuery,
    response: z.object({ bySignal: z.record(signalStrength, z.number().int()) }),
  }),
  anomalies: route({
    ...card,
    path: '/dashboard/anomalies',
    summary: 'Meters by kind of anomaly on a day, or on the newest evaluated day',
    query: cardQuery,
    response: z.object({ day: day.nullable(), byType: z.record(anomalyType, z.number().int()) }),
  }),
  losses: route({
    ...card,
    path: '/dashboard/losses',
    summary: 'Transformers with the highest relative loss on a day, or on the newest balanced day',
    query: cardQuery,
    response: listOf(z.object({ transformerId: id, name: z.string(), day, lossKwh: z.number(), lossPercent: z.number() })),
  }),
  availability: route({
    ...card,
    path: '/dashboard/availability',
    summary: 'DCUs online by hour of the last 24 hours or of a day: mean, maximum and percentage',
    query: cardQuery,
    response: z.object({
      total: z.number().int(),
      /** All null: the head-end was down, or no DCU was registered. `percent` refers to the DCUs with a known state. */
      hours: z.array(
        z.object({ at: instant, mean: z.number().nullable(), max: z.number().int().nullable(), percent: z.number().nullable() }),
      ),
    }),
  }),
};
