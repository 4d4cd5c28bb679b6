import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_ROLE } from '@hes/contract/manager/role.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { sql } from 'kysely';
import type { Db, Tx } from './context.ts';
import { generatePassword, hashPassword } from '#platform/passwords.ts';
import { StartError } from '#platform/start-error.ts';
import { writeAudit } from './audit.ts';
import { noteSealNumbers, sealAsFound } from './right-seals.ts';
import { sealSetting } from './sealed-settings.ts';
import { resetRoleGrants } from './seed/seed.ts';
import { saveSetting } from './settings.ts';

/** File with the name of the user to recover as administrator. Only the owner of the data folder can write it. */
const FILE = 'rescue-administrator';

export interface RecoveredAdministrator {
  username: string;
  password: string;
}

/** Gives a user the administrator role and a new password, removes the second factor, and seals user and role. */
async function resetAdministrator(tx: Tx, username: string, now: number): Promise<RecoveredAdministrator> {
  const user = await tx
    .selectFrom('appUser')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .where('deletedAt', 'is', null)
    .where('kind', '=', 'person')
    .select(['id', 'username'])
    .forUpdate()
    .executeTakeFirst();
  if (user === undefined) throw new StartError(`The file ${FILE} in the data folder names no user: ${username}`);
  const password = generatePassword();
  const credentials = {
    passwordHash: await hashPassword(password),
    mustChangePassword: true,
    credentialsResetAt: null,
    credentialsResetBy: null,
  };
  await tx
    .updateTable('appUser')
    .set({ ...credentials, lock: false, lockReason: null, failedCount: 0, failedSince: null })
    .where('id', '=', user.id)
    .execute();
  await tx.deleteFrom('secondFactor').where('userId', '=', user.id).execute();
  await tx.deleteFrom('securityKey').where('userId', '=', user.id).execute();
  // Passwords of this system may be switched off.
  await saveSetting(tx, 'localSignIn', SETTINGS.localSignIn.value);
  await sealSetting(tx, 'localSignIn');
  await tx.deleteFrom('userRole').where('userId', '=', user.id).execute();
  const role = await resetRoleGrants(tx, ADMIN_ROLE);
  await tx.insertInto('userRole').values({ userId: user.id, roleId: role, grantedAt: '2000-01-01' }).execute();
  await tx
    .updateTable('userSession')
    .set({ revokedAt: new Date(now) })
    .where('userId', '=', user.id)
    .where('revokedAt', 'is', null)
    .execute();
  await sealAsFound(tx, [
    { kind: 'user', id: user.id },
    { kind: 'role', id: role },
  ]);
  await writeAudit(tx, { userId: null, action: 'administrator_rescued', entity: 'user', entityId: user.id }, now);
  return { username: user.username, password };
}

/** Recovers access when no intact administrator is left. The file is deleted afterwards, so it takes effect once. */
export async function recoverAdministrator(db: Db, dataDir: string, now: number): Promise<RecoveredAdministrator | undefined> {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return undefined;
  const username = readFileSync(file, 'utf8').trim();
  const recovered = await db.transaction().execute((tx) => resetAdministrator(tx, username, now));
  await noteSealNumbers(db);
  unlinkSync(file);
  return recovered;
}
