import type { Action } from '@hes/contract/core/route.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db, Scope, User } from '#db/context.ts';
import { findReach, isAdministrator } from './queries.ts';

/** The area in which a caller holds `<path> <action>`; undefined: nowhere. */
function scopeOf(caller: User, right: string): Scope | undefined {
  const [path = '', action = ''] = right.split(' ');
  return caller.actions.get(path)?.get(action as Action); // as: of another word there is none
}

/**
 * Whether a caller holds everything that a role gives, in the whole of its area: nobody gives away, or takes from others, what is not their own.
 * `isAreaWithin` says whether the area of the role lies in another one.
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

/** The roles a caller may give to others and take from them; `undefined` of `roleIds`: of all there are. */
export async function findGrantable(db: Db, caller: User, roleIds?: readonly string[]): Promise<Set<string>> {
  const [roles, isAdmin] = await Promise.all([findReach(db, caller, roleIds), isAdministrator(db, caller.id)]);
  if (isAdmin) return new Set(roles.map((role) => role.id));
  // A user's rights share a few areas.
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

/** Refuses when one of the roles reaches beyond the caller. */
export async function requireReach(db: Db, caller: User, roleIds: readonly string[]): Promise<void> {
  const grantable = await findGrantable(db, caller, roleIds);
  if (!roleIds.every((id) => grantable.has(id))) throw new ApiError('BEYOND_OWN_RIGHTS');
}
