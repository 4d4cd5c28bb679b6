import type { ProviderKind } from '@hes/contract/states/identity-provider.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export interface Identity {
  userId: string;
  providerId: string;
  subject: string;
  endedAt: Date | null;
}

/** The account of a person at a provider. */
export const findIdentity = (db: Db, providerId: string, subject: string): Promise<Identity | undefined> =>
  db
    .selectFrom('externalIdentity')
    .where('providerId', '=', providerId)
    .where('subject', '=', subject)
    .select(['userId', 'providerId', 'subject', 'endedAt'])
    .executeTakeFirst();

/** The provider that vouches for a user; undefined for local accounts. */
export const findIdentityOfUser = (
  db: Db,
  userId: string,
): Promise<(Identity & { providerName: string; providerKind: ProviderKind }) | undefined> =>
  db
    .selectFrom('externalIdentity as e')
    .innerJoin('identityProvider as p', 'p.id', 'e.providerId')
    .where('e.userId', '=', userId)
    .select(['e.userId', 'e.providerId', 'e.subject', 'e.endedAt', 'p.name as providerName', 'p.kind as providerKind'])
    .executeTakeFirst();

export const insertIdentity = (tx: Tx, identity: Omit<Identity, 'endedAt'>, now: Date) =>
  tx
    .insertInto('externalIdentity')
    .values({ ...identity, createdAt: now })
    .execute();

export const setIdentityEnded = (tx: Tx, userId: string, endedAt: Date | null) =>
  tx.updateTable('externalIdentity').set({ endedAt }).where('userId', '=', userId).execute();

export const deleteIdentity = (tx: Tx, userId: string) => tx.deleteFrom('externalIdentity').where('userId', '=', userId).execute();

export async function findUsersOfProvider(db: Db, providerId: string): Promise<string[]> {
  const rows = await db.selectFrom('externalIdentity').where('providerId', '=', providerId).select('userId').orderBy('userId').execute();
  return rows.map(({ userId }) => userId);
}

export interface MappedRole {
  id: string;
  code: string;
  name: string;
  isWhole: boolean;
  nodes: number;
}

/** Those of these roles that exist. */
export async function findMappedRoles(db: Db, ids: readonly string[]): Promise<MappedRole[]> {
  const { rows } = await sql<MappedRole>`select r.id::text, r.code, r.name, r.sees_whole_network as is_whole,
      (select count(*)::int from role_scope s where s.role_id = r.id) as nodes
    from role r where r.id = any(${[...ids]}::bigint[]) order by r.code`.execute(db);
  return rows;
}

export interface ExternalAccount {
  id: string;
  username: string;
  name: string;
  email: string | null;
  lock: boolean;
  lockReason: string | null;
  roleIds: string[];
}

/** An account that is not deleted, locked until the transaction ends. */
export async function takeAccount(tx: Tx, id: string): Promise<ExternalAccount | undefined> {
  const { rows } = await sql<ExternalAccount>`select u.id::text, u.username, u.name, u.email, u.lock, u.lock_reason,
      array(select r.role_id::text from user_role r where r.user_id = u.id order by r.role_id) as role_ids
    from app_user u where u.id = ${id}::bigint and u.deleted_at is null for update of u`.execute(tx);
  return rows[0];
}

export async function isNameTaken(db: Db, username: string): Promise<boolean> {
  const { rows } = await sql`select from app_user where lower(username) = lower(${username}) and deleted_at is null limit 1`.execute(db);
  return rows.length > 0;
}

/** Active sessions that a provider opened: those of one of its sessions, or all of a user. */
export async function findProviderSessions(
  db: Db,
  providerId: string,
  { userId, sid }: { userId: string | undefined; sid: string | undefined },
): Promise<{ id: string; userId: string }[]> {
  let found = db.selectFrom('userSession').where('providerId', '=', providerId).where('revokedAt', 'is', null);
  if (userId !== undefined) found = found.where('userId', '=', userId);
  if (sid !== undefined) found = found.where('providerSid', '=', sid);
  return found.select(['id', 'userId']).orderBy('id').execute();
}

/** Serializes sign-ins of new persons of one provider until the transaction ends. */
export const lockProvider = (tx: Tx, id: string) =>
  tx.selectFrom('identityProvider').where('id', '=', id).select('id').forUpdate().execute();
