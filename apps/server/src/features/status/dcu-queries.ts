import type { DcuFacts } from '@hes/contract/status/dcu-status.ts';
import type { StatusEvent, TimelineRow } from '@hes/contract/status/meter-status.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { findSignalLimits, signalClass } from '#features/archive/port.ts';
import { iso, isoOrNull } from '#db/paging.ts';
import { freshnessClass, visible } from '#db/scope.ts';
import { isSilent } from './silence-queries.ts';

const SILENT_SHOWN = 20;
const SHOWN = 40;

type Stored = Pick<
  DcuFacts,
  'id' | 'sn' | 'name' | 'typeName' | 'firmwareVersion' | 'onlineStatus' | 'freshness' | 'closeReason' | 'connections' | 'meters' | 'silent'
> & {
  lastCommAt: Date | null;
  since: Date | null;
  transformerId: string | null;
  transformerName: string | null;
};
export type DcuRecord = Omit<Stored, 'lastCommAt' | 'since' | 'transformerId' | 'transformerName'> &
  Pick<DcuFacts, 'lastCommAt' | 'since' | 'transformer'>;

/** The record of a DCU in the user's area, with the last connection; meters outside of the area are not counted. */
export async function findDcuRecord(db: Db, user: User, id: string): Promise<DcuRecord | undefined> {
  const { rows } = await sql<Stored>`
    select dcu.id, dcu.sn, dcu.name, t.name as type_name, dcu.firmware_version, dcu.online_status, dcu.last_comm_at, ${freshnessClass('dcu.lastCommAt')} as freshness,
      dcu.transformer_id, transformer.name as transformer_name,
      case when dcu.online_status = 'online' then s.identified_at else s.closed_at end as since,
      case when dcu.online_status = 'online' then null else s.close_reason end as close_reason,
      (select count(*)::int from dcu_session c where c.dcu_id = dcu.id and c.identified_at > now() - interval '1 day') as connections, m.meters, m.silent
    from dcu join dcu_type t on t.id = dcu.dcu_type_id left join transformer on transformer.id = dcu.transformer_id
    left join lateral (select identified_at, closed_at, close_reason from dcu_session where dcu_id = dcu.id order by opened_at desc limit 1) s on true
    cross join lateral (
      select count(*)::int as meters, count(*) filter (where ${isSilent('meter')})::int as silent
      from meter where meter.dcu_id = dcu.id and meter.inventory_state = 'active' and ${visible('meter.transformerId', user)}
    ) m
    where dcu.id = ${id} and ${visible('dcu.transformerId', user)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { transformerId, transformerName, ...rest } = row;
  return {
    ...rest,
    lastCommAt: isoOrNull(row.lastCommAt),
    since: isoOrNull(row.since),
    transformer: transformerId === null ? null : { id: transformerId, name: transformerName ?? '' },
  };
}

/** Active meters of a DCU without communication for a day, with the reason of their newest open gap. */
export async function listSilent(db: Db, user: User, dcuId: string): Promise<DcuFacts['silentMeters']> {
  const { rows } = await sql<{ meterId: string; sn: string; lastCommAt: Date | null; reasonCode: string | null }>`
    select meter.id as meter_id, meter.sn, meter.last_comm_at,
      (select g.reason_code from reading_gap g where g.meter_id = meter.id and g.state in ('open', 'lost') order by g.day desc limit 1) as reason_code
    from meter where meter.dcu_id = ${dcuId} and meter.inventory_state = 'active' and ${isSilent('meter')}
      and ${visible('meter.transformerId', user)} order by meter.last_comm_at nulls first, meter.sn limit ${SILENT_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, lastCommAt: isoOrNull(row.lastCommAt) }));
}

export async function findUplink(db: Db, dcuId: string): Promise<DcuFacts['uplink']> {
  const { rows } = await sql<{ signalDbm: number | null; readAt: Date; operator: string | null }>`
    select signal_dbm, read_at, operator from dcu_uplink where dcu_id = ${dcuId} and has_modem`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  return { ...row, readAt: iso(row.readAt), signal: signalClass(await findSignalLimits(db), 'rf', row.signalDbm) };
}

export async function findNetworkOf(db: Db, dcuId: string): Promise<NonNullable<DcuFacts['network']>> {
  const { rows } = await sql<{ takenAt: Date | null; stations: number; online: number; depth: number }>`
    select (select max(taken_at) from topology_snapshot where dcu_id = ${dcuId}) as taken_at, count(*)::int as stations,
      count(*) filter (where is_online)::int as online, coalesce(max(level), 0)::int as depth from topology_node where dcu_id = ${dcuId}`.execute(
    db,
  );
  const row = rows[0] ?? { takenAt: null, stations: 0, online: 0, depth: 0 };
  return { ...row, takenAt: isoOrNull(row.takenAt) };
}

/** Number of known differences from the archive of a DCU; null: none is known, because it was never compared. */
export async function countDiffering(db: Db, dcuId: string): Promise<number | null> {
  const { rows } = await sql<{ count: number; isCompared: boolean }>`
    select count(*)::int as count, exists (select from archive_snapshot where dcu_id = ${dcuId}) as is_compared
    from archive_record where dcu_id = ${dcuId} and diff_kind is not null and diff_kind <> 'same'`.execute(db);
  const { count, isCompared } = rows[0] ?? { count: 0, isCompared: false };
  return isCompared || count > 0 ? count : null;
}

/** Abnormal events of the DCU itself. */
export async function listDcuEvents(db: Db, dcuId: string, since: Date): Promise<StatusEvent[]> {
  const { rows } = await sql<Omit<StatusEvent, 'at' | 'recoveredAt'> & { at: Date; recoveredAt: Date | null }>`
    select e.id, e.occur_at as at, e.log, e.code, c.name_en, c.name_zh, e.abnormal_level as level, e.direction, e.recovered_at
    from event e left join event_code c on c.log = e.log and c.code = e.code
    where e.dcu_id = ${dcuId} and e.device_kind = 'dcu' and e.occur_at > ${since} and e.abnormal_level is not null
    order by e.occur_at desc, e.id desc limit ${SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at), recoveredAt: isoOrNull(row.recoveredAt) }));
}

/** Connections of a DCU since, newest first, each with the reason of its end. */
export async function listConnections(db: Db, dcuId: string, since: Date): Promise<TimelineRow[]> {
  const { rows } = await sql<Pick<TimelineRow, 'kind' | 'code'> & { at: Date }>`
    select * from (
      (select identified_at as at, 'connected' as kind, direction as code from dcu_session
        where dcu_id = ${dcuId} and identified_at > ${since} order by opened_at desc limit ${SHOWN})
      union all
      (select closed_at, 'disconnected', coalesce(close_reason, '') from dcu_session
        where dcu_id = ${dcuId} and closed_at > ${since} and identified_at is not null order by opened_at desc limit ${SHOWN})
    ) as happened order by at desc limit ${SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at), state: null, nameEn: null, nameZh: null }));
}
