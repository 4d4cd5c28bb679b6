import { sql } from 'kysely';
import type { Db, StoredSettings } from '#platform/context.ts';

const DEFAULT_TIME_ZONE = 'UTC';

export async function loadSettings(db: Db): Promise<StoredSettings> {
  let timeZone = DEFAULT_TIME_ZONE;
  const settings: StoredSettings = {
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
