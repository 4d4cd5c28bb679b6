import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { signalUnitOf } from '@hes/contract/states/signal.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { findSignalLimits, signalClass } from '#features/archive/port.ts';
import { isoOrNull } from '#db/paging.ts';

type Network = NonNullable<MeterFacts['network']>;
type Station = NonNullable<Network['station']>;
type Stored = Pick<Station, 'level' | 'link' | 'phase' | 'signalValue' | 'isOnline' | 'siblings' | 'siblingsOnline' | 'parentChanges'> & {
  lastSeenAt: Date;
  mac: string;
};

/** Networks are at most this deep; a loop in a report ends here, too. */
const MAX_HOPS = 16;

async function findRoute(db: Db, dcuId: string, mac: string): Promise<Station['route']> {
  const limits = await findSignalLimits(db);
  const { rows } = await sql<{ sn: string; level: number; isOnline: boolean; link: 'plc' | 'rf'; signalValue: number | null }>`
    with recursive above as (
      select parent.*, 1 as step from topology_node own join topology_node parent on parent.dcu_id = own.dcu_id and parent.mac = own.parent_mac
      where own.dcu_id = ${dcuId} and own.mac = ${mac}
      union all
      select parent.*, step + 1 from above join topology_node parent on parent.dcu_id = above.dcu_id and parent.mac = above.parent_mac
      where step < ${MAX_HOPS}
    )
    select sn, level, is_online, link, signal_value from above order by step`.execute(db);
  return rows.map(({ link, signalValue, ...row }) => ({
    ...row,
    signal: row.isOnline ? signalClass(limits, link, signalValue) : 'no_signal',
  }));
}

/** The place of a meter in the network that its DCU reported last. */
export async function findNetwork(db: Db, dcuId: string, sn: string): Promise<Network> {
  const [limits, taken, found] = await Promise.all([
    findSignalLimits(db),
    sql<{ takenAt: Date | null }>`select max(taken_at) as taken_at from topology_snapshot where dcu_id = ${dcuId}`.execute(db),
    sql<Stored>`
      select n.mac, n.level, n.link, n.phase, n.signal_value, n.is_online, n.last_seen_at, s.siblings, s.siblings_online,
        (select count(*)::int from topology_delta d where d.dcu_id = n.dcu_id and d.mac = n.mac and d.change = 'parent' and d.at > now() - interval '1 day') as parent_changes
      from topology_node n cross join lateral (
        select count(*)::int as siblings, count(*) filter (where is_online)::int as siblings_online
        from topology_node other where other.dcu_id = n.dcu_id and other.parent_mac = n.parent_mac and other.mac <> n.mac
      ) s
      where n.dcu_id = ${dcuId} and n.sn = ${sn}`.execute(db),
  ]);
  const takenAt = isoOrNull(taken.rows[0]?.takenAt ?? null);
  const [node] = found.rows;
  if (node === undefined) return { takenAt, station: null };
  const { mac, lastSeenAt, ...station } = node;
  const signal = node.isOnline ? signalClass(limits, node.link, node.signalValue) : 'no_signal';
  return {
    takenAt,
    station: {
      ...station,
      signalUnit: signalUnitOf(node.link),
      signal,
      lastSeenAt: lastSeenAt.toISOString(),
      route: await findRoute(db, dcuId, mac),
    },
  };
}
