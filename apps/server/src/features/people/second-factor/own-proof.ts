import { PROOF_MINUTES } from '@hes/contract/auth/second-factor.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
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
}

/** Until when a session is believed without another proof; undefined: it is not. */
export async function provedUntil(ctx: Context, sessionId: string): Promise<number | undefined> {
  const provedAt = await findProof(ctx.db, sessionId);
  const until = (provedAt?.getTime() ?? 0) + PROOF_MS;
  return until > ctx.clock.now() ? until : undefined;
}

async function judgePassword(ctx: Context, { user, ip }: Who, check: ProofCheck): Promise<ApiError | undefined> {
  const { passwordHash } = await findPasswordHash(ctx.db, user.id);
  if (await isPassword(check.password, passwordHash, 'signed-in')) return undefined;
  const detail = { why: 'OLD_PASSWORD_WRONG' };
  const entry = { userId: user.id, action: 'call_refused', entity: 'user', entityId: user.id, detail, ip } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  return new ApiError('OLD_PASSWORD_WRONG', {}, 'password');
}

/**
 * Takes the proof that the person is there: a code of who has a second factor, else the password. It holds for five minutes of this session;
 * a wrong one is a refused attempt on record, and five in a row end the session.
 */
export async function takeProof(ctx: Context, who: Who, check: ProofCheck): Promise<number> {
  const { user, ip } = who;
  const seconds = check.tries.take(user.id);
  if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
  if (await hasSecondFactor(ctx.db, user.id)) {
    if (check.otp === '') throw new ApiError('OTP_REQUIRED', {}, 'otp');
    await judgeProof(ctx, who, () => judgeCode(ctx, { userId: user.id, otp: check.otp, ip, about: { for: 'proof' } }));
  } else await judgeProof(ctx, who, () => judgePassword(ctx, who, check));
  const now = ctx.clock.now();
  await ctx.db.transaction().execute((tx) => noteProof(tx, user.sessionId, new Date(now)));
  return now + PROOF_MS;
}

/** Refuses while this session has given no proof in the last five minutes, and says which one is asked for. */
export async function requireProof(ctx: Context, { user }: Who): Promise<void> {
  if ((await provedUntil(ctx, user.sessionId)) !== undefined) return;
  const refusal = new ApiError('PROOF_REQUIRED');
  refusal.proof = (await hasSecondFactor(ctx.db, user.id)) ? 'code' : 'password';
  throw refusal;
}
