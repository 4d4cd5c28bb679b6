import type { Assertion, ProofKind } from '@hes/contract/core/own-proof.ts';
import { PROOF_MINUTES } from '@hes/contract/auth/second-factor.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import type { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import type { Directories } from '#features/people/external/directories.ts';
import { findIdentityOfUser } from '#features/people/external/identity-queries.ts';
import type { KeyChallenges } from '#features/people/security-key/challenges.ts';
import { findKeys } from '#features/people/security-key/key-queries.ts';
import type { RelyingParty } from '#features/people/security-key/relying-party.ts';
import { judgeFactor } from './judge.ts';
import { findProof, hasCode, hasSecondFactor, noteProof } from './queries.ts';
import { judgeProof } from './session-proof.ts';

export const PROOF_MS = PROOF_MINUTES * 60_000;

export interface ProofCheck {
  password: string;
  otp: string;
  /** The answer of a key, in place of a code. */
  assertion?: Assertion | undefined;
  tries: SharedRateLimiter;
  keys: KeyChallenges;
  directories: Directories;
  party: RelyingParty | undefined;
}

/** Time until which the last proof of a session is valid, or undefined if there is none. */
export async function provedUntil(ctx: Context, sessionId: string): Promise<number | undefined> {
  const provedAt = await findProof(ctx.db, sessionId);
  const until = (provedAt?.getTime() ?? 0) + PROOF_MS;
  return until > ctx.clock.now() ? until : undefined;
}

async function judgePassword(ctx: Context, { user, ip }: Who, check: ProofCheck): Promise<ApiError | undefined> {
  if (await check.directories.isOwnPassword(user.id, check.password)) return undefined;
  const detail = { why: 'OLD_PASSWORD_WRONG' };
  const entry = { userId: user.id, action: 'call_refused', entity: 'user', entityId: user.id, detail, ip } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  return new ApiError('OLD_PASSWORD_WRONG', {}, 'password');
}

/**
 * Checks the proof of presence: a code or key if the user has a second factor, otherwise the password. It is valid for five minutes in this session.
 * Failed attempts are audited; five in a row end the session.
 */
export async function takeProof(ctx: Context, who: Who, check: ProofCheck): Promise<number> {
  const { user, ip } = who;
  const seconds = await check.tries.take(user.id);
  if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
  if (await hasSecondFactor(ctx.db, user.id)) {
    const otp = check.assertion === undefined ? check.otp : await check.keys.answered(user, check.assertion, check.party);
    if (otp === '') throw new ApiError('OTP_REQUIRED', {}, 'otp');
    await judgeProof(ctx, who, () => judgeFactor(ctx, { userId: user.id, otp, ip, about: { for: 'proof' } }));
  } else await judgeProof(ctx, who, () => judgePassword(ctx, who, check));
  const now = ctx.clock.now();
  await ctx.db.transaction().execute((tx) => noteProof(tx, user.sessionId, new Date(now)));
  return now + PROOF_MS;
}

/** An OpenID provider proves its own users; others, also those of a directory, use a key or a code, or the password without a second factor. */
async function kindOfProof({ db }: Context, userId: string): Promise<ProofKind> {
  if ((await findIdentityOfUser(db, userId))?.providerKind === 'oidc') return 'provider';
  if ((await findKeys(db, userId)).length > 0) return 'key';
  return (await hasCode(db, userId)) ? 'code' : 'password';
}

/** Throws if this session has no proof from the last five minutes. The error names the kind of proof required. */
export async function requireProof(ctx: Context, { user }: Who): Promise<void> {
  if ((await provedUntil(ctx, user.sessionId)) !== undefined) return;
  const refusal = new ApiError('PROOF_REQUIRED');
  refusal.proof = await kindOfProof(ctx, user.id);
  throw refusal;
}
