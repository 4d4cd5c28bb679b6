import type { NearStation, StationFilters, StationRow } from '@hes/contract/debug/sta-model.ts';
import { nearStations } from '@hes/contract/network/near-stations.ts';
import type { StationRole, StationState } from '@hes/contract/states/topology.ts';
import { writeAudit } from '#db/audit.ts';
import { isoOrNull, pageOf, type PageQuery } from '#db/paging.ts';
import { findActiveTask, findStations } from '#features/topology/topology-queries.ts';
import { historyOf, requireDcu } from '#features/topology/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { besideLibrary } from './library.ts';
import {
  findBoundMeters,
  findStationFirmware,
  findModules,
  findPingRows,
  findStationMeter,
  isStationOf,
  replaceModule,
  type ModuleRow,
} from './queries.ts';

const BLANK = {
  nodeId: 0,
  parentMac: null,
  parentSn: null,
  level: 0,
  phase: 'unknown',
  link: 'plc',
  signalValue: null,
  signalUnit: 'dB',
  signal: 'no_signal',
  upPct: null,
  downPct: null,
  onlineSince: null,
  lastCommAt: null,
  meterId: null,
  isOnline: false,
} as const;

/** All stations of a DCU, at most a few thousand: those of its network, modules without contact, and bound meters that never joined. */
async function everyStation(db: Db, dcu: { id: string; sn: string }): Promise<StationRow[]> {
  const [stations, modules, meters, firmware] = await Promise.all([
    findStations(db, dcu.id),
    findModules(db, dcu.id),
    findBoundMeters(db, dcu.id),
    findStationFirmware(db, dcu.id),
  ]);
  const moduleOf = new Map(modules.map((row) => [row.mac, row]));
  const meterOf = new Map(meters.map((row) => [row.sn, row]));
  const snOf = new Map(stations.map((station) => [station.mac, station.sn]));
  const partOf = (module: ModuleRow | undefined) => ({
    chipId: module?.chipId ?? null,
    vendor: module?.vendor ?? null,
    hwVersion: module?.hwVersion ?? null,
    softwareVersion: module?.swVersion ?? null,
    builtOn: module?.builtOn ?? null,
    noise: module?.noise ?? [],
    boots: module ? Number(module.boots) : null,
    uptimeS: module ? Number(module.uptimeS) : null,
    readAt: isoOrNull(module?.readAt ?? null),
    replacedAt: isoOrNull(module?.replacedAt ?? null),
    library: module === undefined || module.role === 'cco' ? null : besideLibrary(module, firmware),
    raw: module?.raw ?? null,
  });
  const heard = stations.map(({ longitude: _longitude, latitude: _latitude, freshness: _freshness, ...station }): StationRow => {
    const isInArchive = meterOf.has(station.sn);
    return {
      ...station,
      ...partOf(moduleOf.get(station.mac)),
      parentSn: station.parentMac === null ? dcu.sn : (snOf.get(station.parentMac) ?? null),
      state: !isInArchive ? 'not_in_archive' : station.isOnline ? 'online' : 'offline',
      isInArchive,
    };
  });
  const alone = modules
    .filter((module) => !snOf.has(module.mac))
    .map((module): StationRow => {
      const isRoot = module.role === 'cco';
      const about = { mac: module.mac, role: module.role, sn: isRoot ? dcu.sn : null, lastSeenAt: module.readAt.toISOString() };
      // The DCU's own module is online when the DCU is.
      return { ...BLANK, ...partOf(module), ...about, isOnline: isRoot, state: isRoot ? 'online' : 'offline', isInArchive: isRoot };
    });
  const known = new Set(stations.map((station) => station.sn));
  const never = meters
    .filter((meter) => !known.has(meter.sn))
    .map((meter): StationRow => {
      const about = { mac: '', role: 'sta' as const, sn: meter.sn, meterId: meter.id, lastSeenAt: new Date(0).toISOString() };
      return { ...BLANK, ...partOf(undefined), ...about, lastCommAt: isoOrNull(meter.lastCommAt), state: 'never', isInArchive: true };
    });
  return [...alone.filter((row) => row.role === 'cco'), ...heard, ...alone.filter((row) => row.role !== 'cco'), ...never];
}

function fits(row: StationRow, filters: StationFilters): boolean {
  const has = <T>(wanted: readonly T[] | undefined, value: T): boolean =>
    wanted === undefined || wanted.length === 0 || wanted.includes(value);
  const search = filters.search?.trim().toUpperCase() ?? '';
  return (
    has(filters.role, row.role) &&
    has(filters.signal, row.signal) &&
    has(filters.phase, row.phase) &&
    has(filters.state, row.state) &&
    (filters.vendor === undefined || row.vendor === filters.vendor) &&
    (filters.version === undefined || row.softwareVersion === filters.version) &&
    row.level >= (filters.levelFrom ?? 0) &&
    (search === '' || (row.sn ?? '').includes(search) || row.mac.includes(search))
  );
}

export async function listStations(ctx: Context, user: User, query: PageQuery & StationFilters) {
  const dcu = await requireDcu(ctx.db, user, query.dcuId);
  const rows = (await everyStation(ctx.db, dcu)).filter((row) => fits(row, query));
  const [field, direction] = (query.sort ?? '').split(',');
  if (
    field === 'sn' ||
    field === 'level' ||
    field === 'signalValue' ||
    field === 'mac' ||
    field === 'boots' ||
    field === 'softwareVersion'
  ) {
    const valueOf = (row: StationRow): string | number => row[field] ?? '';
    const sign = direction === 'desc' ? -1 : 1;
    rows.sort((a, b) => (valueOf(a) < valueOf(b) ? -sign : valueOf(a) > valueOf(b) ? sign : 0));
  }
  return pageOf(rows, query);
}

