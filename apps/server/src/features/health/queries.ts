import { sql } from 'kysely';
import type { Db } from '#db/context.ts';

/** Throws if the database does not respond. */
export const askDatabase = (db: Db) => sql`select 1`.execute(db);

/** Name of the newest migration of the database. Throws if the database does not respond. */
export async function findNewestMigration(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`select max(name) as name from schema_migration`.execute(db);
  return rows[0]?.name ?? undefined;
}
