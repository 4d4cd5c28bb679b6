import type { Locale } from '@hes/contract/core/text.ts';
import { settingRow, type SettingRow } from '@hes/contract/manager/setting.ts';
import { deliveredValue, SETTING_KEYS, SETTINGS, type SettingKey } from '@hes/contract/setting/settings.ts';
import { z } from 'zod';
import { endLocalSessions, type LocalSignIn } from '#features/people/emergency/emergency-queries.ts';
import { requireEmergencyAccount } from '#features/people/emergency/local-sign-in.ts';
import { lockAdministrators } from '#features/people/user/admin-queries.ts';
import { commitChanges, noticeOf, sessionsEnded } from '#db/changes.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { isSealedSetting, sealSetting } from '#db/sealed-settings.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { parse } from '#http/issues.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Tx, User } from '#db/context.ts';
import { findSettingForUpdate, findSettings, storeSetting, type StoredSetting } from './queries.ts';

/** The stored value, or the default if there is none or if the value of an older version no longer fits the schema. */
function rowOf({ settings }: Context, key: SettingKey, stored: StoredSetting | undefined): SettingRow {
  const kind = SETTINGS[key];
  const fits = stored !== undefined && kind.schema.safeParse(stored.value).success;
  return settingRow.parse({
    key,
    value: fits ? stored.value : deliveredValue(key, settings.rules),
    applies: kind.applies,
    isDefault: !fits,
    updatedAt: fits ? stored.updatedAt.toISOString() : null,
    version: stored?.version ?? 0,
  });
}

export async function listSettings(ctx: Context): Promise<SettingRow[]> {
  const stored = new Map((await findSettings(ctx.db)).map((row) => [row.key, row]));
  return SETTING_KEYS.map((key) => rowOf(ctx, key, stored.get(key)));
}

export interface SettingChange {
  key: SettingKey;
  value: unknown;
  version: number;
  ip: string;
  locale: Locale;
}

/** Requires that administrators can still sign in, and ends the sessions of local accounts that no longer may. Returns their ids. */
async function applyLocalSignIn(ctx: Context, tx: Tx, user: User, value: LocalSignIn): Promise<string[]> {
  const userId = await requireEmergencyAccount(ctx, tx, value);
  if (value.allowed === 'everybody' || userId === undefined) return [];
  return endLocalSessions(tx, new Date(ctx.clock.now()), { userId, sessionId: user.sessionId });
}

export async function changeSetting(ctx: Context, user: User, change: SettingChange): Promise<SettingRow> {
  const { key, version, ip } = change;
  const { value } = parse(z.object({ value: SETTINGS[key].schema }), { value: change.value }, change.locale);
  // A setting applies to every district, so it requires the right in the whole network.
  if (!seesWholeNetwork(user)) throw new ApiError('BEYOND_OWN_RIGHTS');
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      if (key === 'localSignIn') await lockAdministrators(tx);
      const before = rowOf(ctx, key, await findSettingForUpdate(tx, key));
      if (before.version !== version || !(await storeSetting(tx, { key, value, version, now: new Date(now) }))) throw stale(before);
      if (isSealedSetting(key)) await sealSetting(tx, key);
      const detail = changedFields({ value: before.value }, { value });
      await writeAudit(tx, { userId: user.id, action: 'setting_changed', entity: 'setting', entityId: key, detail, ip }, now);
      return key === 'localSignIn' ? applyLocalSignIn(ctx, tx, user, value as LocalSignIn) : []; // as: the schema of this key
    },
    (ended) => [noticeOf('settings'), sessionsEnded(ended, 'local_sign_in_off')],
    () => ctx.settings.reload(),
  );
  return getSetting(ctx, key);
}

export async function getSetting(ctx: Context, key: SettingKey): Promise<SettingRow> {
  const stored = (await findSettings(ctx.db)).find((row) => row.key === key);
  return rowOf(ctx, key, stored);
}
