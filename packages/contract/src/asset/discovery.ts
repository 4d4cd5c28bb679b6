import { z } from 'zod';
import { csv, day, id, idParams, instant, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { discoveryMatch, discoveryMode, discoveryState } from '../states/discovery.ts';
import { recordedPhase } from '../states/device.ts';
import { signalStrength, signalUnit } from '../states/signal.ts';
import { nodeKey } from './tree.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const MAX_DCUS_PER_SEARCH = 100;

/** One search for meters by one DCU. */
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
  /** Number of meters heard. */
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
  /** Unit of both signal values. */
  signalUnit,
  signal: signalStrength,
  protocol: z.enum(['dlms', 'other']),
  firstSeen: instant,
  lastSeen: instant,
  timesSeen: z.number().int(),
  match: discoveryMatch,
  /** Registered meter with this serial number. */
  meterId: id.nullable(),
  /** For `bound_elsewhere` and `duplicate`: the other DCUs to which it is bound or that heard it. */
  otherDcuSns: z.array(z.string()),
  /** Signal at the DCU to which it is bound; null: not heard there. */
  otherSignalValue: z.number().nullable(),
  /** Recorded phase if it differs from the heard one. */
  recordedPhase: recordedPhase.nullable(),
  suggestedTypeId: id.nullable(),
  suggestedTypeName: z.string().nullable(),
  /** Result of `identify`. */
  nameplate: z.object({ logicalDeviceName: z.string().optional(), readAt: instant }).nullable(),
  ignoredUntil: instant.nullable(),
  ignoreReason: z.string().nullable(),
});
export type DiscoveredRow = z.infer<typeof discoveredRow>;

const page = PAGE_PATH.meterAssets;
const view = { page, action: 'view' } as const;
const execute = { page, action: 'execute' } as const;
export const MAX_FOUND_AT_ONCE = 1000;
const ids = z.array(id).min(1).max(MAX_FOUND_AT_ONCE);

export const discovery = {
  start: route({
    method: 'POST',
    path: '/asset/discovery',
    summary: 'Start a search for meters by DCUs',
    allow: execute,
    endangers: 'nothing',
    body: z.object({
      dcuIds: z.array(id).min(1).max(MAX_DCUS_PER_SEARCH),
      mode: discoveryMode.default('both'),
      minutes: z.number().int().min(10).max(120).default(30),
      /** Interval in seconds at which the DCU is polled for results. */
      pollSeconds: z.number().int().min(1).max(60).default(10),
    }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
  runs: route({
    method: 'GET',
    path: '/asset/discovery',
    summary: 'Searches, newest first',
    allow: view,
    query: pageQuery.extend({ dcuId: id.optional(), node: nodeKey.optional(), state: csv(discoveryState).optional() }),
    response: pageOf(discoveryRun),
  }),
  /** The search ends within seconds; results found so far remain. */
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
      /** False: only meters that need a decision, which meters bound where they were heard and ignored ones do not. */
      decided: z.stringbool().optional(),
    }),
    response: pageOf(discoveredRow),
  }),
  /** Counts by match for the DCU or node. */
  facets: route({
    method: 'GET',
    path: '/asset/discovery/facets',
    summary: 'Meters heard, by match',
    allow: view,
    query: z.object({ dcuId: id.optional(), node: nodeKey.optional() }),
    response: z.object({ total: z.number().int(), match: z.record(discoveryMatch, z.number().int()) }),
  }),
  /**
   * `add_bind`: registers unknown meters and binds them to the DCU that heard them. `bind`: binds registered, unbound meters.
   * `move`: rebinds meters from another DCU. `identify`: reads their identity in a task. `ignore`: hides them, until a day if given.
   */
  adopt: route({
    method: 'POST',
    path: '/asset/discovery/meter/adopt',
    summary: 'Adopt, move, identify or ignore meters that were heard',
    allow: execute,
    endangers: 'nothing',
    body: z.discriminatedUnion('action', [
      z.object({ action: z.literal('add_bind'), ids, meterTypeId: id.optional() }),
      z.object({ action: z.literal('bind'), ids }),
      z.object({ action: z.literal('move'), ids }),
      z.object({ action: z.literal('identify'), ids }),
      z.object({ action: z.literal('ignore'), ids, reason: z.string().trim().min(1).max(128), until: day.optional() }),
    ]),
    /** `taskId` of `identify`; null for the other actions, which are complete when the call returns. */
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
  /** Clears the results in the head-end, and in the DCU if it is online. */
  clear: route({
    method: 'DELETE',
    path: '/asset/discovery/meter',
    summary: 'Clear the search results of a DCU',
    allow: execute,
    endangers: 'nothing',
    query: z.object({ dcuId: id }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
};
