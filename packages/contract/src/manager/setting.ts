import { z } from 'zod';
import { instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { SETTING_KEYS, SETTINGS } from '../setting/settings.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const settingKey = z.enum(SETTING_KEYS);

const common = {
  applies: z.enum(['at_once', 'next_start']),
  /** The value is the default. */
  isDefault: z.boolean(),
  updatedAt: instant.nullable(),
  /** Version; 0: nothing is stored. */
  version: z.number().int(),
};

/** A setting whose value has the type of its key. */
export const settingRow = z.discriminatedUnion('key', [
  z.object({ key: z.literal('timeZone'), value: SETTINGS.timeZone.schema, ...common }),
  z.object({ key: z.literal('freshness'), value: SETTINGS.freshness.schema, ...common }),
  z.object({ key: z.literal('signal'), value: SETTINGS.signal.schema, ...common }),
  z.object({ key: z.literal('thresholds'), value: SETTINGS.thresholds.schema, ...common }),
  z.object({ key: z.literal('secondFactor'), value: SETTINGS.secondFactor.schema, ...common }),
  z.object({ key: z.literal('localSignIn'), value: SETTINGS.localSignIn.schema, ...common }),
  z.object({ key: z.literal('retention'), value: SETTINGS.retention.schema, ...common }),
]);
export type SettingRow = z.infer<typeof settingRow>;

/** `value` must match `SETTINGS[key].schema`. */
export const settingChange = z.object({ value: z.unknown(), version: z.number().int() });

export const setting = {
  list: route({
    method: 'GET',
    path: '/manager/setting',
    summary: 'All settings of the utility',
    allow: 'signed-in',
    response: listOf(settingRow),
  }),
  get: route({
    method: 'GET',
    path: '/manager/setting/{key}',
    summary: 'One setting',
    allow: 'signed-in',
    params: z.object({ key: settingKey }),
    response: settingRow,
    errors: ['VALIDATION'],
  }),
  update: route({
    method: 'PUT',
    path: '/manager/setting/{key}',
    summary: 'Change a setting; live clients are notified',
    allow: { page: PAGE_PATH.modules, action: 'configure' },
    endangers: 'settings',
    params: z.object({ key: settingKey }),
    body: settingChange,
    response: settingRow,
    errors: ['VALIDATION', 'STALE', 'EMERGENCY_ACCOUNT_INVALID', 'NO_WAY_IN'],
  }),
};
