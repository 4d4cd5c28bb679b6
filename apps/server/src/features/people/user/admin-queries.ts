import { ADMIN_ROLE } from '@hes/contract/manager/role.ts';
import type { RoleRef, UserDetail, UserRow } from '@hes/contract/manager/user.ts';
import { sql } from 'kysely';
import { containing, countUpTo, iso, isoOrNull, orderOf, type PageQuery } from '#db/paging.ts';
import { isIntact, sealFacts } from '#db/right-seals.ts';
import { userWithin } from '#db/user-scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, User } from '#db/context.ts';
import { endOfLockOut, lockOutWindow, MAX_FAILURES } from '#platform/lock-out.ts';

/** A user counts as online this long after the last refresh; an open console refreshes more often. */
const ONLINE_WITHIN_MS = 16 * 60_000;

export interface UserFilter {
  username?: string | undefined;
  name?: string | undefined;
  roleId?: readonly string[] | undefined;
  lock?: boolean | undefined;
  mustChangePassword?: boolean | undefined;
  hasSecondFactor?: boolean | undefined;
}

const hasSecondFactor = sql<boolean>`(exists (select from second_factor f where f.user_id = app_user.id and f.confirmed_at is not null)
  or exists (select from security_key k where k.user_id = app_user.id))`;

const SORT_COLUMNS = {
  id: 'appUser.id',
  username: 'appUser.username',
  name: 'appUser.name',
  lastLoginAt: 'appUser.lastLoginAt',
  createdAt: 'appUser.createdAt',
} as const;

/** Start of the lock-out by wrong passwords; null if there is none. */
const lockedOutSince = (now: number) =>
  sql<Date | null>`case when app_user.failed_count >= ${MAX_FAILURES} and app_user.failed_since > ${lockOutWindow(now)} then app_user.failed_since end`;

function users(db: Db, caller: User, filter: UserFilter, now: number) {
  let rows = db.selectFrom('appUser').where('appUser.deletedAt', 'is', null).where(userWithin('appUser.id', caller));
  if (filter.username) rows = rows.where('appUser.username', 'ilike', containing(filter.username));
  if (filter.name) rows = rows.where('appUser.name', 'ilike', containing(filter.name));
  if (filter.lock !== undefined) rows = rows.where(sql<boolean>`(app_user.lock or ${lockedOutSince(now)} is not null) = ${filter.lock}`);
  if (filter.mustChangePassword !== undefined) rows = rows.where('appUser.mustChangePassword', '=', filter.mustChangePassword);
  if (filter.hasSecondFactor !== undefined) rows = rows.where(sql<boolean>`${hasSecondFactor} = ${filter.hasSecondFactor}`);
  if (filter.roleId)
    rows = rows.where(
      sql<boolean>`exists (select from user_role ur where ur.user_id = app_user.id and ur.role_id = any(${[...filter.roleId]}::bigint[]))`,
    );
  return rows;
}

const withColumns = (rows: ReturnType<typeof users>, now: number) =>
  rows.select([
    'appUser.id',
    'appUser.username',
    'appUser.name',
    'appUser.phone',
    'appUser.email',
    sql<RoleRef[]>`coalesce((select jsonb_agg(jsonb_build_object('id', r.id::text, 'code', r.code, 'name', r.name) order by r.code)
      from user_role ur join role r on r.id = ur.role_id where ur.user_id = app_user.id), '[]')`.as('roles'),
    'appUser.lock',
    'appUser.lockReason',
    lockedOutSince(now).as('lockedOutSince'),
    'appUser.mustChangePassword',
    hasSecondFactor.as('hasSecondFactor'),
    'appUser.lastLoginAt',
    'appUser.createdAt',
    sql<boolean>`exists (select from user_session s where s.user_id = app_user.id and s.revoked_at is null
      and s.expires_at > ${new Date(now)} and s.rotated_at > ${new Date(now - ONLINE_WITHIN_MS)})`.as('online'),
    'appUser.version',
    sealFacts('user', sql`app_user.id`).as('facts'),
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];
const toRow = (db: Db, { lockedOutSince: since, facts, ...row }: Selected): UserRow => ({
  ...row,
  isSealed: isIntact(db, { kind: 'user', id: row.id }, facts),
  lock: row.lock || since !== null,
  lockedUntil: since === null ? null : iso(endOfLockOut(since)),
  lastLoginAt: isoOrNull(row.lastLoginAt),
  createdAt: iso(row.createdAt),
});

export async function listUsers(db: Db, caller: User, query: PageQuery & UserFilter, now: number) {
  const rows = users(db, caller, query, now).where('appUser.kind', '=', 'person');
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'appUser.username');
  const [items, counted] = await Promise.all([
    takeRows(
      db,
      withColumns(rows, now)
        .orderBy(column, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsFirst()))
        .orderBy('appUser.id'),
      ['id'],
      query,
    ),
    countUpTo(db, rows.select('appUser.id')),
  ]);
  return { items: items.map((row) => toRow(db, row)), ...counted, page: query.page, size: query.size };
}

