import type { Db } from '#db/context.ts';

export const findPreferences = (db: Db, userId: string) =>
  db.selectFrom('userPreference').where('userId', '=', userId).select(['key', 'value']).orderBy('key').execute();

export async function countOthers(db: Db, userId: string, key: string): Promise<number> {
  const { total } = await db
    .selectFrom('userPreference')
    .where('userId', '=', userId)
    .where('key', '<>', key)
    .select((expression) => expression.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

export const storePreference = (db: Db, userId: string, key: string, value: unknown, now: Date) =>
  db
    .insertInto('userPreference')
    .values({ userId, key, value: JSON.stringify(value), updatedAt: now })
    .onConflict((conflict) => conflict.columns(['userId', 'key']).doUpdateSet({ value: JSON.stringify(value), updatedAt: now }))
    .execute();

export const forgetPreference = (db: Db, userId: string, key: string) =>
  db.deleteFrom('userPreference').where('userId', '=', userId).where('key', '=', key).execute();
