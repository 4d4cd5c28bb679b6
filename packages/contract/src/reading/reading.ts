import { z } from 'zod';
import { csv, day, id, instant, listOf, MAX_RANGE_DAYS, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nodeKey } from '../asset/tree.ts';
import { communicationMode } from '../states/device.ts';
import { measured } from '../core/measured.ts';

export const readingSource = z.enum(['cache', 'meter', 'push', 'manual', 'estimated']);
/** Where a reading is fetched. */
export const readSource = z.enum(['meter', 'cache']);
export type ReadSource = z.infer<typeof readSource>;
export const readingQuality = z.enum(['read', 'refilled', 'estimated', 'manual', 'invalid']);
/** Of a slot in a profile: the same, or nobody has it. */
export const profileQuality = z.enum([...readingQuality.options, 'missing']);
/** Where the reading of a gap stands: nobody has tried, somebody does, it failed with a reason, it is here. */
export const gapReading = z.enum(['waiting', 'reading', 'read_fail', 'read_success']);
export type GapReading = z.infer<typeof gapReading>;
/** open: tried again by itself; no_data: the meter was asked and has none, or a person said so; lost: longer ago than it remembers. */
export const gapState = z.enum(['open', 'filled', 'lost', 'no_data']);
export type GapState = z.infer<typeof gapState>;
export const profileName = z.enum(['energy', 'lpa', 'lpb']);
export type ProfileName = z.infer<typeof profileName>;
/** Registers at a midnight: at every one, or at the first of a month, which ends the billing period before it. */
export const freezeName = z.enum(['daily', 'monthly']);
export type FreezeName = z.infer<typeof freezeName>;
export const isFreeze = (profile: string): profile is FreezeName => freezeName.options.some((name) => name === profile);
/** What is counted: expected, got, or missing for a reason. */
export const countedProfile = z.enum([...profileName.options, ...freezeName.options]);
export type CountedProfile = z.infer<typeof countedProfile>;
/** What readings are kept, counted and told as. */
export const storedProfile = z.enum([...profileName.options, 'daily']);
export type StoredProfile = z.infer<typeof storedProfile>;
/** A month ends with the freeze of the midnight that ends it: the same registers at the same moment. */
export const storedAs = (profile: CountedProfile): StoredProfile => (profile === 'monthly' ? 'daily' : profile);

const energy = measured('kWh').nullable();

/** What is known of a reading besides its values; of one that is missing, what becomes of it. */
const known = {
  meterId: id,
  meterSn: z.string(),
  /** When the head-end got it. Null, as source and status word: nothing has come. */
  readAt: instant.nullable(),
  source: readingSource.nullable(),
  statusWord: z.number().int().nullable(),
  reading: gapReading,
  quality: profileQuality,
  /** Of a missing one: the state of its gap, the reason of the last attempt, and when that ended. */
  gap: gapState.nullable(),
  reasonCode: z.string().nullable(),
  triedAt: instant.nullable(),
  note: z.string().nullable(),
  traceId: z.string().nullable(),
};

/** Registers at a freeze, kWh; of a day on which one was expected and is missing null. */
export const dailyRow = z.object({
  ...known,
  /** Daily freeze date. */
  freezeDate: day,
  ePlus: energy,
  eMinus: energy,
  ePlusT1: energy,
  ePlusT2: energy,
  ePlusT3: energy,
  ePlusT4: energy,
  eMinusT1: energy,
  eMinusT2: energy,
  eMinusT3: energy,
  eMinusT4: energy,
  deviceTime: z.string().nullable(),
});
export type DailyRow = z.infer<typeof dailyRow>;

const number = z.number().nullable();

/** One slot of an interval profile, captured or known to be missing. Energies kWh, powers kW and kVA, voltages V, currents A; null: not captured. */
export const profileRow = z.object({
  ...known,
  ts: instant,
  ePlus: measured('kWh').nullable(),
  eMinus: measured('kWh').nullable(),
  pAvgPlus: measured('kW').nullable(),
  pAvgMinus: measured('kW').nullable(),
  sAvgPlus: measured('kVA').nullable(),
  sAvgMinus: measured('kVA').nullable(),
  u1: measured('V').nullable(),
  u2: measured('V').nullable(),
  u3: measured('V').nullable(),
  i1: measured('A').nullable(),
  i2: measured('A').nullable(),
  i3: measured('A').nullable(),
  i0: measured('A').nullable(),
  pf: number,
  pf1: number,
  pf2: number,
  pf3: number,
});
export type ProfileRow = z.infer<typeof profileRow>;