/** One user in the caller's area, with the active sessions. */
export async function findUser(db: Db, caller: User, id: string, now: number): Promise<UserDetail | undefined> {
  const row = await withColumns(users(db, caller, {}, now), now)
    .where('appUser.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const sessions = await db
    .selectFrom('userSession')
    .where('userId', '=', id)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', new Date(now))
    .select(['issuedAt', 'rotatedAt', 'ip', 'agent'])
    .orderBy('issuedAt', 'desc')
    .execute();
  return {
    ...toRow(db, row),
    sessions: sessions.map(({ issuedAt, rotatedAt, ip, agent }) => ({ issuedAt: iso(issuedAt), lastUsedAt: iso(rotatedAt), ip, agent })),
  };
}

/** Programs have no password. */
export async function isProgram(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('appUser').where('id', '=', id).where('kind', '=', 'program').select('id').executeTakeFirst()) !== undefined;
}

/** Locks a user until the transaction ends. */
export const lockUserRow = (db: Db, id: string) =>
  db.selectFrom('appUser').where('id', '=', id).where('deletedAt', 'is', null).select('id').forUpdate().execute();

/** Serializes changes of administrators: two concurrent changes that each leave one administrator could together leave none. */
export const lockAdministrators = (db: Db) => db.selectFrom('role').where('code', '=', ADMIN_ROLE).select('id').forUpdate().execute();

export async function hasAdministrator(db: Db): Promise<boolean> {
  const found = await db
    .selectFrom('appUser')
    .innerJoin('userRole', 'userRole.userId', 'appUser.id')
    .innerJoin('role', 'role.id', 'userRole.roleId')
    .where('role.code', '=', ADMIN_ROLE)
    .where('appUser.kind', '=', 'person')
    .where('appUser.lock', '=', false)
    .where('appUser.deletedAt', 'is', null)
    .select('appUser.id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Locks those of these roles that exist until the transaction ends. */
export async function takeRoles(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('role')
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .select('id')
    .orderBy('id')
    .forShare()
    .execute();
  return rows.map((row) => row.id);
}

export interface NewAccount {
  kind?: 'person' | 'program';
  mayOrder?: string[];
  username: string;
  name: string;
  phone: string | null;
  email: string | null;
  passwordHash: string;
  mustChangePassword: boolean;
}

export async function insertUser(db: Db, account: NewAccount, now: Date): Promise<string> {
  const { id } = await db
    .insertInto('appUser')
    .values({ ...account, createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface AccountChange {
  mayOrder?: string[];
  name?: string;
  phone?: string | null;
  email?: string | null;
  mustChangePassword?: boolean;
  credentialsResetAt?: Date;
  credentialsResetBy?: string;
  lock?: boolean;
  lockReason?: string | null;
  passwordHash?: string;
  failedCount?: number;
  failedSince?: Date | null;
  deletedAt?: Date;
}

/** Ends the lock-out of all known browsers of the user. */
export const forgetBrowserFailures = (db: Db, userId: string) =>
  db.updateTable('knownBrowser').set({ failedCount: 0, failedSince: null }).where('userId', '=', userId).execute();

/** Deletes all known browsers of the user. */
export const forgetBrowsers = (db: Db, userId: string) => db.deleteFrom('knownBrowser').where('userId', '=', userId).execute();

export const updateAccount = (db: Db, id: string, change: AccountChange, now: Date) =>
  db
    .updateTable('appUser')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export interface Grant {
  /** Null: no user granted it. */
  grantedBy: string | null;
  grantedAt: Date;
}

/** Replaces the roles of a user. Roles that stay keep the user and the time of their grant. */
export async function replaceRoles(db: Db, userId: string, roleIds: readonly string[], grant: Grant): Promise<void> {
  const gone = sql<boolean>`role_id <> all(${[...roleIds]}::bigint[])`;
  await db.deleteFrom('userRole').where('userId', '=', userId).where(gone).execute();
  if (roleIds.length > 0)
    await db
      .insertInto('userRole')
      .values(roleIds.map((roleId) => ({ userId, roleId, ...grant })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export interface NamedUser {
  id: string;
  username: string;
  phone: string | null;
  email: string | null;
  version: number;
  roleIds: string[];
  /** False if the user is outside the caller's area, or a program, which no list of users may change. */
  isVisible: boolean;
}

/** Users of the whole network by user name in lower case. */
export async function findByNames(db: Db, caller: User, names: readonly string[]): Promise<Map<string, NamedUser>> {
  const rows = await db
    .selectFrom('appUser')
    .where('appUser.deletedAt', 'is', null)
    .where(sql<boolean>`lower(app_user.username) = any(${names.map((name) => name.toLowerCase())}::text[])`)
    .select([
      'appUser.id',
      'appUser.username',
      'appUser.phone',
      'appUser.email',
      'appUser.version',
      sql<string[]>`array(select ur.role_id::text from user_role ur where ur.user_id = app_user.id)`.as('roleIds'),
      sql<boolean>`(app_user.kind = 'person' and ${userWithin('appUser.id', caller)})`.as('isVisible'),
    ])
    .execute();
  return new Map(rows.map((row) => [row.username.toLowerCase(), row]));
}
