import { randomUUID } from 'node:crypto';
import { writeAudit } from '#db/audit.ts';
import { holdFailures, setFailures } from '#db/failures.ts';
import { hasSecondFactor, judgeCode } from '#modules/auth/second-factor/api.ts';
import type { AccessTokens } from '#platform/access-token.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context } from '#platform/context.ts';
import { failOnce, lockedError, lockedMinutes, MAX_FAILURES, NO_FAILURES, type Failures } from '#platform/lock-out.ts';
import type { Nonces } from '#platform/nonces.ts';
import { hashPassword, isPassword } from '#platform/passwords.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import {
  findAccount,
  findAccountById,
  findSessionForUpdate,
  insertSession,
  noteSignIn,
  revokeSession,
  rotateSession,
  type Account,
} from './queries.ts';
import { hashSecret, isSecretOf, newSecret, type RefreshToken } from './refresh-token.ts';

/** Without a call for this long the session ends. */
export const IDLE_SECONDS = 12 * 3600;
const LONGEST_SECONDS = 7 * 86_400;
/** Tabs that refresh at the same moment all hold the previous token. */
const SAME_MOMENT_MS = 20_000;
/** Only the last tries are counted aloud. */
const TRIES_TOLD = 3;
const MAX_STRANGERS = 10_000;

export interface SignedIn {
  accessToken: string;
  /** Undefined: the cookie that was sent goes on. */
  refresh: RefreshToken | undefined;
  user: { id: string; username: string; name: string; mustChangePassword: boolean };
}

export interface Caller {
  ip: string;
  agent: string | undefined;
}

/** A password that was right. It is worth nothing once that password is no longer the user's. */
export interface Ticket {
  userId: string;
  passwordHash: string;
}

export interface AuthParts {
  tokens: AccessTokens;
  sliders: Nonces;
  /** Of those who gave the password, and not yet the code. */
  tickets: Nonces<Ticket>;
  /** By address and user name. */
  tries: RateLimiter;
}

/** Signs people in and keeps their sessions. */
export class SignIn {
  readonly #ctx: Context;
  readonly #parts: AuthParts;
  /** Names nobody has are counted and locked like real ones, so that an answer does not tell which exist. */
  readonly #strangers = new Map<string, Failures>();
  /** Compared for a name nobody has, so that the answer takes as long. */
  readonly #nobody = hashPassword(newSecret());

  constructor(ctx: Context, parts: AuthParts) {
    this.#ctx = ctx;
    this.#parts = parts;
  }

