import type { TopologyDcu, TopologyMoment, TopologyNode } from '@hes/contract/network/topology.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { signalUnitOf } from '@hes/contract/states/signal.ts';
import type { TopologyChange } from '@hes/contract/states/topology.ts';
import { sql } from 'kysely';
import { findSignalLimits, signalClass } from '#features/archive/port.ts';
import { containing, isoOrNull, type PageQuery } from '#db/paging.ts';
import { dcuUnder, freshnessClass, meterUnder, visible } from '#db/scope.ts';
import { METER_OF_NODE } from './topology-queries.ts';
import { stationIn, unpackStations, type StoredStation } from './snapshot.ts';
import type { Db, User } from '#db/context.ts';

type DcuQuery = PageQuery & { node?: NodeKey | undefined; search?: string | undefined };

/** Number of direct meters of a node. */
async function countDirect(db: Db, user: User, { node, search = '' }: DcuQuery): Promise<number> {
  const found = await sql<{ count: number }>`
    select count(*)::int as count from meter left join transformer t on t.id = meter.transformer_id
    where meter.communication_mode = 'direct' and meter.inventory_state <> 'in_warehouse' and ${visible('meter.transformerId', user)} and ${meterUnder(node)}
      and (${search} = '' or meter.sn ilike ${containing(search)} or t.name ilike ${containing(search)})`.execute(db);
  return found.rows[0]?.count ?? 0;
}

export async function listDcus(db: Db, user: User, query: DcuQuery) {
  const direct = countDirect(db, user, query);
  const found = await sql<Omit<TopologyDcu, 'takenAt'> & { takenAt: Date | null; matching: number }>`
    select dcu.id as "dcuId", dcu.sn, t.name as "transformerName", dcu.online_status as "onlineStatus",
      coalesce(n.online, 0) as online, coalesce(n.total, 0) as total,
      (select count(*)::int from meter m where m.dcu_id = dcu.id) as meters,
      (select max(s.taken_at) from topology_snapshot s where s.dcu_id = dcu.id) as "takenAt", count(*) over ()::int as matching
    from dcu left join transformer t on t.id = dcu.transformer_id
    left join lateral (
      select count(*) filter (where is_online)::int as online, count(*)::int as total from topology_node where dcu_id = dcu.id
    ) n on true
    where ${visible('dcu.transformerId', user)} and ${dcuUnder(query.node)}
      and (${query.search ?? ''} = '' or dcu.sn ilike ${containing(query.search ?? '')} or t.name ilike ${containing(query.search ?? '')})
    order by dcu.sn limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(db);
  return {
    items: found.rows.map(({ matching: _matching, takenAt, ...row }) => ({ ...row, takenAt: isoOrNull(takenAt) })),
    total: found.rows[0]?.matching ?? 0,
    totalIsExact: true,
    page: query.page,
    size: query.size,
    direct: await direct,
  };
}

/** Number of recent parent changes of stations. */
export async function countParentChanges(db: Db, dcuId: string, until: Date): Promise<number> {
  const found = await sql<{ count: number }>`
    select count(*)::int as count from topology_delta
    where dcu_id = ${dcuId} and change = 'parent' and at <= ${until} and at > ${until}::timestamptz - interval '24 hours'`.execute(db);
  return found.rows[0]?.count ?? 0;
}

export async function findMoments(db: Db, dcuId: string): Promise<TopologyMoment[]> {
  const found = await sql<Omit<TopologyMoment, 'takenAt'> & { takenAt: Date }>`
    select * from (
      select taken_at as "takenAt", node_count as nodes, round(avg_level::numeric, 1)::float8 as "meanLevel", max_level as "maxLevel",
        round(success_pct::numeric, 1)::float8 as "successPct", changes
      from topology_snapshot where dcu_id = ${dcuId} order by taken_at desc limit 3000
    ) newest order by "takenAt"`.execute(db);
  return found.rows.map((row) => ({ ...row, takenAt: row.takenAt.toISOString() }));
}

export interface Snapshot {
  takenAt: Date;
  stations: StoredStation[];
}

/** The last snapshot before a given time. */
export async function findSnapshotAt(db: Db, dcuId: string, at: Date): Promise<Snapshot | undefined> {
  const found = await sql<{ takenAt: Date; nodes: Buffer }>`
    select taken_at as "takenAt", nodes from topology_snapshot where dcu_id = ${dcuId} and taken_at <= ${at} order by taken_at desc limit 1`.execute(
    db,
  );
  const [row] = found.rows;
  return row && { takenAt: row.takenAt, stations: unpackStations(row.nodes) };
}

type MeterRow = Pick<TopologyNode, 'meterId' | 'freshness' | 'softwareVersion' | 'longitude' | 'latitude'> & {
  mac: string;
  lastCommAt: Date | null;
};

/** Stations of a snapshot, joined with the present meters. */
export async function nodesOfSnapshot(db: Db, { takenAt, stations }: Snapshot): Promise<TopologyNode[]> {
  const [limits, meters] = await Promise.all([
    findSignalLimits(db),
    sql<MeterRow>`
      select n.mac, meter.id as "meterId", meter.last_comm_at as "lastCommAt", ${freshnessClass('meter.lastCommAt')} as freshness,
        p.sw_version as "softwareVersion", meter.longitude::float8 as longitude, meter.latitude::float8 as latitude
      from unnest(${stations.map((station) => station.mac)}::text[], ${stations.map((station) => station.sn)}::text[]) as n (mac, sn) ${METER_OF_NODE}`.execute(
      db,
    ),
  ]);
  const meterOf = new Map(meters.rows.map((row) => [row.mac, row]));
  return stations.map((station) => {
    const meter = meterOf.get(station.mac);
    return {
      ...station,
      meterId: meter?.meterId ?? null,
      signalUnit: signalUnitOf(station.link),
      signal: signalClass(limits, station.link, station.signalValue),
      lastSeenAt: takenAt.toISOString(),
      isOnline: true,
      lastCommAt: isoOrNull(meter?.lastCommAt ?? null),
      freshness: meter?.freshness ?? 'none',
      softwareVersion: meter?.softwareVersion ?? null,
      longitude: meter?.longitude ?? null,
      latitude: meter?.latitude ?? null,
    };
  });
}

const HISTORY_DAYS = 7;

/** Signal by the hour and changes of one station over the last days. */
export async function findNodeHistory(db: Db, dcuId: string, mac: string, now: Date) {
  const since = new Date(now.getTime() - HISTORY_DAYS * 86_400_000);
  const [snapshots, changes] = await Promise.all([
    sql<{ takenAt: Date; nodes: Buffer }>`
      select distinct on (date_trunc('hour', taken_at)) taken_at as "takenAt", nodes from topology_snapshot
      where dcu_id = ${dcuId} and taken_at > ${since} order by date_trunc('hour', taken_at), taken_at desc`.execute(db),
    sql<{ at: Date; change: TopologyChange; before: string | null; after: string | null }>`
      select at, change, before, after from topology_delta where dcu_id = ${dcuId} and mac = ${mac} order by at desc limit 50`.execute(db),
  ]);
  return {
    signal: snapshots.rows.map(({ takenAt, nodes }) => ({
      at: takenAt.toISOString(),
      value: stationIn(nodes, mac)?.signalValue ?? null,
    })),
    changes: changes.rows.map((row) => ({ ...row, at: row.at.toISOString() })),
  };
}