export async function summariseStations(ctx: Context, user: User, dcuId: string) {
  const rows = await everyStation(ctx.db, await requireDcu(ctx.db, user, dcuId));
  const roles: Record<StationRole, number> = { cco: 0, pco: 0, sta: 0 };
  const states: Record<StationState, number> = { online: 0, offline: 0, never: 0, not_in_archive: 0 };
  const levels = new Map<number, number>();
  const modules = new Map<string, { vendor: string; version: string; count: number }>();
  for (const row of rows) {
    roles[row.role]++;
    states[row.state]++;
    if (row.level > 0) levels.set(row.level, (levels.get(row.level) ?? 0) + 1);
    if (row.vendor === null || row.softwareVersion === null) continue;
    const key = `${row.vendor} ${row.softwareVersion}`;
    const known = modules.get(key) ?? { vendor: row.vendor, version: row.softwareVersion, count: 0 };
    modules.set(key, { ...known, count: known.count + 1 });
  }
  const readAts = rows.flatMap((row) => row.readAt ?? []).toSorted();
  return {
    total: rows.length,
    readAt: readAts.at(-1) ?? null,
    modules: [...modules.values()].toSorted((a, b) => a.vendor.localeCompare(b.vendor) || b.version.localeCompare(a.version)),
    roles,
    states,
    levels: [...levels].map(([level, count]) => ({ level, count })).toSorted((a, b) => a.level - b.level),
  };
}

/** History of one station and its present neighbours. */
export async function aboutStation(ctx: Context, user: User, dcuId: string, mac: string) {
  const [history, stations] = await Promise.all([historyOf(ctx, user, dcuId, mac), findStations(ctx.db, dcuId)]);
  const own = stations.find((station) => station.mac === mac);
  if (own === undefined) throw new ApiError('NOT_FOUND');
  const near = nearStations(stations, own).map((one): NearStation => ({
    mac: one.mac,
    sn: one.sn,
    level: one.level,
    link: one.link,
    signal: one.signal,
    signalValue: one.signalValue,
    signalUnit: one.signalUnit,
    isOnline: one.isOnline,
  }));
  return { ...history, near };
}

interface PingOrder {
  mac: string;
  dcuId: string;
  count: number;
  intervalS: number;
}

/** Queues a ping: reads the name of the meter behind a station, which covers the whole path in both directions. */
export async function orderPing(ctx: Context, who: Who, { mac, dcuId, count, intervalS }: PingOrder): Promise<{ taskId: string }> {
  const { user } = who;
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await requireDcu(tx, user, dcuId);
    const station = await findStationMeter(tx, dcuId, mac);
    if (station === undefined) throw new ApiError('NOT_FOUND');
    if (station.meterId === null) throw new ApiError('METER_NOT_FOUND', { id: station.sn });
    const detail = { dcuSn: dcu.sn, meterSn: station.sn, mac, count };
    return placeOrder(tx, ctx, who, 'station_ping', {
      // A timeout is a result of a ping and is not retried.
      params: { mac, count, intervalS, retry: { count: 0, intervalMinutes: 1 } },
      items: [{ deviceKind: 'meter', dcuId, meterId: station.meterId }],
      record: { entity: 'meter', entityId: station.meterId, detail },
    });
  });
}

/** Queues the restart of a station's module. Its restart counter confirms it and must have been read before. */
export async function orderRestart(
  ctx: Context,
  who: Who,
  { mac, dcuId, reason }: { mac: string; dcuId: string; reason: string },
): Promise<{ taskId: string }> {
  const { user } = who;
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await requireDcu(tx, user, dcuId);
    const station = await findStationMeter(tx, dcuId, mac);
    if (station?.boots === undefined || station.boots === null) throw new ApiError('NOT_FOUND');
    if ((await findActiveTask(tx, dcuId, ['station_restart', 'topology_switch', 'upgrade'])) !== undefined)
      throw new ApiError('BUSY', { sn: dcu.sn });
    return placeOrder(tx, ctx, who, 'station_restart', {
      params: { mac, boots: Number(station.boots), retry: { count: 0, intervalMinutes: 1 } },
      reason,
      items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
      record: { entity: 'dcu', entityId: dcuId, detail: { dcuSn: dcu.sn, meterSn: station.sn, mac, reason } },
      request: { mac },
    });
  });
}

export async function findPings(ctx: Context, user: User, { mac, taskId, dcuId }: { mac: string; taskId: string; dcuId: string }) {
  await requireDcu(ctx.db, user, dcuId);
  if (!(await isStationOf(ctx.db, dcuId, mac))) throw new ApiError('NOT_FOUND');
  const found = await findPingRows(ctx.db, { dcuId, taskId, mac });
  return { items: found.map((row) => ({ ...row, at: row.at.toISOString() })) };
}

export async function markReplaced(
  ctx: Context,
  { user, ip }: Who,
  { mac, dcuId, reason }: { mac: string; dcuId: string; reason: string },
) {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await requireDcu(tx, user, dcuId);
    const isChanged = await replaceModule(tx, { dcuId, mac, at: new Date(now), userId: user.id });
    if (!isChanged) throw new ApiError('NOT_FOUND');
    const detail = { dcuSn: dcu.sn, mac, reason };
    await writeAudit(tx, { userId: user.id, action: 'station_replaced', entity: 'plc_module', entityId: dcuId, detail, ip }, now);
    return { mac, replacedAt: new Date(now).toISOString() };
  });
}
