import { z } from 'zod';
import { id, idParams, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';

const allow = { page: '/action/real-time-reading', action: 'execute' } as const;

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
  /** Keep what is read among the readings. */
  keep: z.boolean().default(false),
});
export type RealTimeOrder = z.output<typeof realTimeOrder>;

/** Repetition is the console's: it asks again for as long as somebody looks, so nothing goes on when the tab is left. */
export const realTime = {
  order: route({
    method: 'POST',
    path: '/action/read/real-time',
    summary: 'What meters measure this second',
    allow,
    endangers: 'nothing',
    body: realTimeOrder,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'NOT_BOUND'],
  }),
  again: route({
    method: 'POST',
    path: '/action/read/real-time/{id}/again',
    summary: 'Read the same once more; items that still wait or are being read are left alone',
    allow,
    endangers: 'nothing',
    params: idParams,
    response: z.object({ queued: z.number().int() }),
    status: 202,
    errors: ['NOT_FOUND', 'REPEAT_ENDED'],
  }),
};
