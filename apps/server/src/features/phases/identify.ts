import { IDENTIFY_STEPS, phase } from '@hes/contract/analysis/phase.ts';
import { SURE, type SinglePhase } from '@hes/contract/states/phase.ts';
import { localDay } from '#features/readings/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User } from '#db/context.ts';
import { addComputation, findRunning, type Computation, type Progress } from '#features/computation/port.ts';
import { lockTransformer, replaceResults } from './identify-queries.ts';
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

const todayOf = ({ clock }: Context) => localDay(clock.now(), 'UTC');

/** The transformer with its master meter, which all other meters are compared with. */
async function placeOf(tx: Tx, user: User, transformerId: string) {
  const { id, name, masterMeterId } = await findPlace(tx, user, transformerId);
  if (masterMeterId === null) throw new ApiError('NEEDS_LOAD_PROFILE', { days: DAYS_NEEDED, found: 0 });
  return { id, name, masterMeterId };
}

/** Checks that enough voltages exist, and starts the identification in the background. */
export async function identify(ctx: Context, user: User, transformerId: string): Promise<{ taskId: string }> {
  const taskId = await ctx.db.transaction().execute(async (tx) => {
    // Serializes requests for one transformer: a second request waits here and returns the task of the first.
    await lockTransformer(tx, transformerId);
    const place = await placeOf(tx, user, transformerId);
    const days = await countDaysWithVoltage(tx, place.masterMeterId, todayOf(ctx));
    if (days < DAYS_NEEDED) throw new ApiError('NEEDS_LOAD_PROFILE', { days: DAYS_NEEDED, found: days });
    const params = { transformerId: place.id };
    const running = await findRunning(tx, 'phase', params);
    return running ?? addComputation(ctx, tx, user, { kind: 'phase', title: place.name, params, total: IDENTIFY_STEPS });
  });
  ctx.jobs.wake('phase');
  return { taskId };
}

/** Identifies the phases of a transformer's meters and stores the results. An acceptance stays if the phase stays the same. */
async function hear(ctx: Context, user: User, { transformerId }: { transformerId: string }, progress: Progress): Promise<void> {
  const step = async () => {
    await progress.done(1);
    await progress.publish();
  };
  await ctx.db.transaction().execute(async (tx) => {
    const place = await placeOf(tx, user, transformerId);
    await gatherChanges(tx, place, todayOf(ctx));
    await step();
    const judged = await judge(tx, await findCandidates(tx, place.id), step);
    await step();
    await keep(tx, place.id, judged, new Date(ctx.clock.now()));
    await progress.hold(tx);
  });
  await step();
}

export const phaseComputation: Computation<{ transformerId: string }> = { kind: 'phase', right: phase.identify.allow, run: hear };

async function judge(tx: Tx, candidates: readonly Candidate[], step: () => Promise<void>): Promise<Judged[]> {
  const byMaster = new Map((await correlateWithMaster(tx)).map((row) => [row.meterId, row]));
  await step();
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
    // A three-phase meter is connected to all phases.
    final_phase: one.isThreePhase ? 'abc' : (one.verdict?.phase ?? null),
    confidence: one.isThreePhase ? 1 : (one.verdict?.confidence ?? null),
  }));
  await replaceResults(tx, transformerId, rows, now);
}
