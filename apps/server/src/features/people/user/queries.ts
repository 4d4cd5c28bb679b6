import type { Locale } from '@hes/contract/core/text.ts';
import type { Db } from '#db/context.ts';

export async function getOwnUser(db: Db, id: string) {
  const [user, roles] = await Promise.all([
    db
      .selectFrom('appUser')
      .where('id', '=', id)
      .select(['id', 'username', 'name', 'phone', 'email', 'locale', 'theme', 'mustChangePassword', 'lastLoginAt'])
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('role')
      .innerJoin('userRole', 'userRole.roleId', 'role.id')
      .where('userRole.userId', '=', id)
      .select(['role.id', 'role.code', 'role.name'])
      .orderBy('role.code')
      .execute(),
  ]);
  return { ...user, roles };
}

export interface OwnChange {
  name?: string | undefined;
  phone?: string | null | undefined;
  email?: string | null | undefined;
  locale?: Locale | undefined;
  theme?: 'light' | 'dark' | undefined;
}

export const updateUser = (db: Db, id: string, change: OwnChange, now: Date) =>
  db
    .updateTable('appUser')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export const findPasswordHash = (db: Db, id: string) =>
  db.selectFrom('appUser').where('id', '=', id).select('passwordHash').executeTakeFirstOrThrow();

export const setPassword = (db: Db, id: string, passwordHash: string, now: Date) =>
  db.updateTable('appUser').set({ passwordHash, mustChangePassword: false, updatedAt: now }).where('id', '=', id).execute();
