import { sql } from 'kysely';
import { PASSWORD_MIN } from '@hes/contract/core/rules.ts';
import type { Db, InstallationRules, StoredSettings } from './context.ts';

const DEFAULT_TIME_ZONE = 'UTC';

/** Setting that marks a database of the demonstration utility: `true`, or `removed`, after which only HES_DEMO=on starts it again. */
export const DEMO_SETTING = 'demo';

/** Rules of a server that only this machine can reach. */
export const RULES_OF_ONE_MACHINE: InstallationRules = { passwordMin: PASSWORD_MIN, isExposed: false, hasDebugPages: true };

export async function loadSettings(db: Db, rules = RULES_OF_ONE_MACHINE): Promise<StoredSettings> {
  let timeZone = DEFAULT_TIME_ZONE;
  const settings: StoredSettings = {
    rules,
    get timeZone() {
      return timeZone;
    },
    async reload() {
      const row = await db.selectFrom('setting').where('key', '=', 'timeZone').select('value').executeTakeFirst();
      timeZone = typeof row?.value === 'string' ? row.value : DEFAULT_TIME_ZONE;
    },
  };
  await settings.reload();
  return settings;
}

export async function findSetting(db: Db, key: string): Promise<unknown> {
  const row = await db.selectFrom('setting').where('key', '=', key).select('value').executeTakeFirst();
  return row?.value;
}

export async function saveSetting(db: Db, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await db
    .insertInto('setting')
    .values({ key, value: text })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text, updatedAt: sql<Date>`now()` }))
    .execute();
}
