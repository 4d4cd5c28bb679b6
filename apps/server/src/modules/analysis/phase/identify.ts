import type { Identification } from '@hes/contract/analysis/phase.ts';
import { SURE, type SinglePhase } from '@hes/contract/states/phase.ts';
import { sql } from 'kysely';
import { localDay } from '#modules/reading/reading/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User } from '#platform/context.ts';
import { findPlace } from './queries.ts';
import { MODULE_SUPPORT, opinionOf, vote, type Opinion, type Three, type Verdict } from './vote.ts';
import {
  correlateWithMaster,
  correlateWithNeighbours,
  DAYS_NEEDED,
  daysWithVoltage,
  findCandidates,
  gatherChanges,
  type Candidate,
  type Correlated,
} from './witnesses.ts';

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
    const { rows } = await sql<{ days: number }>`select ${daysWithVoltage(place.masterMeterId, today)} as days`.execute(tx);
    const days = rows[0]?.days ?? 0;
    if (days < DAYS_NEEDED) throw new ApiError('NEEDS_LOAD_PROFILE', { days: DAYS_NEEDED, found: days });
    await gatherChanges(tx, { id: place.id, masterMeterId: place.masterMeterId }, today);
    const judged = await judge(tx, await findCandidates(tx, place.id));
    await keep(tx, place.id, judged, now);
    return { ...(await countOf(tx, place.id)), days };
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
  await sql`delete from phase_result where transformer_id = ${transformerId} and not meter_id = any(${rows.map((row) => row.meter_id)}::bigint[])`.execute(
    tx,
  );
  await sql`
    insert into phase_result as r (meter_id, transformer_id, module_phase, module_at, master_correlations, master_samples, master_phase, master_support,
      neighbour_correlations, neighbour_meters, neighbour_phase, neighbour_support, final_phase, confidence, computed_at)
    select n.meter_id, ${transformerId}, n.module_phase, n.module_at, n.master_correlations, n.master_samples, n.master_phase, n.master_support,
      n.neighbour_correlations, n.neighbour_meters, n.neighbour_phase, n.neighbour_support, n.final_phase, n.confidence, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (meter_id bigint, module_phase text, module_at timestamptz, master_correlations real[],
      master_samples int, master_phase text, master_support real, neighbour_correlations real[], neighbour_meters int, neighbour_phase text,
      neighbour_support real, final_phase text, confidence real)
    on conflict (meter_id) do update set transformer_id = excluded.transformer_id, module_phase = excluded.module_phase, module_at = excluded.module_at,
      master_correlations = excluded.master_correlations, master_samples = excluded.master_samples, master_phase = excluded.master_phase,
      master_support = excluded.master_support, neighbour_correlations = excluded.neighbour_correlations, neighbour_meters = excluded.neighbour_meters,
      neighbour_phase = excluded.neighbour_phase, neighbour_support = excluded.neighbour_support, final_phase = excluded.final_phase,
      confidence = excluded.confidence, computed_at = excluded.computed_at,
      accepted_by = case when r.final_phase = excluded.final_phase then r.accepted_by end,
      accepted_at = case when r.final_phase = excluded.final_phase then r.accepted_at end,
      written_at = case when r.final_phase = excluded.final_phase then r.written_at end`.execute(tx);
}

async function countOf(tx: Tx, transformerId: string): Promise<Omit<Identification, 'days'>> {
  const { rows } = await sql<Omit<Identification, 'days'>>`
    select count(*)::int as meters, count(*) filter (where r.confidence >= ${SURE})::int as sure,
      count(*) filter (where r.confidence < ${SURE})::int as unsure, count(*) filter (where r.confidence is null)::int as "withoutData",
      count(*) filter (where r.confidence >= ${SURE} and r.final_phase <> m.recorded_phase)::int as conflicts
    from phase_result r join meter m on m.id = r.meter_id where r.transformer_id = ${transformerId}`.execute(tx);
  return rows[0] ?? { meters: 0, sure: 0, unsure: 0, withoutData: 0, conflicts: 0 };
}
