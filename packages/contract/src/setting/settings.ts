import { z } from 'zod';
import { RULES } from '../core/rules.ts';
import type { Text } from '../core/text.ts';
import { FRESHNESS_HOURS } from '../states/device.ts';

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const days = (max: number) => z.number().int().min(1).max(max);
const percent = z.number().min(0).max(100);
const isDescending = (limits: readonly number[]) => limits.every((limit, index) => index === 0 || limit < (limits[index - 1] ?? Infinity));
const signalLimits = z.tuple([z.number(), z.number(), z.number(), z.number()]).refine(isDescending, RULES.descending.en);

/** IANA time zone of the utility, which defines days and displayed times. */
const timeZone = z.string().min(1).max(64).refine(isTimeZone, RULES.timeZone.en);

/** Lower bounds of the next worse classes, in hours since the last communication. */
const freshness = z
  .object({ hours: z.tuple([z.number().int().min(1), z.number().int(), z.number().int().max(8760)]) })
  .refine(({ hours }) => hours[0] < hours[1] && hours[1] < hours[2], { path: ['hours'], message: RULES.ascending.en });

/** Lower bounds of outstanding, excellent, good and poor. */
const signal = z.object({ plcSnrDb: signalLimits, rfRssiDbm: signalLimits });

const thresholds = z
  .object({
    /** Upper limits of the clock deviation in seconds: fine, adjusted, set; larger ones require confirmation. */
    clockFineS: z.number().int().min(1).max(3600),
    clockAdjustS: z.number().int().min(1).max(3600),
    clockSetS: z.number().int().min(1).max(86_400),
    /** Current unbalance of three phases. */
    unbalanceWarningPercent: percent,
    unbalanceSeriousPercent: percent,
    /** Allowed deviation of the voltage from its nominal value. */
    voltageAbovePercent: percent,
    voltageBelowPercent: percent,
    /** Consumption of a day relative to the median of thirty days. */
    suddenIncreaseFactor: z.number().min(1).max(100),
    suddenDecreaseFactor: z.number().min(0).max(1),
    suddenMinimumKwh: z.number().min(0).max(100_000),
    reverseMinimumKwh: z.number().min(0).max(100_000),
    /** Upper limit of the daily consumption relative to the maximum by the nameplate. */
    upperLimitFactor: z.number().min(0.1).max(10),
    lowerLimitDays: z.number().int().min(1).max(366),
    /** Lower bounds of the next worse classes of line loss. */
    lossPercent: z.tuple([percent, percent, percent]),
    /** Minimum completeness shown as fine and as tolerable. */
    completenessFinePercent: percent,
    completenessTolerablePercent: percent,
  })
  .refine((value) => value.clockFineS < value.clockAdjustS && value.clockAdjustS < value.clockSetS, {
    path: ['clockAdjustS'],
    message: RULES.ascending.en,
  })
  .refine((value) => value.unbalanceWarningPercent < value.unbalanceSeriousPercent, {
    path: ['unbalanceSeriousPercent'],
    message: RULES.ascending.en,
  })
  .refine(({ lossPercent: [low, middle, high] }) => low < middle && middle < high, { path: ['lossPercent'], message: RULES.ascending.en })
  .refine((value) => value.completenessTolerablePercent < value.completenessFinePercent, {
    path: ['completenessTolerablePercent'],
    message: RULES.descending.en,
  });

/** Retention of data. Commands and the audit log have a minimum of seven years because of legal requirements. */
const retention = z.object({
  dailyYears: z.number().int().min(1).max(30),
  profileMonths: z.number().int().min(3).max(120),
  eventYears: z.number().int().min(1).max(30),
  auditYears: z.number().int().min(7).max(30),
  taskDays: days(3660),
  traceDays: days(400),
  frameLogDays: days(366),
  sessionDays: days(366),
  /** Announcements for other systems. A program or sender that did not take them within this time has to begin again. */
  outboxDays: days(60),
});

/**
 * Users for whom a second factor is required. `orders`: for dangerous orders and approvals only. `critical`: for all calls of users who
 * may switch supplies, approve orders of others, or administer.
 */
const requiredFor = z.enum(['nobody', 'orders', 'critical', 'everybody']);
export const REQUIRED_FOR_TEXT: Record<z.infer<typeof requiredFor>, Text> = {
  nobody: { en: 'No user', zh: '不要求' },
  orders: { en: 'Dangerous orders and approvals', zh: '危险操作和审批' },
  critical: { en: 'Users who may switch, approve or administer', zh: '可拉合闸、审批或管理系统的用户' },
  everybody: { en: 'All users', zh: '所有用户' },
};
const secondFactor = z.object({ requiredFor });

