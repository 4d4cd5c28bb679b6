import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { fileAnswer } from '../core/file.ts';
import { csv, day, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { anomalyType } from '../states/anomaly.ts';
import { billFlag, billStatus, periodKind, periodState } from '../states/bill.ts';
import { exportOf } from '../transfer/export.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.bills;
export const billView = { page, action: 'view' } as const;
const kwh = measured('kWh').nullable();

/** Energy in kWh by import and export, total and by tariff, times the transformer ratio. */
export const energies = {
  plus: kwh,
  minus: kwh,
  plusT1: kwh,
  plusT2: kwh,
  plusT3: kwh,
  plusT4: kwh,
  minusT1: kwh,
  minusT2: kwh,
  minusT3: kwh,
  minusT4: kwh,
};

/** Consumption of a meter in kWh times the ratio; readings are register values without the ratio. */
export const billLine = z.object({
  firstDay: day,
  lastDay: day,
  meterId: id,
  sn: z.string(),
  customerNo: z.string().nullable(),
  customerName: z.string().nullable(),
  transformerId: id,
  transformerName: z.string(),
  isMaster: z.boolean(),
  ratio: z.number(),
  opening: kwh,
  closing: kwh,
  ...energies,
  /** Highest 15-minute average demand in kW. */
  maxDemandKw: z.number().nullable(),
  status: billStatus,
  flags: z.array(billFlag),
  anomaly: anomalyType,
  amount: z.number().nullable(),
  currency: z.string().nullable(),
  openingTrace: z.string().nullable(),
  closingTrace: z.string().nullable(),
});
export type BillLine = z.infer<typeof billLine>;

export const billPeriod = z.object({
  id,
  kind: periodKind,
  firstDay: day,
  lastDay: day,
  state: periodState,
  taskId: id.nullable(),
  calculatedAt: instant.nullable(),
  calculatedByName: z.string().nullable(),
  publishedAt: instant.nullable(),
  publishedByName: z.string().nullable(),
  version: z.number().int(),
});
export type BillPeriod = z.infer<typeof billPeriod>;

const range = z.object({ from: day, to: day });
const filters = range.extend({
  node: nodeKey.optional(),
  search: z.string().max(64).optional(),
  status: csv(billStatus).optional(),
  anomaly: csv(anomalyType).optional(),
  flag: csv(billFlag).optional(),
});
export type BillFilters = z.output<typeof filters>;

/** Consumption of one day, with the number of meters with data. */
export const trendDay = z.object({ day, ...energies, metersData: z.number().int() });
export type TrendDay = z.infer<typeof trendDay>;

/** One of the successive meters of a supply. */
export type BillPart = z.infer<typeof billPart>;
export const billPart = z.object({
  meterId: id,
  sn: z.string(),
  from: instant.nullable(),
  until: instant.nullable(),
  opening: kwh,
  closing: kwh,
  kwh,
});

export const bill = {
  list: route({
    method: 'GET',
    path: '/analysis/bill',
    summary: 'Consumption of a period, by meter',
    allow: billView,
    query: pageQuery.extend(filters.shape),
    response: pageOf(billLine),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  summary: route({
    method: 'GET',
    path: '/analysis/bill/summary',
    summary: 'The billing period between two days, with the totals of its lines',
    allow: billView,
    query: filters.omit({ status: true }),
    response: z.object({
      /** Null: not calculated yet. */
      period: billPeriod.nullable(),
      total: z.number().int(),
      byStatus: z.record(billStatus, z.number().int()),
      /** Consumption of customers; master meters are excluded. */
      plus: measured('kWh'),
      minus: measured('kWh'),
      amount: z.number().nullable(),
      currency: z.string().nullable(),
      /** Whether any daily freeze is stored between the first day and the day after the last one. */
      hasReadings: z.boolean(),
    }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  line: route({
    method: 'GET',
    path: '/analysis/bill/{id}/line/{meterId}',
    summary: 'One line of a calculated period, by successive meters and by days',
    allow: billView,
    params: z.object({ id, meterId: id }),
    response: billLine.extend({
      parts: z.array(billPart),
      days: z.array(z.object({ day, ...energies })),
    }),
    errors: ['NOT_FOUND'],
  }),
  statement: route({
    method: 'GET',
    path: '/analysis/bill/{id}/line/{meterId}/statement',
    summary: 'Statement for the customer of one line, PDF in the language of the caller',
    allow: { page, action: 'export' },
    params: z.object({ id, meterId: id }),
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
  calculate: route({
    method: 'POST',
    path: '/analysis/bill/calculate',
    summary: 'Calculate a period, or recalculate the lines whose readings have changed',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: range.extend({ kind: periodKind }),
    response: taskRef,
    status: 202,
    errors: ['RANGE_TOO_LONG', 'VALIDATION', 'PUBLISHED', 'PERIOD_BUSY'],
  }),
  readMissing: route({
    method: 'POST',
    path: '/analysis/bill/{id}/read-missing',
    summary: 'Read the missing daily freezes of lines that are missing or estimated',
    allow: { page: PAGE_PATH.onDemandReading, action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ node: nodeKey.optional() }),
    /** `meters`: number of meters ordered; `left`: number beyond the size of one order, which need another call. */
    response: taskRef.extend({ meters: z.number().int(), left: z.number().int() }),
    status: 202,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'VALIDATION'],
  }),
  publish: route({
    method: 'POST',
    path: '/analysis/bill/{id}/publish',
    summary: 'Publish a calculated period; it cannot be changed afterwards',
    allow: { page, action: 'approve' },
    endangers: 'nothing',
    announces: '/analysis/bill',
    params: idParams,
    body: z.object({ version: z.number().int() }),
    response: billPeriod,
    errors: ['NOT_FOUND', 'PUBLISHED', 'PERIOD_BUSY', 'PERIOD_PARTIAL', 'SAME_USER', 'STALE'],
  }),
  trend: route({
    method: 'GET',
    path: '/analysis/bill/trend',
    summary: 'Consumption by day, total and by tariff',
    allow: billView,
    query: range.extend({ node: nodeKey.optional() }),
    response: listOf(trendDay),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const billExport = exportOf('bill', bill.list);
export const consumptionExport = exportOf('consumption', bill.trend);
