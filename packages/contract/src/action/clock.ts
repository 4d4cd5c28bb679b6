import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, id, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { clockClass, clockMethod } from '../states/clock.ts';
import { deviceRef, MAX_DEVICES_PER_ORDER, openOrder } from './device-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.clocks;

export const clockRow = z.object({
  deviceKind: z.enum(['dcu', 'meter']),
  deviceId: id,
  sn: z.string(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  transformerName: z.string().nullable(),
  /** Time as encoded by the device, with its own UTC deviation. */
  deviceTime: z.string().nullable(),
  readAt: instant.nullable(),
  /** Device time minus head-end time; null if the clock was not read or holds no valid time. */
  deviationMs: z.number().int().nullable(),
  /** Round-trip time of the reading; the deviation is accurate to half of it. */
  roundTripMs: z.number().int().nullable(),
  /** Time zone attribute of the clock: UTC minus local standard time, in minutes. */
  zoneMinutes: z.number().int().nullable(),
  status: z.number().int().nullable(),
  clockBase: z.string().nullable(),
  hasDaylightSaving: z.boolean().nullable(),
  lastSyncAt: instant.nullable(),
  lastSyncMethod: clockMethod.nullable(),
  class: clockClass,
  traceId: z.string().nullable(),
  openOrder: openOrder.nullable(),
});
export type ClockRow = z.infer<typeof clockRow>;

const filters = z.object({
  kind: z.enum(['dcu', 'meter']).optional(),
  node: nodeKey.optional(),
  search: z.string().max(64).optional(),
  class: csv(clockClass).optional(),
  /** Minimum absolute deviation in seconds. */
  deviationS: z.coerce.number().int().min(0).max(1_000_000_000).optional(),
});
export type ClockFilters = z.output<typeof filters>;

/** Upper bounds of the histogram bins in seconds; the first and the last bin are open. */
export const HISTOGRAM_EDGES_S = [-300, -60, -30, -15, -5, -2, 0, 2, 5, 15, 30, 60, 300] as const;

export const clockOperation = z.enum(['read', 'sync', 'broadcast']);
export type ClockOperation = z.infer<typeof clockOperation>;

export const clockOrder = z
  .object({
    devices: z.array(deviceRef).min(1, RULES.selectData.en).max(MAX_DEVICES_PER_ORDER),
    operation: clockOperation,
    /** `auto`: shifts a clock with a small deviation and sets one with a large deviation. */
    method: z.enum(['auto', 'shift', 'set']).default('auto'),
    /** Must be true to set clocks that deviate by more than the limit, because their profiles will contain a jump. */
    isConfirmed: z.boolean().default(false),
    /** Hours for which an item waits for an offline device; 0: it fails immediately. */
    waitHours: z.number().int().min(0).max(72).default(0),
    reason: z.string().trim().max(256).default(''),
  })
  .refine((order) => order.operation === 'read' || order.reason.length > 0, { path: ['reason'], message: RULES.reason.en });
export type ClockOrder = z.output<typeof clockOrder>;

export const clock = {
  list: route({
    method: 'GET',
    path: '/action/clock',
    summary: 'Clocks of DCUs and meters as last read',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(clockRow),
  }),
  summary: route({
    method: 'GET',
    path: '/action/clock/summary',
    summary: 'Number of clocks by class, and a histogram of their deviations',
    allow: { page, action: 'view' },
    query: filters.omit({ class: true }),
    response: z.object({
      total: z.number().int(),
      byClass: z.record(clockClass, z.number().int()),
      /** Counts by bin: one bin more than `HISTOGRAM_EDGES_S` has edges. */
      histogram: z.array(z.number().int()),
    }),
  }),
  order: route({
    method: 'POST',
    path: '/action/clock',
    summary: 'Read or synchronise clocks, or broadcast the time',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: clockOrder,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'DCU_NOT_FOUND', 'NOT_BOUND', 'DCU_LACKS'],
  }),
};
