import { randomUUID } from 'node:crypto';
import { writeAudit } from '#db/audit.ts';
import type { Context, Db } from '#db/context.ts';
import { setFailures, type Counter } from '#db/sign-in-failures.ts';
import { NO_FAILURES } from '#platform/lock-out.ts';
import { HOUR_SECONDS, IDLE_SECONDS, type AuthParts, type Caller, type SignedIn, type Vouching } from './parts.ts';
import { insertSession, isBrowserOfAnybody, keepBrowser, noteSignIn, type Account } from './queries.ts';
import { hashSecret, newBrowserSecret } from './refresh-token.ts';

export interface Opening {
  account: Account;
  /** Failed attempts that the sign-in forgets; undefined for one without password. */
  counter: Counter | undefined;
  caller: Caller;
  /** The identity provider that vouches for the user; undefined: a password of this system. */
  provider?: Vouching | undefined;
}

/** Users of one browser share its secret. A secret that this server never issued is replaced. */
async function browserFor(db: Db, { browser }: Caller): Promise<string> {
  const isOurs = browser !== undefined && (await isBrowserOfAnybody(db, hashSecret(browser)));
  return isOurs ? browser : newBrowserSecret();
}

/** Opens a session for a user who was checked. */
export async function openSession(
  { db, clock }: Context,
  { refreshSecrets, tokens }: AuthParts,
  { account, counter, caller, provider }: Opening,
): Promise<SignedIn> {
  const now = clock.now();
  const sessionId = randomUUID();
  const refresh = { sessionId, secret: refreshSecrets.issue(sessionId) };
  const browser = await browserFor(db, caller);
  await db.transaction().execute(async (tx) => {
    if (counter !== undefined) await setFailures(tx, counter, NO_FAILURES);
    await noteSignIn(tx, account.id, new Date(now));
    await keepBrowser(tx, account.id, hashSecret(browser), new Date(now));
    const seconds = Math.min(IDLE_SECONDS, (provider?.hours ?? IDLE_SECONDS) * HOUR_SECONDS);
    const dates = { issuedAt: new Date(now), expiresAt: new Date(now + seconds * 1000) };
    await insertSession(tx, {
      id: refresh.sessionId,
      userId: account.id,
      refreshHash: hashSecret(refresh.secret),
      ip: caller.ip,
      agent: caller.agent?.slice(0, 256) ?? null,
      ...dates,
      ...(provider === undefined ? {} : { providerId: provider.id, providerSid: provider.sid }),
    });
    const detail = provider === undefined ? {} : { detail: { provider: provider.name } };
    const entry = { userId: account.id, action: 'sign_in', entity: 'user', entityId: account.id, ip: caller.ip, ...detail } as const;
    await writeAudit(tx, entry, now);
  });
  const { id, username, name, mustChangePassword } = account;
  const accessToken = await tokens.issue(refresh.sessionId);
  return { accessToken, refresh, browser, user: { id, username, name, mustChangePassword } };
}