/** Accounts that may sign in by a password of this system. */
const localAccounts = z.enum(['everybody', 'emergency']);
export const LOCAL_ACCOUNTS_TEXT: Record<z.infer<typeof localAccounts>, Text> = {
  everybody: { en: 'All local accounts', zh: '所有本地账号' },
  emergency: { en: 'The emergency account only', zh: '仅应急账号' },
};
/** `emergencyUser`: user name of the one local account that stays when people sign in elsewhere; empty: none. Its use raises an alarm. */
const localSignIn = z
  .object({ allowed: localAccounts, emergencyUser: z.string().trim().max(32) })
  .refine(({ allowed, emergencyUser }) => allowed === 'everybody' || emergencyUser !== '', {
    path: ['emergencyUser'],
    message: RULES.emergencyUser.en,
  });

const SCHEMAS = { timeZone, secondFactor, localSignIn, freshness, signal, thresholds, retention };

export type SettingKey = keyof typeof SCHEMAS;
export type SettingValues = { [K in SettingKey]: z.output<(typeof SCHEMAS)[K]> };

interface SettingKind<K extends SettingKey> {
  schema: z.ZodType<SettingValues[K], SettingValues[K]>;
  value: SettingValues[K];
  text: Text;
  /** Whether a change applies at once or at the next start of the server. */
  applies: 'at_once' | 'next_start';
}

/** Thresholds of a new installation. */
export const DELIVERED_THRESHOLDS: SettingValues['thresholds'] = {
  clockFineS: 5,
  clockAdjustS: 60,
  clockSetS: 300,
  unbalanceWarningPercent: 15,
  unbalanceSeriousPercent: 25,
  voltageAbovePercent: 7,
  voltageBelowPercent: 10,
  suddenIncreaseFactor: 3,
  suddenDecreaseFactor: 0.2,
  suddenMinimumKwh: 5,
  reverseMinimumKwh: 0.5,
  upperLimitFactor: 1,
  lowerLimitDays: 7,
  lossPercent: [3, 7, 12],
  completenessFinePercent: 98,
  completenessTolerablePercent: 90,
};

/** Settings of the utility with their schemas and default values. */
export const SETTINGS: { [K in SettingKey]: SettingKind<K> } = {
  timeZone: { schema: timeZone, value: 'UTC', text: { en: 'Time zone', zh: '时区' }, applies: 'next_start' },
  secondFactor: {
    schema: secondFactor,
    value: { requiredFor: 'nobody' },
    text: { en: 'Second factor', zh: '二次验证' },
    applies: 'at_once',
  },
  localSignIn: {
    schema: localSignIn,
    value: { allowed: 'everybody', emergencyUser: '' },
    text: { en: 'Local sign-in', zh: '本地登录' },
    applies: 'at_once',
  },
  freshness: {
    schema: freshness,
    value: { hours: [...FRESHNESS_HOURS] },
    text: { en: 'Communication freshness', zh: '通信时效' },
    applies: 'at_once',
  },
  signal: {
    schema: signal,
    value: { plcSnrDb: [25, 18, 12, 6], rfRssiDbm: [-60, -75, -85, -95] },
    text: { en: 'Signal strength', zh: '信号强度' },
    applies: 'at_once',
  },
  thresholds: {
    schema: thresholds,
    value: DELIVERED_THRESHOLDS,
    text: { en: 'Thresholds', zh: '阈值' },
    applies: 'at_once',
  },
  retention: {
    schema: retention,
    value: {
      dailyYears: 10,
      profileMonths: 25,
      eventYears: 5,
      auditYears: 7,
      taskDays: 180,
      traceDays: 30,
      frameLogDays: 30,
      sessionDays: 90,
      outboxDays: 7,
    },
    text: { en: 'Retention', zh: '保存期限' },
    applies: 'at_once',
  },
};

/** Default value of a setting. On a server reachable from other machines, dangerous orders and approvals require a second factor. */
export const deliveredValue = <K extends SettingKey>(key: K, { isExposed }: { isExposed: boolean }): SettingValues[K] =>
  // as: the key determines the type of the setting
  key === 'secondFactor' && isExposed ? ({ requiredFor: 'orders' } as SettingValues[K]) : SETTINGS[key].value;

// as: an object literal has exactly these keys.
export const SETTING_KEYS = Object.keys(SETTINGS) as [SettingKey, ...SettingKey[]];
