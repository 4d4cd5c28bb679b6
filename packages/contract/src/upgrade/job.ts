import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { fileAnswer } from '../core/file.ts';
import type { Danger } from '../core/guard.ts';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { haltCause, preflightIssue, upgradeJobState, upgradeState, upgradeTarget } from '../states/upgrade.ts';
import { FIRMWARE_PAGE } from './firmware.ts';
import { measured } from '../core/measured.ts';

export const MAX_UPGRADE_TARGETS = 10_000;
/** Lines of a preflight that are answered; the counts are about all. */
export const PREFLIGHT_LINES = 1000;

const selectionFields = z.object({
  ids: z.array(id).max(MAX_UPGRADE_TARGETS).default([]),
  /** As they were pasted. */
  sns: z.array(z.string().trim().toUpperCase().min(1).max(32)).max(MAX_UPGRADE_TARGETS).default([]),
  node: nodeKey.optional(),
  /** All devices in the caller's area. */
  everywhere: z.boolean().default(false),
  /** Types and versions narrow the targets; by themselves they name none. */
  typeIds: z.array(id).max(100).default([]),
  /** Present versions; an empty text: those that were not read yet. */
  versions: z.array(z.string().max(64)).max(100).default([]),
});

/** Whether a selection says which devices are meant: by id, by serial number, by a node of the network, or the whole area in so many words. */
export const namesTargets = ({ ids, sns, node, everywhere }: z.output<typeof selectionFields>): boolean =>
  ids.length + sns.length > 0 || node !== undefined || everywhere;

/** Which devices; all conditions hold at once. RT and STA are chosen by their DCUs. */
export const upgradeSelection = selectionFields.refine(namesTargets, RULES.upgradeTargets.en);
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
  /** Every target is counted once: `ready + warned + refused` is `total`. Ready: nothing is known against it. */
  ready: z.number().int(),
  /** Upgraded like the ready ones, with a warning. */
  warned: z.number().int(),
  /** Cannot be upgraded. */
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
export type RingSize = z.output<typeof ringSize>;

const FIRST_RING_PERCENT = 1;
const LARGEST_FIRST_RING = 10;
const LATER_RINGS_PERCENT = [10, 30];
/** How long a ring is watched when the order does not say. */
export const USUAL_WATCH_MINUTES = 60;

/**
 * The rings of an order that names none: the first is 1 % of the devices and at most ten of them, the next are 10 % and 30 %. A ring that
 * would not be larger than the one before it is left out.
 */
export function usualRings(total: number): RingSize[] {
  const rings: RingSize[] = [];
  const countOf = (percent: number) => Math.ceil((total * percent) / 100);
  const first = Math.min(LARGEST_FIRST_RING, countOf(FIRST_RING_PERCENT));
  if (first > 0 && first < total) rings.push({ unit: 'devices', size: first });
  for (const size of LATER_RINGS_PERCENT) {
    const previous = rings.at(-1);
    if (previous !== undefined && countOf(size) > (previous.unit === 'devices' ? previous.size : countOf(previous.size)))
      rings.push({ unit: 'percent', size });
  }
  return rings;
}

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
  /** Absent: `usualRings` of the devices that are upgraded. Empty: all at once. */
  rings: z.array(ringSize).max(MAX_RINGS).optional(),
  /** After a ring in good health: continue, or wait for a user's approval. */
  continueBy: z.enum(['itself', 'hand']).default('hand'),
  /** How long a ring is watched before the next may begin. */
  watchMinutes: z.number().int().min(0).max(10_080).default(USUAL_WATCH_MINUTES),
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
  process: measured('%'),
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

const turn = <const A extends string>(verb: A, endangers: Danger, summary: string) =>
  route({
    method: 'POST',
    path: `/upgrade/job/{id}/${verb}`,
    summary,
    allow: { page, action: 'execute' },
    endangers,
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
    endangers: 'nothing',
    body: z.object({
      firmwareId: id,
      selection: upgradeSelection,
      /** Absent: `usualRings` of the devices that would be upgraded. */
      rings: z.array(ringSize).max(MAX_RINGS).optional(),
    }),
    response: preflightReport,
    errors: ['VALIDATION', 'NOT_FOUND', 'NO_TARGETS'],
  }),
  create: route({
    method: 'POST',
    path: '/upgrade/job',
    summary: 'Start an upgrade',
    allow: { page, action: 'execute' },
    endangers: 'reach',
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
  pause: turn('pause', 'nothing', 'Send nothing more until it is resumed; what devices have, they keep'),
  resume: turn('resume', 'reach', 'Go on after a pause or a halt'),
  stop: turn('stop', 'nothing', 'End it: what has not begun is skipped, what is under way ends at its next block'),
  continueRing: turn('continue-ring', 'reach', 'Begin the next ring now'),
};
