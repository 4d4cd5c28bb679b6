import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { lossClass } from '../states/bill.ts';
import { exportOf } from '../transfer/export.ts';
import { billView, energies } from './bill.ts';
import { measured } from '../core/measured.ts';

const kwh = measured('kWh').nullable();

/** Over the days on which the master meter told something. `supply = sold + missing + loss`. */
export const balanceRow = z.object({
  transformerId: id,
  name: z.string(),
  code: z.string(),
  supply: kwh,
  sold: kwh,
  /** What the meters without data are likely to have used. */
  missing: kwh,
  loss: kwh,
  lossPercent: z.number().nullable(),
  class: lossClass,
  metersExpected: z.number().int(),
  /** Meters with data on the balanced day that has the fewest; where no day is balanced, on any calculated day. */
  metersDataMin: z.number().int(),
  /** Calendar days of the range: `daysBalanced + daysWithoutMaster + daysNotCalculated`. */
  days: z.number().int(),
  daysBalanced: z.number().int(),
  /** Calculated, but the master meter has no data. */
  daysWithoutMaster: z.number().int(),
  /** The daily calculation has not reached them. */
  daysNotCalculated: z.number().int(),
  /** What its customers used and gave, on every day with data. */
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
    summary: 'How many transformers are in which class of loss, their sum, and the ten worst',
    allow: billView,
    query: filters.omit({ class: true }),
    response: z.object({
      total: z.number().int(),
      byClass: z.record(lossClass, z.number().int()),
      supply: measured('kWh'),
      sold: measured('kWh'),
      missing: measured('kWh'),
      loss: measured('kWh'),
      worst: z.array(balanceRow),
      days: z.array(balanceDay),
    }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const balanceExport = exportOf('balance', balance.list);
