import type { AreaKey } from '@hes/contract/asset/tree.ts';
import type { UserDetail } from '@hes/contract/manager/user.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { changedFields } from '#db/audit.ts';
import { sealAsFound } from '#db/right-seals.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { deleteIdentity, findIdentityOfUser } from '#features/people/external/identity-queries.ts';
import { dropFactors } from '#features/people/second-factor/queries.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { limitRoles } from '#features/people/role/limit-roles.ts';
import { findGrantable } from '#features/people/role/reach.ts';
import { findRoleNames } from '#features/people/role/queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { hashPassword } from '#platform/passwords.ts';
import { auditUser, changeAccount, checkRoles, codesOf, takeUser, USERNAME } from './account-change.ts';
import { checkNewPassword } from './new-password.ts';
import {
  findUser,
  forgetBrowserFailures,
  forgetBrowsers,
  insertUser,
  isProgram,
  lockAdministrators,
  replaceRoles,
  updateAccount,
  type AccountChange,
} from './admin-queries.ts';

export async function getUser(ctx: Context, caller: User, id: string): Promise<UserDetail> {
  const user = await findUser(ctx.db, caller, id, ctx.clock.now());
  if (user === undefined) throw new ApiError('NOT_FOUND');
  return user;
}

export async function listGrantableRoles(ctx: Context, caller: User) {
  const [roles, grantable] = await Promise.all([findRoleNames(ctx.db), findGrantable(ctx.db, caller)]);
  return roles.map((role) => ({ ...role, canGrant: grantable.has(role.id) }));
}

export interface NewUserFields {
  username: string;
  name: string;
  phone?: string | null | undefined;
  email?: string | null | undefined;
  password: string;
  roleIds: string[];
  /** Limits the roles to these nodes of the network. */
  areaNodes?: AreaKey[] | undefined;
  mustChangePassword: boolean;
}

/** Inserts a user within a transaction. The caller has checked and hashed the password. */
export async function addUser(
  tx: Tx,
  who: Who,
  fields: Omit<NewUserFields, 'password' | 'areaNodes'> & { passwordHash: string },
  now: number,
): Promise<string> {
  const { passwordHash, roleIds, phone = null, email = null, ...rest } = fields;
  const roles = await checkRoles(tx, who.user, roleIds);
  const unique = { field: 'username', label: USERNAME, value: fields.username };
  const created = await refuseDuplicate(unique, insertUser(tx, { ...rest, phone, email, passwordHash }, new Date(now)));
  await replaceRoles(tx, created, roles, { grantedBy: who.user.id, grantedAt: new Date(now) });
  await sealAsFound(tx, [{ kind: 'user', id: created }]);
  await auditUser(
    tx,
    who,
    { action: 'user_created', entityId: created, detail: { after: { ...rest, phone, email, roleIds: roles } } },
    now,
  );
  return created;
}

/** Adds a user. With nodes of the network, the user gets roles of the same permissions that are limited to these nodes. */
export async function createUser(ctx: Context, who: Who, { password, areaNodes, ...fields }: NewUserFields): Promise<UserDetail> {
  await checkNewPassword(ctx, { password, username: fields.username, field: 'password' });
  const passwordHash = await hashPassword(password);
  const now = ctx.clock.now();
  const id = await ctx.db.transaction().execute(async (tx) => {
    const roleIds =
      areaNodes === undefined ? fields.roleIds : await limitRoles(tx, who, { roleIds: fields.roleIds, nodes: areaNodes }, now);
    return addUser(tx, who, { ...fields, roleIds, passwordHash }, now);
  });
  return getUser(ctx, who.user, id);
}

export interface UserChange {
  id: string;
  name: string;
  phone?: string | null | undefined;
  email?: string | null | undefined;
  roleIds: string[];
  mustChangePassword?: boolean | undefined;
  version: number;
}

/** Changes a user within a transaction. A change of roles ends the sessions, because open pages show data of the old rights. Returns their ids. */
export async function applyUserChange(ctx: Context, tx: Tx, who: Who, given: UserChange): Promise<string[]> {
  const { id, version, roleIds, name, phone, email, mustChangePassword } = given;
  const now = ctx.clock.now();
  await lockAdministrators(tx);
  const before = await takeUser(ctx, tx, who.user, id);
  if (before.version !== version) throw stale(before);
  const kept = before.roles.map((role) => role.id);
  const roles = await checkRoles(tx, who.user, roleIds, kept);
  const isOther = kept.length !== roles.length || !kept.every((role) => roles.includes(role));
  if (isOther) await refuseExternal(tx, id);
  const change: AccountChange = {
    name,
    ...(phone === undefined ? {} : { phone }),
    ...(email === undefined ? {} : { email }),
    ...(mustChangePassword === undefined ? {} : { mustChangePassword }),
  };
  await changeAccount(tx, id, async () => {
    await updateAccount(tx, id, change, new Date(now));
    await replaceRoles(tx, id, roles, { grantedBy: who.user.id, grantedAt: new Date(now) });
  });
  const after = await takeUser(ctx, tx, who.user, id);
  const detail = changedFields({ ...before, roles: codesOf(before) }, { ...change, roles: codesOf(after) });
  await auditUser(tx, who, { action: 'user_changed', entityId: id, detail: { username: before.username, ...detail } }, now);
  return isOther ? revokeSessions(tx, id, new Date(now), { except: who.user.sessionId }) : [];
}

export async function changeUser(ctx: Context, who: Who, given: UserChange): Promise<UserDetail> {
  await commitChanges(
    ctx,
    (tx) => applyUserChange(ctx, tx, who, given),
    (done) => [sessionsEnded(done, 'roles_changed')],
  );
  return getUser(ctx, who.user, given.id);
}

