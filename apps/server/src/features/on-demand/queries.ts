import { sql } from 'kysely';
import type { Db } from '#db/context.ts';

/** Of these keys the ones the catalogue of reading items knows. */
export async function findItemKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('obisCode')
    .where('enabled', '=', true)
    .where(sql<boolean>`key = any(${[...keys]}::text[])`)
    .select('key')
    .execute();
  return new Set(rows.map((row) => row.key));
}
