import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { balance } from '@hes/contract/analysis/balance.ts';
import { bill } from '@hes/contract/analysis/bill.ts';
import { phase } from '@hes/contract/analysis/phase.ts';
import { approval } from '@hes/contract/action/approval.ts';
import { clock } from '@hes/contract/action/clock.ts';
import { dcuConfig } from '@hes/contract/action/dcu-config.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import { dcuType } from '@hes/contract/asset/dcu-type.ts';
import { connecting } from '@hes/contract/asset/connecting.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { discovery } from '@hes/contract/asset/discovery.ts';
import { meterType } from '@hes/contract/asset/meter-type.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { staModel } from '@hes/contract/debug/sta-model.ts';
import { topologySwitch } from '@hes/contract/debug/topology-switch.ts';
import { event } from '@hes/contract/event/event.ts';
import { topology } from '@hes/contract/network/topology.ts';
import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { customerStatus } from '@hes/contract/status/customer-status.ts';
import { dcuStatus } from '@hes/contract/status/dcu-status.ts';
import { meterStatus } from '@hes/contract/status/meter-status.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord } from '@hes/contract/upgrade/record.ts';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refetchStale } from '#core/live/refetch.ts';
import { READING_ROUTES } from './stored-readings.ts';
import { throttled } from '#core/live/throttled.ts';
import { REFRESH_MS } from '#core/live/updates.ts';

/** Pages about a device show attempts, relay and clock. */
const STATUS = [meterStatus.get.path, dcuStatus.get.path, customerStatus.get.path];
const TOPOLOGY = [topology.dcus, topologySwitch.list, staModel.list, staModel.get].map(({ path }) => path);
const READINGS = [...READING_ROUTES.map(({ path }) => path), meter.list.path, ...STATUS];

const RELAYS = [relay.list.path, approval.list.path, meter.list.path, ...STATUS];
const CLOCKS = [clock.list.path, dcu.list.path, ...STATUS];
const CONNECTING = [connecting.overview.path];
const DCUS = [dcu.list.path, dcuConfig.list.path, ...CONNECTING];
const ARCHIVES = [archive.list.path, dcu.list.path, meter.list.path];
const DISCOVERIES = [discovery.runs.path, meter.list.path, ...CONNECTING];

/** The lists that a run changes, by its kind, each with all paths below it. Kinds without an entry change no list. */
const CHANGED_LISTS: Readonly<Partial<Record<TaskKind, readonly string[]>>> = {
  registers: READINGS,
  daily: READINGS,
  monthly: READINGS,
  energy: READINGS,
  lpa: READINGS,
  lpb: READINGS,
  collect: READINGS,
  refill: READINGS,
  events: [event.list.path],
  clock_read: CLOCKS,
  clock_sync: CLOCKS,
  clock_broadcast: CLOCKS,
  relay_read: RELAYS,
  relay_disconnect: RELAYS,
  relay_connect: RELAYS,
  relay_arm: RELAYS,
  dcu_test: DCUS,
  meter_test: CONNECTING,
  dcu_read_info: DCUS,
  dcu_restart: DCUS,
  dcu_factory: DCUS,
  dcu_config_read: DCUS,
  dcu_config_write: DCUS,
  dcu_tasks: DCUS,
  archive_compare: ARCHIVES,
  archive_dispatch: ARCHIVES,
  discovery: DISCOVERIES,
  discovery_clear: DISCOVERIES,
  discovery_identify: DISCOVERIES,
  learn: [meterType.list.path, ...CONNECTING],
  conformance: [dcuType.list.path, ...CONNECTING],
  real_time: [...CONNECTING, ...STATUS],
  topology: TOPOLOGY,
  topology_switch: TOPOLOGY,
  modules: TOPOLOGY,
  station_ping: TOPOLOGY,
  station_restart: TOPOLOGY,
  upgrade: [upgradeRecord.list.path, upgradeJob.list.path, dcu.list.path, meter.list.path],
  bill: [bill.list.path, balance.list.path, anomaly.list.path],
  phase: [phase.list.path],
};

const changedBy: Readonly<Record<string, readonly string[] | undefined>> = CHANGED_LISTS;
const pathsOf = (kind: string): readonly string[] => changedBy[kind] ?? [];
const isUnder = (paths: readonly string[], [path]: QueryKey): boolean =>
  paths.some((above) => path === above || String(path).startsWith(`${above}/`));

const refreshShown = throttled(
  (client: QueryClient, paths: readonly string[]) => refetchStale(client, { predicate: ({ queryKey }) => isUnder(paths, queryKey) }),
  REFRESH_MS,
);

/** Removes hidden lists that a run of this kind changes from the cache: opening them loads current data. */
function forgetHidden(client: QueryClient, paths: readonly string[]): void {
  for (const query of client.getQueryCache().findAll({ type: 'inactive', predicate: ({ queryKey }) => isUnder(paths, queryKey) }))
    query.reset();
}

/** Marks data of devices as changed by a run of this kind: visible lists are refetched, hidden ones are removed from the cache. */
export function devicesChanged(client: QueryClient, kind: string): void {
  const paths = pathsOf(kind);
  if (paths.length === 0) return;
  forgetHidden(client, paths);
  refreshShown(kind, client, paths);
}

/** While a run is shown, the lists that it changes are removed from the cache: they are from before the run. */
export function useChangingRun(kind: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (kind !== undefined) forgetHidden(client, pathsOf(kind));
  }, [client, kind]);
}
