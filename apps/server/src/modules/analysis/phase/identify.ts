import type { Identification } from '@hes/contract/analysis/phase.ts';
import { SURE, type SinglePhase } from '@hes/contract/states/phase.ts';
import { localDay } from '#modules/reading/reading/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User } from '#platform/context.ts';
import { countResults, replaceResults } from './identify-queries.ts';
import { findPlace } from './queries.ts';
import { MODULE_SUPPORT, opinionOf, vote, type Opinion, type Three, type Verdict } from './vote.ts';
import {
  correlateWithMaster,
  correlateWithNeighbours,
  DAYS_NEEDED,
  countDaysWithVoltage,
  findCandidates,
  gatherChanges,
  type Candidate,
  type Correlated,
} from './witnesses-queries.ts';

interface Judged extends Candidate {
  master: Correlated | undefined;
  masterOpinion: Opinion | null;
  neighbours: Correlated | undefined;
  neighbourOpinion: Opinion | null;
  neighbourMeters: number;
  verdict: Verdict | null;
}

const threeOf = (found: Correlated | undefined): Three => [found?.a ?? null, found?.b ?? null, found?.c ?? null];
const opinion = (found: Correlated | undefined): Opinion | null => (found === undefined ? null : opinionOf(threeOf(found), found.samples));

/** Hears all witnesses of a transformer's meters and keeps what they said; a phase that was accepted stays so while the vote stays. */
export async function identify(ctx: Context, user: User, transformerId: string): Promise<Identification> {
  const now = new Date(ctx.clock.now());
  const today = localDay(ctx.clock.now(), 'UTC');
  return ctx.db.transaction().execute(async (tx) => {
    const place = await findPlace(tx, user, transformerId);
    if (place.masterMeterId === null) throw new ApiError('NEEDS_LOAD_PROFILE', { days: DAYS_NEEDED, found: 0 });
    const days = await countDaysWithVoltage(tx, place.masterMeterId, today);
    if (days < DAYS_NEEDED) throw new ApiError('NEEDS_LOAD_PROFILE', { days: DAYS_NEEDED, found: days });
    await gatherChanges(tx, { id: place.id, masterMeterId: place.masterMeterId }, today);
    const judged = await judge(tx, await findCandidates(tx, place.id));
    await keep(tx, place.id, judged, now);
    return { ...(await countResults(tx, place.id)), days };
  });
}

async function judge(tx: Tx, candidates: readonly Candidate[]): Promise<Judged[]> {
  const byMaster = new Map((await correlateWithMaster(tx)).map((row) => [row.meterId, row]));
  const first = new Map<string, SinglePhase>();
  for (const [meterId, found] of byMaster) {
    const said = opinion(found);
    if (said && said.support >= SURE) first.set(meterId, said.phase);
  }
  const byNeighbours = new Map((await correlateWithNeighbours(tx, first)).map((row) => [row.meterId, row]));
  return candidates.map((meter) => {
    const master = byMaster.get(meter.meterId);
    const neighbours = byNeighbours.get(meter.meterId);
    const masterOpinion = opinion(master);
    const neighbourOpinion = opinion(neighbours);
    const module = meter.modulePhase && { phase: meter.modulePhase, support: MODULE_SUPPORT };
    const verdict = meter.isThreePhase ? null : vote({ master: masterOpinion, neighbours: neighbourOpinion, module });
    const neighbourMeters = first.size - (first.has(meter.meterId) ? 1 : 0);
    return { ...meter, master, masterOpinion, neighbours, neighbourOpinion, neighbourMeters, verdict };
  });
}

async function keep(tx: Tx, transformerId: string, judged: readonly Judged[], now: Date): Promise<void> {
  const rows = judged.map((one) => ({
    meter_id: one.meterId,
    module_phase: one.modulePhase,
    module_at: one.moduleAt?.toISOString() ?? null,
    master_correlations: one.master && threeOf(one.master),
    master_samples: one.master?.samples ?? 0,
    master_phase: one.masterOpinion?.phase ?? null,
    master_support: one.masterOpinion?.support ?? null,
    neighbour_correlations: one.neighbours && threeOf(one.neighbours),
    neighbour_meters: one.neighbours ? one.neighbourMeters : 0,
    neighbour_phase: one.neighbourOpinion?.phase ?? null,
    neighbour_support: one.neighbourOpinion?.support ?? null,
    // A three-phase meter hangs on all of them; there is nothing to find out.
    final_phase: one.isThreePhase ? 'abc' : (one.verdict?.phase ?? null),
    confidence: one.isThreePhase ? 1 : (one.verdict?.confidence ?? null),
  }));
  await replaceResults(tx, transformerId, rows, now);
}
