import { z } from 'zod';
import { csv, day, id, idParams, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { discoveryMatch, discoveryMode, discoveryState } from '../states/discovery.ts';
import { recordedPhase } from '../states/device.ts';
import { signalStrength, signalUnit } from '../states/signal.ts';
import { nodeKey } from './tree.ts';

export const MAX_DCUS_PER_SEARCH = 100;

/** One search of one DCU. */
export const discoveryRun = z.object({
  id,
  dcuId: id,
  dcuSn: z.string(),
  taskId: id,
  mode: discoveryMode,
  state: discoveryState,
  startedAt: instant,
  endsAt: instant,
  endedAt: instant.nullable(),
  /** Meters it heard. */
  found: z.number().int(),
  lastPollAt: instant.nullable(),
  reasonCode: z.string().nullable(),
  startedByName: z.string().nullable(),
});
export type DiscoveryRun = z.infer<typeof discoveryRun>;

export const discoveredRow = z.object({
  id,
  runId: id,
  dcuId: id,
  dcuSn: z.string(),
  sn: z.string(),
  address: z.string(),
  communicationMode: z.enum(['plc', 'rf', 'rs485']),
  phase: recordedPhase,
  hops: z.number().int(),
  signalValue: z.number().nullable(),
  /** Of both signals. */
  signalUnit,
  signal: signalStrength,
  protocol: z.enum(['dlms', 'other']),
  firstSeen: instant,
  lastSeen: instant,
  timesSeen: z.number().int(),
  match: discoveryMatch,
  /** The meter of ours with this serial number. */
  meterId: id.nullable(),
  /** For `bound_elsewhere` and `duplicate`: the other DCUs that have it. */
  otherDcuSns: z.array(z.string()),
  /** Its signal where it is bound, as heard there; null: not heard there. */
  otherSignalValue: z.number().nullable(),
  /** The phase we have recorded, when it is another one than was heard. */
  recordedPhase: recordedPhase.nullable(),
  suggestedTypeId: id.nullable(),
  suggestedTypeName: z.string().nullable(),
  /** What it said about itself when it was asked. */
  nameplate: z.object({ logicalDeviceName: z.string().optional(), readAt: instant }).nullable(),
  ignoredUntil: instant.nullable(),
  ignoreReason: z.string().nullable(),
});
export type DiscoveredRow = z.infer<typeof discoveredRow>;

const page = '/assets/meter-asset-discovery';
const view = { page, action: 'view' } as const;
const execute = { page, action: 'execute' } as const;
export const MAX_FOUND_AT_ONCE = 1000;
const ids = z.array(id).min(1).max(MAX_FOUND_AT_ONCE);

export const discovery = {
  start: route({
    method: 'POST',
    path: '/asset/discovery',
    summary: 'Let DCUs search for meters',
    allow: execute,
    endangers: 'nothing',
    body: z.object({
      dcuIds: z.array(id).min(1).max(MAX_DCUS_PER_SEARCH),
      mode: discoveryMode.default('both'),
      minutes: z.number().int().min(10).max(120).default(30),
      /** How often the DCU is asked what it has found. */
      pollSeconds: z.number().int().min(1).max(60).default(10),
    }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY'],
  }),
  runs: route({
    method: 'GET',
    path: '/asset/discovery',
    summary: 'Searches, newest first',
    allow: view,
    query: pageQuery.extend({ dcuId: id.optional(), node: nodeKey.optional(), state: csv(discoveryState).optional() }),
    response: pageOf(discoveryRun),
  }),
  /** The search ends at its next turn: within seconds, and without forgetting what was found. */
  stop: route({
    method: 'POST',
    path: '/asset/discovery/{id}/stop',
    summary: 'Stop a search',
    allow: execute,
    endangers: 'nothing',
    params: idParams,
    response: discoveryRun,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  list: route({
    method: 'GET',
    path: '/asset/discovery/meter',
    summary: 'Meters that DCUs have heard',
    allow: view,
    query: pageQuery.extend({
      dcuId: id.optional(),
      node: nodeKey.optional(),
      runId: id.optional(),
      sn: z.string().max(32).optional(),
      match: csv(discoveryMatch).optional(),
      signal: csv(signalStrength).optional(),
      phase: csv(recordedPhase).optional(),
      firstSeenSince: instant.optional(),
      /** Whether anybody has to decide about it yet: not about what is bound where it was heard, nor about what is ignored. */
      decided: z.stringbool().optional(),
    }),
    response: pageOf(discoveredRow),
  }),
  /** Counts by match, under the same DCU or node. */
  facets: route({
    method: 'GET',
    path: '/asset/discovery/facets',
    summary: 'Meters heard, by match',
    allow: view,
    query: z.object({ dcuId: id.optional(), node: nodeKey.optional() }),
    response: z.object({ total: z.number().int(), match: z.record(discoveryMatch, z.number().int()) }),
  }),
  /**
   * `add_bind`: makes meters of unknown ones and binds them where they were heard. `bind`: of known, unbound ones.
   * `move`: takes them away from where they are bound. `identify`: asks them who they are (a task). `ignore`: until a day.
   */
  adopt: route({
    method: 'POST',
    path: '/asset/discovery/meter/adopt',
    summary: 'Decide about meters that were heard',
    allow: execute,
    endangers: 'nothing',
    body: z.discriminatedUnion('action', [
      z.object({ action: z.literal('add_bind'), ids, meterTypeId: id.optional() }),
      z.object({ action: z.literal('bind'), ids }),
      z.object({ action: z.literal('move'), ids }),
      z.object({ action: z.literal('identify'), ids }),
      z.object({ action: z.literal('ignore'), ids, reason: z.string().trim().min(1).max(128), until: day.optional() }),
    ]),
    /** `taskId` of `identify`; null for the others, which are done when this answers. */
    response: z.object({ taskId: id.nullable(), items: z.array(discoveredRow) }),
    errors: [
      'NOT_FOUND',
      'ALREADY_BOUND',
      'NOT_BOUND',
      'DUPLICATE',
      'ARCHIVE_FULL',
      'UNKNOWN_REFERENCE',
      'NOTHING_TO_DO',
      'WEAKER_HERE',
      'BUSY',
    ],
  }),
  /** Here and in the DCU, when it is online. */
  clear: route({
    method: 'DELETE',
    path: '/asset/discovery/meter',
    summary: 'Forget what a DCU has heard',
    allow: execute,
    endangers: 'nothing',
    query: z.object({ dcuId: id }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY'],
  }),
};
