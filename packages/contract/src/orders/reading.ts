import { z } from 'zod';
import { realTimeGroup } from '../action/real-time.ts';
import { day } from '../core/page.ts';
import { countedProfile, readSource } from '../reading/reading.ts';
import { defineOrder, orderWords, readingWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const ON_DEMAND = PAGE_PATH.onDemandReading;
const READINGS = PAGE_PATH.readings;
const PLANS = PAGE_PATH.plans;

/** Profiles are read by calendar days of the utility, both included. */
const range = { from: day, to: day };
const onDemand = {
  target: 'meter',
  priority: 3,
  changesDevice: false,
  mayRepeat: true,
  page: ON_DEMAND,
} as const;
const profileParams = { ...range, store: z.boolean().default(true), source: readSource.default('meter') };
const profile = {
  ...onDemand,
  result: ['rows'],
} as const;

/** Runs behind everything that brings new readings. */
const background = {
  target: 'meter',
  priority: 9,
  changesDevice: false,
  whenOffline: 'waits',
  mayRepeat: false,
  page: READINGS,
  showsRun: false,
} as const;

export const readingOrders = {
  registers: defineOrder({
    ...onDemand,
    params: {
      /** Keys of the dictionary. */
      items: z.array(z.string()),
      store: z.boolean().default(true),
      askAnyway: z.boolean().default(false),
    },
    result: ['values'],
    words: readingWords('Register reading', '实时数据召测'),
  }),
  daily: defineOrder({ ...profile, params: profileParams, words: readingWords('Daily freeze reading', '日冻结召测') }),
  monthly: defineOrder({ ...profile, params: profileParams, words: readingWords('Month end reading', '月冻结召测') }),
  energy: defineOrder({ ...profile, params: profileParams, words: readingWords('Energy profile reading', '电能曲线召测') }),
  lpa: defineOrder({ ...profile, params: profileParams, words: readingWords('Load profile A reading', '负荷曲线A召测') }),
  lpb: defineOrder({ ...profile, params: profileParams, words: readingWords('Load profile B reading', '负荷曲线B召测') }),
  real_time: defineOrder({
    ...onDemand,
    params: { groups: z.array(realTimeGroup), keep: z.boolean() },
    result: ['values'],
    // An operator waits for the result.
    priority: 1,
    page: PAGE_PATH.realTimeReading,
    words: readingWords('Real-time reading', '实时抄读'),
  }),
  collect: defineOrder({
    target: 'meter',
    params: {
      profiles: z.array(countedProfile).default(['daily', 'lpa']),
      lookBackDays: z.number().default(7),
      /** Reads the cache of the DCU first. */
      fromCache: z.boolean().default(false),
      cacheOnly: z.boolean().default(false),
      /** Epoch milliseconds until which the DCU was to collect automatically. */
      readUntil: z.number().optional(),
    },
    result: ['rows'],
    priority: 5,
    changesDevice: false,
    whenOffline: 'waits',
    mayRepeat: false,
    page: PLANS,
    showsRun: false,
    words: readingWords('Scheduled collection', '定时采集'),
    hasOwnTitle: true,
  }),
  refill: defineOrder({
    ...background,
    /** Without a profile, every open gap of the meter. */
    params: { profile: countedProfile.optional(), from: day.optional(), to: day.optional(), source: readSource.optional() },
    result: ['rows'],
    audit: 'refill_ordered',
    words: readingWords('Refill of gaps', '数据补召'),
  }),
  audit_readings: defineOrder({
    ...background,
    /** Days, or a seed that draws one day for each meter. */
    params: { from: day.optional(), to: day.optional(), seed: z.number().int().optional() },
    result: ['audit'],
    audit: 'reading_audit_ordered',
    words: orderWords(['Audit of readings', '读数核对'], {
      running: ['Comparing', '核对中'],
      succeeded: ['Compared', '已核对'],
      failed: ['Not compared', '核对失败'],
    }),
  }),
};
