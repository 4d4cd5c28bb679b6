import { archive } from '@hes/contract/asset/archive.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { discovery } from '@hes/contract/asset/discovery.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { transformer } from '@hes/contract/asset/transformer.ts';
import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { dcuLog, type LiveLog } from '@hes/contract/debug/dcu-log.ts';
import { staModel } from '@hes/contract/debug/sta-model.ts';
import { topologySwitch } from '@hes/contract/debug/topology-switch.ts';
import { event } from '@hes/contract/event/event.ts';
import { module } from '@hes/contract/manager/module.ts';
import { setting } from '@hes/contract/manager/setting.ts';
import { user } from '@hes/contract/manager/user.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { task } from '@hes/contract/task/task.ts';
import { runItemStateOf } from '@hes/contract/task/words.ts';
import { exportFile } from '@hes/contract/transfer/export.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord } from '@hes/contract/upgrade/record.ts';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { sessionExpired } from '#shared/api/client.ts';
import { queryKeyOf } from '#shared/api/hooks.ts';
import { refetchStale, refetchInFlight } from './refetch.ts';
import { devicesChanged } from './changed-by-run.ts';
import { createBatcher } from './batcher.ts';
import { isConcerned, READING_PATHS } from './stored-readings.ts';
import { throttled } from './throttled.ts';

type MessageOf<T extends LiveMessage['type']> = Extract<LiveMessage, { type: T }>;
type Updates = { [T in LiveMessage['type']]: (client: QueryClient, message: MessageOf<T>) => void };
type Items = ResponseOf<typeof task.items>;
type Wall = ResponseOf<typeof task.byDcu>;
type ArchiveList = ResponseOf<typeof archive.list>;
type DiscoveryRuns = ResponseOf<typeof discovery.runs>;
type UpgradeJobs = ResponseOf<typeof upgradeJob.list>;
type UpgradeJob = ResponseOf<typeof upgradeJob.get>;
type UpgradeWall = ResponseOf<typeof upgradeRecord.byDcu>;
type UpgradeRecords = ResponseOf<typeof upgradeRecord.list>;
type DcuList = ResponseOf<typeof dcu.list>;

/** Minimum interval between two refetches of counters and sums, however many messages arrive. */
const REFRESH_MS = 3000;
const LIVE_FRAMES = 1000;

/** Readings arrive all day: only queries for the days and profiles of the stored readings are refetched. */
const refreshReadings = createBatcher<{ client: QueryClient; spans: Parameters<typeof isConcerned>[1] }>((stored) => {
  const spans = stored.flatMap((message) => message.spans);
  for (const client of new Set(stored.map((message) => message.client)))
    refetchStale(client, { predicate: ({ queryKey }) => isConcerned(queryKey, spans) });
}, REFRESH_MS);

const refresh = throttled((client: QueryClient, path: string) => refetchStale(client, { queryKey: [path] }), REFRESH_MS);

/** Applies the change of a live message to cached data, and refetches data that is in flight. */
function put<T>(client: QueryClient, queryKey: QueryKey, change: (old: T) => T): void {
  client.setQueriesData<T>({ queryKey }, (old) => old && change(old));
  refetchInFlight(client, { queryKey });
}

/** Copies only groups and cells that changed; unchanged ones keep their identity and are not rendered again. */
function withCells<G extends { cells: { id: string }[] }>(
  groups: G[],
  change: (cell: G['cells'][number]) => G['cells'][number],
  fresh: ReadonlyMap<string, unknown>,
): G[] {
  return groups.map((group) =>
    group.cells.some((cell) => fresh.has(cell.id))
      ? { ...group, cells: group.cells.map((cell) => (fresh.has(cell.id) ? change(cell) : cell)) }
      : group,
  );
}

const stateOf = (item: Items['items'][number] | undefined) => item && runItemStateOf(item);

function mergeItems(client: QueryClient, message: MessageOf<'task.item'>): void {
  const fresh = new Map(message.data.items.map((item) => [item.id, item]));
  put<Items>(client, [task.items.path, { id: message.id }], (old) => {
    // Each item keeps its index: structural sharing compares by index, and a moved item would be copied and rendered again.
    const items = old.items.map((item) => fresh.get(item.id) ?? item);
    const known = new Set(old.items.map(({ id }) => id));
    items.push(...message.data.items.filter(({ id }) => !known.has(id)));
    return { ...old, items, total: Math.max(old.total, items.length) };
  });
  put<Wall>(client, queryKeyOf(task.byDcu, { id: message.id }), (old) => ({
    items: withCells(old.items, (cell) => ({ ...cell, state: stateOf(fresh.get(cell.id)) ?? cell.state }), fresh),
  }));
}

/** The paths that a notice makes stale. */
const CONCERNED: Record<MessageOf<'notice'>['data']['about'], ReadonlySet<string>> = {
  permissions: new Set([module.tree.path, user.me.path]),
  modules: new Set([module.tree.path, module.list.path]),
  // A changed setting may require a second factor of this user.
  settings: new Set([setting.list.path, setting.get.path, user.me.path]),
};

