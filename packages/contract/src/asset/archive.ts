import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { bindState, deleteStatus, diffKind, dispatchState, distributionState } from '../states/archive.ts';
import { communicationMode, dcuOnlineStatus, recordedPhase } from '../states/device.ts';
import { signalStrength, signalUnit } from '../states/signal.ts';
import { taskKind } from '../orders/every-order.ts';
import { taskItemState } from '../task/task.ts';
import { nodeKey } from './tree.ts';

/** Rows of one order: an archive of a DCU never holds more. */
export const MAX_ARCHIVE_ROWS = 4096;
export const MAX_DCUS_PER_COMPARISON = 200;

/** What one side says about a meter: the same fields on ours and on the DCU's, so that they can stand beside each other. */
export const archiveEntry = z.object({
  /** The number under which the DCU keeps it. */
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

/** What the network heard of a meter, when it was last searched. */
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
  /** Of the record; null: only the air knows the meter. */
  id: id.nullable(),
  dcuId: id,
  dcuSn: z.string(),
  /** Null: the head-end has no such meter. */
  meterId: id.nullable(),
  sn: z.string(),
  meterTypeName: z.string().nullable(),
  customerNo: z.string().nullable(),
  hes: archiveEntry.nullable(),
  /** As the last comparison or read-back found it. */
  dcu: archiveEntry.nullable(),
  air: airEntry.nullable(),
  bindState,
  dispatchState,
  distributionState: distributionState.nullable(),
  deleteStatus,
  /** Null: neither side has it any more, or the DCU was never compared. */
  diffKind: diffKind.nullable(),
  /** For `param_diff` and `idx_conflict`: the fields that differ. */
  diffFields: z.array(z.string()),
  /** For `other_dcu`: where it is bound. */
  otherDcuSn: z.string().nullable(),
  lastDispatchAt: instant.nullable(),
  lastDispatchBy: z.string().nullable(),
  lastVerifyAt: instant.nullable(),
  /** Of the last order: null none or done; `unknown` while an answer was lost and nothing has been read back since. */
  lastResult: z.enum(['ok', 'refused', 'unknown']).nullable(),
  lastReasonCode: z.string().nullable(),
});
export type ArchiveRow = z.infer<typeof archiveRow>;

/** How a DCU's archive stands. */
export const archiveSummary = z.object({
  dcuId: id,
  dcuSn: z.string(),
  dcuName: z.string(),
  onlineStatus: dcuOnlineStatus,
  transformerName: z.string().nullable(),
  maxMeters: z.number().int(),
  /** Meters bound here. */
  bound: z.number().int(),
  /** Bound, and the DCU does not have it as we do. */
  pending: z.number().int(),
  /** The DCU has it, and we do not want it there. */
  surplus: z.number().int(),
  /** Rows by kind of difference. */
  diff: z.record(diffKind, z.number().int()),
  /** Of the newest comparison; null: there was none. */
  comparedAt: instant.nullable(),
  dcuEntries: z.number().int().nullable(),
  /** An archive task that is under way. */
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
  /** The comparison it was made from. */
  comparedAt: instant,
  /** In the order in which they are done: removes make room first. */
  steps: z.array(planStep),
  inserts: z.number().int(),
  updates: z.number().int(),
  removes: z.number().int(),
  /** Exchanges with the DCU, the read-back included. */
  frames: z.number().int(),
  /** At the pace of the last comparison. */
  seconds: z.number(),
  appliedAt: instant.nullable(),
  taskId: id.nullable(),
});
export type RepairPlan = z.infer<typeof repairPlan>;

export const archiveLogRow = z.object({
  taskId: id,
  /** Its words follow from kind and parameters. */
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

const page = '/assets/archives-dispatch';
const view = { page, action: 'view' } as const;
const execute = { page, action: 'execute' } as const;
const recordIds = z.array(id).min(1).max(MAX_ARCHIVE_ROWS);

export const archive = {
  list: route({
    method: 'GET',
    path: '/asset/archive',
    summary: 'Archive records: our side, the DCU’s side and the air',
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
  /** Badges of the tree and the head of the page. */
  summary: route({
    method: 'GET',
    path: '/asset/archive/summary',
    summary: 'How the archives of DCUs stand',
    allow: view,
    query: pageQuery.extend({ dcuId: id.optional(), node: nodeKey.optional(), mismatched: z.stringbool().optional() }),
    response: pageOf(archiveSummary),
  }),
  /** Orders about a DCU's archive and what became of them, newest first. */
  log: route({
    method: 'GET',
    path: '/asset/archive/log',
    summary: 'What was done with the archive of a DCU',
    allow: view,
    query: z.object({ dcuId: id, size: z.coerce.number().int().min(1).max(200).default(50) }),
    response: listOf(archiveLogRow),
    errors: ['DCU_NOT_FOUND'],
  }),
  bind: route({
    method: 'POST',
    path: '/asset/archive/bind',
    summary: 'Give meters to a DCU, on our side',
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
    summary: 'Take meters away from their DCU, on our side',
    allow: execute,
    endangers: 'nothing',
    body: z.object({ recordIds }),
    response: listOf(archiveRow),
    errors: ['NOT_FOUND', 'NOT_BOUND', 'BUSY'],
  }),
  compare: route({
    method: 'POST',
    path: '/asset/archive/compare',
    summary: 'Read the archives of DCUs and compare',
    allow: execute,
    endangers: 'nothing',
    body: z.object({ dcuIds: z.array(id).min(1).max(MAX_DCUS_PER_COMPARISON) }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'BUSY'],
  }),
  /** Ends with a read-back of the whole archive, as every order below. */
  dispatch: route({
    method: 'POST',
    path: '/asset/archive/dispatch',
    summary: 'Bring bound meters into the archive of their DCU',
    allow: execute,
    endangers: 'reach',
    body: z
      .object({ dcuId: id, recordIds: recordIds.optional(), all: z.boolean().default(false) })
      .refine((order) => order.all || order.recordIds !== undefined, { path: ['recordIds'], message: 'Please Select Data!' }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND', 'NOT_BOUND', 'ARCHIVE_FULL', 'BUSY', 'NOTHING_TO_DO'],
  }),
  /** For rows that are not bound: a bound meter is unbound first. */
  remove: route({
    method: 'POST',
    path: '/asset/archive/delete',
    summary: 'Take meters out of the archive of a DCU',
    allow: execute,
    endangers: 'reach',
    body: z.object({ dcuId: id, recordIds }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'NOT_FOUND', 'ALREADY_BOUND', 'BUSY'],
  }),
  clear: route({
    method: 'POST',
    path: '/asset/archive/clear',
    summary: 'Empty the archive of a DCU',
    allow: execute,
    endangers: 'reach',
    silences: () => 1,
    body: z.object({ dcuId: id, confirmSn: z.string().max(32) }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'WRONG_SN', 'BUSY'],
  }),
  /** A dry run over the last comparison: nothing is sent. */
  plan: route({
    method: 'POST',
    path: '/asset/archive/plan',
    summary: 'What it would take to make a DCU’s archive equal to ours',
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
    summary: 'Do what a repair plan says',
    allow: execute,
    endangers: 'reach',
    params: idParams,
    response: taskRef,
    status: 202,
    errors: ['NOT_FOUND', 'BUSY', 'NOTHING_TO_DO'],
  }),
};
