import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { writeAudit } from '#db/audit.ts';
import { revokeSession } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { countProof, forgetProofs, takeBackProof } from './queries.ts';

/** Consecutive wrong passwords and codes after which a session ends. */
const MAX_WRONG_PROOFS = 5;

/**
 * Checks a password or code of an existing session. Counting precedes checking, so concurrent attempts cannot exceed the limit;
 * callers without the session cannot consume its attempts. `judge` returns the reason of a refusal and audits it.
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
  await commitChanges(
    ctx,
    async (tx) => {
      await revokeSession(tx, user.sessionId, new Date(now));
      await writeAudit(tx, { userId: user.id, action: 'session_ended_by_proofs', entity: 'user', entityId: user.id, detail, ip }, now);
    },
    () => [sessionsEnded([user.sessionId], 'wrong_proofs')],
  );
}
