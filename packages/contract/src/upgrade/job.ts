import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { fileAnswer } from '../core/file.ts';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { haltCause, preflightIssue, upgradeJobState, upgradeState, upgradeTarget } from '../states/upgrade.ts';
import { FIRMWARE_PAGE } from './firmware.ts';

export const MAX_UPGRADE_TARGETS = 10_000;
/** Lines of a preflight that are answered; the counts are about all. */
export const PREFLIGHT_LINES = 1000;

/** Which devices: by hand, or everything that fits; all conditions hold at once. RT and STA are chosen by their DCUs. */
export const upgradeSelection = z.object({
  ids: z.array(id).max(MAX_UPGRADE_TARGETS).default([]),
  /** As they were pasted. */
  sns: z.array(z.string().trim().toUpperCase().min(1).max(32)).max(MAX_UPGRADE_TARGETS).default([]),
  node: nodeKey.optional(),
  typeIds: z.array(id).max(100).default([]),
  /** Present versions; an empty text: those that were not read yet. */
  versions: z.array(z.string().max(64)).max(100).default([]),
});
export type UpgradeSelection = z.output<typeof upgradeSelection>;

export const preflightLine = z.object({
  /** Null: a pasted serial number of no device. */
  id: id.nullable(),
  sn: z.string(),
  dcuSn: z.string().nullable(),
  transformerName: z.string().nullable(),
  typeName: z.string().nullable(),
  version: z.string().nullable(),
  isRefused: z.boolean(),
  issues: z.array(preflightIssue),
});
export type PreflightLine = z.infer<typeof preflightLine>;

export const preflightReport = z.object({
  total: z.number().int(),
  ready: z.number().int(),
  /** Ready, and worth a look. */
  warned: z.number().int(),
  refused: z.number().int(),
  byIssue: z.partialRecord(preflightIssue, z.number().int()),
  byVersion: z.array(z.object({ version: z.string().nullable(), count: z.number().int() })),
  /** DCUs they hang behind. */
  dcus: z.number().int(),
  /** How many there would be in each ring. */
  rings: z.array(z.number().int()),
  /** The refused first, then the warned. */
  lines: z.array(preflightLine),
});
export type PreflightReport = z.infer<typeof preflightReport>;

/** That an order may name; what is left over is one more. */
export const MAX_RINGS = 8;

/** So many, or so many per cent of all; after the last of them come all that are left. */
export const ringSize = z.object({ unit: z.enum(['devices', 'percent']), size: z.number().int().min(1).max(10_000) });
export const USUAL_RINGS = [
  { unit: 'devices', size: 1 },
  { unit: 'devices', size: 10 },
  { unit: 'percent', size: 1 },
] as const;

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
export const upgradeWindow = z.object({ from: clockTime, to: clockTime }).refine(({ from, to }) => from !== to, RULES.timeWindow.en);
export type UpgradeWindow = z.output<typeof upgradeWindow>;

const percent = z.number().min(0).max(100);

export const haltRule = z.object({
  /** Of those that ended in the ring. */
  failPercent: percent.default(5),
  silentPercent: percent.default(3),
  /** Percentage points that reading success of upgraded devices may lose against the day before. */
  readDropPercent: percent.default(10),
});
export type HaltRule = z.output<typeof haltRule>;

export const upgradeOrder = z.object({
  name: z.string().trim().min(1).max(64),
  firmwareId: id,
  selection: upgradeSelection,
  rings: z
    .array(ringSize)
    .max(MAX_RINGS)
    .default([...USUAL_RINGS]),
  /** After a ring in good health: go on, or wait for somebody to say so. */
  continueBy: z.enum(['itself', 'hand']).default('itself'),
  /** How long a ring is watched before the next may begin. */
  watchMinutes: z.number().int().min(0).max(10_080).default(0),
  /** Of the day, in the zone of the utility; without it at any time. */
  window: upgradeWindow.nullable().default(null),
  /** Devices at the same time; those that hear one broadcast are one. */
  concurrency: z.number().int().min(1).max(200).default(20),
  /** Of them behind one DCU. */
  perDcu: z.number().int().min(1).max(20).default(1),
  haltRule: haltRule.default({ failPercent: 5, silentPercent: 3, readDropPercent: 10 }),
  /** Null: as soon as the image is verified. */
  activateAt: instant.nullable().default(null),
  /** Refused targets are left out; without it they refuse the order. */
  leaveOutRefused: z.boolean().default(false),
  reason: z.string().trim().min(1, RULES.reason.en).max(256),
});
export type UpgradeOrder = z.output<typeof upgradeOrder>;

