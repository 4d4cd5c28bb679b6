import type { LossFilters, LossRow } from '@hes/contract/analysis/loss.ts';
import type { BalanceRow } from '@hes/contract/analysis/balance.ts';
import { splitLoss } from '@hes/contract/analysis/split-loss.ts';
import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import type { Context, User } from '#db/context.ts';
import type { PageQuery } from '#db/paging.ts';
import { checkRange } from '#features/readings/port.ts';
import { findThresholds, listBalances, sumBalances, type Bounds } from '../balance/queries.ts';
import { findEvidence, type LossEvidence } from './queries.ts';

const USUAL_DAYS = 7;

/** The asked range, or the last seven whole local days. */
function lossRange(ctx: Context, { from, to }: Pick<LossFilters, 'from' | 'to'>): { from: string; to: string } {
  const today = new Zone(ctx.settings.timeZone).dayOf(ctx.clock.now());
  const range = { from: from ?? dayText(today - USUAL_DAYS), to: to ?? dayText(today - 1) };
  checkRange(range);
  return range;
}

/** Splits the loss of a balance; if it is not known, no part is. */
function lossOf(row: BalanceRow, evidence: LossEvidence, [usualPercent, normalPercent]: Bounds): LossRow {
  const { transformerId, name, code, supply, sold, missing, loss, lossPercent, days, daysBalanced, daysWithoutMaster } = row;
  const { suspectedKwh: shortfallKwh, ...found } = evidence;
  const parts =
    supply === null || loss === null
      ? { unmeteredKwh: null, suspectedKwh: null, technicalKwh: null, unexplainedKwh: null }
      : splitLoss({
          supplyKwh: supply,
          lossKwh: loss,
          unmeteredDevices: found.unmeteredDevices,
          meanKwh: sold === null || row.metersDataMin === 0 ? null : sold / row.metersDataMin,
          suspectedKwh: shortfallKwh,
          usualPercent,
          normalPercent,
        });
  const metersWithoutData = Math.max(0, row.metersExpected - row.metersDataMin);
  const known = {
    transformerId,
    name,
    code,
    supply,
    sold,
    missing,
    loss,
    lossPercent,
    class: row.class,
    days,
    daysBalanced,
    daysWithoutMaster,
  };
  return { ...known, ...parts, ...found, metersWithoutData };
}

export async function listLosses(ctx: Context, user: User, query: LossFilters & PageQuery) {
  const range = lossRange(ctx, query);
  const [page, { lossPercent }] = await Promise.all([
    listBalances(ctx.db, user, { sort: 'loss,desc', ...query, ...range }),
    findThresholds(ctx.db),
  ]);
  const ids = page.items.map(({ transformerId }) => transformerId);
  const evidenceOf = await findEvidence(ctx.db, user, ids, { ...range, zone: ctx.settings.timeZone });
  return { ...page, ...range, items: page.items.map((row) => lossOf(row, evidenceOf(row.transformerId), lossPercent)) };
}

/** A page of the list with the energy of all its transformers. Files and the page of one transformer need no sum. */
export async function listLossesWithSum(ctx: Context, user: User, query: LossFilters & PageQuery) {
  const [page, sum] = await Promise.all([listLosses(ctx, user, query), sumBalances(ctx.db, user, { ...query, ...lossRange(ctx, query) })]);
  return { ...page, sum };
}
