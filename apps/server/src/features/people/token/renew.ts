import { writeAudit } from '#db/audit.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import type { Context, Tx } from '#db/context.ts';
import { areIntact, isSessionIntact, sessionSeal } from '#db/right-seals.ts';
import { judgeLocally } from '#features/people/emergency/local-sign-in.ts';
import { findProvider } from '#features/people/external/provider-queries.ts';
import { ApiError } from '#platform/api-error.ts';
import { HOUR_SECONDS, IDLE_SECONDS, LONGEST_SECONDS, type AuthParts, type Caller, type SignedIn } from './parts.ts';
import { findSessionForUpdate, findSessionUser, revokeSession, rotateSession, type StoredSession } from './queries.ts';
import { hashSecret, isSecretOf, type RefreshToken } from './refresh-token.ts';

/** The previous token stays valid for this time, because several tabs may refresh concurrently. */
const SAME_MOMENT_MS = 20_000;

/** Issues a new access and refresh token. Reuse of a refresh token proves a copy and ends the session. */
export async function renewSession(ctx: Context, parts: AuthParts, token: RefreshToken | undefined, caller: Caller): Promise<SignedIn> {
  if (token === undefined) throw new ApiError('INVALID_GRANT');
  const now = ctx.clock.now();
  const secret = parts.refreshSecrets.issue(token.sessionId);
  const outcome = await commitChanges(
    ctx,
    async (tx) => {
      const session = await findSessionForUpdate(tx, token.sessionId, new Date(now));
      // A session row inserted into the database may contain any hash, but only this server can issue a secret.
      if (session === undefined || !parts.refreshSecrets.isOf(token)) return undefined;
      if (!isSessionIntact(tx, session) || !(await areIntact(tx, [{ kind: 'user', id: session.userId }]))) return undefined;
      const longestS = await longestSeconds(ctx, tx, session);
      if (longestS === undefined) return undefined;
      if (isSecretOf(token.secret, session.refreshHash)) {
        const expiresAt = new Date(Math.min(now + IDLE_SECONDS * 1000, session.issuedAt.getTime() + longestS * 1000));
        await rotateSession(tx, session.id, {
          refreshHash: hashSecret(secret),
          previousHash: session.refreshHash,
          rotatedAt: new Date(now),
          expiresAt,
          seal: sessionSeal(tx, { ...session, expiresAt }),
        });
        return { session, isRotated: true };
      }
      if (isSecretOf(token.secret, session.previousHash) && now - session.rotatedAt.getTime() < SAME_MOMENT_MS)
        return { session, isRotated: false };
      // This server issued the secret earlier, so the token was copied.
      await revokeSession(tx, session.id, new Date(now));
      await writeAudit(
        tx,
        { userId: session.userId, action: 'refresh_token_reused', entity: 'user', entityId: session.userId, ip: caller.ip },
        now,
      );
      return 'stolen' as const;
    },
    (done) => (done === 'stolen' ? [sessionsEnded([token.sessionId], 'refresh_token_reused')] : []),
  );
  if (outcome === undefined || outcome === 'stolen') throw new ApiError('INVALID_GRANT');
  const { userId: id, username, name, mustChangePassword, providerId } = outcome.session;
  if (providerId !== null && outcome.isRotated) {
    await parts.directories.recheck(id, caller.ip);
    if ((await findSessionUser(ctx.db, token.sessionId, new Date(ctx.clock.now()))) === undefined) throw new ApiError('INVALID_GRANT');
  }
  return {
    accessToken: await parts.tokens.issue(token.sessionId),
    refresh: outcome.isRotated ? { sessionId: token.sessionId, secret } : undefined,
    browser: undefined,
    user: { id, username, name, mustChangePassword },
  };
}

/** Longest time of a session; undefined if passwords are switched off for its user, or if its identity provider is off, deleted, or was changed outside the product. */
async function longestSeconds({ secrets }: Context, tx: Tx, { providerId, username }: StoredSession): Promise<number | undefined> {
  if (providerId === null) return (await judgeLocally(tx, username)).isAllowed ? LONGEST_SECONDS : undefined;
  const provider = await findProvider({ secrets, db: tx }, providerId);
  if (provider?.content?.config.isEnabled !== true) return undefined;
  return Math.min(LONGEST_SECONDS, provider.content.config.sessionHours * HOUR_SECONDS);
}

/** Ends the session of the cookie, if any. */
export async function endSession(ctx: Context, token: RefreshToken | undefined, caller: Caller): Promise<void> {
  if (token === undefined) return;
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const session = await findSessionForUpdate(tx, token.sessionId, new Date(now));
      if (session === undefined || !(isSecretOf(token.secret, session.refreshHash) || isSecretOf(token.secret, session.previousHash)))
        return false;
      await revokeSession(tx, session.id, new Date(now));
      await writeAudit(tx, { userId: session.userId, action: 'sign_out', entity: 'user', entityId: session.userId, ip: caller.ip }, now);
      return true;
    },
    (isEnded) => (isEnded ? [sessionsEnded([token.sessionId], 'signed_out')] : []),
  );
}
