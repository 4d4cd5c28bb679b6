import { sql } from 'kysely';
import { deleteKeys, findKeys } from '#features/people/security-key/key-queries.ts';
import { isSessionIntact, sessionSeal, takeSession } from '#db/right-seals.ts';
import type { Db, Tx } from '#db/context.ts';

export interface StoredFactor {
  secret: Buffer;
  createdAt: Date;
  /** Null until a code confirms the enrolment. */
  confirmedAt: Date | null;
  lastStep: number;
}

export const findFactor = (db: Db, userId: string): Promise<StoredFactor | undefined> =>
  db.selectFrom('secondFactor').where('userId', '=', userId).select(['secret', 'createdAt', 'confirmedAt', 'lastStep']).executeTakeFirst();

/** Whether a user has an authenticator app. */
export async function hasCode(db: Db, userId: string): Promise<boolean> {
  return (await findFactor(db, userId))?.confirmedAt instanceof Date;
}

/** Whether a user has an authenticator app or a security key. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  return (await hasCode(db, userId)) || (await findKeys(db, userId)).length > 0;
}

/** Stores the secret of a new enrolment, replacing an unconfirmed one. Returns false if a confirmed one exists. */
export async function beginFactor(db: Db, userId: string, secret: Buffer, now: Date): Promise<boolean> {
  const begun = { secret, createdAt: now };
  const row = await db
    .insertInto('secondFactor')
    .values({ userId, ...begun })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(begun).where('secondFactor.confirmedAt', 'is', null))
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

export const confirmFactor = (tx: Tx, userId: string, step: number, now: Date) =>
  tx.updateTable('secondFactor').set({ confirmedAt: now, lastStep: step }).where('userId', '=', userId).execute();

export const noteStep = (tx: Tx, userId: string, step: number) =>
  tx.updateTable('secondFactor').set({ lastStep: step }).where('userId', '=', userId).execute();

/** Deletes the row of the authenticator app, and with it the recovery codes. */
export const dropCode = (tx: Tx, userId: string) => tx.deleteFrom('secondFactor').where('userId', '=', userId).execute();

/** Replaces the secret with one that no authenticator app holds: the row stays, because recovery codes are deleted with it. */
export async function parkCode(tx: Tx, userId: string, secret: Buffer, now: Date): Promise<void> {
  const parked = { secret, createdAt: now, confirmedAt: null, lastStep: 0 };
  await tx
    .insertInto('secondFactor')
    .values({ userId, ...parked })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(parked))
    .execute();
}

/** Deletes app, keys and recovery codes of a user. Returns false if there was no second factor. */
export async function dropFactors(tx: Tx, userId: string): Promise<boolean> {
  const hadCode = await hasCode(tx, userId);
  await dropCode(tx, userId);
  return (await deleteKeys(tx, userId)) || hadCode;
}

export const insertRecoveryCodes = (tx: Tx, userId: string, hashes: readonly Buffer[]) =>
  tx
    .insertInto('recoveryCode')
    .values(hashes.map((hash) => ({ userId, hash })))
    .execute();

export async function findRecoveryHashes(db: Db, userId: string): Promise<Buffer[]> {
  const rows = await db.selectFrom('recoveryCode').where('userId', '=', userId).select('hash').orderBy('hash').execute();
  return rows.map(({ hash }) => hash);
}

/** Users with recovery codes whose stored hash has this length. */
export const findRecoveryOwners = (db: Db, octets: number) =>
  db
    .selectFrom('recoveryCode')
    .where(sql<boolean>`octet_length(hash) = ${octets}`)
    .select('userId')
    .distinct()
    .execute();

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recoveryCode').where('userId', '=', userId).execute();
  await insertRecoveryCodes(tx, userId, hashes);
}

/** Consumes a recovery code. Returns true once per code. */
export async function spendRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<boolean> {
  const row = await tx
    .deleteFrom('recoveryCode')
    .where('userId', '=', userId)
    .where('hash', '=', hash)
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recoveryCode')
    .where('userId', '=', userId)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export const findPasswordHash = (db: Db, userId: string) =>
  db.selectFrom('appUser').where('id', '=', userId).select('passwordHash').executeTakeFirstOrThrow();

/** Time of the last proof of a session. */
export async function findProof(db: Db, sessionId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('userSession')
    .where('id', '=', sessionId)
    .select(['id', 'userId', 'issuedAt', 'expiresAt', 'provedAt', 'providerId', 'seal'])
    .executeTakeFirst();
  return row !== undefined && isSessionIntact(db, row) ? row.provedAt : null;
}

/** `now`: null forgets the proof of a session. */
export async function noteProof(tx: Tx, sessionId: string, now: Date | null): Promise<void> {
  const session = await takeSession(tx, sessionId);
  const proved = { provedAt: now, seal: sessionSeal(tx, { ...session, provedAt: now }) };
  await tx.updateTable('userSession').set(proved).where('id', '=', sessionId).execute();
}

/** Counts a proof before it is checked. Returns undefined if the session has ended. */
export async function countProof(db: Db, sessionId: string): Promise<number | undefined> {
  const row = await db
    .updateTable('userSession')
    .set((expression) => ({ failedProofs: expression('failedProofs', '+', 1) }))
    .where('id', '=', sessionId)
    .where('revokedAt', 'is', null)
    .returning('failedProofs')
    .executeTakeFirst();
  return row?.failedProofs;
}

export const takeBackProof = (db: Db, sessionId: string) =>
  db
    .updateTable('userSession')
    .set({ failedProofs: sql`greatest(failed_proofs - 1, 0)` })
    .where('id', '=', sessionId)
    .execute();

export async function forgetProofs(db: Db, sessionId: string): Promise<void> {
  await db.updateTable('userSession').set({ failedProofs: 0 }).where('id', '=', sessionId).execute();
}
