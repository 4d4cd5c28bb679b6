import { z } from 'zod';
import { DAILY_EXAMPLE, PROFILE_EXAMPLE, pageOfOne } from '../examples.ts';
import { csv, day, id, instant, listOf, MAX_RANGE_DAYS, pageQuery, placedPageOf, placeQuery, taskRef } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nodeKey } from '../asset/tree.ts';
import { communicationMode } from '../states/device.ts';
import { measured } from '../core/measured.ts';
import type { Unit } from '../core/unit.ts';
import { CHANNELS, DAILY_REGISTERS, REGISTER_UNIT, type ChannelKey, type RegisterKey } from './quantities.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const readingSource = z.enum(['cache', 'meter', 'push', 'manual', 'estimated']);
/** Source from which a reading is fetched. */
export const readSource = z.enum(['meter', 'cache']);
export type ReadSource = z.infer<typeof readSource>;
const READING_QUALITIES = ['read', 'refilled', 'estimated', 'manual', 'invalid'] as const;
export const readingQuality = z.enum(READING_QUALITIES);
/** Quality of a slot: as of a reading, or missing. */
export const PROFILE_QUALITIES = [...READING_QUALITIES, 'missing'] as const;
export const profileQuality = z.enum(PROFILE_QUALITIES);
/** Progress of filling a gap: not tried, in progress, failed with a reason, or read. */
export const GAP_READINGS = ['waiting', 'reading', 'read_fail', 'read_success'] as const;
export const gapReading = z.enum(GAP_READINGS);
export type GapReading = z.infer<typeof gapReading>;
/** `open`: retried automatically; `no_data`: the meter has no data, or a user dismissed the gap; `lost`: beyond the retention of the meter. */
export const GAP_STATES = ['open', 'filled', 'lost', 'no_data'] as const;
export const gapState = z.enum(GAP_STATES);
export type GapState = z.infer<typeof gapState>;
const PROFILE_NAMES = ['energy', 'lpa', 'lpb'] as const;
export const profileName = z.enum(PROFILE_NAMES);
export type ProfileName = z.infer<typeof profileName>;
/** Registers captured at each local midnight, or at the first midnight of a month, which ends the previous billing period. */
const FREEZE_NAMES = ['daily', 'monthly'] as const;
export const freezeName = z.enum(FREEZE_NAMES);
export type FreezeName = z.infer<typeof freezeName>;
export const isFreeze = (profile: string): profile is FreezeName => FREEZE_NAMES.some((name) => name === profile);
/** Profiles whose completeness is counted. */
export const COUNTED_PROFILES = [...PROFILE_NAMES, ...FREEZE_NAMES] as const;
export const countedProfile = z.enum(COUNTED_PROFILES);
export type CountedProfile = z.infer<typeof countedProfile>;
/** Profiles in which readings are stored, counted and announced. */
export const storedProfile = z.enum([...PROFILE_NAMES, 'daily']);
export type StoredProfile = z.infer<typeof storedProfile>;
/** A month end is the daily freeze of the midnight that ends the month. */
export const storedAs = (profile: CountedProfile): StoredProfile => (profile === 'monthly' ? 'daily' : profile);

/** Metadata of a reading; for a missing one, the state of its gap. */
const known = {
  meterId: id,
  meterSn: z.string(),
  /** Time of arrival. Null, like source and status word, if the reading is missing. */
  readAt: instant.nullable(),
  source: readingSource.nullable(),
  statusWord: z.number().int().nullable(),
  reading: gapReading,
  quality: profileQuality,
  /** For a missing reading: the state of its gap, and reason and end of the last attempt. */
  gap: gapState.nullable(),
  reasonCode: z.string().nullable(),
  triedAt: instant.nullable(),
  note: z.string().nullable(),
  traceId: z.string().nullable(),
};

const value = (unit: Unit | undefined) => (unit === undefined ? z.number() : measured(unit)).nullable();
type Value = ReturnType<typeof value>;
/** Fields of a table of quantities, by key. */
const fieldsOf = <K extends string>(quantities: readonly { key: K; unit: Unit | undefined }[]) =>
  Object.fromEntries(quantities.map(({ key, unit }) => [key, value(unit)])) as Record<K, Value>; // as: one field a key