const TOPOLOGY_PATHS = [
  topology.dcus.path,
  topology.get.path,
  topology.moments.path,
  topology.node.path,
  topologySwitch.list.path,
  staModel.list.path,
  staModel.get.path,
];
/** Queries with a count or the state of DCUs. */
const DCU_STATUS_PATHS = [
  dcu.facets.path,
  dcu.get.path,
  dcu.unregistered.path,
  dcu.sessions.path,
  dashboard.summary.path,
  transformer.list.path,
  transformer.facets.path,
  transformer.get.path,
  transformer.map.path,
];
const DCU_PATHS = [dcu.list.path, dcu.facets.path, dcu.get.path, dcu.unregistered.path];
const METER_PATHS = [meter.assets.path, meter.facets.path, meter.asset.path, meter.list.path];

/** The only table of *message type → cache update*. */
const updates: Updates = {
  'dcu.status': (client, message) => {
    put<DcuList>(client, [dcu.list.path], (old) => ({
      ...old,
      items: old.items.map((row) =>
        row.id === message.id
          ? { ...row, onlineStatus: message.data.onlineStatus, lastCommAt: message.data.lastCommAt ?? row.lastCommAt }
          : row,
      ),
    }));
    for (const path of DCU_STATUS_PATHS) refresh(path, client, path);
  },
  'task.progress': (client, message) => {
    const key = queryKeyOf(task.get, { id: message.id });
    client.setQueryData(key, message.data);
    refetchInFlight(client, { queryKey: key });
    refresh(task.list.path, client, task.list.path);
    devicesChanged(client, message.data.kind);
    // The final state of a refill marks its readings as refilled.
    if (message.data.kind === 'refill' && message.data.finishedAt !== null) for (const path of READING_PATHS) refresh(path, client, path);
  },
  'task.item': mergeItems,
  'reading.stored': (client, { data }) => refreshReadings({ client, spans: data.spans }),
  'archive.item': (client, message) => {
    const fresh = new Map(message.data.items.map((row) => [row.sn, row]));
    put<ArchiveList>(client, [archive.list.path], (old) => ({
      ...old,
      items: old.items.map((row) => (row.dcuId === message.id ? (fresh.get(row.sn) ?? row) : row)),
    }));
    // Added and removed rows, and the counts, need a refetch.
    for (const path of [archive.list.path, archive.summary.path, archive.log.path]) refresh(path, client, path);
  },
  'discovery.found': (client, message) => {
    const { run } = message.data;
    put<DiscoveryRuns>(client, [discovery.runs.path], (old) => ({
      ...old,
      items: old.items.map((row) => (row.id === run.id ? run : row)),
    }));
    for (const path of [discovery.list.path, discovery.facets.path, discovery.runs.path]) refresh(path, client, path);
  },
  'topology.changed': (client) => {
    for (const path of TOPOLOGY_PATHS) refresh(path, client, path);
  },
  'device.changed': (client, message) => {
    const paths = message.data.kind === 'dcu' ? DCU_PATHS : METER_PATHS;
    for (const path of paths) refresh(path, client, path);
  },
  'export.ready': (client) => refresh(exportFile.list.path, client, exportFile.list.path),
  // The latest frames of an open log; older ones are in the table.
  'dculog.frame': (client, message) => {
    client.setQueryData<LiveLog>(['dculog', message.id], (old) => ({
      frames: [...(old?.frames ?? []), ...message.data.frames].slice(-LIVE_FRAMES),
      left: (old?.left ?? 0) + message.data.left,
    }));
  },
  'dculog.capture': (client) => refresh(dcuLog.captures.path, client, dcuLog.captures.path),
  'event.new': (client) => {
    for (const path of [event.list.path, event.facets.path, event.incidents.path]) refresh(path, client, path);
  },
  'upgrade.item': (client, message) => {
    const fresh = new Map(message.data.items.map((row) => [row.id, row]));
    put<UpgradeRecords>(client, [upgradeRecord.list.path], (old) => ({
      ...old,
      items: old.items.map((row) => fresh.get(row.id) ?? row),
    }));
    put<UpgradeWall>(client, [upgradeRecord.byDcu.path], (old) => ({
      items: withCells(old.items, (cell) => ({ ...cell, status: fresh.get(cell.id)?.status ?? cell.status }), fresh),
    }));
    // Users whose scope is a part of the network do not receive `upgrade.job`: its counts are refetched.
    for (const path of [
      upgradeRecord.summary.path,
      upgradeRecord.get.path,
      upgradeRecord.log.path,
      upgradeJob.list.path,
      upgradeJob.get.path,
    ])
      refresh(path, client, path);
  },
  'upgrade.job': (client, message) => {
    put<UpgradeJobs>(client, [upgradeJob.list.path], (old) => ({
      ...old,
      items: old.items.map((row) => (row.id === message.id ? message.data : row)),
    }));
    put<UpgradeJob>(client, queryKeyOf(upgradeJob.get, { id: message.id }), (old) => ({ ...old, ...message.data }));
    put<UpgradeRecords>(client, [upgradeRecord.list.path], (old) => ({
      ...old,
      items: old.items.map((row) => (row.jobId === message.id ? { ...row, jobState: message.data.state } : row)),
    }));
  },
  'session.revoked': () => sessionExpired(),
  notice: (client, message) =>
    refetchStale(client, { predicate: ({ queryKey: [path] }) => CONCERNED[message.data.about].has(String(path)) }),
};

export function applyLiveMessage(client: QueryClient, message: LiveMessage): void {
  const update = updates[message.type] as ((client: QueryClient, message: LiveMessage) => void) | undefined; // a newer server may send types we do not know
  update?.(client, message);
}