  /** Counts a try of an address for a name. */
  #throttle(username: string, caller: Caller): ApiError | undefined {
    const seconds = this.#parts.tries.take(`${caller.ip} ${username.toLowerCase()}`);
    return seconds > 0 ? new ApiError('RATE_LIMIT', { seconds }) : undefined;
  }

  async withPassword(given: { username: string; password: string; slider: string; otp: string }, caller: Caller): Promise<SignedIn> {
    const throttled = this.#throttle(given.username, caller);
    if (throttled !== undefined) throw throttled;
    if (!this.#parts.sliders.spend(given.slider)) throw new ApiError('SLIDER_INVALID');
    const account = await findAccount(this.#ctx.db, given.username);
    const now = this.#ctx.clock.now();
    const failures =
      account === undefined
        ? (this.#strangers.get(given.username.toLowerCase()) ?? NO_FAILURES)
        : { count: account.failedCount, since: account.failedSince };
    const minutes = lockedMinutes(failures, now);
    if (minutes > 0) throw lockedError(minutes);
    const isRight = await isPassword(given.password, account?.passwordHash ?? (await this.#nobody));
    if (account === undefined || !isRight) throw await this.#refuse(given.username, account, caller);
    // Told only to who knows the password.
    if (account.lock) throw new ApiError('LOCKED', { reason: account.lockReason ?? { en: 'by an administrator', zh: '已被管理员锁定' } });
    if (!(await hasSecondFactor(this.#ctx.db, account.id))) return this.#open(account, caller);
    if (given.otp === '') throw this.#withTicket(new ApiError('MFA_REQUIRED'), account);
    return this.#openWithCode(account, given.otp, caller);
  }

  /** The second step: a code, by who gave the password a moment ago. */
  async withTicket(given: { ticket: string; otp: string }, caller: Caller): Promise<SignedIn> {
    const ticket = this.#parts.tickets.spend(given.ticket);
    const account = ticket && (await findAccountById(this.#ctx.db, ticket.userId));
    if (account === undefined || account.lock || account.passwordHash !== ticket?.passwordHash) throw new ApiError('MFA_EXPIRED');
    const throttled = this.#throttle(account.username, caller);
    if (throttled !== undefined) throw this.#withTicket(throttled, account);
    return this.#openWithCode(account, given.otp, caller);
  }

  async #openWithCode(account: Account, otp: string, caller: Caller): Promise<SignedIn> {
    const refusal = await judgeCode(this.#ctx, { userId: account.id, otp, ip: caller.ip, about: { for: 'sign-in' } });
    if (refusal === undefined) return this.#open(account, caller);
    throw refusal.code === 'LOCKED' ? refusal : this.#withTicket(refusal, account);
  }

  /** With a wrong code nobody types the password again. */
  #withTicket(refusal: ApiError, { id, passwordHash }: Account): ApiError {
    refusal.ticket = this.#parts.tickets.issue({ userId: id, passwordHash }).nonce;
    return refusal;
  }

  async #refuse(username: string, account: Account | undefined, caller: Caller): Promise<ApiError> {
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const failures = await db.transaction().execute(async (tx) => {
      const failures =
        account === undefined ? this.#countStranger(username.toLowerCase(), now) : failOnce(await holdFailures(tx, account.id), now);
      if (account !== undefined) await setFailures(tx, account.id, failures);
      const detail = { username: username.slice(0, 64), failures: failures.count };
      await writeAudit(
        tx,
        { userId: account?.id ?? null, action: 'sign_in_failed', entity: 'user', entityId: account?.id ?? null, detail, ip: caller.ip },
        now,
      );
      return failures;
    });
    const left = MAX_FAILURES - failures.count;
    if (left <= 0) return lockedError(lockedMinutes(failures, now));
    return left <= TRIES_TOLD ? new ApiError('INVALID_GRANT_TRIES', { left }) : new ApiError('INVALID_GRANT');
  }

  #countStranger(name: string, now: number): Failures {
    const failures = failOnce(this.#strangers.get(name) ?? NO_FAILURES, now);
    this.#strangers.delete(name);
    this.#strangers.set(name, failures);
    if (this.#strangers.size > MAX_STRANGERS) this.#strangers.delete(this.#strangers.keys().next().value ?? '');
    return failures;
  }

  async #open(account: Account, caller: Caller): Promise<SignedIn> {
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const refresh = { sessionId: randomUUID(), secret: newSecret() };
    await db.transaction().execute(async (tx) => {
      await noteSignIn(tx, account.id, new Date(now));
      const dates = { issuedAt: new Date(now), expiresAt: new Date(now + IDLE_SECONDS * 1000) };
      await insertSession(tx, {
        id: refresh.sessionId,
        userId: account.id,
        refreshHash: hashSecret(refresh.secret),
        ip: caller.ip,
        agent: caller.agent?.slice(0, 256) ?? null,
        ...dates,
      });
      await writeAudit(tx, { userId: account.id, action: 'sign_in', entity: 'user', entityId: account.id, ip: caller.ip }, now);
    });
    const { id, username, name, mustChangePassword } = account;
    return { accessToken: await this.#parts.tokens.issue(refresh.sessionId), refresh, user: { id, username, name, mustChangePassword } };
  }

  /** A new access token, and a new refresh token. One that was used before means that somebody copied it: the session ends. */
  async withRefresh(token: RefreshToken | undefined, caller: Caller): Promise<SignedIn> {
    if (token === undefined) throw new ApiError('INVALID_GRANT');
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const secret = newSecret();
    const outcome = await db.transaction().execute(async (tx) => {
      const session = await findSessionForUpdate(tx, token.sessionId, new Date(now));
      if (session === undefined) return undefined;
      if (isSecretOf(token.secret, session.refreshHash)) {
        const expiresAt = new Date(Math.min(now + IDLE_SECONDS * 1000, session.issuedAt.getTime() + LONGEST_SECONDS * 1000));
        await rotateSession(tx, session.id, {
          refreshHash: hashSecret(secret),
          previousHash: session.refreshHash,
          rotatedAt: new Date(now),
          expiresAt,
        });
        return { session, isRotated: true };
      }
      if (isSecretOf(token.secret, session.previousHash) && now - session.rotatedAt.getTime() < SAME_MOMENT_MS)
        return { session, isRotated: false };
      await revokeSession(tx, session.id, new Date(now));
      await writeAudit(
        tx,
        { userId: session.userId, action: 'refresh_token_reused', entity: 'user', entityId: session.userId, ip: caller.ip },
        now,
      );
      return 'stolen' as const;
    });
    if (outcome === 'stolen') this.#announceEnd(token.sessionId, 'refresh_token_reused');
    if (outcome === undefined || outcome === 'stolen') throw new ApiError('INVALID_GRANT');
    const { userId: id, username, name, mustChangePassword } = outcome.session;
    return {
      accessToken: await this.#parts.tokens.issue(token.sessionId),
      refresh: outcome.isRotated ? { sessionId: token.sessionId, secret } : undefined,
      user: { id, username, name, mustChangePassword },
    };
  }

  /** Ends the session of the cookie, if there is one. */
  async signOut(token: RefreshToken | undefined, caller: Caller): Promise<void> {
    if (token === undefined) return;
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const isEnded = await db.transaction().execute(async (tx) => {
      const session = await findSessionForUpdate(tx, token.sessionId, new Date(now));
      if (session === undefined || !(isSecretOf(token.secret, session.refreshHash) || isSecretOf(token.secret, session.previousHash)))
        return false;
      await revokeSession(tx, session.id, new Date(now));
      await writeAudit(tx, { userId: session.userId, action: 'sign_out', entity: 'user', entityId: session.userId, ip: caller.ip }, now);
      return true;
    });
    if (isEnded) this.#announceEnd(token.sessionId, 'signed_out');
  }

  #announceEnd(sessionId: string, reason: string): void {
    announceSessionEnd(this.#ctx, sessionId, reason);
  }
}

/** Closes what a session holds open, everywhere. */
export function announceSessionEnd(ctx: Context, sessionId: string, reason: string): void {
  ctx.bus.publish(`session:${sessionId}`, {
    type: 'session.revoked',
    ts: new Date(ctx.clock.now()).toISOString(),
    id: '0',
    data: { reason },
  });
}