export const registerFields = fieldsOf(DAILY_REGISTERS.map(({ key }) => ({ key, unit: REGISTER_UNIT })));
export const channelFields = fieldsOf(CHANNELS);

/** Registers at a freeze in kWh; null if the expected freeze is missing. */
export const dailyRow = z.object({
  ...known,
  /** Day of the freeze. */
  freezeDate: day,
  ...registerFields,
  deviceTime: z.string().nullable(),
});
export type DailyRow = z.infer<typeof dailyRow>;

/** One slot of an interval profile, captured or missing. Energies in kWh, powers in kW and kVA, voltages in V, currents in A; null: not captured. */
export const profileRow = z.object({
  ...known,
  ts: instant,
  ...channelFields,
});
export type ProfileRow = z.infer<typeof profileRow>;

/** Missing readings by state of their gaps. All figures of a response refer to the time `asOf`. */
export const missingReadings = z.object({
  open: z.number().int(),
  noData: z.number().int(),
  lost: z.number().int(),
  /** Missing readings that are not in the list of gaps yet. */
  unlisted: z.number().int(),
});
export const completeness = listOf(z.object({ day, expected: z.number().int(), got: z.number().int() })).extend({
  asOf: instant,
  missing: missingReadings,
});
export type Completeness = z.infer<typeof completeness>;

const kwh = z.number().min(0).max(9_999_999_999).nullable().default(null);

/** Register values read from the display of a meter by a person, for the midnight that begins a day. */
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
  /** The register rolled over since the previous reading, so the value may be lower. */
  rollover: z.boolean().default(false),
  reason: z.string().trim().min(1).max(128),
});
export type ManualReading = z.output<typeof manualReading>;

const readingPage = { page: PAGE_PATH.readings, action: 'view' } as const;
const rangeQuery = z.object({ from: day, to: day });
/** Month ends may be queried for a year, because that is twelve values per meter; other readings for 31 days. */
export const maxRangeDays = (profile: CountedProfile): number => (profile === 'monthly' ? 366 : MAX_RANGE_DAYS);
/** Filters of the meters of a node: part of the serial number, communication mode. */
export const meterFilter = z.object({ search: z.string().max(64).optional(), mode: communicationMode.optional() });

const CORRECTED = [
  ...new Set<ChannelKey | RegisterKey | 'statusWord'>([...DAILY_REGISTERS, ...CHANNELS].map(({ key }) => key)),
  'statusWord' as const,
];

/** A stored value that was replaced by another. Units are those of the reading's row. */
export const correctionRow = z.object({
  /** Time of capture; for a freeze, the midnight that begins its day. */
  ts: instant,
  value: z.enum(CORRECTED),
  former: z.number(),
  present: z.number(),
  formerReadAt: instant,
  formerSource: readingSource,
  formerTraceId: z.string().nullable(),
  replacedAt: instant,
  source: readingSource,
  traceId: z.string().nullable(),
  /** Task that read the new value; null: the meter pushed it. */
  taskId: id.nullable(),
});
export type CorrectionRow = z.infer<typeof correctionRow>;
/** Maximum number of corrections in a response. */
export const MAX_CORRECTIONS = 1000;

/** Either a random sample of meters, each compared on one recent day, or one meter on all days of a range. The same seed yields the same sample. */
export const auditOrder = z.union([
  z.object({ sample: z.int().min(1).max(500), seed: z.int().min(0).default(1) }),
  rangeQuery.extend({ meterSn: z.string().trim().min(1).max(32) }),
]);
export type AuditOrder = z.output<typeof auditOrder>;

/** Place in a list of freezes: day and serial number. */
const FREEZE_PLACE = /^\d{4}-\d{2}-\d{2}\.[A-Z0-9]{6,20}$/;
/** Place in a list of slots: id of the meter, and the instant in ms since 1970. */
const SLOT_PLACE = /^\d{1,19}\.\d{1,13}$/;

