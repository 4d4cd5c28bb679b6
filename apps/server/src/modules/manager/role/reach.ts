import { ApiError } from '#platform/api-error.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import type { Db, User } from '#platform/context.ts';
import { findReach, isAdministrator, type RoleReach } from './queries.ts';

/** Whether a caller holds everything that a role holds: nobody gives away, or takes from others, what is not his own. */
export function isWithinOwn(caller: User, role: Pick<RoleReach, 'rights' | 'isUnlimited' | 'foreignNodes'>): boolean {
  const isOwnArea = seesWholeNetwork(caller) || (!role.isUnlimited && role.foreignNodes === 0);
  const holds = (right: string) => {
    const [path = '', action = ''] = right.split(' ');
    return [...(caller.actions.get(path) ?? [])].some((own) => own === action);
  };
  return isOwnArea && role.rights.every(holds);
}

/** The roles a caller may give to others and take from them; `undefined` of `roleIds`: of all there are. */
export async function findGrantable(db: Db, caller: User, roleIds?: readonly string[]): Promise<Set<string>> {
  const [roles, isAdmin] = await Promise.all([findReach(db, caller, roleIds), isAdministrator(db, caller.id)]);
  return new Set(roles.filter((role) => isAdmin || isWithinOwn(caller, role)).map((role) => role.id));
}

/** Refuses when one of the roles reaches beyond the caller. */
export async function requireReach(db: Db, caller: User, roleIds: readonly string[]): Promise<void> {
  const grantable = await findGrantable(db, caller, roleIds);
  if (!roleIds.every((id) => grantable.has(id))) throw new ApiError('BEYOND_OWN_RIGHTS');
}
