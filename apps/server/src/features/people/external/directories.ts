import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { isPassword } from '#platform/passwords.ts';
import type { Lane } from '#platform/work-queue.ts';
import { findPasswordHash } from '#features/people/second-factor/queries.ts';
import { endPerson, syncAccount } from './account.ts';
import { personOf } from './claims.ts';
import { authenticate, isDirectoryPassword, lookUp, type PersonClaims } from './directory.ts';
import { findIdentityOfUser } from './identity-queries.ts';
import { recordUse, usableProvider, type Usable } from './provider-use.ts';

/** A provider that vouches for a user, with the longest time of its sessions. */
export interface DirectoryVouching {
  id: string;
  name: string;
  sid: undefined;
  hours: number;
}

const vouchingOf = ({ id, name, content }: Usable): DirectoryVouching => ({ id, name, sid: undefined, hours: content.config.sessionHours });

/** Sign-in, own proof and renewal of users whose passwords are in a directory (LDAP). */
export class Directories {
  readonly #ctx: Context;
  readonly #networks: readonly string[];

  constructor(ctx: Context, networks: readonly string[]) {
    this.#ctx = ctx;
    this.#networks = networks;
  }

  #clientOf({ content: { config, secret } }: Usable) {
    return { config, secret, networks: this.#networks };
  }

  async #usable(id: string): Promise<Usable> {
    const provider = await usableProvider(this.#ctx, id);
    if (provider.kind !== 'ldap') throw new ApiError('NOT_FOUND');
    return provider;
  }

  #voucherOf(provider: Usable, claims: PersonClaims, ip: string) {
    const { content } = provider;
    const person = personOf(claims, content.config);
    if (person === undefined) throw new ApiError('PROVIDER_REFUSED', { name: provider.name, why: 'no_user_name' });
    return { provider, content, person, ip };
  }

  /** The account of a person, with the roles of the present groups. Undefined: name or password is wrong. */
  async signIn(
    providerId: string,
    { username, password, ip }: { username: string; password: string; ip: string },
  ): Promise<{ userId: string; vouching: DirectoryVouching } | undefined> {
    const provider = await this.#usable(providerId);
    const claims = await recordUse(this.#ctx, provider, () => authenticate(this.#clientOf(provider), username, password));
    if (claims === undefined) return undefined;
    return { userId: await syncAccount(this.#ctx, this.#voucherOf(provider, claims, ip)), vouching: vouchingOf(provider) };
  }

  /** The directory of a user; undefined for local accounts. Throws `NOT_FOUND` if it is off. */
  async of(userId: string): Promise<DirectoryVouching | undefined> {
    const identity = await findIdentityOfUser(this.#ctx.db, userId);
    return identity && vouchingOf(await this.#usable(identity.providerId));
  }

  /** Whether a password is that of a user: judged by the directory, or by this system for local accounts. */
  async isOwnPassword(userId: string, password: string, lane: Lane = 'signed-in'): Promise<boolean> {
    const identity = await findIdentityOfUser(this.#ctx.db, userId);
    if (identity === undefined) return isPassword(password, (await findPasswordHash(this.#ctx.db, userId)).passwordHash, lane);
    if (identity.providerKind !== 'ldap') return false;
    const provider = await this.#usable(identity.providerId);
    return recordUse(this.#ctx, provider, () => isDirectoryPassword(this.#clientOf(provider), identity.subject, password));
  }

  /**
   * Looks the user of a session up in the directory again. Ends the sessions of a user who has left it or its groups, and throws `INVALID_GRANT`. A
   * directory that does not answer ends none: the longest time of a session limits them.
   */
  async recheck(userId: string, ip: string): Promise<void> {
    const identity = await findIdentityOfUser(this.#ctx.db, userId);
    if (identity === undefined) return;
    const provider = await usableProvider(this.#ctx, identity.providerId);
    if (provider.kind !== 'ldap') return;
    try {
      const claims = await recordUse(this.#ctx, provider, () => lookUp(this.#clientOf(provider), identity.subject));
      if (claims === undefined) await endPerson(this.#ctx, provider, { userId, ip });
      else await syncAccount(this.#ctx, this.#voucherOf(provider, claims, ip));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Any other error means that the directory no longer admits this user.
      if (error.code !== 'PROVIDER_FAILED') throw new ApiError('INVALID_GRANT');
    }
  }
}