export const reading = {
  /** Includes rows for missing freezes. Selects one meter (`meterId`) or all below a node; `monthly`: month ends, of at most one year. */
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
      ...placeQuery(FREEZE_PLACE),
    }),
    v1: {
      description:
        'Returns the registers at each local midnight, or at each month end with profile monthly. A missing freeze is a row without values. To read many, call with after=0, then with the next of each answer, until fewer rows than size come: they are sorted by day.',
      example: {
        query: { meterId: '1001', from: '2026-11-26', to: '2026-11-26' },
        response: { ...pageOfOne(DAILY_EXAMPLE), next: null },
      },
    },
    response: placedPageOf(dailyRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  /** Rows are sorted oldest first and include missing slots. Days are calendar days in the time zone of the utility. */
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
      ...placeQuery(SLOT_PLACE),
    }),
    v1: {
      description:
        'Returns the interval data of a meter or of a node for up to 31 days, oldest first. Missing intervals are rows with the quality missing, so that you can tell them from zero. Days are days of the utility. To read many, call with after=0, then with the next of each answer, until fewer rows than size come: they are sorted by meter, then by time.',
      example: {
        params: { profile: 'lpa' },
        query: { meterId: '1001', from: '2026-11-25', to: '2026-11-25', size: '200' },
        response: { ...pageOfOne(PROFILE_EXAMPLE), next: null },
      },
    },
    response: placedPageOf(profileRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  /** A manual reading is marked as such and never overwrites a value from the meter. */
  enter: route({
    method: 'POST',
    path: '/reading/manual',
    summary: 'Enter a manual reading',
    allow: { page: PAGE_PATH.readings, action: 'edit' },
    endangers: 'nothing',
    body: manualReading,
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'METER_NOT_FOUND', 'READING_KNOWN', 'READING_LESS', 'READING_MORE', 'DAY_NOT_YET'],
  }),
  completeness: route({
    method: 'GET',
    path: '/reading/completeness',
    summary: 'Expected and received readings by day',
    allow: readingPage,
    query: rangeQuery.extend({
      profile: countedProfile.default('lpa'),
      node: nodeKey.optional(),
      meterId: id.optional(),
    }),
    v1: {
      description: 'Counts expected and received readings by day, for a meter, for a node or for your area.',
      example: {
        query: { from: '2026-11-25', to: '2026-11-25', profile: 'lpa' },
        response: {
          items: [{ day: '2026-11-25', expected: 19584, got: 19570 }],
          asOf: '2026-11-26T08:00:00.000Z',
          missing: { open: 12, noData: 2, lost: 0, unlisted: 0 },
        },
      },
    },
    response: completeness,
    errors: ['RANGE_TOO_LONG'],
  }),
  latest: route({
    method: 'GET',
    path: '/reading/{meterId}/latest',
    summary: 'Newest value of each reading item of a meter',
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
  /** Replaced values of the readings of a range, newest replacement first, limited in number. */
  corrections: route({
    method: 'GET',
    path: '/reading/{meterId}/corrections',
    summary: 'Corrections: replaced values of readings',
    allow: readingPage,
    params: z.object({ meterId: id }),
    query: rangeQuery.extend({ profile: countedProfile }),
    response: listOf(correctionRow),
    errors: ['METER_NOT_FOUND', 'RANGE_TOO_LONG'],
  }),
  /** Stored readings are not changed. The result of each task item lists the differences. */
  audit: route({
    method: 'POST',
    path: '/reading/audit',
    summary: 'Compare stored readings with the buffers of meters: for a sample, or for one meter and a range of days',
    allow: { page: PAGE_PATH.readings, action: 'execute' },
    endangers: 'nothing',
    body: auditOrder,
    response: taskRef,
    status: 202,
    errors: ['METER_NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION', 'NOTHING_TO_DO'],
  }),
  /** Items that can be read, in the order of the catalogue. */
  obis: route({
    method: 'GET',
    path: '/reading/obis',
    summary: 'Reading items',
    allow: 'signed-in',
    query: z.object({ category: z.string().optional() }),
    v1: {
      description: 'Lists the reading items of the catalogue with key, OBIS code and unit. Orders of registers name items by key.',
      example: {
        response: {
          items: [
            {
              id: '1',
              key: 'E_PLUS',
              obis: DAILY_REGISTERS[0].object,
              classId: 3,
              attribute: 2,
              nameEn: 'Total Active Energy +',
              nameZh: '正向有功总电能',
              unit: 'kWh',
              precision: 3,
              category: 'energy',
            },
          ],
        },
      },
    },
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
