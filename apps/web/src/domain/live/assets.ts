import { archive } from '@hes/contract/asset/archive.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { discovery } from '@hes/contract/asset/discovery.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { transformer } from '@hes/contract/asset/transformer.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { putRows, refresh, type LiveUpdates } from '#core/live/updates.ts';

type RowOf<R extends { items: unknown[] }> = R['items'][number];
type DcuRow = RowOf<ResponseOf<typeof dcu.list>>;
type ArchiveRow = RowOf<ResponseOf<typeof archive.list>>;
type DiscoveryRun = RowOf<ResponseOf<typeof discovery.runs>>;

/** Queries with a count or the state of DCUs. */
const STATUS_OF_DCUS = [
  dcu.facets,
  dcu.get,
  dcu.unregistered,
  dcu.sessions,
  dashboard.summary,
  transformer.list,
  transformer.facets,
  transformer.get,
  transformer.map,
];
const DCUS = [dcu.list, dcu.facets, dcu.get, dcu.unregistered];
const METERS = [meter.assets, meter.facets, meter.asset, meter.list];

export const assetUpdates: LiveUpdates<'dcu.status' | 'device.changed' | 'archive.item' | 'discovery.found'> = {
  'dcu.status': (client, message) => {
    putRows<DcuRow>(client, [dcu.list.path], (row) =>
      row.id === message.id
        ? { ...row, onlineStatus: message.data.onlineStatus, lastCommAt: message.data.lastCommAt ?? row.lastCommAt }
        : row,
    );
    refresh(client, STATUS_OF_DCUS);
  },
  'device.changed': (client, message) => refresh(client, message.data.kind === 'dcu' ? DCUS : METERS),
  'archive.item': (client, message) => {
    const fresh = new Map(message.data.items.map((row) => [row.sn, row]));
    putRows<ArchiveRow>(client, [archive.list.path], (row) => (row.dcuId === message.id ? (fresh.get(row.sn) ?? row) : row));
    // Added and removed rows, and the counts, need a refetch.
    refresh(client, [archive.list, archive.summary, archive.log]);
  },
  'discovery.found': (client, message) => {
    const { run } = message.data;
    putRows<DiscoveryRun>(client, [discovery.runs.path], (row) => (row.id === run.id ? run : row));
    refresh(client, [discovery.list, discovery.facets, discovery.runs]);
  },
};