export const upgradeJobRow = z.object({
  id,
  name: z.string(),
  reason: z.string(),
  firmwareId: id,
  firmwareName: z.string(),
  firmwareVersion: z.string(),
  targetKind: upgradeTarget,
  state: upgradeJobState,
  haltCause: haltCause.nullable(),
  /** `12 of 40 failed`, in numbers. */
  haltDetail: z.object({ count: z.number().int(), of: z.number().int(), percent: z.number(), limit: z.number() }).nullable(),
  /** From 1; the last one is `rings.length`. */
  ring: z.number().int(),
  rings: z.array(z.object({ ring: z.number().int(), targets: z.number().int(), done: z.number().int(), failed: z.number().int() })),
  targets: z.number().int(),
  /** Upgraded, or there already; what failed is counted by itself. */
  done: z.number().int(),
  failed: z.number().int(),
  running: z.number().int(),
  /** Octets of the image over the uplinks, to devices alone and in broadcasts. */
  octetsSent: z.number().int(),
  /** Of DCUs that send one image to all of their meters; null: every device is sent its own. */
  broadcasts: z
    .object({ total: z.number().int(), done: z.number().int(), failed: z.number().int(), octetsSent: z.number().int() })
    .nullable(),
  /** Mean of all targets, per cent. */
  process: z.number(),
  continueBy: z.enum(['itself', 'hand']),
  watchMinutes: z.number().int(),
  window: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** False: the window is shut at the moment. */
  isInWindow: z.boolean(),
  concurrency: z.number().int(),
  perDcu: z.number().int(),
  haltRule,
  activateAt: instant.nullable(),
  createdAt: instant,
  createdByName: z.string().nullable(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
});
export type UpgradeJobRow = z.infer<typeof upgradeJobRow>;

const filters = z.object({
  name: z.string().max(64).optional(),
  state: csv(upgradeJobState).optional(),
  targetKind: csv(upgradeTarget).optional(),
  firmwareId: id.optional(),
});
export type UpgradeJobFilters = z.output<typeof filters>;

const page = FIRMWARE_PAGE;

const turn = <const A extends string>(verb: A, summary: string) =>
  route({
    method: 'POST',
    path: `/upgrade/job/{id}/${verb}`,
    summary,
    allow: { page, action: 'execute' },
    params: idParams,
    response: upgradeJobRow,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO'],
  });

export const upgradeJob = {
  preflight: route({
    method: 'POST',
    path: '/upgrade/job/preflight',
    summary: 'What an upgrade would meet, as far as it is known without asking the devices',
    allow: { page, action: 'view' },
    body: z.object({
      firmwareId: id,
      selection: upgradeSelection,
      rings: z
        .array(ringSize)
        .max(MAX_RINGS)
        .default([...USUAL_RINGS]),
    }),
    response: preflightReport,
    errors: ['VALIDATION', 'NOT_FOUND', 'NO_TARGETS'],
  }),
  create: route({
    method: 'POST',
    path: '/upgrade/job',
    summary: 'Start an upgrade',
    allow: { page, action: 'execute' },
    body: upgradeOrder,
    response: z.object({ jobId: id }),
    status: 202,
    errors: ['VALIDATION', 'NOT_FOUND', 'NO_TARGETS', 'PREFLIGHT', 'FIRMWARE_STATE'],
  }),
  list: route({
    method: 'GET',
    path: '/upgrade/job',
    summary: 'Upgrades, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(upgradeJobRow),
  }),
  get: route({
    method: 'GET',
    path: '/upgrade/job/{id}',
    summary: 'One upgrade',
    allow: { page, action: 'view' },
    params: idParams,
    response: upgradeJobRow.extend({ byStatus: z.partialRecord(upgradeState, z.number().int()) }),
    errors: ['NOT_FOUND'],
  }),
  report: route({
    method: 'GET',
    path: '/upgrade/job/{id}/report',
    summary: 'How an upgrade stands or went, PDF in the language of the caller',
    allow: { page, action: 'export' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
  pause: turn('pause', 'Send nothing more until it is resumed; what devices have, they keep'),
  resume: turn('resume', 'Go on after a pause or a halt'),
  stop: turn('stop', 'End it: what has not begun is skipped, what is under way ends at its next block'),
  continueRing: turn('continue-ring', 'Begin the next ring now'),
};
