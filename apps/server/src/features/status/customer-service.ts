import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { CustomerFacts } from '@hes/contract/status/customer-status.ts';
import type { Context, User } from '#db/context.ts';
import { holderOf } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import { findSupply, listBillsOf, listExchangesOf } from './customer-queries.ts';
import { meterFactsOf } from './meter-service.ts';

/** Stored facts about the supply of a customer in the user's area, each meter as on its own page. */
export async function customerFactsOf(ctx: Context, user: User, no: string): Promise<CustomerFacts> {
  const { db } = ctx;
  const supply = await findSupply(db, user, no);
  if (supply === undefined) throw new ApiError('NOT_FOUND');
  const { ids, ...rest } = supply;
  const bills = holderOf(user, PAGE_PATH.bills, 'view');
  const [meters, lines, exchanges] = await Promise.all([
    Promise.all(ids.map((id) => meterFactsOf(ctx, user, id))),
    bills === undefined ? null : listBillsOf(db, bills, ids),
    listExchangesOf(db, user, no),
  ]);
  return { at: new Date(ctx.clock.now()).toISOString(), no, ...rest, meters, bills: lines, exchanges };
}
