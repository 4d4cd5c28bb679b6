import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { fileAnswer } from '../core/file.ts';
import { csv, day, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { anomalyType } from '../states/anomaly.ts';
import { billFlag, billStatus, periodKind, periodState } from '../states/bill.ts';
import { exportOf } from '../transfer/export.ts';
import { measured } from '../core/measured.ts';

const page = '/meter-management/mdms/electric-bill';
export const billView = { page, action: 'view' } as const;
const kwh = measured('kWh').nullable();

/** What registers counted, import and export, in all and by tariff; kWh times the ratio. */
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

/** A meter and what it used; kWh times the ratio, readings as the register shows them. */
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
  /** The highest mean demand of a quarter of an hour, kW. */
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

/** What was used on one day, and how many meters told it. */
export const trendDay = z.object({ day, ...energies, metersData: z.number().int() });
export type TrendDay = z.infer<typeof trendDay>;

/** One of the meters that hung at a place one after the other. */
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
    summary: 'The period of two days, and what its lines come to',
    allow: billView,
    query: filters.omit({ status: true }),
    response: z.object({
      /** Null: nobody has calculated it yet. */
      period: billPeriod.nullable(),
      total: z.number().int(),
      byStatus: z.record(billStatus, z.number().int()),
      /** Without master meters: what customers used. */
      plus: measured('kWh'),
      minus: measured('kWh'),
      amount: z.number().nullable(),
      currency: z.string().nullable(),
      /** Days of the period that have a freeze at either end. */
      hasReadings: z.boolean(),
    }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  line: route({
    method: 'GET',
    path: '/analysis/bill/{id}/line/{meterId}',
    summary: 'One line of a calculated period, with its parts and its days',
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
    summary: 'One line as a statement for the customer, PDF in the language of the caller',
    allow: { page, action: 'export' },
    params: z.object({ id, meterId: id }),
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
  calculate: route({
    method: 'POST',
    path: '/analysis/bill/calculate',
    summary: 'Calculate a period, or what has changed in it since',
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
    summary: 'Read the daily freezes of lines that are missing or estimated from their meters',
    allow: { page: '/action/on-demand-reading', action: 'execute' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ node: nodeKey.optional() }),
    /** Meters beyond those of one order are left for the next. */
    response: taskRef.extend({ meters: z.number().int(), left: z.number().int() }),
    status: 202,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'VALIDATION'],
  }),
  publish: route({
    method: 'POST',
    path: '/analysis/bill/{id}/publish',
    summary: 'Approve a calculated period: it does not change any more',
    allow: { page, action: 'approve' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ version: z.number().int() }),
    response: billPeriod,
    errors: ['NOT_FOUND', 'PUBLISHED', 'PERIOD_BUSY', 'PERIOD_PARTIAL', 'SAME_USER', 'STALE'],
  }),
  trend: route({
    method: 'GET',
    path: '/analysis/bill/trend',
    summary: 'Consumption by day, in all and by tariff',
    allow: billView,
    query: range.extend({ node: nodeKey.optional() }),
    response: listOf(trendDay),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};

export const billExport = exportOf('bill', bill.list);
export const consumptionExport = exportOf('consumption', bill.trend);
