import type { DiscoveredRow, DiscoveryRun } from '@hes/contract/asset/discovery.ts';
import { signalUnitOf } from '@hes/contract/states/signal.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { findSignalLimits, signalClass } from '#features/archive/port.ts';
import { iso, isoOrNull } from '#db/paging.ts';

interface RunColumns extends Omit<DiscoveryRun, 'startedAt' | 'endsAt' | 'endedAt' | 'lastPollAt'> {
  startedAt: Date;
  endsAt: Date;
  endedAt: Date | null;
  lastPollAt: Date | null;
}

/** A search whose task has ended without it counts as failed. */
export const RUN_STATE = sql`case when run.state in ('starting', 'searching', 'stopping') and t.finished_at is not null then 'failed' else run.state end`;
/** Joined tables `run`, `t` (its task) and `dcu` for conditions of lists of searches. */
export const RUN_SOURCE = sql`discovery_run run join dcu on dcu.id = run.dcu_id left join task t on t.id = run.task_id`;

export async function selectRuns(db: Db | Tx, where: RawBuilder<unknown>, tail: RawBuilder<unknown>): Promise<DiscoveryRun[]> {
  const found = await sql<RunColumns>`
    select run.id, run.dcu_id as "dcuId", dcu.sn as "dcuSn", run.task_id as "taskId", run.mode, ${RUN_STATE} as state, run.started_at as "startedAt",
      run.ends_at as "endsAt", coalesce(run.ended_at, case when t.finished_at is not null then t.finished_at end) as "endedAt", run.found,
      run.last_poll_at as "lastPollAt",
      coalesce(run.reason_code, (select i.reason_code from task_item i where i.task_id = run.task_id and i.dcu_id = run.dcu_id limit 1)) as "reasonCode", u.name as "startedByName"
    from ${RUN_SOURCE} left join app_user u on u.id = run.started_by where ${where} ${tail}`.execute(db);
  return found.rows.map((row) => ({
    ...row,
    startedAt: iso(row.startedAt),
    endsAt: iso(row.endsAt),
    endedAt: isoOrNull(row.endedAt),
    lastPollAt: isoOrNull(row.lastPollAt),
  }));
}

export const findRun = async (db: Db | Tx, id: string): Promise<DiscoveryRun | undefined> =>
  (await selectRuns(db, sql`run.id = ${id}`, sql``))[0];

/** Relation of a discovered meter to the assets. An operator's decision to ignore it has precedence. */
const MATCH = sql`case
  when h.ignored_until is not null and h.ignored_until > now() then 'ignored'
  when m.id is null then 'unknown'
  when m.dcu_id = h.dcu_id then 'bound_here'
  when m.dcu_id is null then 'in_warehouse'
  when other.hops = 0 and h.hops = 0 then 'duplicate'
  else 'bound_elsewhere' end`;

/** Discovered meters `h` joined with the asset (`m`) and its discovery at the DCU that it is bound to (`other`). */
export const DISCOVERED_SOURCE = sql`discovered_meter h join dcu on dcu.id = h.dcu_id left join meter m on m.sn = h.sn
  left join discovered_meter other on other.sn = h.sn and other.dcu_id = m.dcu_id and other.dcu_id <> h.dcu_id`;
export const DISCOVERED_MATCH = MATCH;

interface Selected extends Omit<DiscoveredRow, 'firstSeen' | 'lastSeen' | 'ignoredUntil' | 'signal' | 'signalUnit'> {
  firstSeen: Date;
  lastSeen: Date;
  ignoredUntil: Date | null;
}

/** Discovered meters for the console. Conditions refer to `h`, `m`, `other` and `dcu`. */
export async function findDiscovered(db: Db | Tx, where: RawBuilder<unknown>, tail: RawBuilder<unknown>): Promise<DiscoveredRow[]> {
  const [limits, found] = await Promise.all([
    findSignalLimits(db),
    sql<Selected>`
      select h.id, h.run_id as "runId", h.dcu_id as "dcuId", dcu.sn as "dcuSn", h.sn, h.address, h.comm_mode as "communicationMode", h.phase, h.hops,
        h.signal_value as "signalValue", h.protocol, h.first_seen as "firstSeen", h.last_seen as "lastSeen", h.times_seen as "timesSeen",
        ${MATCH} as match, m.id as "meterId",
        coalesce((select array_agg(d.sn order by d.sn) from dcu d where d.id <> h.dcu_id and (d.id = m.dcu_id or exists (
          select from archive_record r where r.sn = h.sn and r.dcu_id = d.id and r.dcu_entry is not null))), '{}') as "otherDcuSns",
        other.signal_value as "otherSignalValue",
        case when m.recorded_phase not in ('unknown', h.phase) and h.phase <> 'unknown' then m.recorded_phase end as "recordedPhase",
        coalesce(m.meter_type_id, guess.id) as "suggestedTypeId", coalesce(mt.name, guess.name) as "suggestedTypeName",
        h.nameplate, h.ignored_until as "ignoredUntil", h.ignore_reason as "ignoreReason"
      from ${DISCOVERED_SOURCE}
      left join meter_type mt on mt.id = m.meter_type_id
      -- Suggests the most frequent type among meters of this DCU with the same medium and number of phases;
      -- a type of the manufacturer in the logical device name has precedence.
      left join lateral (
        select y.id, y.name from meter_type y join meter n on n.meter_type_id = y.id left join supplier s on s.id = y.supplier_id
        where m.id is null and n.dcu_id = h.dcu_id and n.communication_mode = h.comm_mode and (y.phase = '1p2w') = (h.phase <> 'abc') and not n.is_master
        group by y.id, y.name, s.flag_id
        order by (s.flag_id is not null and s.flag_id = left(h.nameplate ->> 'logicalDeviceName', 3)) desc, count(*) desc, y.id limit 1
      ) guess on true
      where ${where} ${tail}`.execute(db),
  ]);
  return found.rows.map((row) => ({
    ...row,
    firstSeen: iso(row.firstSeen),
    lastSeen: iso(row.lastSeen),
    ignoredUntil: isoOrNull(row.ignoredUntil),
    signalUnit: signalUnitOf(row.communicationMode),
    signal: signalClass(limits, row.communicationMode, row.signalValue),
  }));
}
