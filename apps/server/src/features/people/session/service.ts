import type { OwnSession } from '@hes/contract/auth/session.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { writeAudit } from '#db/audit.ts';
import { requireProof } from '#features/people/second-factor/own-proof.ts';
import { revokeSessions } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { endSessionOf, findSessions } from './queries.ts';

export async function listOwnSessions(ctx: Context, { id, sessionId }: User): Promise<OwnSession[]> {
  const rows = await findSessions(ctx.db, id, new Date(ctx.clock.now()));
  return rows.map((row) => ({
    id: row.id,
    issuedAt: row.issuedAt.toISOString(),
    lastUsedAt: row.rotatedAt.toISOString(),
    endsAt: row.expiresAt.toISOString(),
    ip: row.ip,
    agent: row.agent,
    isCurrent: row.id === sessionId,
  }));
}

const audit = (tx: Tx, { user, ip }: Who, sessions: number, now: number) =>
  writeAudit(tx, { userId: user.id, action: 'session_ended_by_user', entity: 'user', entityId: user.id, detail: { sessions }, ip }, now);

export async function endOwnSession(ctx: Context, who: Who, id: string): Promise<void> {
  await requireProof(ctx, who);
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      if (!(await endSessionOf(tx, who.user.id, id, new Date(now)))) throw new ApiError('NOT_FOUND');
      await audit(tx, who, 1, now);
    },
    () => [sessionsEnded([id], 'ended_by_user')],
  );
}

/** Ends all sessions of the user except the current one, and returns their number. */
export async function endOtherSessions(ctx: Context, who: Who): Promise<number> {
  await requireProof(ctx, who);
  const now = ctx.clock.now();
  const ended = await commitChanges(
    ctx,
    async (tx) => {
      const ids = await revokeSessions(tx, who.user.id, new Date(now), { except: who.user.sessionId });
      if (ids.length > 0) await audit(tx, who, ids.length, now);
      return ids;
    },
    (done) => [sessionsEnded(done, 'ended_by_user')],
  );
  return ended.length;
}
