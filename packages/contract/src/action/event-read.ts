import { z } from 'zod';
import { day, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { eventLog } from '../states/event.ts';
import { deviceRef, MAX_DEVICES_PER_ORDER } from './device-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const MAX_EVENTS_PER_LOG = 500;

export const eventReadOrder = z
  .object({
    devices: z.array(deviceRef).min(1, RULES.selectData.en).max(MAX_DEVICES_PER_ORDER),
    logs: z.array(eventLog).min(1, RULES.selectData.en),
    /** Either a range of calendar days of the utility, or `last`: the number of newest entries of each log. */
    from: day.optional(),
    to: day.optional(),
    last: z.number().int().min(1).max(MAX_EVENTS_PER_LOG).optional(),
  })
  .refine((order) => order.last !== undefined || (order.from !== undefined && order.to !== undefined && order.from <= order.to), {
    path: ['from'],
    message: RULES.bothDays.en,
  });
export type EventReadOrder = z.output<typeof eventReadOrder>;

export const eventRead = {
  /** The task has one item per device; its result counts new events, which are stored, and known ones. */
  order: route({
    method: 'POST',
    path: '/action/read/event',
    summary: 'Read event logs now',
    allow: { page: PAGE_PATH.eventReading, action: 'execute' },
    endangers: 'nothing',
    body: eventReadOrder,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'DCU_NOT_FOUND', 'NOT_BOUND', 'RANGE_TOO_LONG', 'DCU_LACKS'],
  }),
};
