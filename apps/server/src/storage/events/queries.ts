import type { PoolClient } from 'pg';
import { HEAD_END_NAME } from '@hes/contract/states/event.ts';
import { SAME_CAUSE_MS, type Grouping, type IncidentEvent, type StoredIncident } from './incidents.ts';

/** Maximum age of an occurrence that is paired with a recovery reported now. */
const PAIRING_DAYS = 62;

export interface EventToStore {
  deviceKind: 'dcu' | 'meter' | 'head_end';
  meterId: string | null;
  dcuId: string | null;
  log: string;
  code: number;
  occurAt: number;
  message: string;
  raw: Uint8Array;
  source: 'push' | 'pull';
  traceId: string | null;
  hash: Buffer;
}

export interface FreshEvent {
  id: string;
  hash: Buffer;
  deviceKind: 'dcu' | 'meter' | 'head_end';
  meterId: string | null;
  dcuId: string | null;
  log: string;
  code: number;
  occurAt: Date;
  direction: 'occur' | 'recover';
  abnormalLevel: 'serious' | 'warning' | null;
  isMuted: boolean;
}

/** Inserts events that are not stored yet, with direction and level from the catalogue. Returns the inserted ones. */
export async function insertEvents(client: PoolClient, events: readonly EventToStore[]): Promise<FreshEvent[]> {
  const inserted = await client.query<FreshEvent>(
    `insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, message, raw, source, trace_id, dedup_hash, direction, abnormal_level, is_muted)
     select n.*, coalesce(c.direction, 'occur'), case when c.enabled then c.abnormal_level end,
       exists (select from event_mute m where m.device_kind = n.device_kind and m.device_id = coalesce(n.meter_id, n.dcu_id)
         and m.log = n.log and m.code = n.code and m.until > now())
     from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::timestamptz[], $7::text[], $8::bytea[], $9::text[], $10::uuid[], $11::bytea[])
       as n (device_kind, meter_id, dcu_id, log, code, occur_at, message, raw, source, trace_id, dedup_hash)
     left join event_code c on c.log = n.log and c.code = n.code
     on conflict (dedup_hash) do nothing
     returning id, dedup_hash as hash, device_kind as "deviceKind", meter_id as "meterId", dcu_id as "dcuId", log, code, occur_at as "occurAt",
       direction, abnormal_level as "abnormalLevel", is_muted as "isMuted"`,
    [
      events.map((event) => event.deviceKind),
      events.map((event) => event.meterId),
      events.map((event) => event.dcuId),
      events.map((event) => event.log),
      events.map((event) => event.code),
      events.map((event) => new Date(event.occurAt)),
      events.map((event) => event.message),
      events.map((event) => Buffer.from(event.raw)),
      events.map((event) => event.source),
      events.map((event) => event.traceId),
      events.map((event) => event.hash),
    ],
  );
  return inserted.rows;
}

/**
 * An occurrence ends with the first event of its pair code after it, unless the same code occurs again before that. Pairs of the devices in
 * `fresh` are recomputed, because logs arrive in any order.
 */
export async function pairEvents(client: PoolClient, fresh: readonly FreshEvent[]): Promise<void> {
  const same = (
    a: string,
    b: string,
  ) => `${a}.device_kind = ${b}.device_kind and coalesce(${a}.meter_id, ${a}.dcu_id) = coalesce(${b}.meter_id, ${b}.dcu_id)
    and ${a}.meter_id is not distinct from ${b}.meter_id and ${a}.log = ${b}.log`;
  await client.query(
    `with touched as (
      select distinct device_kind, meter_id, dcu_id, log from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) as t (device_kind, meter_id, dcu_id, log)
    ), candidates as (
      select o.* , c.pair_code from touched t join event o on o.meter_id = t.meter_id and o.log = t.log
        join event_code c on c.log = o.log and c.code = o.code
        where t.meter_id is not null and c.pair_code is not null and o.occur_at >= $5::timestamptz - interval '${PAIRING_DAYS} days'
      union all
      select o.* , c.pair_code from touched t join event o on o.dcu_id = t.dcu_id and o.meter_id is null and o.log = t.log
        join event_code c on c.log = o.log and c.code = o.code
        where t.meter_id is null and c.pair_code is not null and o.occur_at >= $5::timestamptz - interval '${PAIRING_DAYS} days'
    ), paired as (
      select o.id, (
        select min(r.occur_at) from event r where ${same('r', 'o')} and r.code = o.pair_code and r.occur_at >= o.occur_at
          and not exists (select from event n where ${same('n', 'o')} and n.code = o.code and n.occur_at > o.occur_at and n.occur_at <= r.occur_at)
      ) as at from candidates o
    )
    update event e set recovered_at = p.at from paired p where e.id = p.id and e.recovered_at is distinct from p.at`,
    [
      fresh.map((event) => event.deviceKind),
      fresh.map((event) => event.meterId),
      fresh.map((event) => event.dcuId),
      fresh.map((event) => event.log),
      new Date(Math.min(...fresh.map((event) => event.occurAt.getTime()))),
    ],
  );
}

