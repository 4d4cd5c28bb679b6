import { z } from 'zod';
import { measured } from '../core/measured.ts';
import { day, id, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { billStatus } from '../states/bill.ts';
import { meterFacts } from './meter-status.ts';

/** Meters whose facts the answer contains; `meterCount` counts all that the user may see. */
export const CUSTOMER_METERS_SHOWN = 6;
const customerNo = z.string().trim().min(1).max(32);

const exchangeRow = z.object({
  id,
  at: instant,
  oldMeterId: id,
  oldSn: z.string(),
  newMeterId: id.nullable(),
  newSn: z.string().nullable(),
  finalKwh: measured('kWh').nullable(),
  initialKwh: measured('kWh').nullable(),
  note: z.string().nullable(),
  byName: z.string().nullable(),
  hasPhoto: z.boolean(),
});

/** Stored facts about the supply of a customer, by its meters. Bills are null if the user has no right on their page. */
export const customerFacts = z.object({
  at: instant,
  no: z.string(),
  name: z.string().nullable(),
  address: z.string().nullable(),
  meterCount: z.number().int(),
  meters: z.array(meterFacts),
  /** Lines of the last calculated periods, newest first. */
  bills: z
    .array(
      z.object({
        periodId: id,
        firstDay: day,
        lastDay: day,
        meterId: id,
        sn: z.string(),
        plus: measured('kWh').nullable(),
        minus: measured('kWh').nullable(),
        amount: z.number().nullable(),
        currency: z.string().nullable(),
        status: billStatus,
      }),
    )
    .nullable(),
  /** Meters that were removed from the supply, and those installed instead, newest first. */
  exchanges: z.array(exchangeRow),
});
export type CustomerFacts = z.infer<typeof customerFacts>;

const allow = { page: PAGE_PATH.meterAssets, action: 'view' } as const;

export const customerStatus = {
  get: route({
    method: 'GET',
    path: '/status/customer',
    summary: 'Stored facts about the supply of a customer: its meters with their state, bills and replacements',
    allow,
    query: z.object({ no: customerNo }),
    response: customerFacts,
    errors: ['NOT_FOUND'],
  }),
  search: route({
    method: 'GET',
    path: '/status/customer/search',
    summary: 'Customers whose number or name contains a text',
    allow,
    query: z.object({ text: z.string().trim().min(2).max(64) }),
    response: listOf(z.object({ no: z.string(), name: z.string().nullable(), meters: z.number().int() })),
  }),
};
