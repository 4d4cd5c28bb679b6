import { z } from 'zod';
import { unsupportedRow } from '../asset/meter-type.ts';
import { day, id, listOf, taskRef } from '../core/page.ts';
import { RULES } from '../core/rules.ts';
import { route } from '../core/route.ts';
import { readSource } from '../reading/reading.ts';
import { isCachedType } from '../states/plan.ts';

export const MAX_METERS_PER_ORDER = 1000;
/** Before any collection: somebody is looking at the screen. */
export const ON_DEMAND_PRIORITY = 3;

export const onDemandKind = z.enum(['registers', 'daily', 'monthly', 'energy', 'lpa', 'lpb']);
export type OnDemandKind = z.infer<typeof onDemandKind>;

export const onDemandOrder = z
  .object({
    meterIds: z.array(id).min(1).max(MAX_METERS_PER_ORDER),
    kind: onDemandKind.default('registers'),
    /** Keys of `GET /reading/obis`; for registers only. */
    items: z.array(z.string().max(64)).max(64).default([]),
    /** Calendar days of the utility; for everything but registers. */
    from: day.optional(),
    to: day.optional(),
    /** Ask for registers that the type of a meter is known not to have, too. */
    askAnyway: z.boolean().default(false),
    /** Write what arrives into the readings. */
    store: z.boolean().default(true),
    /** `cache`: what the DCU has read by itself, of kinds it keeps. */
    source: readSource.default('meter'),
    priority: z.int().min(ON_DEMAND_PRIORITY).max(9).default(ON_DEMAND_PRIORITY),
  })
  .refine((order) => order.kind !== 'registers' || order.items.length > 0, { path: ['items'], message: 'Please Select Data!' })
  .refine((order) => order.kind === 'registers' || (order.from !== undefined && order.to !== undefined && order.from <= order.to), {
    path: ['from'],
    message: 'A first and a last day are needed',
  })
  .refine((order) => order.source === 'meter' || isCachedType(order.kind), { path: ['source'], message: RULES.cellChoice.en });
export type OnDemandOrder = z.infer<typeof onDemandOrder>;

export const read = {
  unsupported: route({
    method: 'GET',
    path: '/action/read/unsupported',
    summary: 'What types of meters are known not to have: it is not asked of them',
    allow: { page: '/action/on-demand-reading', action: 'view' },
    response: listOf(unsupportedRow),
  }),
  /** Answers at once; one item per meter, results by `task.item` and `GET /task/{id}/items`. */
  onDemand: route({
    method: 'POST',
    path: '/action/read/on-demand',
    summary: 'Read meters now',
    allow: { page: '/action/on-demand-reading', action: 'execute' },
    endangers: 'nothing',
    body: onDemandOrder,
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'NOT_BOUND', 'UNKNOWN_ITEM', 'RANGE_TOO_LONG'],
  }),
};
