import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { bindState, deleteStatus, diffKind, dispatchState, distributionState } from '../states/archive.ts';
import { communicationMode, dcuOnlineStatus, recordedPhase } from '../states/device.ts';
import { signalStrength, signalUnit } from '../states/signal.ts';
import { taskKind } from '../orders/every-order.ts';
import { taskItemState } from '../task/task.ts';
import { nodeKey } from './tree.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Maximum rows per order, and the maximum size of a DCU archive. */
export const MAX_ARCHIVE_ROWS = 4096;
export const MAX_DCUS_PER_COMPARISON = 200;

/** Archive entry of a meter; head-end and DCU have the same fields so that they can be compared. */
export const archiveEntry = z.object({
  /** Number under which the DCU stores the meter. */
  measurementPoint: z.number().int(),
  address: z.string(),
  protocol: z.enum(['dlms', 'other']),
  communicationMode: z.enum(['plc', 'rf', 'rs485']),
  meterType: z.string(),
  phase: recordedPhase,
  isMaster: z.boolean(),
  enabled: z.boolean(),
});
export type ArchiveEntry = z.infer<typeof archiveEntry>;
export type ArchiveField = keyof ArchiveEntry;

/** Result of the last search for the meter in the network. */
export const airEntry = z.object({
  communicationMode: z.enum(['plc', 'rf', 'rs485']),
  phase: recordedPhase,
  hops: z.number().int(),
  signalValue: z.number().nullable(),
  signalUnit,
  signal: signalStrength,
  lastSeen: instant,
});
export type AirEntry = z.infer<typeof airEntry>;

export const archiveRow = z.object({
  /** Id of the record; null: the meter was only heard in a search. */
  id: id.nullable(),
  dcuId: id,
  dcuSn: z.string(),
  /** Null: the meter is not registered in the head-end. */
  meterId: id.nullable(),
  sn: z.string(),
  meterTypeName: z.string().nullable(),
  customerNo: z.string().nullable(),
  hes: archiveEntry.nullable(),
  /** Entry in the DCU at the last comparison or read-back. */
  dcu: archiveEntry.nullable(),
  air: airEntry.nullable(),
  bindState,
  dispatchState,
  distributionState: distributionState.nullable(),
  deleteStatus,
  /** Null: neither side has the meter any more, or the DCU was never compared. */
  diffKind: diffKind.nullable(),
  /** For `param_diff` and `idx_conflict`: the fields that differ. */
  diffFields: z.array(z.string()),
  /** For `other_dcu`: the DCU to which the meter is bound. */
  otherDcuSn: z.string().nullable(),
  lastDispatchAt: instant.nullable(),
  lastDispatchBy: z.string().nullable(),
  lastVerifyAt: instant.nullable(),
  /** Result of the last order; null: none; `unknown`: the response was lost and no read-back has settled it yet. */
  lastResult: z.enum(['ok', 'refused', 'unknown']).nullable(),
  lastReasonCode: z.string().nullable(),
});
export type ArchiveRow = z.infer<typeof archiveRow>;

/** State of the archive of one DCU. */
export const archiveSummary = z.object({
  dcuId: id,
  dcuSn: z.string(),
  dcuName: z.string(),
  onlineStatus: dcuOnlineStatus,
  transformerName: z.string().nullable(),
  maxMeters: z.number().int(),
  /** Number of meters bound to the DCU. */
  bound: z.number().int(),
  /** Bound meters whose entry in the DCU is missing or different. */
  pending: z.number().int(),
  /** Entries in the DCU that are not bound to it. */
  surplus: z.number().int(),
  /** Rows by kind of difference. */
  diff: z.record(diffKind, z.number().int()),
  /** Time of the newest comparison; null: never compared. */
  comparedAt: instant.nullable(),
  dcuEntries: z.number().int().nullable(),
  /** Reason code if the DCU has no archive, so that the one of the head-end is the only one; null: it has one. */
  lacks: z.string().nullable(),
  /** Running archive task. */
  activeTaskId: id.nullable(),
});
export type ArchiveSummary = z.infer<typeof archiveSummary>;

export const planStep = z.object({
  kind: z.enum(['insert', 'update', 'remove']),
  sn: z.string(),
  measurementPoint: z.number().int(),
  /** Fields an update changes. */
  fields: z.array(z.string()),
});
export type PlanStep = z.infer<typeof planStep>;

export const repairPlan = z.object({
  id,
  dcuId: id,
  dcuSn: z.string(),
  createdAt: instant,
  /** Time of the comparison from which the plan was made. */
  comparedAt: instant,
  /** Steps in order of execution; removes come first because they free space. */
  steps: z.array(planStep),
  inserts: z.number().int(),
  updates: z.number().int(),
  removes: z.number().int(),
  /** Round trips to the DCU, including the read-back. */
  frames: z.number().int(),
  /** Estimated duration at the speed of the last comparison. */
  seconds: z.number(),
  appliedAt: instant.nullable(),
  taskId: id.nullable(),
});
export type RepairPlan = z.infer<typeof repairPlan>;

export const archiveLogRow = z.object({
  taskId: id,
  /** Kind of the task; its text follows from kind and parameters. */
  kind: taskKind,
  title: z.string(),
  params: z.record(z.string(), z.unknown()),
  createdAt: instant,
  finishedAt: instant.nullable(),
  createdByName: z.string().nullable(),
  state: taskItemState,
  reasonCode: z.string().nullable(),
  reasonText: z.string().nullable(),
  latencyMs: z.number().int().nullable(),
  traceId: z.string().nullable(),
  counts: z.record(z.string(), z.number().int()),
});
export type ArchiveLogRow = z.infer<typeof archiveLogRow>;

