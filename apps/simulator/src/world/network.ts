import { dayStart, localDay } from './calendar.ts';
import { deviceNumber } from './replacement.ts';
import type { DcuPlan, MeterPlan } from './plan.ts';
import { streamOf, unitAt } from './random.ts';
import type { World } from './world.ts';

/** A station in the network of a DCU at a moment. Node id 1 is the DCU itself. */
export interface NetworkNode {
  meter: MeterPlan;
  nodeId: number;
  mac: string;
  parentId: number;
  level: number;
  isRelay: boolean;
  /** SNR in dB over the power line, RSSI in dBm over radio. */
  signal: number;
  uplinkSuccess: number;
  downlinkSuccess: number;
  onlineSinceMs: number;
}

/** Changes to the networks other than random trouble: by the control API, or by a command to a DCU. */
export interface NetworkState {
  /** Modules out of service, by serial number of their meter. */
  lost: Set<string>;
  /** Moment at which a lost module returned; until that moment it is offline. */
  backMs: Map<string, number>;
  /** Number of restarts of a module by command. */
  restarts: Map<string, number>;
  /** Meters that moved to the network of another DCU. */
  moved: Map<string, string>;
  /** When the network of a DCU was rebuilt, and which of its shapes it took. */
  formed: Map<string, { atMs: number; takesMs: number; shape: number }>;
  /** Media in use by a DCU; absent: both. */
  mode: Map<string, 'plc' | 'rf'>;
  /** Enables random relay failures. Tests inject their own. */
  hasWeather: boolean;
}

export const COORDINATOR_ID = 1;
const FIRST_STATION_ID = 2;
const HOUR_MS = 3_600_000;
const TROUBLE_EVERY_MS = 2 * HOUR_MS;
const TROUBLE_SHARE = 0.3;
const MOST_PARENTS = 3;
/** Share of the stations that hear a single relay: they drop out with it. */
const LONELY_SHARE = 0.35;
const DEEPEST = 5;
const MEMBER_DAYS = 16;
const DAY_MS = 86_400_000;

export const newNetworkState = (hasWeather: boolean): NetworkState => ({
  lost: new Set(),
  backMs: new Map(),
  restarts: new Map(),
  moved: new Map(),
  formed: new Map(),
  mode: new Map(),
  hasWeather,
});

export const macOf = (number: number): string => `E8F20A${number.toString(16).toUpperCase().padStart(6, '0')}`;
/** MAC address of the module in the DCU itself. */
export const coordinatorMac = (dcu: DcuPlan): string => `E8F200${dcu.index.toString(16).toUpperCase().padStart(6, '0')}`;

/** Meters that belong to the network of a DCU at a moment, reachable or not. */
export function membersOf(world: World, state: NetworkState, dcu: DcuPlan, atMs: number): MeterPlan[] {
  const own = world.metersAt(dcu, atMs).filter((meter) => !meter.isSilent && !state.moved.has(meter.sn));
  if (state.moved.size === 0) return own;
  const guests = [...state.moved]
    .filter(([, to]) => to === dcu.sn)
    .flatMap(([sn]) => world.meterBySn.get(sn) ?? [])
    .filter((meter) => world.isUp(meter, atMs));
  return [...own, ...guests];
}

/** Evenings are noisy: lamps, cookers, chargers. In dB. */
const noiseOfHour = (hour: number): number => (hour >= 18 && hour <= 22 ? -3.5 : hour >= 7 && hour <= 9 ? -1.5 : 0);

/** Decibels that noise takes from a signal in an hour, counted since 1970. */
const noiseAt = (hour: number): number => noiseOfHour((new Date(hour * HOUR_MS).getUTCHours() + 8) % 24);

/** The randomly failing relay around a moment, if any. */
function troubleOf(
  seed: number,
  dcu: DcuPlan,
  members: readonly MeterPlan[],
  atMs: number,
): { sn: string; endsMs: number; isOver: boolean } | undefined {
  const window = Math.floor(atMs / TROUBLE_EVERY_MS);
  const stream = streamOf(seed, 'network/trouble') + dcu.index;
  if (unitAt(stream, window) > TROUBLE_SHARE) return undefined;
  const near = members.filter((meter) => meter.kind !== 'master' && hopsOf(meter) <= 2);
  const victim = near[Math.floor(unitAt(stream, window, 1) * near.length)];
  if (!victim) return undefined;
  const beginsMs = window * TROUBLE_EVERY_MS + unitAt(stream, window, 2) * HOUR_MS;
  const endsMs = beginsMs + HOUR_MS / 3 + (unitAt(stream, window, 3) * HOUR_MS) / 3;
  return atMs < beginsMs ? undefined : { sn: victim.sn, endsMs, isOver: atMs >= endsMs };
}

