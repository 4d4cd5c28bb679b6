import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { dcuOnlineStatus } from '../states/device.ts';
import { completeness, countedProfile, type CountedProfile, gapReading, gapState, meterFilter, readSource } from './reading.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.readings;

/** Back-off in minutes by number of attempts; later attempts take place once per night. */
export const REFILL_WAITS_MIN = [15, 60, 240] as const;
/** Default retention of meters in days, if neither the meter nor its template states it; for billing periods a year and the current one. */
export const BUFFER_DAYS: Record<CountedProfile, number> = { daily: 60, energy: 60, lpa: 60, lpb: 60, monthly: 400 };

const range = z.object({ from: day, to: day, profile: countedProfile.default('daily') });
const where = { node: nodeKey.optional(), meterId: id.optional() };

export const gapRow = z.object({
  id,
  meterId: id,
  meterSn: z.string(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  profile: countedProfile,
  day,
  missing: z.number().int(),
  fromAt: instant,
  toAt: instant,
  /** Reason of the last attempt by plan, refill or order; null: none yet. */
  reasonCode: z.string().nullable(),
  triedAt: instant.nullable(),
  /** Number of refill attempts. */
  attempts: z.number().int(),
  nextTryAt: instant,
  state: gapState,
  reading: gapReading,
  note: z.string().nullable(),
});
export type GapRow = z.infer<typeof gapRow>;

/** Completeness of a meter by day: one row of the heat map. */
export const completenessRow = z.object({
  meterId: id,
  meterSn: z.string(),
  dcuSn: z.string().nullable(),
  /** Received values by day of the range; the expected number is the same for all meters of a page. */
  got: z.array(z.number().int()),
  /** State of the gaps by day; null: no gap. */
  missing: z.array(
    z.object({ gap: gapState, reasonCode: z.string().nullable(), triedAt: instant.nullable(), note: z.string().nullable() }).nullable(),
  ),
  /** Reason of the newest gap. */
  reasonCode: z.string().nullable(),
  gaps: z.number().int(),
});
export type CompletenessRow = z.infer<typeof completenessRow>;

export const dcuCompletenessRow = z.object({
  dcuId: id,
  dcuSn: z.string(),
  onlineStatus: dcuOnlineStatus,
  meters: z.number().int(),
  expected: z.number().int(),
  got: z.number().int(),
});
export type DcuCompletenessRow = z.infer<typeof dcuCompletenessRow>;

/** Same priority as on-demand reading. */
export const FIRST_REFILL_PRIORITY = 3;

/** Selection of gaps: those of a range below a node, or of one meter. */
export const refillOrder = range.extend({
  ...where,
  ...meterFilter.shape,
  minutesPerDcu: z.number().int().min(1).max(120).default(10),
  /** `cache`: reads the cache of the DCU first and the rest from the meter. */
  source: readSource.default('meter'),
  priority: z.int().min(FIRST_REFILL_PRIORITY).max(9).default(9),
});
export type RefillOrder = z.output<typeof refillOrder>;

const refillEstimate = z.object({
  gaps: z.number().int(),
  meters: z.number().int(),
  /** Number of missing slots. */
  missing: z.number().int(),
  /** Number of meters within the budget, newest gaps first. */
  chosen: z.number().int(),
  dcus: z.array(
    z.object({
      dcuId: id,
      dcuSn: z.string(),
      onlineStatus: dcuOnlineStatus,
      meters: z.number().int(),
      chosen: z.number().int(),
      seconds: z.number().int(),
    }),
  ),
});
export type RefillEstimate = z.infer<typeof refillEstimate>;

export const gap = {
  list: route({
    method: 'GET',
    path: '/reading/gap',
    summary: 'Gaps: missing readings with their reasons',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      ...range.shape,
      ...where,
      ...meterFilter.shape,
      state: csv(gapState).optional(),
      reading: csv(gapReading).optional(),
    }),
    /** `gaps`: counts by state under the other filters; `figures`: totals of all meters below the node. */
    response: pageOf(gapRow).extend({ gaps: z.record(gapState, z.number().int()), figures: completeness }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  byMeter: route({
    method: 'GET',
    path: '/reading/completeness/meters',
    summary: 'Expected and received readings by meter and day',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      ...range.shape,
      ...where,
      ...meterFilter.shape,
      onlyGaps: z.stringbool().optional(),
    }),
    response: pageOf(completenessRow).extend({ days: z.array(z.object({ day, expected: z.number().int() })) }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  byDcu: route({
    method: 'GET',
    path: '/reading/completeness/dcus',
    summary: 'Expected and received readings by DCU, lowest completeness first',
    allow: { page, action: 'view' },
    query: range.extend({ node: nodeKey.optional() }),
    response: listOf(dcuCompletenessRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  estimate: route({
    method: 'POST',
    path: '/reading/refill/estimate',
    summary: 'Estimate of the air time that filling gaps takes',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: refillOrder,
    response: refillEstimate,
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  refill: route({
    method: 'POST',
    path: '/reading/refill',
    summary: 'Fill gaps from the meters, newest first, within a budget of air time',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: refillOrder,
    response: taskRef,
    status: 202,
    errors: ['RANGE_TOO_LONG', 'VALIDATION', 'NOTHING_TO_DO'],
  }),
  /** For readings that do not exist: the meter was without power or not installed yet. */
  dismiss: route({
    method: 'POST',
    path: '/reading/gap/dismiss',
    summary: 'Dismiss gaps for which no data exist',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: z.array(id).min(1).max(500), note: z.string().trim().min(1).max(128) }),
    response: z.object({ changed: z.number().int() }),
    errors: ['VALIDATION'],
  }),
};
