import { sql } from 'kysely';
import type { Tx } from '#db/context.ts';

/** A row with the column names of the database. */
interface Result {
  meter_id: string;
  [column: string]: unknown;
}

/** Replaces the results of a transformer's meters and deletes those of meters that moved. An acceptance stays if the phase stays the same. */
export async function replaceResults(tx: Tx, transformerId: string, rows: readonly Result[], now: Date): Promise<void> {
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

/** Serializes identifications of one transformer until the transaction ends. */
export const lockTransformer = (tx: Tx, id: string) => tx.selectFrom('transformer').where('id', '=', id).select('id').forUpdate().execute();
