import type { Assertion } from '@hes/contract/core/own-proof.ts';
import { writeAudit } from '#db/audit.ts';
import { lockFailures, lockUser, setFailures, type Counter } from '#db/sign-in-failures.ts';
import { changeRights } from '#db/right-seals.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx } from '#db/context.ts';
import { countFailure, lockedError, lockedMinutes, MAX_FAILURES } from '#platform/lock-out.ts';
import { stepOfCode } from '#platform/totp.ts';
import { noteKeyUse, takeKey } from '#features/people/security-key/key-queries.ts';
import type { RelyingParty } from '#features/people/security-key/relying-party.ts';
import { verifyAssertion } from '#features/people/security-key/verify.ts';
import { countRecoveryCodes, findFactor, findRecoveryHashes, noteStep, spendRecoveryCode } from './queries.ts';
import { hashRecoveryCode, isRecoveryCode, plainCode } from './recovery.ts';

/** A refusal reports the number of remaining attempts only if it is at most this. */
const TRIES_TOLD = 3;

/** Purpose that binds a sealed secret to its user. */
export const secretPurpose = (userId: string): string => `user/${userId}/totp`;

/** The answer of a security key, whose challenge is spent before. */
export interface GivenKey {
  answer: Assertion;
  challenge: string;
  party: RelyingParty;
}

export interface GivenFactor {
  userId: string;
  /** A code, or the answer of a key. */
  otp: string | GivenKey;
  ip: string;
  /** Purpose of the check, for the audit log. */
  about: Record<string, unknown>;
  /** Counter of wrong codes at sign-in. `judgeProof` counts those of an existing session. */
  counter?: Counter;
}

type Taken = 'code' | 'recovery_code' | 'key' | 'copied';

/** Verifies the answer of a key and notes its counter. Undefined: the user has no such key, or the signature is refused. */
async function takeAnswer(tx: Tx, userId: string, given: GivenKey, now: number): Promise<'key' | 'copied' | undefined> {
  const key = await takeKey(tx, userId, Buffer.from(given.answer.id, 'base64url'));
  if (key?.rpId !== given.party.id) return undefined;
  const counter = await verifyAssertion(key, given);
  if (counter === undefined || counter === 'copied') return counter;
  await noteKeyUse(tx, key.id, counter, new Date(now));
  return 'key';
}

/** Consumes a TOTP or recovery code, or the answer of a key. Returns undefined if it is invalid. */
async function takeFactor(
  { secrets }: Context,
  tx: Tx,
  { userId, otp, recoveryHash }: GivenFactor & { recoveryHash: Buffer | undefined },
  now: number,
): Promise<Taken | undefined> {
  if (typeof otp !== 'string') return takeAnswer(tx, userId, otp, now);
  const plain = plainCode(otp);
  if (isRecoveryCode(plain)) {
    if (recoveryHash === undefined) return undefined;
    const spend = () => spendRecoveryCode(tx, userId, recoveryHash);
    return (await changeRights(tx, [{ kind: 'user', id: userId }], spend)) ? 'recovery_code' : undefined;
  }
  const factor = await findFactor(tx, userId);
  if (factor === undefined || factor.confirmedAt === null) return undefined;
  const step = stepOfCode(secrets.open(factor.secret, secretPurpose(userId)), plain, { now, after: factor.lastStep });
  if (step === undefined) return undefined;
  await noteStep(tx, userId, step);
  return 'code';
}

/** Hashes a recovery code before the transaction, so that no database connection waits for it. A locked name is rejected before hashing. */
async function hashIfRecovery({ db, secrets, clock }: Context, { userId, otp, counter }: GivenFactor): Promise<Buffer | undefined> {
  if (typeof otp !== 'string') return undefined;
  const plain = plainCode(otp);
  if (!isRecoveryCode(plain)) return undefined;
  const before = counter && (await db.transaction().execute((tx) => lockFailures(tx, counter)));
  if (before !== undefined && lockedMinutes(before, clock.now()) > 0) return undefined;
  const lane = counter === undefined || counter.browser !== undefined ? 'signed-in' : 'unknown';
  return hashRecoveryCode(secrets, { userId, plain, lane }, await findRecoveryHashes(db, userId));
}

/** Refusal of a wrong factor with `left` attempts until the lock; undefined: there is no lock. */
function refusalOf({ otp }: GivenFactor, left: number | undefined): ApiError {
  if (typeof otp !== 'string') return new ApiError('KEY_REFUSED');
  return left !== undefined && left <= TRIES_TOLD ? new ApiError('OTP_WRONG_TRIES', { left }, 'otp') : new ApiError('OTP_WRONG', {}, 'otp');
}

/**
 * Accepts each code and each answer of a key once. At sign-in a wrong one counts like a wrong password, up to the lock.
 * Returns the refusal instead of throwing it, because a throw would roll back the counter.
 */
export async function judgeFactor(ctx: Context, given: GivenFactor): Promise<ApiError | undefined> {
  const { userId, ip, about, counter } = given;
  const now = ctx.clock.now();
  const entry = { userId, entity: 'user', entityId: userId, ip } as const;
  const recoveryHash = await hashIfRecovery(ctx, given);
  return ctx.db.transaction().execute(async (tx) => {
    await lockUser(tx, userId);
    const before = counter && (await lockFailures(tx, counter));
    const minutes = before === undefined ? 0 : lockedMinutes(before, now);
    if (minutes > 0) return lockedError(minutes);
    const taken = await takeFactor(ctx, tx, { ...given, recoveryHash }, now);
    if (taken === 'code' || taken === 'key') return undefined;
    if (taken === 'recovery_code') {
      const detail = { ...about, left: await countRecoveryCodes(tx, userId) };
      await writeAudit(tx, { ...entry, action: 'recovery_code_used', detail }, now);
      return undefined;
    }
    const failures = before && countFailure(before, now);
    if (counter !== undefined && failures !== undefined) await setFailures(tx, counter, failures);
    const why = taken === 'copied' ? { why: 'COPIED_KEY' } : typeof given.otp === 'string' ? {} : { why: 'KEY_REFUSED' };
    const detail = { ...about, ...why, ...(failures === undefined ? {} : { failures: failures.count }) };
    await writeAudit(tx, { ...entry, action: 'second_factor_failed', detail }, now);
    const left = failures && MAX_FAILURES - failures.count;
    return failures !== undefined && left !== undefined && left <= 0 ? lockedError(lockedMinutes(failures, now)) : refusalOf(given, left);
  });
}
