import { writeAudit } from '#db/audit.ts';
import { lockFailures, lockUser, setFailures, type Counter } from '#db/sign-in-failures.ts';
import { changeRights } from '#db/right-seals.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx } from '#db/context.ts';
import { countFailure, lockedError, lockedMinutes, MAX_FAILURES } from '#platform/lock-out.ts';
import { stepOfCode } from '#platform/totp.ts';
import { countRecoveryCodes, findFactor, findRecoveryHashes, noteStep, spendRecoveryCode } from './queries.ts';
import { hashRecoveryCode, isRecoveryCode, plainCode } from './recovery.ts';

/** A refusal reports the number of remaining attempts only if it is at most this. */
const TRIES_TOLD = 3;

/** Purpose that binds a sealed secret to its user. */
export const secretPurpose = (userId: string): string => `user/${userId}/totp`;

export interface GivenCode {
  userId: string;
  otp: string;
  ip: string;
  /** Purpose of the code, for the audit log. */
  about: Record<string, unknown>;
  /** Counter of wrong codes at sign-in. `judgeProof` counts those of an existing session. */
  counter?: Counter;
}

type Taken = 'code' | 'recovery_code';

/** Consumes a TOTP or recovery code. Returns undefined if the code is invalid. */
async function takeCode(
  { secrets }: Context,
  tx: Tx,
  { userId, otp, recoveryHash }: GivenCode & { recoveryHash: Buffer | undefined },
  now: number,
): Promise<Taken | undefined> {
  const factor = await findFactor(tx, userId);
  if (factor === undefined || factor.confirmedAt === null) return undefined;
  const plain = plainCode(otp);
  if (isRecoveryCode(plain)) {
    if (recoveryHash === undefined) return undefined;
    const spend = () => spendRecoveryCode(tx, userId, recoveryHash);
    return (await changeRights(tx, [{ kind: 'user', id: userId }], spend)) ? 'recovery_code' : undefined;
  }
  const step = stepOfCode(secrets.open(factor.secret, secretPurpose(userId)), plain, { now, after: factor.lastStep });
  if (step === undefined) return undefined;
  await noteStep(tx, userId, step);
  return 'code';
}

/** Hashes a recovery code before the transaction, so that no database connection waits for it. A locked name is rejected before hashing. */
async function hashIfRecovery({ db, secrets, clock }: Context, { userId, otp, counter }: GivenCode): Promise<Buffer | undefined> {
  const plain = plainCode(otp);
  if (!isRecoveryCode(plain)) return undefined;
  const before = counter && (await db.transaction().execute((tx) => lockFailures(tx, counter)));
  if (before !== undefined && lockedMinutes(before, clock.now()) > 0) return undefined;
  const lane = counter === undefined || counter.browser !== undefined ? 'signed-in' : 'unknown';
  return hashRecoveryCode(secrets, { userId, plain, lane }, await findRecoveryHashes(db, userId));
}

/**
 * Accepts each code once. At sign-in a wrong code counts like a wrong password, up to the lock.
 * Returns the refusal instead of throwing it, because a throw would roll back the counter.
 */
export async function judgeCode(ctx: Context, given: GivenCode): Promise<ApiError | undefined> {
  const { userId, ip, about, counter } = given;
  const now = ctx.clock.now();
  const entry = { userId, entity: 'user', entityId: userId, ip } as const;
  const recoveryHash = await hashIfRecovery(ctx, given);
  return ctx.db.transaction().execute(async (tx) => {
    await lockUser(tx, userId);
    const before = counter && (await lockFailures(tx, counter));
    const minutes = before === undefined ? 0 : lockedMinutes(before, now);
    if (minutes > 0) return lockedError(minutes);
    const taken = await takeCode(ctx, tx, { ...given, recoveryHash }, now);
    if (taken === 'code') return undefined;
    if (taken === 'recovery_code') {
      const detail = { ...about, left: await countRecoveryCodes(tx, userId) };
      await writeAudit(tx, { ...entry, action: 'recovery_code_used', detail }, now);
      return undefined;
    }
    const failures = before && countFailure(before, now);
    if (counter !== undefined && failures !== undefined) await setFailures(tx, counter, failures);
    const detail = { ...about, ...(failures === undefined ? {} : { failures: failures.count }) };
    await writeAudit(tx, { ...entry, action: 'second_factor_failed', detail }, now);
    if (failures === undefined) return new ApiError('OTP_WRONG', {}, 'otp');
    const left = MAX_FAILURES - failures.count;
    if (left <= 0) return lockedError(lockedMinutes(failures, now));
    return left <= TRIES_TOLD ? new ApiError('OTP_WRONG_TRIES', { left }, 'otp') : new ApiError('OTP_WRONG', {}, 'otp');
  });
}
