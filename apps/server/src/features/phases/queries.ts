import type { PhaseRow } from '@hes/contract/analysis/phase.ts';
import { SURE, VERY_SURE, type PhaseState } from '@hes/contract/states/phase.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, isoOrNull, type PageQuery, sortColumn } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { localDay } from '#features/readings/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Tx, User } from '#db/context.ts';
import { findRunning } from '#features/computation/port.ts';
import { daysWithVoltage } from './witnesses-queries.ts';

export interface Place {
  id: string;
  name: string;
  masterMeterId: string | null;
  masterMeterSn: string | null;
}

export async function findPlace(db: Db | Tx, user: User, id: string): Promise<Place> {
  const row = await db
    .selectFrom('transformer')
    .leftJoin('meter', 'meter.id', 'transformer.masterMeterId')
    .where('transformer.id', '=', id)
    .where(visible('transformer.id', user))
    .select(['transformer.id', 'transformer.name', 'transformer.masterMeterId', 'meter.sn as masterMeterSn'])
    .executeTakeFirst();
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

export interface PhaseFilter {
  transformerId: string;
  search?: string | undefined;
  phase?: readonly string[] | undefined;
  state?: readonly string[] | undefined;
  isConflict?: boolean | undefined;
  confidence?: number | undefined;
}

/**
 * State of a phase as in the contract, as an SQL expression. A written phase is also an accepted one, so the later state is tested first.
 */
export const STATE: RawBuilder<PhaseState> = sql`case
  when r.confidence is null then 'unknown' when r.written_at is not null then 'written' when r.accepted_at is not null then 'accepted'
  when r.confidence >= ${sql.lit(SURE)} then 'proposed' else 'unsure' end`;
const CONFLICT: RawBuilder<boolean> = sql`coalesce(r.confidence >= ${sql.lit(SURE)} and r.final_phase <> meter.recorded_phase, false)`;
const CONTRADICTION = sql<boolean>`coalesce(r.final_phase <> 'abc' and (r.module_phase <> r.final_phase or r.master_phase <> r.final_phase
  or r.neighbour_phase <> r.final_phase), false)`;

const AWAITS_DISPATCH = sql<boolean>`exists (select from archive_record a where a.meter_id = meter.id and a.dcu_id = meter.dcu_id
  and a.bind_state = 'bound' and a.dispatch_state = 'not_distributed')`;

const from = (user: User, filter: PhaseFilter) => sql`
  from meter left join phase_result r on r.meter_id = meter.id and r.transformer_id = meter.transformer_id
  left join dcu on dcu.id = meter.dcu_id left join app_user on app_user.id = r.accepted_by
  where meter.transformer_id = ${filter.transformerId} and not meter.is_master and meter.inventory_state <> 'in_warehouse'
    and ${visible('meter.transformerId', user)}
    and ${filter.search ? sql`(meter.sn like ${containing(filter.search).toUpperCase()} or meter.customer_name ilike ${containing(filter.search)} or meter.customer_no ilike ${containing(filter.search)})` : sql`true`}
    and ${filter.phase ? sql`coalesce(r.final_phase, meter.recorded_phase) = any(${[...filter.phase]}::text[])` : sql`true`}
    and ${filter.state ? sql`${STATE} = any(${[...filter.state]}::text[])` : sql`true`}
    and ${filter.isConflict === undefined ? sql`true` : sql`${CONFLICT} = ${filter.isConflict}`}
    and ${filter.confidence === undefined ? sql`true` : sql`r.confidence >= ${filter.confidence / 100}::float8`}`;

const SORTS: Record<string, RawBuilder<unknown>> = {
  sn: sql`meter.sn`,
  recordedPhase: sql`meter.recorded_phase`,
  finalPhase: sql`r.final_phase`,
  confidence: sql`r.confidence`,
  // Meters on another phase than recorded first, then those with contradicting evidence.
  conflict: sql`(case when ${CONFLICT} then 2 when ${CONTRADICTION} then 1 else 0 end)`,
};

type Found = Omit<PhaseRow, 'master' | 'neighbours' | 'moduleAt' | 'computedAt'> & {
  moduleAt: Date | null;
  computedAt: Date | null;
  masterPhase: 'a' | 'b' | 'c' | null;
  masterSupport: number | null;
  masterCorrelations: [number | null, number | null, number | null] | null;
  masterSamples: number | null;
  neighbourPhase: 'a' | 'b' | 'c' | null;
  neighbourSupport: number | null;
  neighbourCorrelations: [number | null, number | null, number | null] | null;
  neighbourMeters: number | null;
};

function toRow(found: Found): PhaseRow {
  const { masterPhase, masterSupport, masterCorrelations, masterSamples, ...rest } = found;
  const { neighbourPhase, neighbourSupport, neighbourCorrelations, neighbourMeters, ...row } = rest;
  return {
    ...row,
    moduleAt: isoOrNull(row.moduleAt),
    computedAt: isoOrNull(row.computedAt),
    master:
      masterPhase && masterCorrelations && masterSupport !== null
        ? { phase: masterPhase, support: masterSupport, correlations: masterCorrelations, samples: masterSamples ?? 0 }
        : null,
    neighbours:
      neighbourPhase && neighbourCorrelations && neighbourSupport !== null
        ? { phase: neighbourPhase, support: neighbourSupport, correlations: neighbourCorrelations, meters: neighbourMeters ?? 0 }
        : null,
  };
}

export async function listPhases(db: Db, user: User, query: PageQuery & PhaseFilter) {
  const [field = 'sn', direction] = (query.sort ?? 'sn,asc').split(',');
  const order = sortColumn(SORTS, field) ?? sql`meter.sn`;
  const rows = from(user, query);
  const [found, counted] = await Promise.all([
    sql<Found>`
      select meter.id as "meterId", meter.sn, coalesce(meter.customer_name, meter.customer_no) as "customerName", meter.address, meter.dcu_id as "dcuId", dcu.sn as "dcuSn",
        meter.recorded_phase as "recordedPhase", r.module_phase as "modulePhase", r.module_at as "moduleAt",
        r.master_phase as "masterPhase", r.master_support as "masterSupport", r.master_correlations as "masterCorrelations",
        r.master_samples as "masterSamples", r.neighbour_phase as "neighbourPhase", r.neighbour_support as "neighbourSupport",
        r.neighbour_correlations as "neighbourCorrelations", r.neighbour_meters as "neighbourMeters", r.final_phase as "finalPhase", r.confidence,
        ${STATE} as state, ${CONFLICT} as "isConflict", ${CONTRADICTION} as "hasContradiction", r.computed_at as "computedAt",
        app_user.name as "acceptedByName", ${AWAITS_DISPATCH} as "awaitsDispatch"
      ${rows} order by ${order} ${sql.raw(direction === 'desc' ? 'desc' : 'asc')} nulls last, meter.id
      limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db),
    countUpTo(db, sql`select meter.id ${rows}`),
  ]);
  return { items: found.rows.map(toRow), ...counted, page: query.page, size: query.size };
}

export async function summarise(ctx: Context, user: User, transformerId: string) {
  const place = await findPlace(ctx.db, user, transformerId);
  const rows = from(user, { transformerId });
  const [states, counted, running] = await Promise.all([
    sql<{ state: PhaseState; count: number }>`select ${STATE} as state, count(*)::int as count ${rows} group by 1`.execute(ctx.db),
    sql<{ conflicts: number; verySure: number; computedAt: Date | null; days: number | null }>`
      select count(*) filter (where ${CONFLICT})::int as conflicts,
        count(*) filter (where ${STATE} = 'proposed' and r.confidence >= ${VERY_SURE})::int as "verySure", max(r.computed_at) as "computedAt",
        ${daysWithVoltage(place.masterMeterId, localDay(ctx.clock.now(), 'UTC'))} as days ${rows}`.execute(ctx.db),
    findRunning(ctx.db, 'phase', { transformerId: place.id }),
  ]);
  const byState: Record<PhaseState, number> = { unknown: 0, unsure: 0, proposed: 0, accepted: 0, written: 0 };
  for (const { state, count } of states.rows) byState[state] = count;
  const [sums] = counted.rows;
  return {
    total: states.rows.reduce((sum, row) => sum + row.count, 0),
    byState,
    conflicts: sums?.conflicts ?? 0,
    verySure: sums?.verySure ?? 0,
    computedAt: isoOrNull(sums?.computedAt ?? null),
    taskId: running ?? null,
    daysWithData: sums?.days ?? 0,
  };
}
