import type { Action } from '@hes/contract/core/route.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db, Scope, User } from '#db/context.ts';
import { findReach, isAdministrator } from './queries.ts';

/** Area in which a caller has the right `<path> <action>`; undefined if the caller does not have it. */
function scopeOf(caller: User, right: string): Scope | undefined {
  const [path = '', action = ''] = right.split(' ');
  return caller.actions.get(path)?.get(action as Action); // as: an unknown action is not in the map
}

/**
 * Whether a caller has every right of a role in the whole area of the role. Users may only grant or revoke rights that they have.
 * `isAreaWithin` tells whether another area includes the area of the role.
 */
export async function isWithinOwn(
  caller: User,
  rights: readonly string[],
  isAreaWithin: (scope: Scope) => boolean | Promise<boolean>,
): Promise<boolean> {
  const scopes = new Set([caller.scope]);
  for (const right of rights) {
    const scope = scopeOf(caller, right);
    if (scope === undefined) return false;
    scopes.add(scope);
  }
  for (const scope of scopes) if (!(await isAreaWithin(scope))) return false;
  return true;
}

/** Those of these roles, or of all roles if `roleIds` is undefined, that the caller may grant and revoke. */
export async function findGrantable(db: Db, caller: User, roleIds?: readonly string[]): Promise<Set<string>> {
  const [roles, isAdmin] = await Promise.all([findReach(db, caller, roleIds), isAdministrator(db, caller.id)]);
  if (isAdmin) return new Set(roles.map((role) => role.id));
  // The rights of a user share few areas, so the result is cached by area.
  const ids = roles.map((role) => role.id);
  const within = new Map<Scope, Promise<ReadonlySet<string>>>();
  const rolesWithin = (scope: Scope): Promise<ReadonlySet<string>> => {
    const found = within.get(scope) ?? findReach(db, { ...caller, scope }, ids).then(idsOfOwnArea(scope));
    within.set(scope, found);
    return found;
  };
  const grantable = new Set<string>();
  for (const { id, rights } of roles)
    if (await isWithinOwn(caller, rights, async (scope) => (await rolesWithin(scope)).has(id))) grantable.add(id);
  return grantable;
}

const idsOfOwnArea =
  ({ kind }: Scope) =>
  (roles: Awaited<ReturnType<typeof findReach>>): ReadonlySet<string> =>
    new Set(roles.filter((role) => kind === 'whole' || (!role.isUnlimited && role.foreignNodes === 0)).map((role) => role.id));

/** Throws if one of the roles has a right or an area that the caller does not have. */
export async function requireReach(db: Db, caller: User, roleIds: readonly string[]): Promise<void> {
  const grantable = await findGrantable(db, caller, roleIds);
  if (!roleIds.every((id) => grantable.has(id))) throw new ApiError('BEYOND_OWN_RIGHTS');
}
