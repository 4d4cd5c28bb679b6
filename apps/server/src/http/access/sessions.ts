import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { AccessTokens } from '#platform/access-token.ts';
import { isInRanges } from '#platform/address-ranges.ts';
import { ApiError } from '#platform/api-error.ts';
import { msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import { isSecretOfHash, readProgramToken, tokenOfSubject } from '#platform/program-token.ts';
import type { Context, User } from '#db/context.ts';
import { findProgramOfToken, findUserOfSession, noteTokenUse, type FoundProgram } from './queries.ts';

/** Cache lifetime, and so the maximum delay of a revocation; covers the dozen calls of one page. */
const REMEMBERED_MS = 3000;
const MAX_REMEMBERED = 5000;
const UUID = /^[0-9a-f-]{36}$/;

export interface Caller {
  /** Address of the client; tokens of programs may be limited to ranges. */
  ip: string;
  /** True: the cache is not used. */
  isFresh?: boolean;
}

/** Finds and briefly caches the user of an access token, and the program of a token. */
export class Sessions {
  readonly #ctx: Context;
  readonly #tokens: AccessTokens;
  readonly #known = new BoundedCache<string, { user: User; until: MonotonicMs }>(MAX_REMEMBERED);
  readonly #programs = new BoundedCache<string, { found: FoundProgram; until: MonotonicMs }>(MAX_REMEMBERED);

  constructor(ctx: Context, tokens: AccessTokens) {
    this.#ctx = ctx;
    this.#tokens = tokens;
    ctx.bus.subscribe(({ message }) => {
      if (message.type !== 'session.revoked' && message.type !== 'notice') return;
      this.#known.clear();
      this.#programs.clear();
    });
  }

  /**
   * The user of `Bearer <token>`, or of the bare token: an access token, or the token of a program itself. Undefined when session or token
   * have ended. Throws `ADDRESS_REFUSED` if the token of a program may not be used from the address.
   */
  async userOf(token: string | undefined, { ip, isFresh = false }: Caller): Promise<User | undefined> {
    if (token === undefined) return undefined;
    const own = readProgramToken(token);
    if (own !== undefined) return this.#programOf(own.id, { ip, isFresh, secret: own.secret });
    const subject = await this.#tokens.verify(token);
    if (subject === undefined) return undefined;
    const tokenId = tokenOfSubject(subject);
    if (tokenId !== undefined) return this.#programOf(tokenId, { ip, isFresh });
    if (isFresh) this.#known.delete(subject);
    return this.userOfSession(subject);
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

  /** `secret`: undefined if an access token already proves it. */
  async #programOf(tokenId: string, { ip, isFresh, secret }: Caller & { secret?: string }): Promise<User | undefined> {
    const known = isFresh ? undefined : this.#knownProgram(tokenId);
    const found = known ?? (await this.#findProgram(tokenId));
    if (found === undefined || (secret !== undefined && !isSecretOfHash(secret, found.hash))) return undefined;
    if (found.addressRanges.length > 0 && !isInRanges(ip, found.addressRanges)) throw new ApiError('ADDRESS_REFUSED');
    if (known === undefined) await noteTokenUse(this.#ctx.db, { tokenId, ip, now: new Date(this.#ctx.clock.now()) });
    return found.user;
  }

  #knownProgram(tokenId: string): FoundProgram | undefined {
    const known = this.#programs.get(tokenId);
    if (known === undefined || msBetween(this.#ctx.clock.monotonic(), known.until) <= 0) return undefined;
    return (known.found.user.sessionEndsAt ?? 0) > this.#ctx.clock.now() ? known.found : undefined;
  }

  async #findProgram(tokenId: string): Promise<FoundProgram | undefined> {
    const found = await findProgramOfToken(this.#ctx, tokenId, new Date(this.#ctx.clock.now()));
    this.#programs.delete(tokenId);
    if (found !== undefined) this.#programs.set(tokenId, { found, until: msAfter(this.#ctx.clock.monotonic(), REMEMBERED_MS) });
    return found;
  }
}
