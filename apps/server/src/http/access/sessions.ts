import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { AccessTokens } from '#platform/access-token.ts';
import { msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context, User } from '#db/context.ts';
import { findUserOfSession } from './queries.ts';

/** Cache lifetime, and so the maximum delay of a revocation; covers the dozen calls of one page. */
const REMEMBERED_MS = 3000;
const MAX_REMEMBERED = 5000;
const UUID = /^[0-9a-f-]{36}$/;

/** Finds and briefly caches the user of an access token. */
export class Sessions {
  readonly #ctx: Context;
  readonly #tokens: AccessTokens;
  readonly #known = new BoundedCache<string, { user: User; until: MonotonicMs }>(MAX_REMEMBERED);

  constructor(ctx: Context, tokens: AccessTokens) {
    this.#ctx = ctx;
    this.#tokens = tokens;
    ctx.bus.subscribe(({ message }) => {
      if (message.type === 'session.revoked' || message.type === 'notice') this.#known.clear();
    });
  }

  /** The user of `Bearer <token>`, or of the bare token; undefined when the session has ended. `isFresh`: the cache is not used. */
  async userOf(token: string | undefined, { isFresh = false } = {}): Promise<User | undefined> {
    if (token === undefined) return undefined;
    const sessionId = await this.#tokens.verify(token);
    if (sessionId !== undefined && isFresh) this.#known.delete(sessionId);
    return sessionId === undefined ? undefined : this.userOfSession(sessionId);
  }

  async userOfSession(sessionId: string): Promise<User | undefined> {
    if (!UUID.test(sessionId)) return undefined;
    const now = this.#ctx.clock.monotonic();
    const known = this.#known.get(sessionId);
    const isStanding = known !== undefined && (known.user.sessionEndsAt ?? Infinity) > this.#ctx.clock.now();
    if (isStanding && msBetween(now, known.until) > 0) return known.user;
    const user = await findUserOfSession(this.#ctx, sessionId, new Date(this.#ctx.clock.now()));
    this.#known.delete(sessionId);
    if (user === undefined) return undefined;
    this.#known.set(sessionId, { user, until: msAfter(now, REMEMBERED_MS) });
    return user;
  }
}
