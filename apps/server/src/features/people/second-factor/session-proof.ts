import { writeAudit } from '#db/audit.ts';
import { announceSessionEnd } from '#features/people/token/session-end.ts';
import { revokeSession } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { countProof, forgetProofs, takeBackProof } from './queries.ts';

/** Wrong passwords and codes in a row that a session may give; the last one ends it. */
const MAX_WRONG_PROOFS = 5;

/**
 * Judges a password or code of a standing session. It is counted before it is judged, so that of many at the same moment no more are judged
 * than a session may fail; callers without the session cannot use up its tries. `judge` answers why the proof does not count, and audits it.
 */
export async function judgeProof(ctx: Context, who: Who, judge: () => Promise<ApiError | undefined>): Promise<void> {
  const { sessionId } = who.user;
  const tries = await countProof(ctx.db, sessionId);
  if (tries === undefined || tries > MAX_WRONG_PROOFS) throw new ApiError('TOKEN_INVALID');
  const refusal = await judge().catch(async (error: unknown) => {
    await takeBackProof(ctx.db, sessionId);
    throw error;
  });
  if (refusal === undefined) return forgetProofs(ctx.db, sessionId);
  if (tries < MAX_WRONG_PROOFS) throw refusal;
  await endSession(ctx, who);
  throw new ApiError('TOKEN_INVALID');
}

async function endSession(ctx: Context, { user, ip }: Who): Promise<void> {
  const now = ctx.clock.now();
  const detail = { failures: MAX_WRONG_PROOFS };
  await ctx.db.transaction().execute(async (tx) => {
    await revokeSession(tx, user.sessionId, new Date(now));
    await writeAudit(tx, { userId: user.id, action: 'session_ended_by_proofs', entity: 'user', entityId: user.id, detail, ip }, now);
  });
  announceSessionEnd(ctx, user.sessionId, 'wrong_proofs');
}
