import { PASSWORD_RULE } from '@hes/contract/core/rules.ts';
import type { AreaKey } from '@hes/contract/asset/tree.ts';
import type { Area } from '@hes/contract/manager/area.ts';
import type { OwnUser } from '@hes/contract/manager/user.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { changeRights } from '#db/right-seals.ts';
import { hasSecondFactor } from '#features/people/second-factor/queries.ts';
import { judgeProof } from '#features/people/second-factor/session-proof.ts';
import { requireProof } from '#features/people/second-factor/own-proof.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Scope, User, Who } from '#db/context.ts';
import { hashPassword, isPassword } from '#platform/passwords.ts';
import { checkNewPassword } from './new-password.ts';
import { findPasswordHash, getOwnUser, setPassword, updateUser, type OwnChange } from './queries.ts';

function areaOf(scope: Scope): Area {
  if (scope.kind === 'whole') return { kind: 'whole' };
  const nodes: AreaKey[] = [
    ...scope.levelIds.map((id) => `level:${id}` as const),
    ...scope.transformerIds.map((id) => `transformer:${id}` as const),
  ];
  return nodes.length === 0 ? { kind: 'none' } : { kind: 'nodes', nodes };
}

export async function describeSelf(ctx: Context, user: User, headEndVersion: string): Promise<OwnUser> {
  const row = await getOwnUser(ctx.db, user.id);
  return {
    ...row,
    lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
    hasSecondFactor: await hasSecondFactor(ctx.db, user.id),
    mustEnrol: user.mustEnrol ?? false,
    actions: Object.fromEntries([...user.actions].map(([path, actions]) => [path, [...actions.keys()]])),
    scope: areaOf(user.scope),
    passwordMin: ctx.settings.rules.passwordMin,
    headEndVersion,
  };
}

/** Changing phone or e-mail requires proof, because security notices go there. */
async function requireContactProof(ctx: Context, who: Who, change: OwnChange): Promise<void> {
  const before = await getOwnUser(ctx.db, who.user.id);
  const isChanged = (['phone', 'email'] as const).some((key) => change[key] !== undefined && change[key] !== before[key]);
  if (isChanged) await requireProof(ctx, who);
}

export async function changeSelf(ctx: Context, who: Who, change: OwnChange): Promise<void> {
  const { user, ip } = who;
  await requireContactProof(ctx, who, change);
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const before = await getOwnUser(tx, user.id);
    await updateUser(tx, user.id, change, new Date(now));
    const detail = changedFields(before, { ...change });
    await writeAudit(tx, { userId: user.id, action: 'profile_changed', entity: 'user', entityId: user.id, detail, ip }, now);
  });
}

/** Changes the password of the calling user and ends the user's other sessions. */
export async function changePassword(
  ctx: Context,
  user: User,
  change: { id: string; oldPassword: string; newPassword: string; ip: string },
): Promise<void> {
  if (change.id !== user.id) throw new ApiError('FORBIDDEN');
  await judgeProof(ctx, { user, ip: change.ip }, async () => {
    const { passwordHash } = await findPasswordHash(ctx.db, user.id);
    if (await isPassword(change.oldPassword, passwordHash, 'signed-in')) return undefined;
    const refused = { userId: user.id, action: 'password_change_refused', entity: 'user', entityId: user.id, ip: change.ip } as const;
    await ctx.db.transaction().execute((tx) => writeAudit(tx, refused, ctx.clock.now()));
    return new ApiError('OLD_PASSWORD_WRONG', {}, 'oldPassword');
  });
  if (!PASSWORD_RULE.test(change.newPassword)) throw new ApiError('PASSWORD_WEAK', {}, 'newPassword');
  // An initial password set by an administrator must be replaced by a different one.
  if (change.newPassword === change.oldPassword) throw new ApiError('PASSWORD_SAME', {}, 'newPassword');
  await checkNewPassword(ctx, { password: change.newPassword, username: user.username, field: 'newPassword' });
  const hash = await hashPassword(change.newPassword);
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await changeRights(tx, [{ kind: 'user', id: user.id }], () => setPassword(tx, user.id, hash, new Date(now)));
      await writeAudit(tx, { userId: user.id, action: 'password_changed', entity: 'user', entityId: user.id, ip: change.ip }, now);
      return revokeSessions(tx, user.id, new Date(now), { except: user.sessionId });
    },
    (done) => [sessionsEnded(done, 'password_changed')],
  );
}
