import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { day, id, instant, listOf } from '../core/page.ts';
import { route, type Route } from '../core/route.ts';
import { anomalyType } from '../states/anomaly.ts';
import { bindState, dispatchState } from '../states/archive.ts';
import { eventLog } from '../states/event.ts';
import { signalStrength } from '../states/signal.ts';

/** Node of the network and local day of a card; without a day, the last 24 hours or the newest day with data. */
export const cardQuery = z.object({ node: nodeKey.optional(), date: day.optional() });

/** Each card of the dashboard is a separate call, so that a failure affects one card only. */
const card = <const P extends string, const R extends Route['response']>(path: P, summary: string, response: R) =>
  route({ method: 'GET', path, summary, allow: 'signed-in', query: cardQuery, response });

export const dashboardCard = {
  events: card(
    '/dashboard/events',
    'Abnormal events of the last 24 hours or of a day, by hour, and the ten newest',
    z.object({
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
  ),
  archives: card(
    '/dashboard/archives',
    'Archive entries by the four combinations of binding and dispatch',
    listOf(z.object({ bind: bindState, dispatch: dispatchState, count: z.number().int() })),
  ),
  signal: card('/dashboard/signal', 'Stations by signal class', z.object({ bySignal: z.record(signalStrength, z.number().int()) })),
  anomalies: card(
    '/dashboard/anomalies',
    'Meters by kind of anomaly on a day, or on the newest evaluated day',
    z.object({ day: day.nullable(), byType: z.record(anomalyType, z.number().int()) }),
  ),
  losses: card(
    '/dashboard/losses',
    'Transformers with the highest relative loss on a day, or on the newest balanced day',
    listOf(z.object({ transformerId: id, name: z.string(), day, lossKwh: z.number(), lossPercent: z.number() })),
  ),
  availability: card(
    '/dashboard/availability',
    'DCUs online by hour of the last 24 hours or of a day: mean, maximum and percentage',
    z.object({
      total: z.number().int(),
      /** All null: the head-end was down, or no DCU was registered. `percent` refers to the DCUs with a known state. */
      hours: z.array(
        z.object({ at: instant, mean: z.number().nullable(), max: z.number().int().nullable(), percent: z.number().nullable() }),
      ),
    }),
  ),
};