/** Readings that are missing, by the state of their gaps. The figures of one answer are of one moment, `asOf`. */
export const missingReadings = z.object({
  open: z.number().int(),
  noData: z.number().int(),
  lost: z.number().int(),
  /** Not in the list of gaps yet. */
  unlisted: z.number().int(),
});
export const completeness = listOf(z.object({ day, expected: z.number().int(), got: z.number().int() })).extend({
  asOf: instant,
  missing: missingReadings,
});
export type Completeness = z.infer<typeof completeness>;

const kwh = z.number().min(0).max(9_999_999_999).nullable().default(null);

/** What a person read from the display of a meter, as it stood at the midnight that begins a day. */
export const manualReading = z.object({
  meterId: id,
  date: day,
  ePlus: z.number().min(0).max(9_999_999_999),
  eMinus: kwh,
  ePlusT1: kwh,
  ePlusT2: kwh,
  ePlusT3: kwh,
  ePlusT4: kwh,
  eMinusT1: kwh,
  eMinusT2: kwh,
  eMinusT3: kwh,
  eMinusT4: kwh,
  /** The register began anew in between: it may stand below the reading before. */
  rollover: z.boolean().default(false),
  reason: z.string().trim().min(1).max(128),
});
export type ManualReading = z.output<typeof manualReading>;

const readingPage = { page: '/meter/auto-meter-reading', action: 'view' } as const;
const rangeQuery = z.object({ from: day, to: day });
/** A year of month ends is twelve values of a meter, and comes at once; of everything else the usual 31 days do. */
export const maxRangeDays = (profile: CountedProfile): number => (profile === 'monthly' ? 366 : MAX_RANGE_DAYS);
/** Which meters of a node: by a part of the number, by how they talk. */
export const meterFilter = z.object({ search: z.string().max(64).optional(), mode: communicationMode.optional() });

const energyNames = [
  'ePlus',
  'eMinus',
  'ePlusT1',
  'ePlusT2',
  'ePlusT3',
  'ePlusT4',
  'eMinusT1',
  'eMinusT2',
  'eMinusT3',
  'eMinusT4',
] as const;
const powerNames = ['pAvgPlus', 'pAvgMinus', 'sAvgPlus', 'sAvgMinus'] as const;
const qualityNames = ['u1', 'u2', 'u3', 'i1', 'i2', 'i3', 'i0', 'pf', 'pf1', 'pf2', 'pf3'] as const;

/** A stored value that another took the place of. Units are those of the reading's row. */
export const correctionRow = z.object({
  /** The capture; of a freeze the midnight that begins its day. */
  ts: instant,
  value: z.enum([...energyNames, ...powerNames, ...qualityNames, 'statusWord']),
  former: z.number(),
  present: z.number(),
  formerReadAt: instant,
  formerSource: readingSource,
  formerTraceId: z.string().nullable(),
  replacedAt: instant,
  source: readingSource,
  traceId: z.string().nullable(),
  /** The task that brought the new value; null: the meter sent it without being asked. */
  taskId: id.nullable(),
});
export type CorrectionRow = z.infer<typeof correctionRow>;
/** Corrections that one answer holds at most. */
export const MAX_CORRECTIONS = 1000;

/** Meters of a sample, each compared on one of the last days; or one meter on all days of a range. The same seed gives the same sample. */
export const auditOrder = z.union([
  z.object({ sample: z.int().min(1).max(500), seed: z.int().min(0).default(1) }),
  rangeQuery.extend({ meterSn: z.string().trim().min(1).max(32) }),
]);
export type AuditOrder = z.output<typeof auditOrder>;

