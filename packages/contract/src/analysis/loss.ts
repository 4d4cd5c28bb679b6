import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { measured } from '../core/measured.ts';
import { csv, day, id, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { lossClass } from '../states/bill.ts';
import { exportOf } from '../transfer/export.ts';

const kwh = measured('kWh').nullable();

/**
 * The loss of a transformer over its balanced days, split by evidence: `supply = sold + missing + loss`, and `loss` is the sum of its four parts
 * unless it is negative. Loss and parts are null as in a balance.
 */
export const lossRow = z.object({
  transformerId: id,
  name: z.string(),
  code: z.string(),
  supply: kwh,
  sold: kwh,
  /** Estimated consumption of meters without data. */
  missing: kwh,
  loss: kwh,
  lossPercent: z.number().nullable(),
  class: lossClass,
  unmeteredKwh: z.number().nullable(),
  suspectedKwh: z.number().nullable(),
  technicalKwh: z.number().nullable(),
  unexplainedKwh: z.number().nullable(),
  /** Maximum number of meters without data on one day. */
  metersWithoutData: z.number().int(),
  /** Found on the network within 30 days without a record, or installed and not in service. */
  unmeteredDevices: z.number().int(),
  /** Meters whose consumption fell, stopped or ran backwards, without dismissed days. */
  suspectedMeters: z.number().int(),
  /** Meters with events of fraud; null: the user has no right to see events. */
  fraudMeters: z.number().int().nullable(),
  days: z.number().int(),
  daysBalanced: z.number().int(),
  daysWithoutMaster: z.number().int(),
});
export type LossRow = z.infer<typeof lossRow>;

const filters = z.object({
  /** Without days: the last seven whole ones. */
  from: day.optional(),
  to: day.optional(),
  node: nodeKey.optional(),
  search: z.string().max(64).optional(),
  class: csv(lossClass).optional(),
});
export type LossFilters = z.output<typeof filters>;

export const lossView = { page: PAGE_PATH.lineLoss, action: 'view' } as const;

export const loss = {
  list: route({
    method: 'GET',
    path: '/analysis/loss',
    summary: 'Line loss by transformer, split into missing data, unmetered devices, suspected theft, technical and unexplained loss',
    allow: lossView,
    query: pageQuery.extend(filters.shape),
    response: pageOf(lossRow).extend({
      from: day,
      to: day,
      /** Of all transformers that match, on their balanced days; null: none is balanced. The loss is also null if more than a quarter of the supply is estimated. */
      sum: z.object({ supply: kwh, sold: kwh, missing: kwh, loss: kwh }),
    }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const lossExport = exportOf('loss', loss.list);
