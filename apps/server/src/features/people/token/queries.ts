import { sql } from 'kysely';
import { isIntact, sealFacts, sessionSeal, type SealedSession, type SealFacts } from '#db/right-seals.ts';
import type { Db, Tx } from '#db/context.ts';

export interface Account {
  id: string;
  username: string;
  name: string;
  passwordHash: string;
  lock: boolean;
  lockReason: string | null;
  mustChangePassword: boolean;
  /** False if the account was changed outside the product. */
  isSealed: boolean;
}

const columns = ['id', 'username', 'name', 'passwordHash', 'lock', 'lockReason', 'mustChangePassword'] as const;

const userFacts = sealFacts('user', sql`app_user.id`).as('facts');

const judgeSeal = (db: Db, { facts, ...account }: Omit<Account, 'isSealed'> & { facts: SealFacts }): Account => ({
  ...account,
  isSealed: isIntact(db, { kind: 'user', id: account.id }, facts),
});

/** A person by user name. Programs have no password, so their names are unknown at the sign-in. */
export const findAccount = (db: Db, username: string): Promise<Account | undefined> =>
  db
    .selectFrom('appUser')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .where('deletedAt', 'is', null)
    .where('kind', '=', 'person')
    .select(columns)
    .select(userFacts)
    .executeTakeFirst()
    .then((row) => row && judgeSeal(db, row));

export const findAccountById = (db: Db, id: string): Promise<Account | undefined> =>
  db
    .selectFrom('appUser')
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .where('kind', '=', 'person')
    .select(columns)
    .select(userFacts)
    .executeTakeFirst()
    .then((row) => row && judgeSeal(db, row));

export const noteSignIn = (db: Db, userId: string, now: Date) =>
  db.updateTable('appUser').set({ lastLoginAt: now }).where('id', '=', userId).execute();

/** Known browsers stored per user; older ones are deleted. */
const MAX_BROWSERS = 20;

export async function isBrowserKnown(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const row = await db.selectFrom('knownBrowser').where('userId', '=', userId).where('hash', '=', hash).select('userId').executeTakeFirst();
  return row !== undefined;
}

export async function isBrowserOfAnybody(db: Db, hash: Buffer): Promise<boolean> {
  return (await db.selectFrom('knownBrowser').where('hash', '=', hash).select('userId').limit(1).executeTakeFirst()) !== undefined;
}

/** Stores a browser as known to the user. */
export async function keepBrowser(tx: Tx, userId: string, hash: Buffer, now: Date): Promise<void> {
  await tx
    .insertInto('knownBrowser')
    .values({ userId, hash, createdAt: now, lastUsedAt: now })
    .onConflict((conflict) => conflict.columns(['userId', 'hash']).doUpdateSet({ lastUsedAt: now }))
    .execute();
  await sql`delete from known_browser where user_id = ${userId} and hash not in
    (select hash from known_browser where user_id = ${userId} order by last_used_at desc limit ${MAX_BROWSERS})`.execute(tx);
}

export interface NewSession {
  id: string;
  userId: string;
  refreshHash: Buffer;
  issuedAt: Date;
  expiresAt: Date;
  ip: string;
  agent: string | null;
  /** The provider that vouched for the user, and its name of the session. */
  providerId?: string;
  providerSid?: string | undefined;
}

export const insertSession = (db: Db, session: NewSession) =>
  db
    .insertInto('userSession')
    .values({ ...session, rotatedAt: session.issuedAt, seal: sessionSeal(db, { providerId: null, ...session, provedAt: null }) })
    .execute();

export interface StoredSession extends SealedSession {
  seal: Buffer | null;
  refreshHash: Buffer;
  previousHash: Buffer | null;
  rotatedAt: Date;
  username: string;
  name: string;
  mustChangePassword: boolean;
}

/** Reads an active session and locks it until the transaction ends, which serializes concurrent refreshes. */
export const findSessionForUpdate = (db: Db, id: string, now: Date): Promise<StoredSession | undefined> =>
  db
    .selectFrom('userSession as s')
    .innerJoin('appUser as u', 'u.id', 's.userId')
    .where('s.id', '=', id)
    .where('s.revokedAt', 'is', null)
    .where('s.expiresAt', '>', now)
    .where('u.lock', '=', false)
    .where('u.deletedAt', 'is', null)
    .select([
      's.id',
      's.userId',
      's.refreshHash',
      's.previousHash',
      's.rotatedAt',
      's.issuedAt',
      's.expiresAt',
      's.provedAt',
      's.seal',
      's.providerId',
      'u.username',
      'u.name',
      'u.mustChangePassword',
    ])
    .forUpdate('s')
    .executeTakeFirst();

/** The user of an active session. */
export const findSessionUser = async (db: Db, id: string, now: Date): Promise<string | undefined> =>
  (
    await db
      .selectFrom('userSession')
      .where('id', '=', id)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', now)
      .select('userId')
      .executeTakeFirst()
  )?.userId;

export const rotateSession = (
  db: Db,
  id: string,
  change: { refreshHash: Buffer; previousHash: Buffer; rotatedAt: Date; expiresAt: Date; seal: Buffer },
) => db.updateTable('userSession').set(change).where('id', '=', id).execute();

export const revokeSession = (db: Db, id: string, now: Date) =>
  db.updateTable('userSession').set({ revokedAt: now }).where('id', '=', id).where('revokedAt', 'is', null).execute();

/** Ends the sessions of a user, optionally except one. Returns the ids of the sessions that ended now. */
export async function revokeSessions(db: Db, userId: string, now: Date, options: { except?: string } = {}): Promise<string[]> {
  const rows = await db
    .updateTable('userSession')
    .set({ revokedAt: now })
    .where('userId', '=', userId)
    .$if(options.except !== undefined, (update) => update.where('id', '<>', options.except ?? ''))
    .where('revokedAt', 'is', null)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}
