import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import { DEVIATION_MINUTES } from '#world/calendar.ts';
import { coordinatorMac, moduleOf, networkAt, type NetworkNode } from '#world/network.ts';
import type { DcuPlan } from '#world/plan.ts';
import type { FleetContext } from './context.ts';
import { ascii } from './dcu-archive.ts';

export type TopologyEntry = ValueOf<typeof DCU_ENTRIES.topology>;
export type ModuleEntry = ValueOf<typeof DCU_ENTRIES.modules>;

/** The network of one DCU from the DCU's view. */
export interface DcuNetwork {
  topology(): TopologyEntry[];
  modules(): ModuleEntry[];
  /** Whether a station can be reached at present. */
  hears(sn: string): boolean;
  rebuild(): void;
  restartRouteModule(): void;
  /** False if no such station is reachable. */
  restartStation(mac: string): boolean;
  mode(): NetworkMode;
  setMode(mode: NetworkMode): void;
}

/** In the order of their enumeration values. */
export const NETWORK_MODES = ['dual', 'plc', 'rf'] as const;
export type NetworkMode = (typeof NETWORK_MODES)[number];

/** Cache lifetime: topologies change by the hour, and commands invalidate the cache. */
const KEPT_MS = 5_000;
const REBUILD_MS = { realistic: 120_000, fast: 1_000 } as const;
const RESTART_MS = { realistic: 30_000, fast: 300 } as const;
const STATION_MS = { realistic: 20_000, fast: 300 } as const;
const octets = (mac: string): Uint8Array =>
  Uint8Array.from({ length: mac.length / 2 }, (_, at) => Number.parseInt(mac.slice(at * 2, at * 2 + 2), 16));

export function createDcuNetwork(context: FleetContext, dcu: DcuPlan): DcuNetwork {
  const { world, network: state, now, channel } = context;
  let kept: { at: number; nodes: NetworkNode[]; sns: Set<string> } | undefined;

  function present(): { at: number; nodes: NetworkNode[]; sns: Set<string> } {
    const at = now();
    // Without caching, changes made by a test take effect immediately.
    if (channel === 'realistic' && kept && Math.abs(at - kept.at) < KEPT_MS) return kept;
    const nodes = networkAt(world, state, dcu, at);
    return (kept = { at, nodes, sns: new Set(nodes.map((node) => node.meter.sn)) });
  }

  function form(takesMs: number, isNewShape: boolean): void {
    const before = state.formed.get(dcu.sn)?.shape ?? 0;
    state.formed.set(dcu.sn, { atMs: now(), takesMs, shape: before + (isNewShape ? 1 : 0) });
    kept = undefined;
  }

  return {
    topology: () => present().nodes.map(topologyEntry),
    modules: () => [
      coordinatorModule(dcu),
      ...present().nodes.map((node) => {
        const { builtOn, bootCount, ...module } = moduleOf(world.plan.seed, node, now());
        return {
          ...module,
          mac: octets(module.mac),
          chip: ascii(module.chip),
          vendor: ascii(module.vendor),
          hardwareVersion: ascii(module.hardwareVersion),
          softwareVersion: ascii(module.softwareVersion),
          bootCount: bootCount + (state.restarts.get(node.meter.sn) ?? 0),
          buildDate: dateOf(builtOn),
        };
      }),
    ],
    hears(sn) {
      const isCalm =
        !state.hasWeather && state.lost.size + state.moved.size + state.formed.size + state.mode.size + state.restarts.size === 0;
      return isCalm || present().sns.has(sn);
    },
    rebuild: () => form(REBUILD_MS[channel], true),
    restartRouteModule: () => form(RESTART_MS[channel], false),
    restartStation(mac) {
      const node = present().nodes.find((one) => one.mac === mac);
      if (!node) return false;
      const { sn } = node.meter;
      state.restarts.set(sn, (state.restarts.get(sn) ?? 0) + 1);
      state.backMs.set(sn, now() + STATION_MS[channel]);
      kept = undefined;
      return true;
    },
    mode: () => state.mode.get(dcu.sn) ?? 'dual',
    setMode(mode) {
      if (mode === (state.mode.get(dcu.sn) ?? 'dual')) return;
      if (mode === 'dual') state.mode.delete(dcu.sn);
      else state.mode.set(dcu.sn, mode);
      form(REBUILD_MS[channel], false);
    },
  };
}

const dateOf = (day: string): ModuleEntry['buildDate'] => {
  const { year, month, day: ofMonth, dayOfWeek } = fromEpochMs(Date.parse(day), 0);
  return { year, month, day: ofMonth, dayOfWeek };
};

const coordinatorModule = (dcu: DcuPlan): ModuleEntry => ({
  mac: octets(coordinatorMac(dcu)),
  role: 'coordinator',
  chip: ascii('LW4100'),
  vendor: ascii('Lanwave'),
  hardwareVersion: ascii('C1'),
  softwareVersion: ascii('3.0.2'),
  bootCount: 7 + (dcu.index % 11),
  uptimeSeconds: 86_400 * (20 + (dcu.index % 50)),
  buildDate: dateOf('2025-10-30'),
  noise: [],
});

const topologyEntry = (node: NetworkNode): TopologyEntry => ({
  nodeId: node.nodeId,
  mac: octets(node.mac),
  serialNumber: ascii(node.meter.sn),
  parentId: node.parentId,
  level: node.level,
  role: node.isRelay ? 'relay' : 'station',
  phase: node.meter.phase,
  communicationMode: node.meter.mode,
  signal: node.signal,
  uplinkSuccess: node.uplinkSuccess,
  downlinkSuccess: node.downlinkSuccess,
  onlineSince: fromEpochMs(node.onlineSinceMs, DEVIATION_MINUTES),
});
