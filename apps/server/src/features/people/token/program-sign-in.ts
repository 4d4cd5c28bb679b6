import { findProgramOfToken } from '#http/access/queries.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from '#platform/access-token.ts';
import { limitKeyOf } from '#platform/address.ts';
import { isInRanges } from '#platform/address-ranges.ts';
import { ApiError } from '#platform/api-error.ts';
import { isSecretOfHash, readProgramToken, subjectOfToken } from '#platform/program-token.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import type { Context } from '#db/context.ts';

/** Access tokens for programs: client credentials of OAuth 2.0 (RFC 6749 4.4). */
export class ProgramSignIn {
  readonly #ctx: Context;
  readonly #tokens: AccessTokens;
  /** Rate limit by address. Tokens cannot be guessed; the limit protects the database. */
  readonly #addresses: RateLimiter;

  constructor(ctx: Context, tokens: AccessTokens, addresses: RateLimiter) {
    this.#ctx = ctx;
    this.#tokens = tokens;
    this.#addresses = addresses;
  }

  /** An access token for the token of a program. It is refused as soon as the token itself is. */
  async signIn(client: { id: string; secret: string }, ip: string) {
    const seconds = this.#addresses.take(limitKeyOf(ip));
    if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
    const token = readProgramToken(client.secret);
    const now = this.#ctx.clock.now();
    const found = token && (await findProgramOfToken(this.#ctx, token.id, new Date(now)));
    if (token === undefined || found === undefined || !isSecretOfHash(token.secret, found.hash)) throw new ApiError('INVALID_CLIENT');
    const { id, username, name, sessionEndsAt = now } = found.user;
    if (username.toLowerCase() !== client.id.toLowerCase()) throw new ApiError('INVALID_CLIENT');
    if (found.addressRanges.length > 0 && !isInRanges(ip, found.addressRanges)) throw new ApiError('ADDRESS_REFUSED');
    return {
      access_token: await this.#tokens.issue(subjectOfToken(token.id)),
      token_type: 'Bearer' as const,
      expires_in: Math.min(ACCESS_TOKEN_SECONDS, Math.floor((sessionEndsAt - now) / 1000)),
      user: { id, username, name, mustChangePassword: false },
    };
  }
}
