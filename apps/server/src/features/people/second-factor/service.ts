import type { OwnFactor } from '@hes/contract/auth/second-factor.ts';
import { commitChanges, noticeOf, sessionsEnded } from '#db/changes.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { lockUser } from '#db/sign-in-failures.ts';
import { changeRights } from '#db/right-seals.ts';
import type { Directories } from '#features/people/external/directories.ts';
import { findIdentityOfUser } from '#features/people/external/identity-queries.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { base32, newTotpSecret, otpauthUri, stepOfCode } from '#platform/totp.ts';
import { findKeys } from '#features/people/security-key/key-queries.ts';
import { judgeFactor, secretPurpose } from './judge.ts';
import { judgeProof } from './session-proof.ts';
import { provedUntil, requireProof } from './own-proof.ts';
import {
  beginFactor,
  confirmFactor,
  countRecoveryCodes,
  dropCode,
  findFactor,
  hasCode,
  hasSecondFactor,
  insertRecoveryCodes,
  noteProof,
  parkCode,
} from './queries.ts';
import { hashRecoveryCodes, newRecoveryCodes, plainCode } from './recovery.ts';

export async function describeFactor(ctx: Context, user: User): Promise<OwnFactor> {
  const factor = await findFactor(ctx.db, user.id);
  const until = await provedUntil(ctx, user.sessionId);
  const proved = { provedUntil: until === undefined ? null : new Date(until).toISOString() };
  const since = factor?.confirmedAt?.toISOString() ?? null;
  return { isOn: since !== null, since, recoveryLeft: await countRecoveryCodes(ctx.db, user.id), ...proved };
}

const audit = (tx: Tx, { user, ip }: Who, action: AuditEntry['action'], now: number) =>
  writeAudit(tx, { userId: user.id, action, entity: 'user', entityId: user.id, ip }, now);

type Purpose = 'enrolment' | 'removal';

async function auditWrongProof(ctx: Context, { user, ip }: Who, purpose: Purpose, why: 'OLD_PASSWORD_WRONG' | 'OTP_WRONG'): Promise<void> {
  const entry = { userId: user.id, action: 'proof_refused', entity: 'user', entityId: user.id, detail: { for: purpose, why }, ip } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
}

/** A password, and the directories that judge those of their users. */
export interface GivenPassword {
  password: string;
  directories: Directories;
}

export const requirePassword = (ctx: Context, who: Who, { password, directories }: GivenPassword, purpose: Purpose): Promise<void> =>
  judgeProof(ctx, who, async () => {
    if (await directories.isOwnPassword(who.user.id, password)) return undefined;
    await auditWrongProof(ctx, who, purpose, 'OLD_PASSWORD_WRONG');
    return new ApiError('OLD_PASSWORD_WRONG', {}, 'password');
  });

/** Requires proof by the present second factor, if the user has one, before another one is added or removed. */
export async function requireFactor(ctx: Context, who: Who): Promise<void> {
  if (await hasSecondFactor(ctx.db, who.user.id)) await requireProof(ctx, who);
}

/** Users of an OpenID provider have their second factor there; a directory has none. */
export async function refuseForeignFactor({ db }: Context, { id }: User): Promise<void> {
  const identity = await findIdentityOfUser(db, id);
  if (identity?.providerKind === 'oidc') throw new ApiError('EXTERNAL_ACCOUNT', { name: identity.providerName });
}

/** Begins the enrolment with a new secret, which a code must confirm. Replaces the secret of an unfinished enrolment. */
export async function beginEnrolment(ctx: Context, who: Who, given: GivenPassword): Promise<{ secret: string; uri: string }> {
  const { user } = who;
  await refuseForeignFactor(ctx, user);
  if (await hasCode(ctx.db, user.id)) throw new ApiError('NOTHING_TO_DO');
  await requirePassword(ctx, who, given, 'enrolment');
  await requireFactor(ctx, who);
  const secret = newTotpSecret();
  const sealed = ctx.secrets.seal(secret, secretPurpose(user.id));
  if (!(await beginFactor(ctx.db, user.id, sealed, new Date(ctx.clock.now())))) throw new ApiError('NOTHING_TO_DO');
  return { secret: base32(secret), uri: otpauthUri(user.username, secret) };
}

