import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { dcuOnlineStatus, freshness, recordedPhase } from '../states/device.ts';
import { signalStrength, signalUnit } from '../states/signal.ts';
import { stationLink, stationRole, topologyChange } from '../states/topology.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.topology;
const view = { page, action: 'view' } as const;

/** A station in the network of a DCU. The DCU's own module, the root, is not listed. */
export const topologyNode = z.object({
  mac: z.string(),
  /** Short address in the network. */
  nodeId: z.number().int(),
  sn: z.string(),
  meterId: id.nullable(),
  /** Null: the DCU. */
  parentMac: z.string().nullable(),
  level: z.number().int(),
  role: stationRole,
  phase: recordedPhase,
  link: stationLink,
  /** SNR for PLC, RSSI for RF. */
  signalValue: z.number().int().nullable(),
  signalUnit,
  signal: signalStrength,
  upPct: z.number().int().nullable(),
  downPct: z.number().int().nullable(),
  onlineSince: instant.nullable(),
  lastSeenAt: instant,
  isOnline: z.boolean(),
  lastCommAt: instant.nullable(),
  freshness,
  softwareVersion: z.string().nullable(),
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
});
export type TopologyNode = z.infer<typeof topologyNode>;

export const topologyStats = z.object({
  online: z.number().int(),
  total: z.number().int(),
  meanLevel: z.number().nullable(),
  maxLevel: z.number().int(),
  successPct: z.number().nullable(),
  /** Number of parent changes in the last 24 hours. */
  parentChanges24h: z.number().int(),
});
export type TopologyStats = z.infer<typeof topologyStats>;

export const topologyDcu = z.object({
  dcuId: id,
  sn: z.string(),
  transformerName: z.string().nullable(),
  onlineStatus: dcuOnlineStatus,
  online: z.number().int(),
  total: z.number().int(),
  meters: z.number().int(),
  takenAt: instant.nullable(),
});
export type TopologyDcu = z.infer<typeof topologyDcu>;

export const topologyPicture = z.object({
  dcuId: id,
  sn: z.string(),
  transformerName: z.string().nullable(),
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
  onlineStatus: dcuOnlineStatus,
  /** Time of the reading from the DCU; null: never read. */
  takenAt: instant.nullable(),
  activeTaskId: id.nullable(),
  /** Reason code if the DCU does not report its network, which is then unknown; null: it does. */
  lacks: z.string().nullable(),
  stats: topologyStats,
  nodes: z.array(topologyNode),
});
export type TopologyPicture = z.infer<typeof topologyPicture>;

export const topologyMoment = z.object({
  takenAt: instant,
  nodes: z.number().int(),
  meanLevel: z.number(),
  maxLevel: z.number().int(),
  successPct: z.number().nullable(),
  changes: z.number().int(),
});
export type TopologyMoment = z.infer<typeof topologyMoment>;

const moved = z.object({
  sn: z.string(),
  mac: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  levelBefore: z.number().int(),
  levelAfter: z.number().int(),
});

export const topologyDiff = z.object({
  from: instant,
  to: instant,
  joined: z.array(z.string()),
  left: z.array(z.string()),
  moved: z.array(moved),
  broke: z.array(z.object({ relayMac: z.string(), relaySn: z.string(), lostSns: z.array(z.string()), rescuedSns: z.array(z.string()) })),
});
export type TopologyDiffAnswer = z.infer<typeof topologyDiff>;

export const topologyEvent = z.object({
  at: instant,
  change: topologyChange,
  before: z.string().nullable(),
  after: z.string().nullable(),
});

/** History of a station over the last days. */
export const stationHistory = z.object({
  signal: z.array(z.object({ at: instant, value: z.number().int().nullable() })),
  changes: z.array(topologyEvent),
});
export type StationHistory = z.infer<typeof stationHistory>;

const dcuParams = z.object({ dcuId: id });

export const topology = {
  dcus: route({
    method: 'GET',
    path: '/network/topology',
    summary: 'DCUs with the number of stations online in their networks',
    allow: view,
    query: pageQuery.extend({ node: nodeKey.optional(), search: z.string().max(64).optional() }),
    response: pageOf(topologyDcu).extend({
      /** Direct meters of the same node and search: they have no route. */
      direct: z.number().int(),
    }),
  }),
  get: route({
    method: 'GET',
    path: '/network/topology/{dcuId}',
    summary: 'Network of a DCU, now or at an earlier time',
    allow: view,
    params: dcuParams,
    query: z.object({ at: instant.optional() }),
    response: topologyPicture,
    errors: ['DCU_NOT_FOUND'],
  }),
  moments: route({
    method: 'GET',
    path: '/network/topology/{dcuId}/moments',
    summary: 'Times at which the network of a DCU was read',
    allow: view,
    params: dcuParams,
    response: listOf(topologyMoment),
    errors: ['DCU_NOT_FOUND'],
  }),
  diff: route({
    method: 'GET',
    path: '/network/topology/{dcuId}/diff',
    summary: 'Changes of a network between two times, with failed relays',
    allow: view,
    params: dcuParams,
    query: z.object({ from: instant, to: instant }),
    response: topologyDiff,
    errors: ['DCU_NOT_FOUND'],
  }),
  node: route({
    method: 'GET',
    path: '/network/topology/{dcuId}/node/{mac}',
    summary: 'Signal history and changes of one station',
    allow: view,
    params: dcuParams.extend({ mac: z.string().regex(/^[0-9A-F]{2,32}$/) }),
    response: stationHistory,
    errors: ['DCU_NOT_FOUND'],
  }),
  refresh: route({
    method: 'POST',
    path: '/network/topology/{dcuId}/refresh',
    summary: 'Read the network from the DCU',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    params: dcuParams,
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
};
