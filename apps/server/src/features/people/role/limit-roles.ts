import type { AreaKey } from '@hes/contract/asset/tree.ts';
import { ROLE_NAME_MAX, role as routes, type RoleRow } from '@hes/contract/manager/role.ts';
import type { Tx, Who } from '#db/context.ts';
import { holderOf } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import { findArea, findNodeNames, isAreaOf } from './area-queries.ts';
import { findGrants, findRole, findRoleNames, lockRole, type Grants } from './queries.ts';
import { addRole, grantInside } from './service.ts';

const CODE_MAX = 32;
const LETTERS = 26;

/** A, B, … Z, AA, AB …: codes of roles have no digits. */
const lettersOf = (at: number): string =>
  (at < LETTERS ? '' : lettersOf(Math.floor(at / LETTERS) - 1)) + String.fromCodePoint('A'.charCodeAt(0) + (at % LETTERS));

const codeOf = (base: string, at: number): string => {
  const suffix = `_${lettersOf(at)}`;
  return `${base.slice(0, CODE_MAX - suffix.length)}${suffix}`;
};

const isSame = (a: Grants, b: Grants): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Limit {
  roleIds: readonly string[];
  nodes: AreaKey[];
}

/**
 * Roles of the same permissions as the given ones, limited to nodes of the network. An existing role that equals it is reused. Throws if the
 * caller may not add roles with permissions, or lacks one of these rights.
 */
export async function limitRoles(tx: Tx, who: Who, { roleIds, nodes }: Limit, now: number): Promise<string[]> {
  const { page, action } = routes.setPermission.allow;
  const granter = holderOf(who.user, page, action);
  const adder = holderOf(who.user, routes.create.allow.page, routes.create.allow.action);
  if (granter === undefined || adder === undefined) throw new ApiError('BEYOND_OWN_RIGHTS');
  const limited: string[] = [];
  for (const id of new Set(roleIds)) limited.push(await limitRole(tx, { ...who, user: granter }, { id, nodes }, now));
  return limited;
}

async function limitRole(tx: Tx, who: Who, { id, nodes }: { id: string; nodes: AreaKey[] }, now: number): Promise<string> {
  await lockRole(tx, id);
  const base = await findRole(tx, id);
  if (base === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'roleIds');
  // A role that was changed outside the product must not pass its rights on to a sealed one.
  if (!base.isSealed) throw new ApiError('CHANGED_OUTSIDE');
  const grants = await findGrants(tx, id);
  const existing = await findEqual(tx, who, { base, grants, nodes });
  if (existing !== undefined) return existing;
  const codes = new Set((await findRoleNames(tx)).map(({ code }) => code));
  let at = 0;
  while (codes.has(codeOf(base.code, at))) at++;
  const [first = '', ...others] = await findNodeNames(tx, who.user, nodes);
  const name = `${base.name}: ${first}${others.length > 0 ? ` +${others.length}` : ''}`.slice(0, ROLE_NAME_MAX).trim();
  const added = await addRole(tx, who, { code: codeOf(base.code, at), name, description: base.description }, now);
  await grantInside(tx, who, added, { ...grants, area: { kind: 'nodes', nodes } }, now);
  return added.id;
}

/** A sealed role derived from the same one, with equal permissions and exactly this area. */
async function findEqual(tx: Tx, who: Who, { base, grants, nodes }: { base: RoleRow; grants: Grants; nodes: AreaKey[] }) {
  for (const { id, code } of await findRoleNames(tx)) {
    if (!code.startsWith(`${base.code}_`)) continue;
    await lockRole(tx, id);
    const [found, held, area] = [await findRole(tx, id), await findGrants(tx, id), await findArea(tx, who.user, id)];
    if (found?.isSealed === true && isSame(held, grants) && isAreaOf(area, nodes)) return id;
  }
  return undefined;
}