/** Changes the second factor and ends the other sessions of the user. Returns false, and ends none, if `change` changed nothing. */
export async function endOthers(ctx: Context, { user }: Who, change: (tx: Tx, now: number) => Promise<boolean>): Promise<boolean> {
  const now = ctx.clock.now();
  const ended = await commitChanges(
    ctx,
    async (tx) => {
      await lockUser(tx, user.id);
      const isChanged = await changeRights(tx, [{ kind: 'user', id: user.id }], () => change(tx, now));
      // A proof by the former factor, or by the password, does not count for the new one.
      if (isChanged) await noteProof(tx, user.sessionId, null);
      return isChanged ? revokeSessions(tx, user.id, new Date(now), { except: user.sessionId }) : undefined;
    },
    // The notice invalidates cached permissions and makes the console reload the user.
    (done) => (done === undefined ? [] : [sessionsEnded(done, 'second_factor_changed'), noticeOf('permissions', [user.id])]),
  );
  return ended !== undefined;
}

/** Recovery codes for the first second factor of a user; empty for another one. */
export const newCodesFor = async ({ db }: Context, userId: string): Promise<string[]> =>
  (await countRecoveryCodes(db, userId)) === 0 ? newRecoveryCodes() : [];

/** A secret that no app has. */
export const parkedSecret = ({ secrets }: Context, userId: string): Buffer => secrets.seal(newTotpSecret(), secretPurpose(userId));

/** Activates the second factor. Returns the recovery codes, which are never shown again. */
export async function confirmEnrolment(ctx: Context, who: Who, otp: string): Promise<{ recoveryCodes: string[] }> {
  const { id } = who.user;
  const factor = await findFactor(ctx.db, id);
  if (factor === undefined || factor.confirmedAt !== null) throw new ApiError('NOTHING_TO_DO');
  const recoveryCodes = await newCodesFor(ctx, id);
  const hashes = await hashRecoveryCodes(ctx.secrets, id, recoveryCodes);
  await judgeProof(ctx, who, async () => {
    if (await confirmBy(ctx, who, otp, hashes)) return undefined;
    await auditWrongProof(ctx, who, 'enrolment', 'OTP_WRONG');
    return new ApiError('OTP_WRONG', {}, 'otp');
  });
  return { recoveryCodes };
}

/** Returns false, and changes nothing, if the code is wrong. */
async function confirmBy(ctx: Context, who: Who, otp: string, hashes: readonly Buffer[]): Promise<boolean> {
  const { id } = who.user;
  return endOthers(ctx, who, async (tx, now) => {
    const factor = await findFactor(tx, id);
    if (factor === undefined || factor.confirmedAt !== null) throw new ApiError('NOTHING_TO_DO');
    const secret = ctx.secrets.open(factor.secret, secretPurpose(id));
    const step = stepOfCode(secret, plainCode(otp), { now, after: factor.lastStep });
    if (step === undefined) return false;
    await confirmFactor(tx, id, step, new Date(now));
    if (hashes.length > 0) await insertRecoveryCodes(tx, id, hashes);
    await audit(tx, who, 'second_factor_enrolled', now);
    return true;
  });
}

/** Requires password and code: neither an unlocked screen nor a stolen phone alone suffices. */
export async function removeFactor(ctx: Context, who: Who, given: GivenPassword & { otp: string }): Promise<void> {
  const { user, ip } = who;
  if (!(await hasCode(ctx.db, user.id))) throw new ApiError('NOTHING_TO_DO');
  await requirePassword(ctx, who, given, 'removal');
  await judgeProof(ctx, who, () => judgeFactor(ctx, { userId: user.id, otp: given.otp, ip, about: { for: 'removal' } }));
  await endOthers(ctx, who, async (tx, now) => {
    if (!(await hasCode(tx, user.id))) throw new ApiError('NOTHING_TO_DO');
    const hasKeys = (await findKeys(tx, user.id)).length > 0;
    await (hasKeys ? parkCode(tx, user.id, parkedSecret(ctx, user.id), new Date(now)) : dropCode(tx, user.id));
    await audit(tx, who, 'second_factor_removed', now);
    return true;
  });
}
