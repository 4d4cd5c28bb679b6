import { sql } from 'kysely';
import type { Db } from '#db/context.ts';

/** Those of the keys that the catalogue of reading items contains. */
export async function findItemKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('obisCode')
    .where('enabled', '=', true)
    .where(sql<boolean>`key = any(${[...keys]}::text[])`)
    .select('key')
    .execute();
  return new Set(rows.map((row) => row.key));
}
