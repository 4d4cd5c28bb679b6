import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { anomalyType } from '../states/anomaly.ts';
import { anomalyState } from '../states/bill.ts';
import { billView } from './bill.ts';
import { measured } from '../core/measured.ts';

/** A day with abnormal consumption of a meter. */
export const anomalyRow = z.object({
  meterId: id,
  sn: z.string(),
  customerName: z.string().nullable(),
  transformerId: id.nullable(),
  transformerName: z.string().nullable(),
  day,
  type: anomalyType,
  /** Consumption of the day, or for `reverse_electricity` the export. */
  value: measured('kWh'),
  /** Limit or reference value that was violated. */
  reference: measured('kWh'),
  state: anomalyState,
  reason: z.string().nullable(),
  decidedByName: z.string().nullable(),
  decidedAt: instant.nullable(),
  version: z.number().int(),
});
export type AnomalyRow = z.infer<typeof anomalyRow>;

const MAX_DAY_KWH = 10_000_000;
/** Individual limits of one supply in kWh per day. By default the upper limit follows from the nameplate, and the lower one from days without consumption. */
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
  /** Maximum consumption in 24 hours by the nameplate; null: not on the nameplate. */
  plateKwh: z.number().nullable(),
  /** Number of days without consumption after which the meter is reported. */
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
    summary: 'Days of meters with abnormal consumption',
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
    summary: 'Limits of the daily consumption of a meter',
    allow: billView,
    params: idParams,
    response: limitRow,
    errors: ['NOT_FOUND'],
  }),
  setLimit: route({
    method: 'PUT',
    path: '/analysis/anomaly/limit/{id}',
    summary: 'Set the limits of one meter; its recent days are evaluated again',
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
    announces: '/analysis/anomaly',
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
