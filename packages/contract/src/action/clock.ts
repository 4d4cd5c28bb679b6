import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, id, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { clockClass, clockMethod } from '../states/clock.ts';
import { deviceRef, MAX_DEVICES_PER_ORDER, openOrder } from './device-order.ts';

const page = '/action/clock-synchronization';

export const clockRow = z.object({
  deviceKind: z.enum(['dcu', 'meter']),
  deviceId: id,
  sn: z.string(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  transformerName: z.string().nullable(),
  /** As the device wrote it, deviation included. */
  deviceTime: z.string().nullable(),
  readAt: instant.nullable(),
  /** Ahead of ours is positive; null where it was not read, or is no time. */
  deviationMs: z.number().int().nullable(),
  /** Half of it is what the deviation may be wrong by. */
  roundTripMs: z.number().int().nullable(),
  /** UTC minus local normal time. */
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
  /** Off by at least so many seconds, in either direction. */
  deviationS: z.coerce.number().int().min(0).max(1_000_000_000).optional(),
});
export type ClockFilters = z.output<typeof filters>;

/** Upper bounds of the bars of the histogram, in seconds; the first and the last are open. */
export const HISTOGRAM_EDGES_S = [-300, -60, -30, -15, -5, -2, 0, 2, 5, 15, 30, 60, 300] as const;

export const clockOperation = z.enum(['read', 'sync', 'broadcast']);
export type ClockOperation = z.infer<typeof clockOperation>;

export const clockOrder = z
  .object({
    devices: z.array(deviceRef).min(1, RULES.selectData.en).max(MAX_DEVICES_PER_ORDER),
    operation: clockOperation,
    /** `auto`: shift what is off by little, set what is off by more. */
    method: z.enum(['auto', 'shift', 'set']).default('auto'),
    /** Said for clocks that are off by more than the limit: their profiles will contain a jump. */
    isConfirmed: z.boolean().default(false),
    /** A device that is offline: fail now, or wait for it so many hours. */
    waitHours: z.number().int().min(0).max(72).default(0),
    reason: z.string().trim().max(256).default(''),
  })
  .refine((order) => order.operation === 'read' || order.reason.length > 0, { path: ['reason'], message: RULES.reason.en });
export type ClockOrder = z.output<typeof clockOrder>;

export const clock = {
  list: route({
    method: 'GET',
    path: '/action/clock',
    summary: 'Clocks of DCUs and meters as they were last read',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(clockRow),
  }),
  summary: route({
    method: 'GET',
    path: '/action/clock/summary',
    summary: 'How many clocks are in which class, and how far they are off',
    allow: { page, action: 'view' },
    query: filters.omit({ class: true }),
    response: z.object({
      total: z.number().int(),
      byClass: z.record(clockClass, z.number().int()),
      /** One more bar than `HISTOGRAM_EDGES_S` has edges. */
      histogram: z.array(z.number().int()),
    }),
  }),
  order: route({
    method: 'POST',
    path: '/action/clock',
    summary: 'Read, synchronise or broadcast the time',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: clockOrder,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'DCU_NOT_FOUND', 'NOT_BOUND'],
  }),
};
