import { PROOF_MINUTES } from '@hes/contract/auth/second-factor.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#platform/context.ts';
import { isPassword } from '#platform/passwords.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { judgeCode } from './judge.ts';
import { findPasswordHash, findProof, hasSecondFactor, noteProof } from './queries.ts';
import { judgeProof } from './session-proof.ts';

const PROOF_MS = PROOF_MINUTES * 60_000;

export interface ProofCheck {
  password: string;
  otp: string;
  tries: RateLimiter;
  /** What is ordered; stands in the audit log with a refusal. */
  about: Record<string, unknown>;
  /** How the audit log calls a wrong password here. */
  refused: Pick<AuditEntry, 'action' | 'entity' | 'entityId'>;
}

/** Until when a session is believed without another code; undefined: it is not. */
export async function provedUntil(ctx: Context, sessionId: string): Promise<number | undefined> {
  const provedAt = await findProof(ctx.db, sessionId);
  const until = (provedAt?.getTime() ?? 0) + PROOF_MS;
  return until > ctx.clock.now() ? until : undefined;
}

async function judgePassword(ctx: Context, { user, ip }: Who, check: ProofCheck): Promise<ApiError | undefined> {
  const { passwordHash } = await findPasswordHash(ctx.db, user.id);
  if (await isPassword(check.password, passwordHash, 'signed-in')) return undefined;
  const entry = { userId: user.id, ...check.refused, detail: { why: 'OLD_PASSWORD_WRONG', ...check.about }, ip };
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  return new ApiError('OLD_PASSWORD_WRONG', {}, 'password');
}

/**
 * That the person is there, and not only their screen. Who has a second factor gives a code, which holds for five minutes of this
 * session; who has none gives the password. What is wrong is a refused attempt on record, and five in a row end the session.
 */
export async function checkOwnProof(ctx: Context, who: Who, check: ProofCheck): Promise<void> {
  const { user, ip } = who;
  const seconds = check.tries.take(user.id);
  if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
  if (!(await hasSecondFactor(ctx.db, user.id))) return judgeProof(ctx, who, () => judgePassword(ctx, who, check));
  if (check.otp === '') {
    if ((await provedUntil(ctx, user.sessionId)) === undefined) throw new ApiError('OTP_REQUIRED', {}, 'otp');
    return;
  }
  await judgeProof(ctx, who, () => judgeCode(ctx, { userId: user.id, otp: check.otp, ip, about: check.about }));
  await noteProof(ctx.db, user.sessionId, new Date(ctx.clock.now()));
}
