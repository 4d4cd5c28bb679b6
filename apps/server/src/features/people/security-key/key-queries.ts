import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export interface StoredKey {
  id: string;
  userId: string;
  name: string;
  rpId: string;
  credentialId: Buffer;
  publicKey: Buffer;
  /** Uses that the key has counted; 0 for keys that do not count. */
  signCount: number;
  transports: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
}

const rows = sql`select k.id::text, k.user_id::text, k.name, k.rp_id, k.credential_id, k.public_key, k.sign_count::float8 as sign_count,
    k.transports, k.created_at, k.last_used_at from security_key k`;

export async function findKeys(db: Db, userId: string): Promise<StoredKey[]> {
  const found = await sql<StoredKey>`${rows} where k.user_id = ${userId}::bigint order by k.id`.execute(db);
  return found.rows;
}

/** A key of a user by its credential, locked until the transaction ends. */
export async function takeKey(tx: Tx, userId: string, credentialId: Buffer): Promise<StoredKey | undefined> {
  const found = await sql<StoredKey>`${rows} where k.user_id = ${userId}::bigint and k.credential_id = ${credentialId} for update`.execute(
    tx,
  );
  return found.rows[0];
}

export const noteKeyUse = (tx: Tx, id: string, signCount: number, now: Date) =>
  tx
    .updateTable('securityKey')
    .set({ signCount: String(signCount), lastUsedAt: now })
    .where('id', '=', id)
    .execute();

/** Returns false if a user has this key already. */
export async function insertKey(tx: Tx, { signCount, ...key }: Omit<StoredKey, 'id' | 'lastUsedAt'>): Promise<boolean> {
  const row = await tx
    .insertInto('securityKey')
    .values({ ...key, signCount: String(signCount) })
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the name of the deleted key; undefined if the user has none of this id. */
export async function deleteKey(tx: Tx, userId: string, id: string): Promise<string | undefined> {
  const row = await tx.deleteFrom('securityKey').where('id', '=', id).where('userId', '=', userId).returning('name').executeTakeFirst();
  return row?.name;
}

/** Deletes all keys of a user. Returns false if there were none. */
export async function deleteKeys(tx: Tx, userId: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('securityKey').where('userId', '=', userId).returning('id').execute();
  return deleted.length > 0;
}
