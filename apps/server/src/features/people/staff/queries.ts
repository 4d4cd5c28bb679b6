import { sql } from 'kysely';
import type { Tx } from '#db/context.ts';

/** The user names among these that a user has, in lower case. */
export async function findTakenNames(tx: Tx, usernames: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('appUser')
    .where('deletedAt', 'is', null)
    .where(sql<boolean>`lower(username) = any(${usernames.map((name) => name.toLowerCase())}::text[])`)
    .select('username')
    .execute();
  return new Set(rows.map(({ username }) => username.toLowerCase()));
}

/** Ids of roles by their codes. */
export async function findRoleIds(tx: Tx, codes: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('role')
    .where(sql<boolean>`code = any(${[...codes]}::text[])`)
    .select(['id', 'code'])
    .execute();
  return new Map(rows.map(({ id, code }) => [code, id]));
}

/** Limits a new role, which has no area yet, to one transformer. */
export async function limitToTransformer(tx: Tx, roleId: string, transformerId: string): Promise<void> {
  await tx.updateTable('role').set({ seesWholeNetwork: false }).where('id', '=', roleId).execute();
  await tx.insertInto('roleScope').values({ roleId, transformerId }).execute();
}
