import { checkRange } from '#features/readings/port.ts';
import type { Context, User } from '#db/context.ts';
import { meanPowers, meanUnbalance } from './balance-queries.ts';
import { proposeMoves, unbalanceOf, type Loads } from './moves.ts';
import { findPlace } from './queries.ts';

/** Proposes moves by the mean power of the range. Three-phase customers stay and load all phases equally. */
export async function whatIf(ctx: Context, user: User, transformerId: string, query: { from: string; to: string; moves: number }) {
  checkRange(query);
  const { masterMeterId } = await findPlace(ctx.db, user, transformerId);
  const [rows, measuredPercent] = await Promise.all([
    meanPowers(ctx.db, transformerId, query, ctx.settings.timeZone),
    meanUnbalance(ctx.db, masterMeterId, query, ctx.settings.timeZone),
  ]);
  const fixed: Loads = [0, 0, 0];
  const single = rows.flatMap(({ id, phase, kw }) => (phase === 'abc' || phase === 'unknown' ? [] : [{ meterId: id, phase, kw }]));
  for (const { phase, kw } of rows) if (phase === 'abc') for (const at of [0, 1, 2] as const) fixed[at] += kw / 3;
  const { before, after, moves } = proposeMoves(fixed, single, query.moves);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    before: { kw: before, unbalancePercent: unbalanceOf(before) },
    after: { kw: after, unbalancePercent: unbalanceOf(after) },
    moves: moves.map(({ kw, ...move }) => ({
      ...move,
      meanKw: kw,
      sn: byId.get(move.meterId)?.sn ?? '',
      customerName: byId.get(move.meterId)?.customerName ?? null,
    })),
    meters: single.length,
    threePhaseMeters: rows.filter(({ phase }) => phase === 'abc').length,
    measuredPercent,
  };
}