export async function lockUser(
  ctx: Context,
  who: Who,
  { id, lock, lockReason }: { id: string; lock: boolean; lockReason: string },
): Promise<UserDetail> {
  if (id === who.user.id) throw new ApiError('SELF');
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await lockAdministrators(tx);
      const { username } = await takeUser(ctx, tx, who.user, id);
      // Unlocking resets the counter of failures, which also ends a lock-out by wrong passwords.
      const change = lock ? { lock, lockReason } : { lock, lockReason: null, failedCount: 0, failedSince: null };
      await changeAccount(tx, id, () => updateAccount(tx, id, change, new Date(now)));
      if (!lock) await forgetBrowserFailures(tx, id);
      const detail = { username, ...(lock ? { lockReason } : {}) };
      await auditUser(tx, who, { action: lock ? 'user_locked' : 'user_unlocked', entityId: id, detail }, now);
      return lock ? revokeSessions(tx, id, new Date(now)) : [];
    },
    (done) => [sessionsEnded(done, 'locked')],
  );
  return getUser(ctx, who.user, id);
}

/** Sets the password of another user. A user's own password changes only with the old one. */
/** Password and roles of an external account are those at its provider. */
async function refuseExternal(tx: Tx, id: string): Promise<void> {
  const identity = await findIdentityOfUser(tx, id);
  if (identity !== undefined) throw new ApiError('EXTERNAL_ACCOUNT', { name: identity.providerName });
}

export async function resetPassword(
  ctx: Context,
  who: Who,
  given: { id: string; newPassword: string; mustChange: boolean },
): Promise<void> {
  const { id, newPassword, mustChange } = given;
  if (id === who.user.id) throw new ApiError('SELF');
  const { username } = await getUser(ctx, who.user, id);
  await checkNewPassword(ctx, { password: newPassword, username, field: 'newPassword' });
  const passwordHash = await hashPassword(newPassword);
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await takeUser(ctx, tx, who.user, id);
      if (await isProgram(tx, id)) throw new ApiError('NOT_FOUND');
      await refuseExternal(tx, id);
      const change = { passwordHash, mustChangePassword: mustChange, failedCount: 0, failedSince: null };
      const reset = { ...change, credentialsResetAt: new Date(now), credentialsResetBy: who.user.id };
      await changeAccount(tx, id, () => updateAccount(tx, id, reset, new Date(now)));
      await forgetBrowsers(tx, id);
      await auditUser(tx, who, { action: 'password_reset', entityId: id, detail: { username, mustChange } }, now);
      return revokeSessions(tx, id, new Date(now));
    },
    (done) => [sessionsEnded(done, 'password_reset')],
  );
}

/** Removes the second factor of another user, for a lost phone. A user's own second factor is removed only with a code. */
export async function resetSecondFactor(ctx: Context, who: Who, { id, reason }: { id: string; reason: string }): Promise<void> {
  if (id === who.user.id) throw new ApiError('SELF');
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const { username } = await takeUser(ctx, tx, who.user, id);
      await changeAccount(tx, id, async () => {
        if (!(await dropFactors(tx, id))) throw new ApiError('NOTHING_TO_DO');
        await updateAccount(tx, id, { credentialsResetAt: new Date(now), credentialsResetBy: who.user.id }, new Date(now));
      });
      await auditUser(tx, who, { action: 'second_factor_reset', entityId: id, detail: { username, reason } }, now);
      return revokeSessions(tx, id, new Date(now));
    },
    (done) => [sessionsEnded(done, 'second_factor_reset')],
  );
}

/** Seals a user who was changed outside the product. The rights count as new: dangerous actions are blocked for one day. */
export async function sealUser(ctx: Context, who: Who, { id, reason }: { id: string; reason: string }): Promise<UserDetail> {
  if (id === who.user.id) throw new ApiError('SELF');
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const { username, isSealed } = await takeUser(ctx, tx, who.user, id);
      if (isSealed) throw new ApiError('NOTHING_TO_DO');
      await updateAccount(tx, id, { credentialsResetAt: new Date(now), credentialsResetBy: who.user.id }, new Date(now));
      await sealAsFound(tx, [{ kind: 'user', id }]);
      await auditUser(tx, who, { action: 'user_sealed', entityId: id, detail: { username, reason } }, now);
      return revokeSessions(tx, id, new Date(now));
    },
    (done) => [sessionsEnded(done, 'changed_outside')],
  );
  return getUser(ctx, who.user, id);
}

export async function logOutUser(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const { username } = await takeUser(ctx, tx, who.user, id);
      const sessions = await revokeSessions(tx, id, new Date(now));
      await auditUser(tx, who, { action: 'user_logged_out', entityId: id, detail: { username, sessions: sessions.length } }, now);
      return sessions;
    },
    (done) => [sessionsEnded(done, 'logged_out')],
  );
}

/** Marks a user as deleted. The row stays for the audit log; the name can be used again. */
export async function removeUser(ctx: Context, who: Who, id: string): Promise<void> {
  if (id === who.user.id) throw new ApiError('SELF');
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await lockAdministrators(tx);
      const before = await takeUser(ctx, tx, who.user, id);
      await changeAccount(tx, id, async () => {
        await updateAccount(tx, id, { deletedAt: new Date(now) }, new Date(now));
        await replaceRoles(tx, id, [], { grantedBy: who.user.id, grantedAt: new Date(now) });
        await dropFactors(tx, id);
        await deleteIdentity(tx, id);
      });
      const { username, name, phone, email } = before;
      await auditUser(
        tx,
        who,
        { action: 'user_deleted', entityId: id, detail: { before: { username, name, phone, email, roles: codesOf(before) } } },
        now,
      );
      return revokeSessions(tx, id, new Date(now));
    },
    (done) => [sessionsEnded(done, 'deleted')],
  );
}
