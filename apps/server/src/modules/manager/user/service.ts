import { PASSWORD_RULE } from '@hes/contract/core/rules.ts';
import type { OwnUser } from '@hes/contract/manager/user.ts';
import { writeAudit } from '#db/audit.ts';
import { announceSessionEnd, revokeSessions } from '#modules/auth/token/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#platform/context.ts';
import { hashPassword, isPassword } from '#platform/passwords.ts';
import { isCommonPassword } from './common-passwords.ts';
import { findPasswordHash, getOwnUser, setPassword, updateUser, type OwnChange } from './queries.ts';

export async function describeSelf(ctx: Context, user: User): Promise<OwnUser> {
  const row = await getOwnUser(ctx.db, user.id);
  return {
    ...row,
    lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
    actions: Object.fromEntries([...user.actions].map(([path, actions]) => [path, [...actions]])),
    scope: [...user.scope],
  };
}

export async function changeSelf(ctx: Context, user: User, change: OwnChange): Promise<OwnUser> {
  const { phone, email, ...rest } = change;
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    await updateUser(
      tx,
      user.id,
      { ...rest, ...(phone === undefined ? {} : { phone: phone || null }), ...(email === undefined ? {} : { email: email || null }) },
      new Date(now),
    );
    await writeAudit(
      tx,
      { userId: user.id, action: 'profile_changed', entity: 'user', entityId: user.id, detail: { fields: Object.keys(change) } },
      now,
    );
  });
  return describeSelf(ctx, user);
}

/** Changes the caller's own password; other sessions of the same person end. */
export async function changePassword(
  ctx: Context,
  user: User,
  change: { id: string; oldPassword: string; newPassword: string; ip: string },
): Promise<void> {
  if (change.id !== user.id) throw new ApiError('FORBIDDEN');
  const { passwordHash } = await findPasswordHash(ctx.db, user.id);
  if (!(await isPassword(change.oldPassword, passwordHash))) throw new ApiError('OLD_PASSWORD_WRONG', {}, 'oldPassword');
  if (!PASSWORD_RULE.test(change.newPassword)) throw new ApiError('PASSWORD_WEAK', {}, 'newPassword');
  if (await isCommonPassword(change.newPassword, user.username)) throw new ApiError('PASSWORD_COMMON', {}, 'newPassword');
  const hash = await hashPassword(change.newPassword);
  const now = ctx.clock.now();
  const ended = await ctx.db.transaction().execute(async (tx) => {
    await setPassword(tx, user.id, hash, new Date(now));
    await writeAudit(tx, { userId: user.id, action: 'password_changed', entity: 'user', entityId: user.id, ip: change.ip }, now);
    return revokeSessions(tx, user.id, new Date(now), { except: user.sessionId });
  });
  for (const sessionId of ended) announceSessionEnd(ctx, sessionId, 'password_changed');
}
