import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { checkResult, upgradeJobState, upgradeState, upgradeTarget } from '../states/upgrade.ts';
import { exportOf } from '../transfer/export.ts';
import { upgradeWindow } from './job.ts';
import { measured } from '../core/measured.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const MAX_RECORDS_PER_ORDER = 1000;

export const upgradeRecordRow = z.object({
  id,
  jobId: id,
  jobName: z.string(),
  /** State of the upgrade; devices of a paused, halted or ended upgrade make no progress. */
  jobState: upgradeJobState,
  firmwareName: z.string(),
  type: upgradeTarget,
  /** Time of the last change. */
  time: instant,
  status: upgradeState,
  /** Step in which it failed. */
  failedIn: upgradeState.nullable(),
  oldVersion: z.string().nullable(),
  newVersion: z.string(),
  checkResult: checkResult.nullable(),
  /** Fault found by the check of the image or after the activation. */
  checkText: z.string().nullable(),
  /** Per cent. */
  process: measured('%'),
  deviceKind: z.enum(['dcu', 'meter']),
  deviceId: id,
  sn: z.string(),
  /** Endpoint of the device: its DCU, or the direct meter itself. */
  dcuId: id,
  /** Null: a direct meter. */
  dcuSn: z.string().nullable(),
  transformerName: z.string().nullable(),
  ring: z.number().int(),
  /** Negotiated block size in octets; null: not negotiated yet. */
  blockSize: measured('B').int().nullable(),
  blocksTotal: z.number().int().nullable(),
  blocksDone: z.number().int(),
  /** Octets of the image sent, including repetitions. */
  octetsSent: z.number().int(),
  /** Rate of the last transfer turn in octets per second. */
  rate: measured('B/s').int().nullable(),
  attempts: z.number().int(),
  reasonCode: z.string().nullable(),
  reasonText: z.string().nullable(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  traceId: z.string().nullable(),
  /** Time at which the device activates the image itself; null: the head-end sends the activation. */
  scheduledAt: instant.nullable(),
});
export type UpgradeRecordRow = z.infer<typeof upgradeRecordRow>;

/** `read`: the device responds; `clock`: the time is right; `relay`: the state is unchanged; `profile`: rows are still captured. */
export const postCheck = z.object({
  key: z.enum(['read', 'clock', 'relay', 'profile']),
  result: checkResult,
  detail: z.string().nullable(),
});
export type PostCheck = z.infer<typeof postCheck>;

export const upgradeLogLine = z.object({
  id,
  at: instant,
  fromStatus: upgradeState.nullable(),
  toStatus: upgradeState,
  /** Reason code, number of blocks or version, depending on the transition. */
  text: z.string().nullable(),
  reasonCode: z.string().nullable(),
  userName: z.string().nullable(),
});
export type UpgradeLogLine = z.infer<typeof upgradeLogLine>;

const filters = z.object({
  jobId: id.optional(),
  type: csv(upgradeTarget).optional(),
  status: csv(upgradeState).optional(),
  sn: z.string().max(32).optional(),
  ring: z.coerce.number().int().min(1).optional(),
  dcuId: id.optional(),
  dcuSn: z.string().max(32).optional(),
  from: instant.optional(),
  to: instant.optional(),
  checkResult: csv(checkResult).optional(),
});
export type UpgradeRecordFilters = z.output<typeof filters>;

const page = PAGE_PATH.upgradeRecords;
const ids = z.array(id).min(1, RULES.selectData.en).max(MAX_RECORDS_PER_ORDER);
const counted = z.object({ count: z.number().int() });
const ORDER_ERRORS = ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'] as const;

const upgradeRetry = z
  .object({
    ids: ids.optional(),
    /** Instead of `ids`: all failed devices of this upgrade. */
    jobId: id.optional(),
    from: z.enum(['resume', 'start']).default('resume'),
    /** New window of the upgrades concerned; null: at any time; absent: unchanged. */
    window: upgradeWindow.nullable().optional(),
  })
  .refine((order) => (order.ids === undefined) !== (order.jobId === undefined), RULES.selectData.en);
export type UpgradeRetry = z.output<typeof upgradeRetry>;

export const upgradeRecord = {
  list: route({
    method: 'GET',
    path: '/upgrade/record',
    summary: 'Upgrade records',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(upgradeRecordRow),
    errors: ['RANGE_TOO_LONG'],
  }),
  summary: route({
    method: 'GET',
    path: '/upgrade/record/summary',
    summary: 'Number of records by state',
    allow: { page, action: 'view' },
    query: filters.omit({ status: true }),
    response: z.object({ total: z.number().int(), byStatus: z.partialRecord(upgradeState, z.number().int()) }),
    errors: ['RANGE_TOO_LONG'],
  }),
  byDcu: route({
    method: 'GET',
    path: '/upgrade/record/by-dcu',
    summary: 'States of all devices of an upgrade, grouped by DCU',
    allow: { page, action: 'view' },
    query: z.object({ jobId: id }),
    response: listOf(
      z.object({
        /** Null: the direct meters of a transformer. */
        dcuId: id.nullable(),
        dcuSn: z.string().nullable(),
        transformerName: z.string().nullable(),
        cells: z.array(z.object({ id, sn: z.string(), status: upgradeState })),
      }),
    ),
  }),
  get: route({
    method: 'GET',
    path: '/upgrade/record/{id}',
    summary: 'One record with its block map and checks',
    allow: { page, action: 'view' },
    params: idParams,
    response: upgradeRecordRow.extend({
      /** One digit per block; 1: the device has it. */
      blockMap: z.string(),
      postChecks: z.array(postCheck),
    }),
    errors: ['NOT_FOUND'],
  }),
  log: route({
    method: 'GET',
    path: '/upgrade/record/{id}/log',
    summary: 'Every transition of a record, oldest first',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(upgradeLogLine),
    errors: ['NOT_FOUND'],
  }),
  retry: route({
    method: 'POST',
    path: '/upgrade/record/retry',
    summary: 'Retry failed devices: resume the transfer or start again',
    allow: { page, action: 'execute' },
    endangers: 'reach',
    body: upgradeRetry,
    response: counted,
    status: 202,
    errors: ORDER_ERRORS,
  }),
  skip: route({
    method: 'POST',
    path: '/upgrade/record/skip',
    summary: 'Skip devices that have not started',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ ids, reason: z.string().trim().min(1, RULES.reason.en).max(256) }),
    response: counted,
    errors: ORDER_ERRORS,
  }),
  stop: route({
    method: 'POST',
    path: '/upgrade/record/stop',
    summary: 'Stop devices at their next block; nothing is activated',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ ids, reason: z.string().trim().min(1, RULES.reason.en).max(256) }),
    response: counted,
    errors: ORDER_ERRORS,
  }),
};

export const upgradeRecordExport = exportOf('upgrade-record', upgradeRecord.list);
