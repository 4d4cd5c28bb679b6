import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { isoOrNull } from '#db/paging.ts';
import { freshnessClass, visible } from '#db/scope.ts';
import { isSilent } from './silence-queries.ts';

export type MeterRecord = Omit<
  MeterFacts,
  'at' | 'line' | 'attempts' | 'network' | 'clock' | 'events' | 'gaps' | 'loss' | 'anomalies' | 'timeline'
> & { dcuId: string | null };

type Stamp = 'installedAt' | 'lastCommAt' | 'lastReadAt' | 'relayReadAt' | 'setAsideUntil';
type Stored = Omit<MeterRecord, Stamp | 'transformer'> &
  Record<Stamp, Date | null> & { transformerId: string | null; transformerName: string | null };

/** The record of a meter in the user's area; undefined for an unknown id and for one outside of the area. */
export async function findRecord(db: Db, user: User, id: string): Promise<MeterRecord | undefined> {
  const { rows } = await sql<Stored>`
    select meter.id, meter.sn, t.name as type_name, meter.is_master, meter.communication_mode, meter.inventory_state, meter.recorded_phase,
      meter.customer_no, meter.customer_name, meter.address, meter.installed_at, meter.firmware_version, meter.last_comm_at, meter.last_read_at,
      ${freshnessClass('meter.lastCommAt')} as freshness, meter.relay_state, meter.relay_read_at,
      case when meter.set_aside_until > now() then meter.set_aside_until end as set_aside_until,
      meter.transformer_id, transformer.name as transformer_name, meter.dcu_id is not null as is_bound, meter.dcu_id
    from meter join meter_type t on t.id = meter.meter_type_id left join transformer on transformer.id = meter.transformer_id
    where meter.id = ${id} and ${visible('meter.transformerId', user)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { transformerId, transformerName, ...rest } = row;
  return {
    ...rest,
    installedAt: isoOrNull(row.installedAt),
    lastCommAt: isoOrNull(row.lastCommAt),
    lastReadAt: isoOrNull(row.lastReadAt),
    relayReadAt: isoOrNull(row.relayReadAt),
    setAsideUntil: isoOrNull(row.setAsideUntil),
    transformer: transformerId === null ? null : { id: transformerId, name: transformerName ?? '' },
  };
}

type Line = NonNullable<MeterFacts['line']>;

/** The connection over which a meter is read, if its DCU is in the user's area, with the silence of the other meters on it. */
export async function findLine(db: Db, user: User, endpointId: string): Promise<Line | null> {
  const { rows } = await sql<Omit<Line, 'lastCommAt' | 'since'> & { lastCommAt: Date | null; since: Date | null }>`
    select endpoint.id, endpoint.sn, endpoint.online_status, endpoint.last_comm_at,
      case when endpoint.online_status = 'online' then s.identified_at else s.closed_at end as since,
      case when endpoint.online_status = 'online' then null else s.close_reason end as close_reason, m.meters, m.silent
    from endpoint
    left join lateral (
      select identified_at, closed_at, close_reason from dcu_session where dcu_id = endpoint.id order by opened_at desc limit 1
    ) s on true
    cross join lateral (
      select count(*)::int as meters, count(*) filter (where ${isSilent('meter')})::int as silent
      from meter where meter.dcu_id = endpoint.id and meter.inventory_state = 'active' and ${visible('meter.transformerId', user)}
    ) m
    where endpoint.id = ${endpointId} and (endpoint.kind = 'meter' or ${visible('endpoint.transformerId', user)})`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...row, lastCommAt: isoOrNull(row.lastCommAt), since: isoOrNull(row.since) };
}

/** The stored clock of a device; undefined: never read. */
export async function findClock(db: Db, kind: 'dcu' | 'meter', id: string) {
  const { rows } = await sql<{ readAt: Date; deviationMs: string | null; status: number | null; lastSyncAt: Date | null }>`
    select read_at, deviation_ms, status, last_sync_at from device_clock where device_kind = ${kind} and device_id = ${id}`.execute(db);
  return rows[0];
}
