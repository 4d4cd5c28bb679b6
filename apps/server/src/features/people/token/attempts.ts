import { createHmac } from 'node:crypto';
import { writeAudit } from '#db/audit.ts';
import type { Context } from '#db/context.ts';
import { lockFailures, setFailures, type Counter, type UnknownName } from '#db/sign-in-failures.ts';
import { limitKeyOf } from '#platform/address.ts';
import { ApiError } from '#platform/api-error.ts';
import { countFailure, lockedError, lockedMinutes, MAX_FAILURES, revertFailure, type Failures } from '#platform/lock-out.ts';
import type { AuthParts, Caller } from './parts.ts';
import { findAccount, isBrowserKnown, type Account } from './queries.ts';
import { hashSecret } from './refresh-token.ts';

/** A refusal reports the number of remaining attempts only if it is at most this. */
const TRIES_TOLD = 3;

/** An attempt, counted before its password is checked. */
export interface Try {
  account: Account | undefined;
  counter: Counter | UnknownName;
  failures: Failures;
}

/** Counts attempts to sign in before they are checked, and refuses those beyond the limits. */
export class Attempts {
  readonly #ctx: Context;
  readonly #parts: AuthParts;
  #unauditedNames = 0;

  constructor(ctx: Context, parts: AuthParts) {
    this.#ctx = ctx;
    this.#parts = parts;
  }

  /** Counts an attempt by address, and by address and name. The first count is in memory, so a flood from one address writes no rows. */
  async throttle(username: string, caller: Caller): Promise<ApiError | undefined> {
    const key = limitKeyOf(caller.ip);
    const seconds =
      this.#parts.addresses.take(key) || (await this.#parts.tries.take(this.hashOf(`${key} ${username.toLowerCase()}`).toString('hex')));
    return seconds > 0 ? new ApiError('RATE_LIMIT', { seconds }) : undefined;
  }

  /** Counts an attempt under a row lock before it is checked. Rejects a locked name regardless of the password. */
  async countTry(username: string, caller: Caller): Promise<Try> {
    const account = await findAccount(this.#ctx.db, username);
    const counter = account === undefined ? { nameHash: this.hashOf(username.toLowerCase()) } : await this.counterOf(account.id, caller);
    return { account, counter, failures: await this.count(counter) };
  }

  async count(counter: Counter | UnknownName): Promise<Failures> {
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
  async counterOf(userId: string, { browser }: Caller): Promise<Counter> {
    if (browser === undefined) return { userId, browser: undefined };
    const hash = hashSecret(browser);
    return { userId, browser: (await isBrowserKnown(this.#ctx.db, userId, hash)) ? hash : undefined };
  }

  /** Takes back the count of an attempt whose password was correct. */
  async takeBack(counter: Counter | UnknownName): Promise<void> {
    await this.#ctx.db.transaction().execute(async (tx) => setFailures(tx, counter, revertFailure(await lockFailures(tx, counter))));
  }

  /** Names that callers give are stored as keyed hashes only, because users also type passwords into that field. */
  hashOf(text: string): Buffer {
    return createHmac('sha256', this.#ctx.secrets.derive('names at sign-in')).update(text).digest();
  }

  async refuse(username: string, { account, counter, failures }: Try, caller: Caller): Promise<ApiError> {
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
}
