import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { fileAnswer } from '../core/file.ts';
import type { Danger } from '../core/guard.ts';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { haltCause, preflightIssue, upgradeJobState, upgradeState, upgradeTarget } from '../states/upgrade.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { measured } from '../core/measured.ts';

export const MAX_UPGRADE_TARGETS = 10_000;
/** Maximum number of lines in a preflight report; the counts cover all targets. */
export const PREFLIGHT_LINES = 1000;

const selectionFields = z.object({
  ids: z.array(id).max(MAX_UPGRADE_TARGETS).default([]),
  /** Serial numbers. */
  sns: z.array(z.string().trim().toUpperCase().min(1).max(32)).max(MAX_UPGRADE_TARGETS).default([]),
  node: nodeKey.optional(),
  /** All devices in the caller's area. */
  everywhere: z.boolean().default(false),
  /** Types and versions restrict the targets and do not select any alone. */
  typeIds: z.array(id).max(100).default([]),
  /** Present versions; an empty text selects devices with an unknown version. */
  versions: z.array(z.string().max(64)).max(100).default([]),
});

/** Whether a selection names devices: by id, serial number, node, or explicitly the whole area. */
export const namesTargets = ({ ids, sns, node, everywhere }: z.output<typeof selectionFields>): boolean =>
  ids.length + sns.length > 0 || node !== undefined || everywhere;

/** Targets that match all conditions. RT and STA modules are selected by their DCUs. */
export const upgradeSelection = selectionFields.refine(namesTargets, RULES.upgradeTargets.en);
export type UpgradeSelection = z.output<typeof upgradeSelection>;

export const preflightLine = z.object({
  /** Null: no device has this serial number. */
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
  /** Targets without issues. Each target is counted once: `ready + warned + refused` equals `total`. */
  ready: z.number().int(),
  /** Targets that are upgraded despite a warning. */
  warned: z.number().int(),
  /** Targets that cannot be upgraded. */
  refused: z.number().int(),
  byIssue: z.partialRecord(preflightIssue, z.number().int()),
  byVersion: z.array(z.object({ version: z.string().nullable(), count: z.number().int() })),
  /** Number of DCUs of the targets. */
  dcus: z.number().int(),
  /** Number of targets in each ring. */
  rings: z.array(z.number().int()),
  /** Refused targets first, then those with warnings. */
  lines: z.array(preflightLine),
});
export type PreflightReport = z.infer<typeof preflightReport>;

/** Maximum number of rings in an order; the remaining targets form one more. */
export const MAX_RINGS = 8;

/** Size of a ring as a number of devices or in percent of all targets; the remaining targets form a last ring. */
export const ringSize = z.object({ unit: z.enum(['devices', 'percent']), size: z.number().int().min(1).max(10_000) });
export type RingSize = z.output<typeof ringSize>;

const FIRST_RING_PERCENT = 1;
const LARGEST_FIRST_RING = 10;
const LATER_RINGS_PERCENT = [10, 30];
/** Default observation time of a ring. */
export const USUAL_WATCH_MINUTES = 60;

/**
 * Default rings: the first is 1 % of the devices but at most ten, the next are 10 % and 30 %. A ring that would not exceed
 * the previous one is left out.
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
  /** Maximum share of failures among the finished targets of a ring. */
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
  /** Absent: `usualRings`. Empty: one ring with all devices. */
  rings: z.array(ringSize).max(MAX_RINGS).optional(),
  /** After a healthy ring: `itself` continues automatically, `hand` waits for `continue-ring`. */
  continueBy: z.enum(['itself', 'hand']).default('hand'),
  /** Observation time of a ring before the next may start. */
  watchMinutes: z.number().int().min(0).max(10_080).default(USUAL_WATCH_MINUTES),
  /** Daily window in the time zone of the utility; null: at any time. */
  window: upgradeWindow.nullable().default(null),
  /** Maximum number of concurrent devices; the receivers of one broadcast count as one. */
  concurrency: z.number().int().min(1).max(200).default(20),
  /** Maximum number of concurrent devices per DCU. */
  perDcu: z.number().int().min(1).max(20).default(1),
  haltRule: haltRule.default({ failPercent: 5, silentPercent: 3, readDropPercent: 10 }),
  /** Time of activation; null: as soon as the image is verified. */
  activateAt: instant.nullable().default(null),
  /** True: refused targets are left out; false: the order fails if there are any. */
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
  /** Figures of the cause, such as 12 failures of 40. */
  haltDetail: z.object({ count: z.number().int(), of: z.number().int(), percent: z.number(), limit: z.number() }).nullable(),
  /** Current ring, from 1 to `rings.length`. */
  ring: z.number().int(),
  rings: z.array(z.object({ ring: z.number().int(), targets: z.number().int(), done: z.number().int(), failed: z.number().int() })),
  targets: z.number().int(),
  /** Targets upgraded or already at the version; failures are counted separately. */
  done: z.number().int(),
  failed: z.number().int(),
  running: z.number().int(),
  /** Octets of the image sent over the uplinks, by unicast and broadcast. */
  octetsSent: z.number().int(),
  /** Broadcasts by DCUs to all of their meters; null: each device receives its own transfer. */
  broadcasts: z
    .object({ total: z.number().int(), done: z.number().int(), failed: z.number().int(), octetsSent: z.number().int() })
    .nullable(),
  /** Mean progress of all targets in percent. */
  process: measured('%'),
  continueBy: z.enum(['itself', 'hand']),
  watchMinutes: z.number().int(),
  window: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** Whether the window is open at present. */
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

const page = PAGE_PATH.upgrades;

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
    summary: 'Preflight check of an upgrade from stored data, without communication',
    allow: { page, action: 'view' },
    endangers: 'nothing',
    body: z.object({
      firmwareId: id,
      selection: upgradeSelection,
      /** Absent: `usualRings`. */
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
    summary: 'Report of an upgrade, PDF in the language of the caller',
    allow: { page, action: 'export' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
  pause: turn('pause', 'nothing', 'Pause an upgrade: nothing is sent until it is resumed; devices keep transferred blocks'),
  resume: turn('resume', 'reach', 'Resume a paused or halted upgrade'),
  stop: turn('stop', 'nothing', 'Stop an upgrade: devices that have not started are skipped, running transfers end at their next block'),
  continueRing: turn('continue-ring', 'reach', 'Start the next ring now'),
};
