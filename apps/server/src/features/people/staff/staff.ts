import type { DeliveredRole } from '@hes/contract/text/roles.ts';
import type { Tx } from '#db/context.ts';
import { changeRights, sealAsFound } from '#db/right-seals.ts';
import { deleteIdentity } from '#features/people/external/identity-queries.ts';
import { deleteRole, findGrants, findHolders, insertRole, lockRole, replaceGrants } from '#features/people/role/queries.ts';
import { dropFactors } from '#features/people/second-factor/queries.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { insertUser, lockUserRow, replaceRoles, updateAccount } from '#features/people/user/admin-queries.ts';
import { findRoleIds, findTakenNames, limitToTransformer } from './queries.ts';

/** Matches no password. */
const NO_PASSWORD = '!';

/** The only part of the network in which a person works. */
interface Workplace {
  transformerId: string;
  /** Code and name of the role that is added for it. */
  roleCode: string;
  roleName: string;
}

export interface NewStaff {
  username: string;
  name: string;
  role: DeliveredRole;
  workplace?: Workplace | undefined;
  lockReason: string;
}

/** What was added, for its removal. */
export interface AddedStaff {
  userIds: string[];
  roleIds: string[];
}

/** A role with the permissions of another one, for one transformer. */
async function addLimitedRole(tx: Tx, baseId: string, { transformerId, roleCode, roleName }: Workplace, now: Date): Promise<string> {
  const id = await insertRole(tx, { code: roleCode, name: roleName, description: null }, now);
  await replaceGrants(tx, id, await findGrants(tx, baseId), { grantedBy: null, grantedAt: now });
  await limitToTransformer(tx, id, transformerId);
  await sealAsFound(tx, [{ kind: 'role', id }]);
  return id;
}

/**
 * Adds the staff of the demonstration in its transaction, which writes the audit row. The users are locked and have no password: nobody can
 * sign in as one of them before an administrator sets a password and unlocks the user. User names that exist are left as they are.
 */
export async function addStaff(tx: Tx, staff: readonly NewStaff[], now: Date): Promise<AddedStaff> {
  const taken = await findTakenNames(
    tx,
    staff.map(({ username }) => username),
  );
  const codes = staff.flatMap(({ role, workplace }) => [role, ...(workplace ? [workplace.roleCode] : [])]);
  const roles = await findRoleIds(tx, codes);
  const added: AddedStaff = { userIds: [], roleIds: [] };
  for (const { username, name, role, workplace, lockReason } of staff) {
    const baseId = roles.get(role);
    if (taken.has(username.toLowerCase()) || baseId === undefined) continue;
    if (workplace !== undefined && roles.has(workplace.roleCode)) continue;
    const roleId = workplace === undefined ? baseId : await addLimitedRole(tx, baseId, workplace, now);
    if (roleId !== baseId) added.roleIds.push(roleId);
    const account = { username, name, phone: null, email: null, passwordHash: NO_PASSWORD, mustChangePassword: true };
    const id = await insertUser(tx, account, now);
    await updateAccount(tx, id, { lock: true, lockReason }, now);
    await replaceRoles(tx, id, [roleId], { grantedBy: null, grantedAt: now });
    await sealAsFound(tx, [{ kind: 'user', id }]);
    added.userIds.push(id);
  }
  return added;
}

/** Removes added staff, and added roles that no other user holds. Returns the sessions that have ended. */
export async function removeStaff(tx: Tx, { userIds, roleIds }: AddedStaff, now: Date): Promise<string[]> {
  const ended: string[] = [];
  for (const id of userIds) {
    await lockUserRow(tx, id);
    await changeRights(tx, [{ kind: 'user', id }], async () => {
      await updateAccount(tx, id, { deletedAt: now }, now);
      await replaceRoles(tx, id, [], { grantedBy: null, grantedAt: now });
      await dropFactors(tx, id);
      await deleteIdentity(tx, id);
    });
    ended.push(...(await revokeSessions(tx, id, now)));
  }
  for (const id of roleIds) {
    await lockRole(tx, id);
    if ((await findHolders(tx, id)).length === 0) await changeRights(tx, [{ kind: 'role', id }], () => deleteRole(tx, id));
  }
  return ended;
}