interface Link {
  stream: number;
  hour: number;
  shape: number;
}

/** Signal of a possible parent at a station; undefined parent: the DCU. */
function signalOf(meter: MeterPlan, parent: MeterPlan | undefined, { stream, hour, shape }: Link): number {
  const apart = Math.abs(meter.distance - (parent?.distance ?? 0));
  const swing = (unitAt(stream + shape, meter.index, (parent?.index ?? -1) * 31 + (hour % 9973)) - 0.5) * 7;
  const own = (unitAt(stream, meter.index, 3) - 0.5) * 12;
  const evening = noiseAt(hour);
  return Math.round((meter.mode === 'rf' ? -66 - 70 * apart : 25 - 34 * apart) + own + swing + evening);
}

const successOf = (meter: MeterPlan, signal: number): number =>
  Math.max(5, Math.min(100, Math.round(meter.mode === 'rf' ? 100 + (signal + 78) * 2.2 : 100 - Math.max(0, 16 - signal) * 4.5)));

/** Benchmark fleets have one hop on every channel, but their networks still have branches. */
const hopsOf = ({ hops, distance }: MeterPlan): number => Math.min(Math.max(hops, 1 + Math.floor(distance * 3.5)), DEEPEST);

/** Relays a station can hear: the nearest of the previous hop, over the same medium. */
function parentsOf(meter: MeterPlan, nearer: readonly MeterPlan[], stream: number): MeterPlan[] {
  // Where stations share a position, neighbours in installation order are nearest.
  const far = (other: MeterPlan): number =>
    Math.hypot(other.longitude - meter.longitude, other.latitude - meter.latitude) + Math.abs(other.index - meter.index) * 1e-9;
  const audible = nearer.filter(
    (other) => other.mode === meter.mode && (meter.mode === 'rf' || other.phase === meter.phase || meter.phase === 'abc'),
  );
  const count = unitAt(stream, meter.index, 5) < LONELY_SHARE ? 1 : MOST_PARENTS;
  return (audible.length > 0 ? audible : nearer.filter((other) => other.mode === meter.mode))
    .toSorted((a, b) => far(a) - far(b))
    .slice(0, count);
}

/** The topology of a DCU's network: deterministic for equal seeds, states and moments. Stations that are not in it are unreachable. */
export function networkAt(world: World, state: NetworkState, dcu: DcuPlan, atMs: number): NetworkNode[] {
  const { seed } = world.plan;
  const stream = streamOf(seed, 'network') + dcu.index;
  const members = membersOf(world, state, dcu, atMs);
  const formed = state.formed.get(dcu.sn);
  const link: Link = { stream, hour: Math.floor(atMs / HOUR_MS), shape: formed?.shape ?? 0 };
  const medium = state.mode.get(dcu.sn);
  const trouble = state.hasWeather ? troubleOf(seed, dcu, members, atMs) : undefined;
  const isOut = ({ sn, mode }: MeterPlan): boolean =>
    state.lost.has(sn) ||
    (state.backMs.get(sn) ?? 0) > atMs ||
    (medium !== undefined && mode !== medium) ||
    (trouble?.sn === sn && !trouble.isOver);
  const known = new Map<string, NetworkNode>();
  const byHops = Map.groupBy(members, (meter) => hopsOf(meter));
  let nearer: MeterPlan[] = [];
  for (const hops of [...byHops.keys()].toSorted((a, b) => a - b)) {
    const here = byHops.get(hops) ?? [];
    for (const meter of here) {
      if (isOut(meter)) continue;
      const choices = hops === 1 || nearer.length === 0 ? [] : parentsOf(meter, nearer, stream);
      const live = choices.flatMap((choice) => known.get(choice.sn) ?? []);
      const best = live.toSorted((a, b) => signalOf(meter, b.meter, link) - signalOf(meter, a.meter, link) || a.nodeId - b.nodeId)[0];
      // No relay in range is online.
      if (choices.length > 0 && best === undefined) continue;
      const level = (best?.level ?? 0) + 1;
      const joinedMs = formed ? formed.atMs + (formed.takesMs * level) / DEEPEST : 0;
      if (joinedMs > atMs) continue;
      const signal = signalOf(meter, best?.meter, link);
      known.set(meter.sn, {
        meter,
        nodeId: FIRST_STATION_ID + members.indexOf(meter),
        mac: macOf(deviceNumber(meter)),
        parentId: best?.nodeId ?? COORDINATOR_ID,
        level,
        isRelay: false,
        signal,
        uplinkSuccess: successOf(meter, signal),
        downlinkSuccess: successOf(meter, signal - Math.round(unitAt(stream, meter.index, 6) * 3)),
        onlineSinceMs: Math.max(
          joinedMs,
          sinceOf(stream, meter, atMs),
          meter.installation?.atMs ?? 0,
          state.backMs.get(meter.sn) ?? 0,
          trouble?.sn === meter.sn ? trouble.endsMs : 0,
        ),
      });
    }
    nearer = here;
  }
  const nodes = [...known.values()];
  const relays = new Set(nodes.map((node) => node.parentId));
  for (const node of nodes) node.isRelay = relays.has(node.nodeId);
  return nodes;
}

