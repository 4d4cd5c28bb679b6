import type { Db } from '#db/context.ts';

/** Active sessions of a user, newest first. */
export const findSessions = (db: Db, userId: string, now: Date) =>
  db
    .selectFrom('userSession')
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .select(['id', 'issuedAt', 'rotatedAt', 'expiresAt', 'ip', 'agent'])
    .orderBy('issuedAt', 'desc')
    .execute();

/** Ends a session of this user. Returns false if the user has no active session with this id. */
export async function endSessionOf(db: Db, userId: string, id: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('userSession')
    .set({ revokedAt: now })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
