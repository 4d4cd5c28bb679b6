import { ADMIN_ROLE } from '@hes/contract/manager/role.ts';
import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { findSealedSetting } from '#db/sealed-settings.ts';

export type LocalSignIn = SettingValues['localSignIn'];

/** In place of a value that was changed outside the product: passwords give no access until an administrator sets it again. */
const NOBODY: LocalSignIn = { allowed: 'emergency', emergencyUser: '' };

/** Who may sign in by a password of this system. A value that does not fit the schema permits all, as without a value. */
export async function findLocalSignIn(db: Db): Promise<LocalSignIn> {
  const { value, isIntact } = await findSealedSetting(db, 'localSignIn');
  if (!isIntact) return NOBODY;
  const { success, data } = SETTINGS.localSignIn.schema.safeParse(value);
  return success ? data : SETTINGS.localSignIn.value;
}

/** Id of the local administrator of this name: a person with a password of this system and the role ADMIN, not locked. */
export async function findLocalAdministrator(db: Db, username: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select u.id::text from app_user u
    where lower(u.username) = lower(${username}) and u.deleted_at is null and not u.lock and u.kind = 'person'
      and not exists (select from external_identity e where e.user_id = u.id)
      and exists (select from user_role ur join role r on r.id = ur.role_id where ur.user_id = u.id and r.code = ${ADMIN_ROLE})`.execute(
    db,
  );
  return rows[0]?.id;
}

/** Administrators whom an identity provider has signed in, with the provider. */
export async function findExternalAdministrators(db: Db): Promise<{ id: string; providerId: string }[]> {
  const { rows } = await sql<{ id: string; providerId: string }>`select u.id::text, e.provider_id::text from app_user u
    join external_identity e on e.user_id = u.id and e.ended_at is null
    where u.deleted_at is null and not u.lock and u.last_login_at is not null
      and exists (select from user_role ur join role r on r.id = ur.role_id where ur.user_id = u.id and r.code = ${ADMIN_ROLE})
    order by u.id`.execute(db);
  return rows;
}

/** Ends the sessions of local accounts, except those of one user and one session. Returns their ids. */
export async function endLocalSessions(db: Db, now: Date, except: { userId: string; sessionId: string }): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`update user_session set revoked_at = ${now}
    where provider_id is null and revoked_at is null and user_id <> ${except.userId}::bigint and id <> ${except.sessionId}::uuid
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Time of the newest session of a user since a time. */
export async function findLastSession(db: Db, username: string, since: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ issuedAt: Date }>`select s.issued_at from user_session s join app_user u on u.id = s.user_id
    where lower(u.username) = lower(${username}) and u.deleted_at is null and s.issued_at > ${since}
    order by s.issued_at desc limit 1`.execute(db);
  return rows[0]?.issuedAt;
}
