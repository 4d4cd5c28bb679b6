import { STATUS_DAYS } from '@hes/contract/status/meter-status.ts';
import type { TransformerFacts } from '@hes/contract/status/transformer-status.ts';
import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import type { Context, User } from '#db/context.ts';
import { listLosses } from '#features/balance/port.ts';
import { ApiError } from '#platform/api-error.ts';
import { sightOf } from './sight-queries.ts';
import { findTransformerRecord, listDaysOf, listDcusOf, listSuspects, listUnmetered, listWithoutData } from './transformer-queries.ts';

/** Stored facts about a transformer in the user's area; those of its loss are null without the right on the page of losses. */
export async function transformerFactsOf(ctx: Context, user: User, id: string): Promise<TransformerFacts> {
  const { db } = ctx;
  const record = await findTransformerRecord(db, user, id);
  if (record === undefined) throw new ApiError('NOT_FOUND');
  const now = ctx.clock.now();
  const today = new Zone(ctx.settings.timeZone).dayOf(now);
  const days = { from: dayText(today - STATUS_DAYS), to: dayText(today - 1) };
  const { pages } = await sightOf(db, user, id);
  const seesLoss = pages.has('lineLoss');
  const [dcus, losses, balances, withoutData, suspects, unmetered] = await Promise.all([
    listDcusOf(db, id),
    seesLoss ? listLosses(ctx, user, { node: `transformer:${id}`, ...days, page: 1, size: 1 }) : undefined,
    seesLoss ? listDaysOf(db, id, days) : null,
    seesLoss ? listWithoutData(db, id, days) : null,
    seesLoss ? listSuspects(db, id, days) : null,
    seesLoss ? listUnmetered(db, id) : null,
  ]);
  const at = new Date(now).toISOString();
  return { at, ...record, ...days, dcus, loss: losses?.items[0] ?? null, days: balances, withoutData, suspects, unmetered };
}
