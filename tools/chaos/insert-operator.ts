import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../../apps/server/src/db/context.ts';
import { sealEverything } from '../../apps/server/src/db/right-seals.ts';

export interface InsertedOperator {
  userId: string;
  sessionId: string;
}

async function addSession(tx: Tx, userId: string): Promise<string> {
  const id = randomUUID();
  await sql`insert into user_session (id, user_id, refresh_hash, expires_at, proved_at)
    values (${id}, ${userId}, decode(repeat('00', 32), 'hex'), now() + interval '7 days', now() + interval '7 days')`.execute(tx);
  return id;
}

/**
 * Inserts an administrator whose rights have rested, with a session and all seals in one transaction: each head-end looks for users without
 * a seal every 20 s and ends their sessions.
 */
export const insertOperator = (db: Db, username: string, passwordHash: string): Promise<InsertedOperator> =>
  db.transaction().execute(async (tx) => {
    const made = await sql<{ id: string }>`insert into app_user (username, name, password_hash)
      values (${username}, ${username}, ${passwordHash}) returning id`.execute(tx);
    const userId = made.rows[0]?.id ?? '';
    await sql`insert into user_role (user_id, role_id, granted_at) select ${userId}, id, '2000-01-01' from role where code = 'ADMIN'`.execute(
      tx,
    );
    const sessionId = await addSession(tx, userId);
    await sealEverything(tx);
    return { userId, sessionId };
  });

/** Inserts another session of a user, sealed in the same transaction; returns its id. */
export const insertSession = (db: Db, userId: string): Promise<string> =>
  db.transaction().execute(async (tx) => {
    const id = await addSession(tx, userId);
    await sealEverything(tx);
    return id;
  });
