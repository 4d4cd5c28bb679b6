import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { anomalyType } from '../states/anomaly.ts';
import { anomalyState } from '../states/bill.ts';
import { billView } from './bill.ts';
import { measured } from '../core/measured.ts';

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
  value: measured('kWh'),
  /** What it was measured against. */
  reference: measured('kWh'),
  state: anomalyState,
  reason: z.string().nullable(),
  decidedByName: z.string().nullable(),
  decidedAt: instant.nullable(),
  version: z.number().int(),
});
export type AnomalyRow = z.infer<typeof anomalyRow>;

const MAX_DAY_KWH = 10_000_000;
/** What somebody set for one supply, kWh a day. Without it the plate says the upper limit, and days without any use the lower one. */
export const meterLimit = z
  .object({
    upperKwh: z.number().positive(RULES.ratio.en).max(MAX_DAY_KWH).nullable(),
    lowerKwh: z.number().min(0).max(MAX_DAY_KWH).nullable(),
    version: z.number().int(),
  })
  .refine(({ upperKwh, lowerKwh }) => upperKwh === null || lowerKwh === null || lowerKwh < upperKwh, {
    path: ['upperKwh'],
    message: RULES.ascending.en,
  });

const limitRow = z.object({
  meterId: id,
  sn: z.string(),
  upperKwh: z.number().nullable(),
  lowerKwh: z.number().nullable(),
  /** What the plate lets it draw in a day of 24 hours; null: the plate does not say. */
  plateKwh: z.number().nullable(),
  /** Days without any use, after which it is reported. */
  lowerLimitDays: z.number().int(),
  version: z.number().int(),
});
export type LimitRow = z.infer<typeof limitRow>;

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
  limit: route({
    method: 'GET',
    path: '/analysis/anomaly/limit/{id}',
    summary: 'Between which limits the day of a meter is normal',
    allow: billView,
    params: idParams,
    response: limitRow,
    errors: ['NOT_FOUND'],
  }),
  setLimit: route({
    method: 'PUT',
    path: '/analysis/anomaly/limit/{id}',
    summary: 'Set the limits of one meter; its last days are judged anew',
    allow: { page: billView.page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: meterLimit,
    response: limitRow,
    errors: ['NOT_FOUND', 'STALE', 'VALIDATION'],
  }),
  decide: route({
    method: 'PUT',
    path: '/analysis/anomaly',
    summary: 'Confirm an anomaly, or dismiss it with a reason',
    allow: { page: billView.page, action: 'edit' },
    endangers: 'nothing',
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
