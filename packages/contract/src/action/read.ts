import { z } from 'zod';
import { unsupportedRow } from '../asset/meter-type.ts';
import { day, id, listOf, taskRef } from '../core/page.ts';
import { RULES } from '../core/rules.ts';
import { route } from '../core/route.ts';
import { readSource } from '../reading/reading.ts';
import { isCachedType } from '../states/plan.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const MAX_METERS_PER_ORDER = 1000;
/** Ahead of all collection, because an operator waits for the result. */
export const ON_DEMAND_PRIORITY = 3;

export const ON_DEMAND_KINDS = ['registers', 'daily', 'monthly', 'energy', 'lpa', 'lpb'] as const;
export const onDemandKind = z.enum(ON_DEMAND_KINDS);
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
    /** Also read registers that the meter type is known not to support. */
    includeUnsupported: z.boolean().default(false),
    /** Store the values as readings. */
    store: z.boolean().default(true),
    /** `meter`: read through to the meter; `cache`: values that the DCU has already collected, for the kinds it caches. */
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
    summary: 'Objects that meter types are known not to support; reading orders skip them',
    allow: { page: PAGE_PATH.onDemandReading, action: 'view' },
    response: listOf(unsupportedRow),
  }),
  /** Returns immediately; the task has one item per meter, with results in `task.item` messages and `GET /task/{id}/items`. */
  onDemand: route({
    method: 'POST',
    path: '/action/read/on-demand',
    summary: 'Read meters now',
    allow: { page: PAGE_PATH.onDemandReading, action: 'execute' },
    endangers: 'nothing',
    body: onDemandOrder,
    v1: {
      description:
        'Orders that meters are read now and answers at once with a task. Poll the task until it is over, then read its items. With kind registers name the items by the keys of GET /reading/obis; other kinds need the days from and to. Values are stored unless store is false.',
      example: { body: { meterIds: ['1001'], kind: 'registers', items: ['E_PLUS'] }, response: { taskId: '9001' } },
    },
    response: taskRef,
    status: 202,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'NOT_BOUND', 'UNKNOWN_ITEM', 'RANGE_TOO_LONG'],
  }),
};
