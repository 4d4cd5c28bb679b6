import { diffTopology } from '@hes/contract/network/topology-diff.ts';
import { signalOf, type SignalStrength } from '@hes/contract/states/signal.ts';
import type { NetworkMode, TopologySwitchOperation } from '@hes/contract/states/topology.ts';
import { sql } from 'kysely';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { findSignalLimits } from '#features/archive/port.ts';
import { packStations, unpackStations, type StoredStation } from './snapshot.ts';
import type { Context } from '#db/context.ts';
import type { Module } from '#southbound/dcu-parts.ts';

type StoreContext = Pick<Context, 'db' | 'bus' | 'clock'>;

export interface Figures {
  nodes: number;
  meanLevel: number;
  maxLevel: number;
  successPct: number | null;
  mode?: NetworkMode;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const tenths = (value: number): number => Math.round(value * 10) / 10;

export const figuresOf = (stations: readonly StoredStation[]): Figures => ({
  nodes: stations.length,
  meanLevel: tenths(mean(stations.map((station) => station.level))),
  maxLevel: Math.max(0, ...stations.map((station) => station.level)),
  successPct: stations.length === 0 ? null : tenths(mean(stations.map((station) => (station.upPct + station.downPct) / 2))),
});

interface Change {
  mac: string;
  sn: string;
  change: 'joined' | 'left' | 'parent' | 'level' | 'signal';
  before: string | null;
  after: string | null;
}

/** Changes of stations since the last reading. */
function changesOf(
  before: readonly StoredStation[],
  after: readonly StoredStation[],
  wordOf: (station: StoredStation) => SignalStrength,
): Change[] {
  const was = new Map(before.map((station) => [station.mac, station]));
  const is = new Map(after.map((station) => [station.mac, station]));
  const snOf = (mac: string | null): string | null => (mac === null ? null : (is.get(mac)?.sn ?? was.get(mac)?.sn ?? mac));
  const gone = before.filter((station) => !is.has(station.mac));
  return [
    ...gone.map(({ mac, sn, parentMac }): Change => ({ mac, sn, change: 'left', before: snOf(parentMac), after: null })),
    ...after.flatMap((station): Change[] => {
      const { mac, sn } = station;
      const old = was.get(mac);
      if (old === undefined) return [{ mac, sn, change: 'joined', before: null, after: snOf(station.parentMac) }];
      const found: Change[] = [];
      if (old.parentMac !== station.parentMac)
        found.push({ mac, sn, change: 'parent', before: snOf(old.parentMac), after: snOf(station.parentMac) });
      if (old.level !== station.level) found.push({ mac, sn, change: 'level', before: String(old.level), after: String(station.level) });
      if (wordOf(old) !== wordOf(station)) found.push({ mac, sn, change: 'signal', before: wordOf(old), after: wordOf(station) });
      return found;
    }),
  ];
}

/** The newest snapshot of a DCU; undefined when its network was never read. */
export async function findNewestSnapshot(ctx: Pick<StoreContext, 'db'>, dcuId: string) {
  const found = await sql<{ takenAt: Date; nodes: Buffer }>`
    select taken_at as "takenAt", nodes from topology_snapshot where dcu_id = ${dcuId} order by taken_at desc limit 1`.execute(ctx.db);
  const [row] = found.rows;
  return row && { takenAt: row.takenAt, stations: unpackStations(row.nodes) };
}

/** Stores a network: its stations, a snapshot and its changes. Publishes changes to open consoles. */
export async function storeTopology(
  ctx: StoreContext,
  { dcuId, taskId, stations }: { dcuId: string; taskId: string; stations: readonly StoredStation[] },
): Promise<{ figures: Figures; joined: number; left: number; moved: number }> {
  const takenAt = new Date(ctx.clock.now());
  const figures = figuresOf(stations);
  const limits = await findSignalLimits(ctx.db);
  const wordOf = (station: StoredStation) => signalOf(station.signalValue, station.link === 'rf' ? limits.rfRssiDbm : limits.plcSnrDb);
  const diff = await ctx.db.transaction().execute(async (tx) => {
    // Serialises readings of one DCU, so that each is compared with the one before.
    await lockDcuInTransaction(tx, 'topologySnapshot', dcuId);
    const before = (await findNewestSnapshot({ db: tx }, dcuId))?.stations;
    const changes = before === undefined ? [] : changesOf(before, stations, wordOf);
    await sql`insert into topology_snapshot (dcu_id, taken_at, node_count, avg_level, max_level, success_pct, changes, task_id, nodes)
      values (${dcuId}, ${takenAt}, ${figures.nodes}, ${figures.meanLevel}, ${figures.maxLevel}, ${figures.successPct}, ${changes.length}, ${taskId}, ${packStations(stations)})
      on conflict (dcu_id, taken_at) do nothing`.execute(tx);
    if (changes.length > 0)
      await sql`insert into topology_delta (dcu_id, at, mac, sn, change, before, after)
        select ${dcuId}, ${takenAt}, x.mac, x.sn, x.change, x.before, x.after
        from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as x (mac text, sn text, change text, before text, after text)`.execute(
        tx,
      );
    await sql`update topology_node set is_online = false where dcu_id = ${dcuId} and is_online`.execute(tx);
    // A module belongs to one network only, so it leaves its former one.
    await sql`delete from topology_node where dcu_id <> ${dcuId} and mac = any(${stations.map((station) => station.mac)}::text[])`.execute(
      tx,
    );
    await sql`
      insert into topology_node (dcu_id, mac, node_id, sn, parent_mac, level, role, phase, link, signal_value, up_pct, down_pct, online_since, last_seen_at, is_online)
      select ${dcuId}, x.mac, x."nodeId", x.sn, x."parentMac", x.level, x.role, x.phase, x.link, x."signalValue", x."upPct", x."downPct", x."onlineSince", ${takenAt}, true
      from jsonb_to_recordset(${JSON.stringify(stations)}::jsonb) as x (mac text, "nodeId" int, sn text, "parentMac" text, level int, role text, phase text,
        link text, "signalValue" int, "upPct" int, "downPct" int, "onlineSince" timestamptz)
      on conflict (dcu_id, mac) do update set node_id = excluded.node_id, sn = excluded.sn, parent_mac = excluded.parent_mac, level = excluded.level,
        role = excluded.role, phase = excluded.phase, link = excluded.link, signal_value = excluded.signal_value, up_pct = excluded.up_pct,
        down_pct = excluded.down_pct, online_since = excluded.online_since, last_seen_at = excluded.last_seen_at, is_online = true`.execute(
      tx,
    );
    const compared = (list: readonly StoredStation[]) => list.map((station) => ({ ...station, isOnline: true }));
    return diffTopology(compared(before ?? []), compared(stations));
  });
  const counts = { joined: diff.joined.length, left: diff.left.length, moved: diff.moved.length };
  const ts = takenAt.toISOString();
  ctx.bus.publish(`topology:${dcuId}`, { type: 'topology.changed', ts, id: dcuId, data: { takenAt: ts, ...counts } });
  return { figures, ...counts };
}

/** Time when the restart of a station was sent; undefined before that. */
export async function findRestartSent(ctx: Pick<StoreContext, 'db'>, itemId: string): Promise<Date | undefined> {
  const found = await sql<{ at: Date }>`select at from command_log where task_item_id = ${itemId} and result = 'sent'`.execute(ctx.db);
  return found.rows[0]?.at;
}

/** Restart counter of a module at its last reading. */
export async function findBoots(ctx: Pick<StoreContext, 'db'>, mac: string): Promise<number | undefined> {
  const found = await sql<{ boots: string }>`select boots from plc_module where mac = ${mac}`.execute(ctx.db);
  return found.rows[0] && Number(found.rows[0].boots);
}

/** Stores the modules of a DCU's network; modules that were not read stay unchanged. */
export async function storeModules(ctx: StoreContext, dcuId: string, modules: readonly Module[]): Promise<void> {
  await sql`
    insert into plc_module (mac, dcu_id, role, chip_id, vendor, hw_version, sw_version, boots, uptime_s, read_at, raw)
    select x.mac, ${dcuId}, x.role, x."chipId", x.vendor, x."hwVersion", x."swVersion", x.boots, x."uptimeS", ${new Date(ctx.clock.now())}, x.raw
    from jsonb_to_recordset(${JSON.stringify(modules)}::jsonb) as x (mac text, role text, "chipId" text, vendor text, "hwVersion" text, "swVersion" text,
      boots bigint, "uptimeS" bigint, raw jsonb)
    on conflict (mac) do update set dcu_id = excluded.dcu_id, role = excluded.role, chip_id = excluded.chip_id, vendor = excluded.vendor,
      hw_version = excluded.hw_version, sw_version = excluded.sw_version, boots = excluded.boots, uptime_s = excluded.uptime_s,
      read_at = excluded.read_at, raw = excluded.raw`.execute(ctx.db);
}

export interface RunningSwitch {
  id: string;
  operation: TopologySwitchOperation;
  state: 'sent' | 'rebuilding' | 'settled' | 'failed';
  before: Figures | null;
  startedAt: Date;
}

export async function findSwitchOfTask(ctx: StoreContext, taskId: string, dcuId: string): Promise<RunningSwitch | undefined> {
  const found = await sql<RunningSwitch>`
    select id, operation, state, before, started_at as "startedAt" from topology_switch where task_id = ${taskId} and dcu_id = ${dcuId}`.execute(
    ctx.db,
  );
  return found.rows[0];
}

export async function updateSwitch(
  ctx: StoreContext,
  id: string,
  change: { state: RunningSwitch['state']; before?: Figures; after?: Figures; reasonCode?: string },
): Promise<void> {
  const isOver = change.state === 'settled' || change.state === 'failed';
  await sql`
    update topology_switch set state = ${change.state}, reason_code = ${change.reasonCode ?? null},
      before = coalesce(${change.before === undefined ? null : JSON.stringify(change.before)}::jsonb, before),
      after = coalesce(${change.after === undefined ? null : JSON.stringify(change.after)}::jsonb, after),
      ended_at = ${isOver ? new Date(ctx.clock.now()) : null}
    where id = ${id}`.execute(ctx.db);
}

export async function storePing(
  ctx: StoreContext,
  ping: { taskId: string; mac: string; number: number; ms: number | null; reasonCode: string | null },
): Promise<void> {
  await sql`insert into station_ping (task_id, mac, number, at, ms, reason_code)
    values (${ping.taskId}, ${ping.mac}, ${ping.number}, ${new Date(ctx.clock.now())}, ${ping.ms}, ${ping.reasonCode}) on conflict do nothing`.execute(
    ctx.db,
  );
}

export async function countPings(ctx: StoreContext, taskId: string, mac: string): Promise<{ sent: number; ok: number }> {
  const found = await sql<{ sent: number; ok: number }>`
    select count(*)::int as sent, count(ms)::int as ok from station_ping where task_id = ${taskId} and mac = ${mac}`.execute(ctx.db);
  return found.rows[0] ?? { sent: 0, ok: 0 };
}