const page = PAGE_PATH.archives;
const view = { page, action: 'view' } as const;
const execute = { page, action: 'execute' } as const;
const recordIds = z.array(id).min(1).max(MAX_ARCHIVE_ROWS);

export const archive = {
  list: route({
    method: 'GET',
    path: '/asset/archive',
    summary: 'Archive records with the entries of the head-end and the DCU, and the last search result',
    allow: view,
    query: pageQuery.extend({
      dcuId: id.optional(),
      node: nodeKey.optional(),
      sn: z.string().max(32).optional(),
      bindState: csv(bindState).optional(),
      dispatchState: csv(dispatchState).optional(),
      distributionState: csv(distributionState).optional(),
      deleteStatus: csv(deleteStatus).optional(),
      diff: csv(diffKind).optional(),
      communicationMode: csv(communicationMode).optional(),
    }),
    response: pageOf(archiveRow),
  }),
  summary: route({
    method: 'GET',
    path: '/asset/archive/summary',
    summary: 'State of the archives of DCUs',
    allow: view,
    query: pageQuery.extend({ dcuId: id.optional(), node: nodeKey.optional(), mismatched: z.stringbool().optional() }),
    response: pageOf(archiveSummary),
  }),
  log: route({
    method: 'GET',
    path: '/asset/archive/log',
    summary: 'Orders to the archive of a DCU with their results, newest first',
    allow: view,
    query: z.object({ dcuId: id, size: z.coerce.number().int().min(1).max(200).default(50) }),
    response: listOf(archiveLogRow),
    errors: ['DCU_NOT_FOUND'],
  }),
  bind: route({
    method: 'POST',
    path: '/asset/archive/bind',
    summary: 'Bind meters to a DCU in the head-end; dispatching writes them to the DCU',
    allow: execute,
    endangers: 'nothing',
    body: z.object({
      dcuId: id,
      meterIds: z.array(id).min(1).max(MAX_ARCHIVE_ROWS),
      phase: recordedPhase.optional(),
      communicationMode: communicationMode.optional(),
    }),
    response: listOf(archiveRow),
    errors: ['DCU_NOT_FOUND', 'METER_NOT_FOUND', 'ALREADY_BOUND', 'ARCHIVE_FULL'],
  }),
  unbind: route({
    method: 'POST',
    path: '/asset/archive/unbind',
    summary: 'Unbind meters from their DCU in the head-end; deleting removes them from the DCU',
    allow: execute,
    endangers: 'nothing',
    body: z.object({ recordIds }),
    response: listOf(archiveRow),
    errors: ['NOT_FOUND', 'NOT_BOUND', 'BUSY'],
  }),
  compare: route({
    method: 'POST',
    path: '/asset/archive/compare',
    summary: 'Read the archives of DCUs and compare them with the head-end',
    allow: execute,
    endangers: 'nothing',
    body: z.object({ dcuIds: z.array(id).min(1).max(MAX_DCUS_PER_COMPARISON) }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY', 'DCU_LACKS'],
  }),
  /** As all following orders, it ends with a read-back of the whole archive. */
  dispatch: route({
    method: 'POST',
    path: '/asset/archive/dispatch',
    summary: 'Write bound meters to the archive of their DCU',
    allow: execute,
    endangers: 'reach',
    body: z
      .object({ dcuId: id, recordIds: recordIds.optional(), all: z.boolean().default(false) })
      .refine((order) => order.all || order.recordIds !== undefined, { path: ['recordIds'], message: 'Please Select Data!' }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND', 'NOT_BOUND', 'ARCHIVE_FULL', 'BUSY', 'NOTHING_TO_DO', 'DCU_LACKS'],
  }),
  /** Accepts unbound meters only. */
  remove: route({
    method: 'POST',
    path: '/asset/archive/delete',
    summary: 'Delete unbound meters from the archive of a DCU',
    allow: execute,
    endangers: 'reach',
    body: z.object({ dcuId: id, recordIds }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND', 'ALREADY_BOUND', 'BUSY', 'DCU_LACKS'],
  }),
  clear: route({
    method: 'POST',
    path: '/asset/archive/clear',
    summary: 'Clear the archive of a DCU; `confirmSn` must repeat its serial number',
    allow: execute,
    endangers: 'reach',
    silences: () => 1,
    body: z.object({ dcuId: id, confirmSn: z.string().max(32) }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'WRONG_SN', 'BUSY', 'DCU_LACKS'],
  }),
  /** Dry run on the last comparison; nothing is sent. */
  plan: route({
    method: 'POST',
    path: '/asset/archive/plan',
    summary: 'Plan the steps that make the archive of a DCU equal to the head-end',
    allow: execute,
    endangers: 'nothing',
    body: z.object({ dcuId: id, removeSurplus: z.boolean().default(true) }),
    response: repairPlan,
    status: 201,
    errors: ['DCU_NOT_FOUND', 'NOT_COMPARED', 'ARCHIVE_FULL'],
  }),
  apply: route({
    method: 'POST',
    path: '/asset/archive/plan/{id}/apply',
    summary: 'Execute a repair plan',
    allow: execute,
    endangers: 'reach',
    params: idParams,
    response: taskRef,
    status: 202,
    errors: ['NOT_FOUND', 'BUSY', 'NOTHING_TO_DO', 'DCU_LACKS'],
  }),
};