export const reading = {
  /** Those that are missing in their place. Of one meter (`meterId`) or of everything under a node; `monthly`: those that end a month, of a year at most. */
  daily: route({
    method: 'GET',
    path: '/reading/daily',
    summary: 'Daily freezes',
    allow: readingPage,
    query: pageQuery.extend({
      ...rangeQuery.shape,
      profile: freezeName.default('daily'),
      meterId: id.optional(),
      node: nodeKey.optional(),
      ...meterFilter.shape,
      quality: csv(profileQuality).optional(),
      reading: csv(gapReading).optional(),
    }),
    response: pageOf(dailyRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  /** Interval rows, oldest first, those that are missing in their place. Days are calendar days of the utility's time zone. */
  profile: route({
    method: 'GET',
    path: '/reading/profile/{profile}',
    summary: 'Interval data of a profile',
    allow: readingPage,
    params: z.object({ profile: profileName }),
    query: pageQuery.safeExtend({
      ...rangeQuery.shape,
      size: z.coerce.number().int().min(1).max(3200).default(500),
      meterId: id.optional(),
      node: nodeKey.optional(),
      ...meterFilter.shape,
      quality: csv(profileQuality).optional(),
      reading: csv(gapReading).optional(),
    }),
    response: pageOf(profileRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  /** It is told from what the meter gave wherever it appears, and never overwrites that. */
  enter: route({
    method: 'POST',
    path: '/reading/manual',
    summary: 'Enter a reading by hand',
    allow: { page: '/meter/auto-meter-reading', action: 'edit' },
    endangers: 'nothing',
    body: manualReading,
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'READING_KNOWN', 'READING_LESS', 'READING_MORE', 'DAY_NOT_YET'],
  }),
  completeness: route({
    method: 'GET',
    path: '/reading/completeness',
    summary: 'Expected and got, by day',
    allow: readingPage,
    query: rangeQuery.extend({
      profile: countedProfile.default('lpa'),
      node: nodeKey.optional(),
      meterId: id.optional(),
    }),
    response: completeness,
    errors: ['RANGE_TOO_LONG'],
  }),
  latest: route({
    method: 'GET',
    path: '/reading/{meterId}/latest',
    summary: 'The newest value of everything a meter gave',
    allow: readingPage,
    params: z.object({ meterId: id }),
    response: listOf(
      z.object({
        item: z.string(),
        value: z.union([z.number(), z.string()]).nullable(),
        unit: z.string(),
        at: instant.nullable(),
        traceId: z.string().nullable(),
      }),
    ),
    errors: ['METER_NOT_FOUND'],
  }),
  /** What was stored before, of readings of some days: the newest replacement first, at most so many. */
  corrections: route({
    method: 'GET',
    path: '/reading/{meterId}/corrections',
    summary: 'Values that were replaced, with what stood there before',
    allow: readingPage,
    params: z.object({ meterId: id }),
    query: rangeQuery.extend({ profile: countedProfile }),
    response: listOf(correctionRow),
    errors: ['METER_NOT_FOUND', 'RANGE_TOO_LONG'],
  }),
  /** Changes nothing that is stored. Each item of the task has what differs in its result. */
  audit: route({
    method: 'POST',
    path: '/reading/audit',
    summary: 'Compare stored readings with the buffers of their meters: of a sample, or of one meter and some days',
    allow: { page: '/meter/auto-meter-reading', action: 'execute' },
    endangers: 'nothing',
    body: auditOrder,
    response: taskRef,
    status: 202,
    errors: ['METER_NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION', 'NOTHING_TO_DO'],
  }),
  /** The reading items that can be asked for, in the order of the catalogue. */
  obis: route({
    method: 'GET',
    path: '/reading/obis',
    summary: 'Reading items',
    allow: 'signed-in',
    query: z.object({ category: z.string().optional() }),
    response: listOf(
      z.object({
        id,
        key: z.string(),
        obis: z.string(),
        classId: z.number().int(),
        attribute: z.number().int(),
        nameEn: z.string(),
        nameZh: z.string(),
        unit: z.string(),
        precision: z.number().int(),
        category: z.string(),
      }),
    ),
  }),
};
