import { z } from 'zod';
import { TASK_EXAMPLE, TASK_ITEM_EXAMPLE, pageOfOne } from '../examples.ts';
import { id, idParams, instant, listOf, pageQuery, csv, cursoredPageOf, cursorQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { taskKind } from '../orders/every-order.ts';
import { itemResult } from '../orders/results.ts';
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

/** @spec seed §4 defines waiting, reading, read success and read fail; cancelled and expired are additions. */
export const taskItemState = z.enum(['waiting', 'reading', 'read_success', 'read_fail', 'cancelled', 'expired']);
export type TaskItemState = z.infer<typeof taskItemState>;
/** Whether the state is final, unless the item is retried. */
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
  /** Failed and expired items, including those with an unknown outcome. */
  failed: z.number().int(),
  /** Failed items whose command was sent without a confirmed outcome. */
  unknown: z.number().int(),
  priority: z.number().int(),
  createdBy: id.nullable(),
  createdByName: z.string().nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  params: z.record(z.string(), z.unknown()),
  /** Task of which this one is a rerun. */
  originId: id.nullable(),
  /** The run was loaded as history of the demonstration: nothing was sent. */
  isLoaded: z.boolean(),
});
export type TaskRow = z.infer<typeof taskRow>;

export const taskItemRow = z.object({
  /** Unique within the task. */
  id,
  taskId: id,
  deviceKind: z.enum(['dcu', 'meter']),
  /** Endpoint of the device: its DCU, or the direct meter itself. */
  dcuId: id,
  /** Null: a direct meter. */
  dcuSn: z.string().nullable(),
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
  result: itemResult.nullable(),
  traceId: z.string().nullable(),
});
export type TaskItemRow = z.infer<typeof taskItemRow>;

export const task = {
  list: route({
    method: 'GET',
    path: '/task',
    summary: 'Tasks, newest first',
    allow: 'signed-in',
    query: pageQuery.safeExtend({
      kind: z.string().optional(),
      kinds: csv(z.string().max(64)).optional(),
      state: csv(taskState).optional(),
      mine: z.stringbool().optional(),
      ...cursorQuery,
    }),
    v1: {
      description: 'Lists tasks, newest first, or in the order of their ids with after. With mine=true only those that you ordered.',
      example: { query: { mine: 'true' }, response: { ...pageOfOne(TASK_EXAMPLE), next: null } },
    },
    response: cursoredPageOf(taskRow),
  }),
  get: route({
    method: 'GET',
    path: '/task/{id}',
    summary: 'One task',
    allow: 'signed-in',
    params: idParams,
    response: taskRow,
    v1: {
      description:
        'Returns the progress of an order. The task is over when its state is finished, partly_failed, failed, cancelled or expired. Poll it every few seconds; the results are in the items of the task.',
      example: { params: { id: '9001' }, response: TASK_EXAMPLE },
    },
    errors: ['NOT_FOUND'],
  }),
  items: route({
    method: 'GET',
    path: '/task/{id}/items',
    summary: 'Items of a task, one per device',
    allow: 'signed-in',
    params: idParams,
    query: pageQuery.safeExtend({
      size: z.coerce.number().int().min(1).max(5000).default(500),
      state: csv(taskItemState).optional(),
      ...cursorQuery,
    }),
    v1: {
      description:
        'Lists the items of a task, one for each device, with state, reason of a failure and result, in the order of their ids. For more than one page use after.',
      example: { params: { id: '9001' }, response: { ...pageOfOne(TASK_ITEM_EXAMPLE), next: null } },
    },
    response: cursoredPageOf(taskItemRow),
    errors: ['NOT_FOUND'],
  }),
  byDcu: route({
    method: 'GET',
    path: '/task/{id}/by-dcu',
    summary: 'States of all items of a task, grouped by DCU',
    allow: 'signed-in',
    params: idParams,
    response: listOf(
      z.object({
        /** Null: the direct meters of a transformer. */
        dcuId: id.nullable(),
        dcuSn: z.string().nullable(),
        transformerName: z.string().nullable(),
        cells: z.array(z.object({ id, meterId: id.nullable(), meterSn: z.string().nullable(), state: z.enum(RUN_ITEM_STATES) })),
      }),
    ),
    errors: ['NOT_FOUND'],
  }),
  pause: route({
    method: 'POST',
    path: '/task/{id}/pause',
    summary: 'Pause a task: no further items start, items in flight are completed',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
  resume: route({
    method: 'POST',
    path: '/task/{id}/resume',
    summary: 'Resume a paused task',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
  cancel: route({
    method: 'POST',
    path: '/task/{id}/cancel',
    summary: 'Cancel a task: no further items start, items in flight are completed',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    v1: {
      description: 'Cancels a task. Items that are being executed are completed, no further ones start.',
      example: { params: { id: '9001' }, response: TASK_EXAMPLE },
    },
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
  rerun: route({
    method: 'POST',
    path: '/task/{id}/rerun',
    summary: 'Rerun a finished reading as a new task',
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
    summary: 'Retry the failed items of a task',
    allow: 'signed-in',
    endangers: 'nothing',
    params: idParams,
    response: taskRow,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'NOTHING_TO_DO'],
  }),
};