/** The join time of a station: constant for some weeks, because stations do not rejoin continuously. */
function sinceOf(stream: number, meter: MeterPlan, atMs: number): number {
  const day = localDay(atMs);
  const first = day - (day % MEMBER_DAYS) - Math.floor(unitAt(stream, meter.index, 7) * MEMBER_DAYS);
  return dayStart(first) + Math.floor((unitAt(stream, meter.index, 8) * DAY_MS) / 1000) * 1000;
}

export interface StationModule {
  mac: string;
  role: 'coordinator' | 'relay' | 'station';
  chip: string;
  vendor: string;
  hardwareVersion: string;
  softwareVersion: string;
  bootCount: number;
  uptimeSeconds: number;
  builtOn: string;
  /** dBµV in parts of the band; empty over radio. */
  noise: number[];
}

const MODULES = [
  { vendor: 'Lanwave', chip: 'LW3921', hardwareVersion: 'B2' },
  { vendor: 'Lanwave', chip: 'LW3921', hardwareVersion: 'B3' },
  { vendor: 'Tidecom', chip: 'TC7600', hardwareVersion: 'A1' },
] as const;
const VERSIONS = ['2.4.1', '2.4.1', '2.4.1', '2.3.8', '2.2.0'] as const;
const BUILT_ON = { '2.4.1': '2025-09-18', '2.3.8': '2025-02-11', '2.2.0': '2024-06-03' } as const;
const NOISE_PARTS = 8;

/** Noise on the line falls with frequency, rises in the evening, and peaks where a charger switches. */
function noiseOf(stream: number, meter: MeterPlan, atMs: number): number[] {
  const peak = Math.floor(unitAt(stream, meter.index, 3) * NOISE_PARTS);
  return Array.from({ length: NOISE_PARTS }, (_, part) => {
    const own = unitAt(stream, meter.index, 10 + part) * 6 + (part === peak ? 9 : 0);
    return Math.round(62 - part * 3.2 + own - 2 * noiseAt(Math.floor(atMs / HOUR_MS)));
  });
}

/** The communication module of a station. */
export function moduleOf(seed: number, node: NetworkNode, atMs: number): StationModule {
  const stream = streamOf(seed, 'modules');
  const { index, mode } = node.meter;
  const version = VERSIONS[Math.floor(unitAt(stream, index, 1) * VERSIONS.length)] ?? VERSIONS[0];
  const made = mode === 'rf' ? MODULES[2] : (MODULES[unitAt(stream, index) < 0.7 ? 0 : 1] ?? MODULES[0]);
  return {
    mac: node.mac,
    role: node.isRelay ? 'relay' : 'station',
    ...made,
    softwareVersion: version,
    bootCount: 3 + Math.floor(unitAt(stream, index, 2) * 40),
    uptimeSeconds: Math.max(0, Math.floor((atMs - node.onlineSinceMs) / 1000)),
    builtOn: BUILT_ON[version],
    noise: mode === 'rf' ? [] : noiseOf(stream, node.meter, atMs),
  };
}