/** Incidents within `SAME_CAUSE_MS` of one of these events. */
export async function findIncidentsNear(client: PoolClient, events: readonly IncidentEvent[]): Promise<StoredIncident[]> {
  const found = await client.query<{ id: string; dcuId: string; log: string; code: number; openedAt: Date; lastAt: Date }>(
    `select distinct i.id, i.dcu_id as "dcuId", i.log, i.code, i.opened_at as "openedAt", i.last_at as "lastAt"
     from unnest($1::bigint[], $2::text[], $3::int[], $4::timestamptz[]) as n (dcu_id, log, code, at)
     join incident i on i.dcu_id = n.dcu_id and i.log = n.log and i.code = n.code
       and i.last_at >= n.at - make_interval(secs => ${SAME_CAUSE_MS / 1000}) and i.opened_at <= n.at + make_interval(secs => ${SAME_CAUSE_MS / 1000})`,
    [
      events.map((event) => event.dcuId),
      events.map((event) => event.log),
      events.map((event) => event.code),
      events.map((event) => new Date(event.occurAt)),
    ],
  );
  return found.rows.map((row) => ({ ...row, openedAt: row.openedAt.getTime(), lastAt: row.lastAt.getTime() }));
}

/** Creates, extends and merges incidents, and assigns their events. */
export async function storeIncidents(client: PoolClient, groups: readonly Grouping[]): Promise<void> {
  const fresh = groups.filter((group) => group.id === undefined);
  const created = await client.query<{ id: string }>(
    `insert into incident (dcu_id, log, code, opened_at, last_at)
     select n.dcu_id, n.log, n.code, n.opened_at, n.last_at
     from unnest($1::bigint[], $2::text[], $3::int[], $4::timestamptz[], $5::timestamptz[]) with ordinality as n (dcu_id, log, code, opened_at, last_at, k)
     order by n.k returning id`,
    [
      fresh.map((group) => group.dcuId),
      fresh.map((group) => group.log),
      fresh.map((group) => group.code),
      fresh.map((group) => new Date(group.openedAt)),
      fresh.map((group) => new Date(group.lastAt)),
    ],
  );
  const known = groups.filter((group) => group.id !== undefined);
  await client.query(
    `update incident i set opened_at = n.opened_at, last_at = n.last_at
     from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as n (id, opened_at, last_at) where i.id = n.id`,
    [known.map((group) => group.id), known.map((group) => new Date(group.openedAt)), known.map((group) => new Date(group.lastAt))],
  );
  const members = [
    ...fresh.flatMap((group, index) => group.eventIds.map((eventId) => [eventId, created.rows[index]?.id] as const)),
    ...known.flatMap((group) => group.eventIds.map((eventId) => [eventId, group.id] as const)),
  ];
  await client.query(
    'update event e set incident_id = n.incident from unnest($1::bigint[], $2::bigint[]) as n (id, incident) where e.id = n.id',
    [members.map(([eventId]) => eventId), members.map(([, incident]) => incident)],
  );
  for (const { id, absorbed } of known) {
    if (absorbed.length === 0) continue;
    await client.query('update event set incident_id = $1 where incident_id = any($2)', [id, absorbed]);
    await client.query('delete from incident where id = any($1)', [absorbed]);
  }
}

export interface NewsRow {
  id: string;
  dcuId: string | null;
  dcuSn: string | null;
  meterSn: string | null;
  log: string;
  code: number;
  nameEn: string | null;
  nameZh: string | null;
  abnormalLevel: 'serious' | 'warning';
  occurAt: Date;
}

/** Events in the form that is published to consoles, newest first. */
export async function findNews(client: PoolClient, ids: readonly string[]): Promise<NewsRow[]> {
  const found = await client.query<NewsRow>(
    `select e.id, e.dcu_id as "dcuId", coalesce(d.sn, case e.device_kind when 'head_end' then '${HEAD_END_NAME}' end) as "dcuSn", m.sn as "meterSn", e.log, e.code, c.name_en as "nameEn", c.name_zh as "nameZh",
       e.abnormal_level as "abnormalLevel", e.occur_at as "occurAt"
     from event e left join dcu d on d.id = e.dcu_id left join meter m on m.id = e.meter_id
     left join event_code c on c.log = e.log and c.code = e.code where e.id = any($1) order by e.occur_at desc`,
    [ids],
  );
  return found.rows;
}
