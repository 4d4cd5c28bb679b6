import { setTimeout as wait } from 'node:timers/promises';
import type { Assertion } from '@hes/contract/core/own-proof.ts';
import { writeAudit } from '#db/audit.ts';
import type { Context } from '#db/context.ts';
import type { Counter } from '#db/sign-in-failures.ts';
import { judgeLocally, reportEmergency } from '#features/people/emergency/local-sign-in.ts';
import { judgeFactor, type GivenKey } from '#features/people/second-factor/judge.ts';
import { hasSecondFactor } from '#features/people/second-factor/queries.ts';
import { askKey } from '#features/people/security-key/ask-key.ts';
import { ApiError } from '#platform/api-error.ts';
import { msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import { hashPassword, isPassword } from '#platform/passwords.ts';
import { Attempts } from './attempts.ts';
import { openSession } from './open-session.ts';
import type { AuthParts, Caller, SignedIn, Vouching } from './parts.ts';
import { findAccountById, type Account } from './queries.ts';
import { newSecret, type RefreshToken } from './refresh-token.ts';
import { endSession, renewSession } from './renew.ts';

const PASSWORD_ID_OCTETS = 16;
const CHANGED_OUTSIDE = {
  en: 'changed outside the product; an administrator has to look at it and seal it again',
  zh: '账号在系统外被更改，须由管理员核对并重新签封',
};
/** Minimum duration of a refusal, so that its timing does not reveal whether the name exists. */
const REFUSAL_MS = 200;

/** Signs users in and refreshes their sessions. */
export class SignIn {
  readonly #ctx: Context;
  readonly #parts: AuthParts;
  readonly #attempts: Attempts;
  /** Hash that is checked for an unknown name, so that the response takes the same time. */
  readonly #noPassword = hashPassword(newSecret());

  constructor(ctx: Context, parts: AuthParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#attempts = new Attempts(ctx, parts);
  }

  async withPassword(
    given: { username: string; password: string; slider: string; otp: string; provider?: string | undefined },
    caller: Caller,
  ): Promise<SignedIn> {
    const throttled = await this.#attempts.throttle(given.username, caller);
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
    const counter = { nameHash: this.#attempts.hashOf(`${provider} ${username.toLowerCase()}`) };
    const failures = await this.#attempts.count(counter);
    const found = await this.#parts.directories.signIn(provider, { username, password, ip: caller.ip }).catch(async (error: unknown) => {
      await this.#attempts.takeBack(counter);
      throw error;
    });
    if (found === undefined) throw await this.#attempts.refuse(username, { account: undefined, counter, failures }, caller);
    await this.#attempts.takeBack(counter);
    const account = await findAccountById(this.#ctx.db, found.userId);
    if (account === undefined || account.lock || !account.isSealed) throw new ApiError('LOCKED', { reason: CHANGED_OUTSIDE });
    if (await hasSecondFactor(this.#ctx.db, account.id)) throw await this.#withTicket(new ApiError('MFA_REQUIRED'), account, caller);
    return openSession(this.#ctx, this.#parts, { account, counter: undefined, caller, provider: found.vouching });
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
    const attempt = await this.#attempts.countTry(username, caller);
    const { account, counter } = attempt;
    const lane = 'browser' in counter && counter.browser !== undefined ? 'signed-in' : 'unknown';
    let isRight: boolean;
    try {
      isRight = await isPassword(password, account?.passwordHash ?? (await this.#noPassword), lane);
    } catch (error) {
      await this.#attempts.takeBack(counter);
      throw error;
    }
    if (account === undefined || 'nameHash' in counter || !isRight) throw await this.#attempts.refuse(username, attempt, caller);
    await this.#attempts.takeBack(counter);
    return { account, counter };
  }

  /** Second step of a sign-in: checks the code after the password. */
  async withTicket(given: { ticket: string; otp: string; assertion: Assertion | undefined }, caller: Caller): Promise<SignedIn> {
    const [userId, password] = (await this.#parts.tickets.spend(given.ticket))?.split(' ') ?? [];
    const account = userId === undefined ? undefined : await findAccountById(this.#ctx.db, userId);
    if (account === undefined || account.lock || !account.isSealed || password !== this.#passwordOf(account))
      throw new ApiError('MFA_EXPIRED');
    const vouching = await this.#parts.directories.of(account.id);
    if (vouching === undefined) await this.#requireLocal(account, caller);
    const throttled = await this.#attempts.throttle(account.username, caller);
    if (throttled !== undefined) throw await this.#withTicket(throttled, account, caller);
    const otp = given.assertion === undefined ? given.otp : this.#answerOf(given.assertion, given.ticket, caller);
    return this.#openWithFactor(account, await this.#attempts.counterOf(account.id, caller), otp, caller, vouching);
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
    const opened = await openSession(this.#ctx, this.#parts, { account, counter, caller });
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
      return vouching === undefined
        ? this.#openLocally(account, counter, caller)
        : openSession(this.#ctx, this.#parts, { account, counter, caller, provider: vouching });
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
    return this.#attempts.hashOf(passwordHash).toString('base64url', 0, PASSWORD_ID_OCTETS);
  }

  /** Opens a session for a user whom an identity provider vouches for. */
  async withProvider(userId: string, provider: Vouching, caller: Caller): Promise<SignedIn> {
    const account = await findAccountById(this.#ctx.db, userId);
    if (account === undefined || account.lock || !account.isSealed) throw new ApiError('LOCKED', { reason: CHANGED_OUTSIDE });
    return openSession(this.#ctx, this.#parts, { account, counter: undefined, caller, provider });
  }

  /** Renews the session of a refresh token. */
  withRefresh(token: RefreshToken | undefined, caller: Caller): Promise<SignedIn> {
    return renewSession(this.#ctx, this.#parts, token, caller);
  }

  /** Ends the session of the cookie, if any. */
  signOut(token: RefreshToken | undefined, caller: Caller): Promise<void> {
    return endSession(this.#ctx, token, caller);
  }
}
