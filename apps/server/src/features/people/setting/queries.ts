import type { Db } from '#db/context.ts';

export interface StoredSetting {
  key: string;
  value: unknown;
  updatedAt: Date;
  version: number;
}

export const findSettings = (db: Db): Promise<StoredSetting[]> =>
  db.selectFrom('setting').select(['key', 'value', 'updatedAt', 'version']).execute();

export const findSettingForUpdate = (db: Db, key: string): Promise<StoredSetting | undefined> =>
  db.selectFrom('setting').where('key', '=', key).select(['key', 'value', 'updatedAt', 'version']).forUpdate().executeTakeFirst();

/** Stores a value if the setting still has the expected version. Returns false after a concurrent change. */
export async function storeSetting(db: Db, change: { key: string; value: unknown; version: number; now: Date }): Promise<boolean> {
  const { key, version, now } = change;
  const value = JSON.stringify(change.value);
  const row = await db
    .insertInto('setting')
    .values({ key, value, updatedAt: now })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ value, updatedAt: now, version: version + 1 })
        .where('setting.version', '=', version),
    )
    .returning('version')
    .executeTakeFirst();
  return row !== undefined && row.version === version + 1;
}
