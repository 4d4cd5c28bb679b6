import { z } from 'zod';
import { day, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { billView } from './bill.ts';

const four = z.tuple([
  z.number().min(0).max(10_000),
  z.number().min(0).max(10_000),
  z.number().min(0).max(10_000),
  z.number().min(0).max(10_000),
]);

/** Prices per kWh by tariff, valid from a day until the next list. Export is credited to the customer. */
export const priceList = z.object({
  validFrom: day,
  name: z.string().trim().min(1).max(64),
  currency: z.string().regex(/^[A-Z]{3}$/),
  plus: four,
  minus: four,
});
export type PriceList = z.infer<typeof priceList>;

export const price = {
  list: route({
    method: 'GET',
    path: '/analysis/price',
    summary: 'Price lists, newest first',
    allow: billView,
    response: listOf(priceList),
  }),
  save: route({
    method: 'PUT',
    path: '/analysis/price',
    summary: 'Add a price list, or change the one that is valid from the same day',
    allow: { page: billView.page, action: 'configure' },
    endangers: 'nothing',
    body: priceList,
    response: listOf(priceList),
    errors: ['VALIDATION'],
  }),
};
