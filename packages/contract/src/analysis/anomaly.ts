import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { anomalyType } from '../states/anomaly.ts';
import { anomalyState } from '../states/bill.ts';
import { billView } from './bill.ts';

/** A day of a meter that is not normal. */
export const anomalyRow = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  transformerId: id.nullable(),
  transformerName: z.string().nullable(),
  day,
  type: anomalyType,
  /** What it used that day, or gave where it should not. */
  value: z.number(),
  /** What it was measured against. */
  reference: z.number(),
  state: anomalyState,
  reason: z.string().nullable(),
  decidedByName: z.string().nullable(),
  decidedAt: instant.nullable(),
  version: z.number().int(),
});
export type AnomalyRow = z.infer<typeof anomalyRow>;

const filters = z.object({
  from: day,
  to: day,
  node: nodeKey.optional(),
  search: z.string().max(64).optional(),
  type: csv(anomalyType).optional(),
  state: csv(anomalyState).optional(),
});
export type AnomalyFilters = z.output<typeof filters>;

export const anomaly = {
  list: route({
    method: 'GET',
    path: '/analysis/anomaly',
    summary: 'Days of meters that are not normal',
    allow: billView,
    query: pageQuery.extend(filters.shape),
    response: pageOf(anomalyRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  summary: route({
    method: 'GET',
    path: '/analysis/anomaly/summary',
    summary: 'Meters by the worst anomaly of a period; all others are normal',
    allow: billView,
    query: filters.omit({ type: true }),
    response: z.object({ byType: z.record(anomalyType, z.number().int()), undecided: z.number().int() }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  decide: route({
    method: 'PUT',
    path: '/analysis/anomaly',
    summary: 'Confirm an anomaly, or dismiss it with a reason',
    allow: { page: billView.page, action: 'edit' },
    body: z
      .object({
        meterId: id,
        day,
        state: z.enum(['confirmed', 'dismissed']),
        reason: z.string().trim().max(256).default(''),
        version: z.number().int(),
      })
      .refine((body) => body.state === 'confirmed' || body.reason.length > 0, { path: ['reason'], message: RULES.reason.en }),
    response: anomalyRow,
    errors: ['NOT_FOUND', 'STALE', 'VALIDATION'],
  }),
};
