import { sql } from 'kysely';
import type { Db } from '#db/context.ts';

/** Throws if the database does not respond. */
export const askDatabase = (db: Db) => sql`select 1`.execute(db);
