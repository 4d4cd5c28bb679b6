import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { lossClass } from '../states/bill.ts';
import { exportOf } from '../transfer/export.ts';
import { billView, energies } from './bill.ts';
import { measured } from '../core/measured.ts';

const kwh = measured('kWh').nullable();

/**
 * Energy over the days with data of the master meter: `supply = sold + missing + loss`. The loss is null without a supply, and if the
 * estimate decides it: more than a quarter of the supply is estimated, or all that the known meters leave of it.
 */
export const balanceRow = z.object({
  transformerId: id,
  name: z.string(),
  code: z.string(),
  supply: kwh,
  sold: kwh,
  /** Estimated consumption of the meters without data. */
  missing: kwh,
  loss: kwh,
  lossPercent: z.number().nullable(),
  class: lossClass,
  metersExpected: z.number().int(),
  /** Minimum number of meters with data over the balanced days, or over the calculated days if none is balanced. */
  metersDataMin: z.number().int(),
  /** Calendar days of the range: `daysBalanced + daysWithoutMaster + daysNotCalculated`. */
  days: z.number().int(),
  daysBalanced: z.number().int(),
  /** Calculated, but the master meter, which had data before, has none. A master meter that never had data lacks them on every day. */
  daysWithoutMaster: z.number().int(),
  /** Not calculated yet, or before the first data of the master meter. */
  daysNotCalculated: z.number().int(),
  /** Consumption and export of its customers on all days with data. */
  ...energies,
});
export type BalanceRow = z.infer<typeof balanceRow>;

const filters = z.object({
  from: day,
  to: day,
  node: nodeKey.optional(),
  search: z.string().max(64).optional(),
  class: csv(lossClass).optional(),
});
export type BalanceFilters = z.output<typeof filters>;

const balanceDay = z.object({
  day,
  supply: kwh,
  sold: measured('kWh'),
  missing: measured('kWh'),
  loss: kwh,
  lossPercent: z.number().nullable(),
});

export const balance = {
  list: route({
    method: 'GET',
    path: '/analysis/balance',
    summary: 'Supplied, sold and lost energy by transformer',
    allow: billView,
    query: pageQuery.extend(filters.shape),
    response: pageOf(balanceRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  summary: route({
    method: 'GET',
    path: '/analysis/balance/summary',
    summary: 'Number of transformers by loss class, the total, and the ten with the highest loss',
    allow: billView,
    query: filters.omit({ class: true }),
    response: z.object({
      total: z.number().int(),
      byClass: z.record(lossClass, z.number().int()),
      supply: measured('kWh'),
      sold: measured('kWh'),
      missing: measured('kWh'),
      /** Of all transformers together; null: more than a quarter of their supply is estimated. */
      loss: kwh,
      worst: z.array(balanceRow),
      days: z.array(balanceDay),
    }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const balanceExport = exportOf('balance', balance.list);
