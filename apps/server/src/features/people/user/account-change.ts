import { relay } from '@hes/contract/action/relay.ts';
import type { UserDetail } from '@hes/contract/manager/user.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { changeWithStopHolder } from '#db/right-holders.ts';
import { changeRights } from '#db/right-seals.ts';
import { reliedOn, requireEmergencyStays } from '#features/people/emergency/local-sign-in.ts';
import { requireReach } from '#features/people/role/reach.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { findUser, hasAdministrator, lockUserRow, takeRoles } from './admin-queries.ts';

/** Label of the user name in a refusal. */
export const USERNAME = { en: 'Username', zh: '用户名' };

/** Reads and locks a user. Throws if the user has rights that the caller does not have. */
export async function takeUser(ctx: Context, tx: Tx, caller: User, id: string): Promise<UserDetail> {
  await lockUserRow(tx, id);
  const user = await findUser(tx, caller, id, ctx.clock.now());
  if (user === undefined) throw new ApiError('NOT_FOUND');
  if (id !== caller.id)
    await requireReach(
      tx,
      caller,
      user.roles.map((role) => role.id),
    );
  return user;
}

/** Runs a change that may remove roles or access, and seals the user again. An administrator and a user with the emergency stop must remain. */
export async function changeAccount(tx: Tx, id: string, change: () => Promise<unknown>): Promise<void> {
  const emergency = await reliedOn(tx);
  await changeWithStopHolder(tx, relay.stop.allow, async () => {
    await changeRights(tx, [{ kind: 'user', id }], change);
    if (!(await hasAdministrator(tx))) throw new ApiError('LAST_ADMIN');
    await requireEmergencyStays(tx, id, emergency);
  });
}

export async function checkRoles(tx: Tx, caller: User, given: readonly string[], kept: readonly string[] = []): Promise<string[]> {
  const wanted = [...new Set(given)];
  const known = new Set(await takeRoles(tx, wanted));
  if (!wanted.every((id) => known.has(id))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'roleIds');
  const changed = [...wanted.filter((id) => !kept.includes(id)), ...kept.filter((id) => !known.has(id))];
  await requireReach(tx, caller, changed);
  return wanted;
}

export const auditUser = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'user', ip, ...entry }, now);

export const codesOf = (user: UserDetail) => user.roles.map((role) => role.code);
