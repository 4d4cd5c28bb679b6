import { sql } from 'kysely';
import type { Db } from '#db/context.ts';

/** Fails when the database does not answer. */
export const askDatabase = (db: Db) => sql`select 1`.execute(db);
