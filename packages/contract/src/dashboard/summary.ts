import { z } from 'zod';
import { day, id, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { dcuOnlineStatus, freshness, inventoryState } from '../states/device.ts';
import { taskRow } from '../task/task.ts';
import { cardQuery } from './card.ts';
import { measured } from '../core/measured.ts';

/** west,south,east,north */
export const mapBox = z
  .string()
  .regex(/^-?\d{1,3}(\.\d{1,9})?(,-?\d{1,3}(\.\d{1,9})?){3}$/)
  .transform((text) => text.split(',').map(Number) as [number, number, number, number]); // as: the pattern has four
export type MapBox = z.output<typeof mapBox>;

const loadSlot = z.object({ at: instant, kw: measured('kW').nullable() });
const gotOf = z.object({ got: z.number().int(), expected: z.number().int() });

export const dashboard = {
  summary: route({
    method: 'GET',
    path: '/dashboard/summary',
    summary: 'Key figures of the fleet',
    allow: 'signed-in',
    query: cardQuery,
    response: z.object({
      at: instant,
      /** The network is the simulated town of the demonstration. */
      isDemonstration: z.boolean(),
      transformers: z.number().int(),
      dcus: z.object({ total: z.number().int(), byStatus: z.record(dcuOnlineStatus, z.number().int()) }),
      meters: z.object({
        total: z.number().int(),
        byInventory: z.record(inventoryState, z.number().int()),
        plc: z.number().int(),
        rf: z.number().int(),
        direct: z.number().int(),
      }),
      freshness: z.object({ dcu: z.record(freshness, z.number().int()), meter: z.record(freshness, z.number().int()) }),
      /** Oldest first; the chosen day, or today, is last. */
      completeness: z.array(z.object({ day, daily: gotOf, lpa: gotOf })),
      /** Average active power of the master meters in kW, by 15-minute slot of the chosen day, or today, and of the day before. Null: not collected yet. */
      load: z.object({ today: z.array(loadSlot), yesterday: z.array(loadSlot) }),
      runningTasks: z.array(taskRow),
      valuesStored24h: z.number().int(),
      worstDcus: z.array(
        z.object({ id, sn: z.string(), transformerName: z.string().nullable(), got: z.number().int(), expected: z.number().int() }),
      ),
      /** Received of expected slots of load profile A by level and local hour of the chosen day, or today. `hours` has the beginnings of the hours of `rates`. Null: in the future. */
      heat: z.object({
        hours: z.array(instant),
        levels: z.array(z.object({ levelId: id, name: z.string(), rates: z.array(z.number().nullable()) })),
      }),
      /** Last use of the emergency account within a week, for those who may see users or the audit log. */
      emergency: z.object({ username: z.string(), at: instant }).nullable(),
      /** A new installation reads the history of its meters: missing values are not failures yet. Null: no. */
      filling: z.object({ percent: z.number().int(), minutesLeft: z.number().int().nullable(), isDemonstration: z.boolean() }).nullable(),
    }),
  }),
  map: route({
    method: 'GET',
    path: '/dashboard/map',
    summary: 'Transformers of a map section with the freshness of their devices, clustered if there are many',
    allow: 'signed-in',
    query: z.object({ box: mapBox.optional() }),
    response: listOf(
      z.object({
        /** Null: a cluster of several transformers. */
        transformerId: id.nullable(),
        transformers: z.number().int(),
        name: z.string(),
        /** Null: the transformers of the cluster belong to several levels. */
        levelName: z.string().nullable(),
        longitude: z.number(),
        latitude: z.number(),
        meters: z.number().int(),
        freshness: z.record(freshness, z.number().int()),
        dcuSns: z.array(z.string()),
      }),
    ),
  }),
};
