import { z } from 'zod';
import { measured } from '../core/measured.ts';
import { id, idParams, instant, listOf, pageOf, pageQuery, csv, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { clockMethod } from '../states/clock.ts';
import { authenticationType, relayState } from '../states/device.ts';
import { eventDirection, eventLog } from '../states/event.ts';
import { uplinkReading } from '../states/uplink.ts';
import { taskKind } from './kind.ts';
import { RUN_ITEM_STATES, type RunItemState } from './run-state.ts';

export const taskState = z.enum([
  'waiting_approval',
  'waiting',
  'running',
  'paused',
  'finished',
  'partly_failed',
  'failed',
  'cancelled',
  'expired',
]);
export type TaskState = z.infer<typeof taskState>;

/** @spec seed §4: waiting, reading, read success, read fail; cancelled and expired are ends of ours. */
export const taskItemState = z.enum(['waiting', 'reading', 'read_success', 'read_fail', 'cancelled', 'expired']);
export type TaskItemState = z.infer<typeof taskItemState>;
/** Nothing more comes of it, unless it is tried again. */
export const isOver = ({ state }: { state: RunItemState }): boolean => state !== 'waiting' && state !== 'reading';

export const taskRow = z.object({
  id,
  kind: taskKind,
  source: z.enum(['user', 'plan', 'system', 'api']),
  title: z.string(),
  state: taskState,
  total: z.number().int(),
  done: z.number().int(),
  ok: z.number().int(),
  /** Failed and expired items, those of unknown outcome included. */
  failed: z.number().int(),
  /** Of the failed items those whose command was sent and whose outcome nothing confirmed. */
  unknown: z.number().int(),
  priority: z.number().int(),
  createdBy: id.nullable(),
  createdByName: z.string().nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  params: z.record(z.string(), z.unknown()),
  /** The task whose order this one repeats. */
  originId: id.nullable(),
});
export type TaskRow = z.infer<typeof taskRow>;

/** One value a device gave. `value` is after the scaler; `raw` and `scaler` are what the wire said. */
export const readValue = z.object({
  item: z.string(),
  obis: z.string(),
  value: z.union([z.number(), z.string()]).nullable(),
  unit: z.string(),
  at: instant.nullable(),
  raw: z.string().nullable(),
  scaler: z.number().int().nullable(),
  reasonCode: z.string().nullable(),
});
export type ReadValue = z.infer<typeof readValue>;

/** A clock as it was found and, after a synchronisation, as it was proved to be. */
export const clockResult = z.object({
  deviceTime: z.string(),
  /** Ahead of ours is positive; null: what the device gave is no time. */
  deviationMs: z.number().int().nullable(),
  roundTripMs: z.number().int(),
  status: z.number().int().nullable(),
  method: clockMethod.nullable(),
  /** What the deviation was before. */
  beforeMs: z.number().int().nullable(),
});
export type ClockResult = z.infer<typeof clockResult>;

/** Events a log gave; `rows` holds the newest of them. */
export const eventReadResult = z.object({
  found: z.number().int(),
  fresh: z.number().int(),
  /** Logs the device does not have. */
  absent: z.array(eventLog),
  rows: z.array(
    z.object({
      log: eventLog,
      code: z.number().int(),
      occurAt: instant,
      direction: eventDirection,
      message: z.string(),
      abnormalLevel: z.enum(['serious', 'warning']).nullable(),
      /** It was stored before this reading. */
      isKnown: z.boolean(),
    }),
  ),
});
export type EventReadResult = z.infer<typeof eventReadResult>;

/** A relay as it was found and, after a command, as it was proved to be. */
export const relayResult = z.object({
  output: z.boolean(),
  state: relayState,
  mode: z.number().int(),
  powerBeforeW: z.number().int().nullable(),
  powerAfterW: z.number().int().nullable(),
  /** Whether a command went out for this; false: it was so already. */
  wasSent: z.boolean(),
});
export type RelayResult = z.infer<typeof relayResult>;

/** One step of an order that has several: `connect`, `associate`, `read_name`, `release`, `restart`, `return`. */
export const taskStep = z.object({
  key: z.string(),
  ok: z.boolean(),
  ms: z.number().int(),
  detail: z.string().nullable(),
  reasonCode: z.string().nullable(),
});
export type TaskStep = z.infer<typeof taskStep>;

/** What an association was opened with and what the device granted: not what is configured, but what was used on the wire. */
export const linkResult = z.object({
  authenticationType,
  /** Security suite of the ciphering; null: services are not protected. */
  suite: z.number().int().nullable(),
  conformance: z.array(z.string()),
  /** Octets of the largest APDU that the device receives. */
  maxPduSize: measured('B').int(),
  /** Hexadecimal; null: the device did not say one. */
  systemTitle: z.string().nullable(),
});
export type LinkResult = z.infer<typeof linkResult>;

/** Stored readings of a meter, compared with what its buffers hold. */
const auditResult = z.object({
  /** Rows and values that were compared, and rows that the meter does not hold any more. */
  rows: z.number().int(),
  values: z.number().int(),
  absent: z.number().int(),
  /** Values that differ; the first of them follow, in units of the storage. */
  different: z.number().int(),
  differences: z.array(
    z.object({ profile: z.string(), ts: instant, column: z.string(), stored: z.number(), meter: z.number().nullable() }),
  ),
});
export type AuditResult = z.infer<typeof auditResult>;

export const taskItemRow = z.object({
  id,
  taskId: id,
  deviceKind: z.enum(['dcu', 'meter']),
  dcuId: id,
  dcuSn: z.string(),
  meterId: id.nullable(),
  meterSn: z.string().nullable(),
  transformerName: z.string().nullable(),
  state: taskItemState,
  reasonCode: z.string().nullable(),
  reasonText: z.string().nullable(),
  attempts: z.number().int(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  latencyMs: z.number().int().nullable(),
  /** Register reads: the values. Profile reads: `rows` stored and the covered range. */
  result: z
    .object({
      values: z.array(readValue).optional(),
      rows: z.number().int().optional(),
      /** What a device's object list names, with the attributes that may be read. */
      objects: z
        .array(z.object({ classId: z.number().int(), version: z.number().int(), obis: z.string(), readable: z.array(z.number().int()) }))
        .optional(),
      /** What was done one after the other: the test of a link, a restart. */
      steps: z.array(taskStep).optional(),
      /** Archive orders and searches: how many of what. */
      counts: z.record(z.string(), z.number().int()).optional(),
      clock: clockResult.optional(),
      events: eventReadResult.optional(),
      relay: relayResult.optional(),
      uplink: uplinkReading.optional(),
      link: linkResult.optional(),
      audit: auditResult.optional(),
    })
    .nullable(),
  traceId: z.string().nullable(),
});
export type TaskItemRow = z.infer<typeof taskItemRow>;

export const task = {
  list: route({
    method: 'GET',
    path: '/task',
    summary: 'Tasks, newest first',
    allow: 'signed-in',
    query: pageQuery.extend({ kind: z.string().optional(), state: csv(taskState).optional(), mine: z.stringbool().optional() }),
    response: pageOf(taskRow),
  }),
  get: route({
    method: 'GET',
    path: '/task/{id}',
    summary: 'One task',
    allow: 'signed-in',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND'],
  }),
  items: route({
    method: 'GET',
    path: '/task/{id}/items',
    summary: 'The items of a task, one per device',
    allow: 'signed-in',
    params: idParams,
    query: pageQuery.safeExtend({ size: z.coerce.number().int().min(1).max(5000).default(500), state: csv(taskItemState).optional() }),
    response: pageOf(taskItemRow),
    errors: ['NOT_FOUND'],
  }),
  /** The wall: every item's state in one small answer. */
  wall: route({
    method: 'GET',
    path: '/task/{id}/wall',
    summary: 'State of every item, grouped by DCU',
    allow: 'signed-in',
    params: idParams,
    response: listOf(
      z.object({
        dcuId: id,
        dcuSn: z.string(),
        transformerName: z.string().nullable(),
        cells: z.array(z.object({ id, meterId: id.nullable(), meterSn: z.string().nullable(), state: z.enum(RUN_ITEM_STATES) })),
      }),
    ),
    errors: ['NOT_FOUND'],
  }),
  pause: route({
    method: 'POST',
    path: '/task/{id}/pause',
    summary: 'Begin nothing more until it is resumed; what is on the wire ends',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
  resume: route({
    method: 'POST',
    path: '/task/{id}/resume',
    summary: 'Go on where it was paused',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
  cancel: route({
    method: 'POST',
    path: '/task/{id}/cancel',
    summary: 'Send nothing more of it; what is on the wire ends',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
  rerun: route({
    method: 'POST',
    path: '/task/{id}/rerun',
    summary: 'Order a reading that has ended once more, as a task of its own',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    body: z.object({ only: z.enum(['all', 'failed']).default('all') }),
    response: taskRef,
    status: 202,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO', 'RERUN_REFUSED', 'METER_NOT_FOUND', 'DCU_NOT_FOUND', 'NOT_BOUND'],
  }),
  retry: route({
    method: 'POST',
    path: '/task/{id}/retry',
    summary: 'Queue the failed items again',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
};
