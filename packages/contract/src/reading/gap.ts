import { z } from 'zod';
import { nodeKey } from '../asset/tree.ts';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { dcuOnlineStatus } from '../states/device.ts';
import { completeness, countedProfile, type CountedProfile, gapReading, gapState, meterFilter, readSource } from './reading.ts';

const page = '/meter/auto-meter-reading';

/** Minutes until a gap is tried again, by how often it was tried; after that once a night. */
export const REFILL_WAITS_MIN = [15, 60, 240] as const;
/** Days a meter remembers where neither it nor its type's template says: of bills those of a year, and the one that runs. */
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
  /** Of the last attempt, whether it was a plan, a refill or an order; null: there was none. */
  reasonCode: z.string().nullable(),
  triedAt: instant.nullable(),
  /** Refills that were tried. */
  attempts: z.number().int(),
  nextTryAt: instant,
  state: gapState,
  reading: gapReading,
  note: z.string().nullable(),
});
export type GapRow = z.infer<typeof gapRow>;

/** A meter's days, for the heat map. */
export const completenessRow = z.object({
  meterId: id,
  meterSn: z.string(),
  dcuSn: z.string().nullable(),
  /** One number a day of the range; how many were expected is the same for all meters of a page. */
  got: z.array(z.number().int()),
  /** Of each of these days what is known of what it lacks; null: nothing. */
  missing: z.array(
    z.object({ gap: gapState, reasonCode: z.string().nullable(), triedAt: instant.nullable(), note: z.string().nullable() }).nullable(),
  ),
  /** Why it is not complete: the reason of its newest gap. */
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

/** As soon as what somebody waits for at the screen. */
export const FIRST_REFILL_PRIORITY = 3;

/** What is filled: everything missing in a range under a node, or of one meter. */
export const refillOrder = range.extend({
  ...where,
  ...meterFilter.shape,
  minutesPerDcu: z.number().int().min(1).max(120).default(10),
  /** `cache`: what the DCU holds is taken from there, the rest from the meter. */
  source: readSource.default('meter'),
  priority: z.int().min(FIRST_REFILL_PRIORITY).max(9).default(9),
});
export type RefillOrder = z.output<typeof refillOrder>;

const refillEstimate = z.object({
  gaps: z.number().int(),
  meters: z.number().int(),
  /** Slots that are missing. */
  missing: z.number().int(),
  /** Meters that fit the budget, newest gaps first. */
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
    summary: 'What is missing, and why',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      ...range.shape,
      ...where,
      ...meterFilter.shape,
      state: csv(gapState).optional(),
      reading: csv(gapReading).optional(),
    }),
    /** `gaps`: rows by state, under the filters other than the state; `figures` are of all meters under the node. */
    response: pageOf(gapRow).extend({ gaps: z.record(gapState, z.number().int()), figures: completeness }),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  byMeter: route({
    method: 'GET',
    path: '/reading/completeness/meters',
    summary: 'Expected and got, by meter and day',
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
    summary: 'Expected and got, by DCU, the worst first',
    allow: { page, action: 'view' },
    query: range.extend({ node: nodeKey.optional() }),
    response: listOf(dcuCompletenessRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  estimate: route({
    method: 'POST',
    path: '/reading/refill/estimate',
    summary: 'What filling the gaps would cost on the air',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: refillOrder,
    response: refillEstimate,
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  refill: route({
    method: 'POST',
    path: '/reading/refill',
    summary: 'Read what is missing, newest first, within a budget of air time',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: refillOrder,
    response: taskRef,
    status: 202,
    errors: ['RANGE_TOO_LONG', 'VALIDATION', 'NOTHING_TO_DO'],
  }),
  /** What no refill will bring: a meter that stood without power, or was not there yet. */
  dismiss: route({
    method: 'POST',
    path: '/reading/gap/dismiss',
    summary: 'Say that no data exist for these gaps',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: z.array(id).min(1).max(500), note: z.string().trim().min(1).max(128) }),
    response: z.object({ changed: z.number().int() }),
    errors: ['VALIDATION'],
  }),
};
