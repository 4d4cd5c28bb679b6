import type { TopologyNode } from '@hes/contract/network/topology.ts';
import type { DcuOnlineStatus } from '@hes/contract/states/device.ts';
import { signalUnitOf } from '@hes/contract/states/signal.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx, User } from '#db/context.ts';
import { findSignalLimits, signalClass } from '#features/archive/port.ts';
import { isoOrNull } from '#db/paging.ts';
import { freshnessClass, visible } from '#db/scope.ts';

export interface VisibleDcu {
  id: string;
  sn: string;
  transformerName: string | null;
  onlineStatus: DcuOnlineStatus;
  longitude: number | null;
  latitude: number | null;
}

/** A DCU in the user's area; undefined for an unknown id and for one outside of the area. */
export async function findVisibleDcu(db: Db | Tx, user: User, id: string): Promise<VisibleDcu | undefined> {
  const found = await sql<VisibleDcu>`
    select dcu.id, dcu.sn, t.name as "transformerName", dcu.online_status as "onlineStatus",
      coalesce(dcu.longitude, t.longitude)::float8 as longitude, coalesce(dcu.latitude, t.latitude)::float8 as latitude
    from dcu left join transformer t on t.id = dcu.transformer_id
    where dcu.id = ${id} and ${visible('dcu.transformerId', user)}`.execute(db);
  return found.rows[0];
}

/** The open task of these kinds at a DCU; undefined when there is none. */
export async function findActiveTask(db: Db | Tx, dcuId: string, kinds: readonly string[]): Promise<string | undefined> {
  const found = await sql<{ taskId: string }>`
    select task_id as "taskId" from task_item where dcu_id = ${dcuId} and kind = any(${[...kinds]}::text[]) and phase = 'open' limit 1`.execute(
    db,
  );
  return found.rows[0]?.taskId;
}

type NodeRow = Omit<TopologyNode, 'signal' | 'onlineSince' | 'lastSeenAt' | 'lastCommAt'> & {
  onlineSince: Date | null;
  lastSeenAt: Date;
  lastCommAt: Date | null;
};

/** Joins the present meters to stations of any snapshot. */
export const METER_OF_NODE: RawBuilder<unknown> = sql`
  left join meter on meter.sn = n.sn
  left join plc_module p on p.mac = n.mac`;

/** Stations of a DCU at the last reading. */
export async function findStations(db: Db | Tx, dcuId: string): Promise<TopologyNode[]> {
  const [limits, found] = await Promise.all([
    findSignalLimits(db),
    sql<NodeRow>`
      select n.mac, n.node_id as "nodeId", n.sn, meter.id as "meterId", n.parent_mac as "parentMac", n.level, n.role, n.phase, n.link,
        n.signal_value as "signalValue", n.up_pct as "upPct", n.down_pct as "downPct", n.online_since as "onlineSince", n.last_seen_at as "lastSeenAt",
        n.is_online as "isOnline", meter.last_comm_at as "lastCommAt", ${freshnessClass('meter.lastCommAt')} as freshness, p.sw_version as "softwareVersion",
        meter.longitude::float8 as longitude, meter.latitude::float8 as latitude
      from topology_node n ${METER_OF_NODE}
      where n.dcu_id = ${dcuId} order by n.level, n.sn`.execute(db),
  ]);
  return found.rows.map((row) => ({
    ...row,
    signalUnit: signalUnitOf(row.link),
    signal: row.isOnline ? signalClass(limits, row.link, row.signalValue) : 'no_signal',
    onlineSince: isoOrNull(row.onlineSince),
    lastSeenAt: row.lastSeenAt.toISOString(),
    lastCommAt: isoOrNull(row.lastCommAt),
  }));
}
