import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Assertion } from '@hes/contract/core/own-proof.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { writeAudit } from '#db/audit.ts';
import type { Nonces } from '#db/nonces.ts';
import type { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import { lockFailures, setFailures, type Counter, type UnknownName } from '#db/sign-in-failures.ts';
import { areIntact, isSessionIntact, sessionSeal } from '#db/right-seals.ts';
import { hasSecondFactor } from '#features/people/second-factor/queries.ts';
import type { Directories } from '#features/people/external/directories.ts';
import { findProvider } from '#features/people/external/provider-queries.ts';
import { judgeLocally, reportEmergency } from '#features/people/emergency/local-sign-in.ts';
import { judgeFactor, type GivenKey } from '#features/people/second-factor/judge.ts';
import { askKey } from '#features/people/security-key/ask-key.ts';
import type { RelyingParty } from '#features/people/security-key/relying-party.ts';
import type { AccessTokens } from '#platform/access-token.ts';
import { limitKeyOf } from '#platform/address.ts';
import { ApiError } from '#platform/api-error.ts';
import { msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context, Tx } from '#db/context.ts';
import { countFailure, lockedError, lockedMinutes, MAX_FAILURES, NO_FAILURES, revertFailure, type Failures } from '#platform/lock-out.ts';
import { hashPassword, isPassword } from '#platform/passwords.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import type { AttackAlarm } from './attack-alarm.ts';
import {
  findAccount,
  findAccountById,
  findSessionForUpdate,
  findSessionUser,
  insertSession,
  isBrowserKnown,
  isBrowserOfAnybody,
  keepBrowser,
  noteSignIn,
  revokeSession,
  rotateSession,
  type Account,
  type StoredSession,
} from './queries.ts';
import { hashSecret, isSecretOf, newBrowserSecret, newSecret, type RefreshSecrets, type RefreshToken } from './refresh-token.ts';

/** A session ends after this time without a refresh. */
export const IDLE_SECONDS = 12 * 3600;
const LONGEST_SECONDS = 7 * 86_400;
const HOUR_SECONDS = 3600;
/** The previous token stays valid for this time, because several tabs may refresh concurrently. */
const SAME_MOMENT_MS = 20_000;
/** A refusal reports the number of remaining attempts only if it is at most this. */
const TRIES_TOLD = 3;
const PASSWORD_ID_OCTETS = 16;
const CHANGED_OUTSIDE = {
  en: 'changed outside the product; an administrator has to look at it and seal it again',
  zh: '账号在系统外被更改，须由管理员核对并重新签封',
};
/** Minimum duration of a refusal, so that its timing does not reveal whether the name exists. */
const REFUSAL_MS = 200;

export interface SignedIn {
  accessToken: string;
  /** Undefined if the browser keeps its cookie. */
  refresh: RefreshToken | undefined;
  /** New secret of a known browser. Undefined if the browser keeps its own. */
  browser: string | undefined;
  user: { id: string; username: string; name: string; mustChangePassword: boolean };
}

export interface Caller {
  ip: string;
  agent: string | undefined;
  /** Secret that the browser got at an earlier sign-in. */
  browser: string | undefined;
  /** The site that security keys are bound to; undefined: there are none. */
  party: RelyingParty | undefined;
}

/** An identity provider that vouches for a user. */
export interface Vouching {
  id: string;
  name: string;
  /** The provider's name of the session. */
  sid: string | undefined;
  /** Longest time of the session. */
  hours: number;
}

export interface AuthParts {
  tokens: AccessTokens;
  refreshSecrets: RefreshSecrets;
  sliders: Nonces;
  /** Tickets of callers who passed the password check but not yet the code. */
  tickets: Nonces;
  /** Rate limit by address and user name. */
  tries: SharedRateLimiter;
  /** Rate limit by address across all names. */
  addresses: RateLimiter;
  /** Rate limit of audit rows for unknown names. */
  unknownNames: RateLimiter;
  alarm: AttackAlarm;
  events: EventWriter;
  directories: Directories;
}

/** An attempt, counted before its password is checked. */
interface Try {
  account: Account | undefined;
  counter: Counter | UnknownName;
  failures: Failures;
}

/** Signs users in and refreshes their sessions. */
export class SignIn {
  readonly #ctx: Context;
  readonly #parts: AuthParts;
  #unauditedNames = 0;
  /** Hash that is checked for an unknown name, so that the response takes the same time. */
  readonly #noPassword = hashPassword(newSecret());

  constructor(ctx: Context, parts: AuthParts) {
    this.#ctx = ctx;
    this.#parts = parts;
  }

  /** Counts an attempt by address, and by address and name. The first count is in memory, so a flood from one address writes no rows. */
  async #throttle(username: string, caller: Caller): Promise<ApiError | undefined> {
    const key = limitKeyOf(caller.ip);
    const seconds =
      this.#parts.addresses.take(key) || (await this.#parts.tries.take(this.#hashOf(`${key} ${username.toLowerCase()}`).toString('hex')));
    return seconds > 0 ? new ApiError('RATE_LIMIT', { seconds }) : undefined;
  }

  async withPassword(
    given: { username: string; password: string; slider: string; otp: string; provider?: string | undefined },
    caller: Caller,
  ): Promise<SignedIn> {
    const throttled = await this.#throttle(given.username, caller);
    if (throttled !== undefined) throw throttled;
    if ((await this.#parts.sliders.spend(given.slider)) === undefined) throw new ApiError('SLIDER_INVALID');
    const answerFrom = msAfter(this.#ctx.clock.monotonic(), REFUSAL_MS);
    const { provider } = given;
    if (provider !== undefined)
      return this.#withDirectory({ ...given, provider }, caller).catch((error: unknown) => this.#refuseLate(error, answerFrom));
    const { account, counter } = await this.#judgePassword(given, caller).catch((error: unknown) => this.#refuseLate(error, answerFrom));
    // Only callers with the correct password learn this reason.
    if (account.lock) throw new ApiError('LOCKED', { reason: account.lockReason ?? { en: 'by an administrator', zh: '已被管理员锁定' } });
    if (!account.isSealed) throw new ApiError('LOCKED', { reason: CHANGED_OUTSIDE });
    await this.#requireLocal(account, caller);
    if (!(await hasSecondFactor(this.#ctx.db, account.id))) return this.#openLocally(account, counter, caller);
    if (given.otp === '') throw await this.#withTicket(new ApiError('MFA_REQUIRED'), account, caller);
    return this.#openWithFactor(account, counter, given.otp, caller);
  }

  /** Name and password are judged by a directory; attempts are counted here too, so that it is not asked without limit. */
  async #withDirectory(
    { provider, username, password }: { provider: string; username: string; password: string },
    caller: Caller,
  ): Promise<SignedIn> {
    // PostgreSQL stores no NUL, and no directory has one in a name.
    if (username.includes('\0')) throw new ApiError('INVALID_GRANT');
    const counter = { nameHash: this.#hashOf(`${provider} ${username.toLowerCase()}`) };
    const failures = await this.#count(counter);
    const found = await this.#parts.directories.signIn(provider, { username, password, ip: caller.ip }).catch(async (error: unknown) => {
      await this.#takeBack(counter);
      throw error;
    });
    if (found === undefined) throw await this.#refuse(username, { account: undefined, counter, failures }, caller);
    await this.#takeBack(counter);
    const account = await findAccountById(this.#ctx.db, found.userId);
    if (account === undefined || account.lock || !account.isSealed) throw new ApiError('LOCKED', { reason: CHANGED_OUTSIDE });
    if (await hasSecondFactor(this.#ctx.db, account.id)) throw await this.#withTicket(new ApiError('MFA_REQUIRED'), account, caller);
    return this.#open(account, undefined, caller, found.vouching);
  }

  async #refuseLate(error: unknown, answerFrom: MonotonicMs): Promise<never> {
    await wait(Math.max(0, msBetween(this.#ctx.clock.monotonic(), answerFrom)));
    throw error;
  }

  /** Counts the attempt, then checks the password, so that concurrent attempts cannot exceed the limit of failures. */
  async #judgePassword(
    { username, password }: { username: string; password: string },
    caller: Caller,
  ): Promise<{ account: Account; counter: Counter }> {
    const attempt = await this.#countTry(username, caller);
    const { account, counter } = attempt;
    const lane = 'browser' in counter && counter.browser !== undefined ? 'signed-in' : 'unknown';
    let isRight: boolean;
    try {
      isRight = await isPassword(password, account?.passwordHash ?? (await this.#noPassword), lane);
    } catch (error) {
      await this.#takeBack(counter);
      throw error;
    }
    if (account === undefined || 'nameHash' in counter || !isRight) throw await this.#refuse(username, attempt, caller);
    await this.#takeBack(counter);
    return { account, counter };
  }

  /** Counts an attempt under a row lock before it is checked. Rejects a locked name regardless of the password. */
  async #countTry(username: string, caller: Caller): Promise<Try> {
    const account = await findAccount(this.#ctx.db, username);
    const counter = account === undefined ? { nameHash: this.#hashOf(username.toLowerCase()) } : await this.#counterOf(account.id, caller);
    return { account, counter, failures: await this.#count(counter) };
  }

  async #count(counter: Counter | UnknownName): Promise<Failures> {
    const now = this.#ctx.clock.now();
    const failures = await this.#ctx.db.transaction().execute(async (tx) => {
      const before = await lockFailures(tx, counter);
      const minutes = lockedMinutes(before, now);
      if (minutes > 0) return lockedError(minutes);
      const after = countFailure(before, now);
      await setFailures(tx, counter, after);
      return after;
    });
    if (failures instanceof ApiError) throw failures;
    return failures;
  }

  /** A known browser of the user has its own counter, so that attempts from unknown browsers do not lock it. */
  async #counterOf(userId: string, { browser }: Caller): Promise<Counter> {
    if (browser === undefined) return { userId, browser: undefined };
    const hash = hashSecret(browser);
    return { userId, browser: (await isBrowserKnown(this.#ctx.db, userId, hash)) ? hash : undefined };
  }

  /** Takes back the count of an attempt whose password was correct. */
  async #takeBack(counter: Counter | UnknownName): Promise<void> {
    await this.#ctx.db.transaction().execute(async (tx) => setFailures(tx, counter, revertFailure(await lockFailures(tx, counter))));
  }

  /** Names that callers give are stored as keyed hashes only, because users also type passwords into that field. */
  #hashOf(text: string): Buffer {
    return createHmac('sha256', this.#ctx.secrets.derive('names at sign-in')).update(text).digest();
  }

  /** Second step of a sign-in: checks the code after the password. */
  async withTicket(given: { ticket: string; otp: string; assertion: Assertion | undefined }, caller: Caller): Promise<SignedIn> {
    const [userId, password] = (await this.#parts.tickets.spend(given.ticket))?.split(' ') ?? [];
    const account = userId === undefined ? undefined : await findAccountById(this.#ctx.db, userId);
    if (account === undefined || account.lock || !account.isSealed || password !== this.#passwordOf(account))
      throw new ApiError('MFA_EXPIRED');
    const vouching = await this.#parts.directories.of(account.id);
    if (vouching === undefined) await this.#requireLocal(account, caller);
    const throttled = await this.#throttle(account.username, caller);
    if (throttled !== undefined) throw await this.#withTicket(throttled, account, caller);
    const otp = given.assertion === undefined ? given.otp : this.#answerOf(given.assertion, given.ticket, caller);
    return this.#openWithFactor(account, await this.#counterOf(account.id, caller), otp, caller, vouching);
  }

  /** Only callers with the correct password learn that passwords are switched off. */
  async #requireLocal({ id, username }: Account, { ip }: Caller): Promise<void> {
    const { db, clock } = this.#ctx;
    if ((await judgeLocally(db, username)).isAllowed) return;
    const entry = { userId: id, action: 'local_sign_in_refused', entity: 'user', entityId: id, ip } as const;
    await db.transaction().execute((tx) => writeAudit(tx, entry, clock.now()));
    throw new ApiError('LOCAL_SIGN_IN_OFF');
  }

  async #openLocally(account: Account, counter: Counter, caller: Caller): Promise<SignedIn> {
    const opened = await this.#open(account, counter, caller);
    const { isEmergency } = await judgeLocally(this.#ctx.db, account.username);
    if (isEmergency) await reportEmergency(this.#ctx, this.#parts.events, { id: account.id, username: account.username, ip: caller.ip });
    return opened;
  }

  /** The ticket is the challenge of keys, so that both are spent together. */
  #answerOf(answer: Assertion, ticket: string, { party }: Caller): GivenKey {
    if (party === undefined) throw new ApiError('KEYS_NEED_ADDRESS');
    return { answer, party, challenge: ticket };
  }

  async #openWithFactor(
    account: Account,
    counter: Counter,
    otp: string | GivenKey,
    caller: Caller,
    vouching?: Vouching,
  ): Promise<SignedIn> {
    const refusal = await judgeFactor(this.#ctx, { userId: account.id, otp, ip: caller.ip, about: { for: 'sign-in' }, counter });
    if (refusal === undefined)
      return vouching === undefined ? this.#openLocally(account, counter, caller) : this.#open(account, counter, caller, vouching);
    if (refusal.code === 'LOCKED') await this.#parts.alarm.raise(account, counter, caller.ip);
    throw refusal.code === 'LOCKED' ? refusal : await this.#withTicket(refusal, account, caller);
  }

  /** Adds a new ticket to the refusal of a code, so that the user need not enter the password again. It becomes invalid when the password changes. */
  async #withTicket(refusal: ApiError, account: Account, { party }: Caller): Promise<ApiError> {
    const ticket = this.#parts.tickets.issue(`${account.id} ${this.#passwordOf(account)}`).nonce;
    refusal.ticket = ticket;
    refusal.key = await askKey(this.#ctx.db, account.id, { party, challenge: () => ticket });
    return refusal;
  }

  /** Identifies a password in a ticket, which its holder can read. */
  #passwordOf({ passwordHash }: Account): string {
    return this.#hashOf(passwordHash).toString('base64url', 0, PASSWORD_ID_OCTETS);
  }

  async #refuse(username: string, { account, counter, failures }: Try, caller: Caller): Promise<ApiError> {
    const now = this.#ctx.clock.now();
    await this.#auditRefusal(username, account, failures, caller);
    const left = MAX_FAILURES - failures.count;
    if (left <= 0 && account !== undefined && 'userId' in counter) await this.#parts.alarm.raise(account, counter, caller.ip);
    if (left <= 0) return lockedError(lockedMinutes(failures, now));
    return left <= TRIES_TOLD ? new ApiError('INVALID_GRANT_TRIES', { left }) : new ApiError('INVALID_GRANT');
  }

  /** Audits a refusal. Rows for unknown names are rate-limited; the next row contains the number of omitted ones. */
  async #auditRefusal(username: string, account: Account | undefined, failures: Failures, caller: Caller): Promise<void> {
    if (account === undefined && this.#parts.unknownNames.take('') > 0) {
      this.#unauditedNames += 1;
      return;
    }
    const leftOut = account === undefined ? this.#unauditedNames : 0;
    if (account === undefined) this.#unauditedNames = 0;
    const id = account?.id ?? null;
    const detail = { username: username.slice(0, 64), failures: failures.count, ...(leftOut > 0 ? { leftOut } : {}) };
    const entry = { userId: id, action: 'sign_in_failed', entity: 'user', entityId: id, detail, ip: caller.ip } as const;
    await this.#ctx.db.transaction().execute((tx) => writeAudit(tx, entry, this.#ctx.clock.now()));
  }

  /** Opens a session for a user whom an identity provider vouches for. */
  async withProvider(userId: string, provider: Vouching, caller: Caller): Promise<SignedIn> {
    const account = await findAccountById(this.#ctx.db, userId);
    if (account === undefined || account.lock || !account.isSealed) throw new ApiError('LOCKED', { reason: CHANGED_OUTSIDE });
    return this.#open(account, undefined, caller, provider);
  }

  /** `counter`: failed attempts that the sign-in forgets; undefined for one without password. */
  async #open(account: Account, counter: Counter | undefined, caller: Caller, provider?: Vouching): Promise<SignedIn> {
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const sessionId = randomUUID();
    const refresh = { sessionId, secret: this.#parts.refreshSecrets.issue(sessionId) };
    const browser = await this.#browserFor(caller);
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
    const accessToken = await this.#parts.tokens.issue(refresh.sessionId);
    return { accessToken, refresh, browser, user: { id, username, name, mustChangePassword } };
  }

  /** Users of one browser share its secret. A secret that this server never issued is replaced. */
  async #browserFor({ browser }: Caller): Promise<string> {
    const isOurs = browser !== undefined && (await isBrowserOfAnybody(this.#ctx.db, hashSecret(browser)));
    return isOurs ? browser : newBrowserSecret();
  }

  /** Issues a new access and refresh token. Reuse of a refresh token proves a copy and ends the session. */
  async withRefresh(token: RefreshToken | undefined, caller: Caller): Promise<SignedIn> {
    if (token === undefined) throw new ApiError('INVALID_GRANT');
    const now = this.#ctx.clock.now();
    const secret = this.#parts.refreshSecrets.issue(token.sessionId);
    const outcome = await commitChanges(
      this.#ctx,
      async (tx) => {
        const session = await findSessionForUpdate(tx, token.sessionId, new Date(now));
        // A session row inserted into the database may contain any hash, but only this server can issue a secret.
        if (session === undefined || !this.#parts.refreshSecrets.isOf(token)) return undefined;
        if (!isSessionIntact(tx, session) || !(await areIntact(tx, [{ kind: 'user', id: session.userId }]))) return undefined;
        const longestS = await this.#longestSeconds(tx, session);
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
      await this.#parts.directories.recheck(id, caller.ip);
      if ((await findSessionUser(this.#ctx.db, token.sessionId, new Date(this.#ctx.clock.now()))) === undefined)
        throw new ApiError('INVALID_GRANT');
    }
    return {
      accessToken: await this.#parts.tokens.issue(token.sessionId),
      refresh: outcome.isRotated ? { sessionId: token.sessionId, secret } : undefined,
      browser: undefined,
      user: { id, username, name, mustChangePassword },
    };
  }

  /** Longest time of a session; undefined if passwords are switched off for its user, or if its identity provider is off, deleted, or was changed outside the product. */
  async #longestSeconds(tx: Tx, { providerId, username }: StoredSession): Promise<number | undefined> {
    if (providerId === null) return (await judgeLocally(tx, username)).isAllowed ? LONGEST_SECONDS : undefined;
    const provider = await findProvider({ secrets: this.#ctx.secrets, db: tx }, providerId);
    if (provider?.content?.config.isEnabled !== true) return undefined;
    return Math.min(LONGEST_SECONDS, provider.content.config.sessionHours * HOUR_SECONDS);
  }

  /** Ends the session of the cookie, if any. */
  async signOut(token: RefreshToken | undefined, caller: Caller): Promise<void> {
    if (token === undefined) return;
    const now = this.#ctx.clock.now();
    await commitChanges(
      this.#ctx,
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
}
