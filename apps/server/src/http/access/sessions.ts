import type { AccessTokens } from '#platform/access-token.ts';
import { msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context, User } from '#db/context.ts';
import { findUserOfSession } from './queries.ts';

/** How long a lost right may still work: short enough for a dismissed operator, long enough for a page's dozen calls. */
const REMEMBERED_MS = 3000;
const MAX_REMEMBERED = 5000;
const UUID = /^[0-9a-f-]{36}$/;

/** Who is behind a token, asked from the database and remembered for a moment. */
export class Sessions {
  readonly #ctx: Context;
  readonly #tokens: AccessTokens;
  readonly #known = new Map<string, { user: User; until: MonotonicMs }>();

  constructor(ctx: Context, tokens: AccessTokens) {
    this.#ctx = ctx;
    this.#tokens = tokens;
    // Both come whether anybody follows them or not.
    ctx.bus.subscribe(
      ({ message }) => {
        if (message.type === 'session.revoked' || message.type === 'notice') this.#known.clear();
      },
      () => false,
    );
  }

  /** The user of `Bearer <token>`, or of the bare token; undefined when the session has ended. `isFresh`: nothing remembered is believed. */
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
    if (this.#known.size > MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value ?? '');
    return user;
  }
}
