import { z } from 'zod';
import { id, idParams, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { PAGE_PATH } from '../page/paths.ts';

const allow = { page: PAGE_PATH.realTimeReading, action: 'execute' } as const;

export const MAX_METERS_AT_ONCE = 20;
export const MIN_REPEAT_S = 5;
export const MAX_REPEAT_S = 300;
export const MAX_REPEAT_MINUTES = 30;

export const realTimeGroup = z.enum(['electric', 'power', 'energy', 'relay', 'clock']);
export type RealTimeGroup = z.infer<typeof realTimeGroup>;

export const realTimeOrder = z.object({
  meterIds: z.array(id).min(1, RULES.selectData.en).max(MAX_METERS_AT_ONCE),
  groups: z
    .array(realTimeGroup)
    .min(1, RULES.selectData.en)
    .default([...realTimeGroup.options]),
  /** Store the values as readings. */
  store: z.boolean().default(false),
});
export type RealTimeOrder = z.output<typeof realTimeOrder>;

/** The client repeats the reading by `repeat`; the server repeats nothing automatically, so readings end when the client does. */
export const realTime = {
  order: route({
    method: 'POST',
    path: '/action/read/real-time',
    summary: 'Read the present values of meters',
    allow,
    endangers: 'nothing',
    body: realTimeOrder,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'NOT_BOUND'],
  }),
  repeat: route({
    method: 'POST',
    path: '/action/read/real-time/{id}/repeat',
    summary: 'Repeat the reading of a task; items that are waiting or being read are not queued again',
    allow,
    endangers: 'nothing',
    params: idParams,
    response: z.object({ queued: z.number().int() }),
    status: 202,
    errors: ['NOT_FOUND', 'REPEAT_ENDED'],
  }),
};
