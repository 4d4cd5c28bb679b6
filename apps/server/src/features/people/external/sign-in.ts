import type { ProviderKind } from '@hes/contract/states/identity-provider.ts';
import { writeAudit } from '#db/audit.ts';
import { commitChanges, sessionsEnded } from '#db/changes.ts';
import type { Context, User } from '#db/context.ts';
import type { Nonces } from '#db/nonces.ts';
import { noteProof } from '#features/people/second-factor/queries.ts';
import { PROOF_MS } from '#features/people/second-factor/own-proof.ts';
import type { Caller, SignedIn } from '#features/people/token/parts.ts';
import type { SignIn } from '#features/people/token/service.ts';
import { findSessionUser, revokeSession } from '#features/people/token/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import { limitKeyOf } from '#platform/address.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { syncAccount } from './account.ts';
import { personOf } from './claims.ts';
import type { Flow } from './flow.ts';
import { findIdentity, findIdentityOfUser, findProviderSessions } from './identity-queries.ts';
import { beginFlow, finishFlow, verifyLogout, type Answered } from './oidc.ts';
import { findProviders } from './provider-queries.ts';
import { recordUse, usableProvider, type Usable } from './provider-use.ts';

export interface ExternalParts {
  signIn: SignIn;
  /** Each is the `state` of one flow, and used once. */
  states: Nonces;
  /** Names of logout tokens, which are used once. */
  spendLogout: (jti: string, endsAt: number) => Promise<boolean>;
  /** Rate limit by address. */
  addresses: RateLimiter;
  networks: readonly string[];
}

/** What a finished flow has done. */
export interface Finished {
  signedIn: SignedIn | undefined;
  provedUntil: number | undefined;
  returnTo: string | null;
}

/** Providers that the sign-in page offers. */
export async function offeredProviders(ctx: Context): Promise<{ id: string; name: string; kind: ProviderKind }[]> {
  return (await findProviders(ctx))
    .filter(({ content }) => content?.config.isEnabled === true)
    .map(({ id, name, kind }) => ({ id, name, kind }));
}

/** Signs persons in by identity providers, takes own proof there, and ends sessions at their order. */
export class ExternalSignIn {
  readonly #ctx: Context;
  readonly #parts: ExternalParts;

  constructor(ctx: Context, parts: ExternalParts) {
    this.#ctx = ctx;
    this.#parts = parts;
  }

  #throttle(ip: string): void {
    const seconds = this.#parts.addresses.take(limitKeyOf(ip));
    if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
  }

  /** An enabled OpenID provider. */
  async #usable(id: string): Promise<Usable> {
    const found = await usableProvider(this.#ctx, id);
    if (found.kind !== 'oidc') throw new ApiError('NOT_FOUND');
    return found;
  }

  #clientOf({ content: { config, secret } }: Usable) {
    return { config, secret, networks: this.#parts.networks };
  }

  #with<T>(provider: Usable, work: () => Promise<T>): Promise<T> {
    return recordUse(this.#ctx, provider, work);
  }

  async #begin(provider: Usable, given: Pick<Flow, 'redirectUri' | 'returnTo' | 'sessionId'>): Promise<{ address: string; flow: Flow }> {
    const state = this.#parts.states.issue(provider.id).nonce;
    const flow = { ...given, state };
    const begun = await this.#with(provider, () => beginFlow(this.#clientOf(provider), flow, given.sessionId !== null));
    const { address, verifier, nonce } = begun;
    return { address, flow: { ...flow, providerId: provider.id, verifier, nonce, startedAt: this.#ctx.clock.now() } };
  }

  async begin(given: { providerId: string; redirectUri: string; returnTo: string | null; ip: string }) {
    this.#throttle(given.ip);
    const { redirectUri, returnTo } = given;
    return this.#begin(await this.#usable(given.providerId), { redirectUri, returnTo, sessionId: null });
  }

  /** Begins own proof of a signed-in user at the provider that vouches for the user. */
  async beginProof({ user, redirectUri, ip }: { user: User; redirectUri: string; ip: string }) {
    this.#throttle(ip);
    const identity = await findIdentityOfUser(this.#ctx.db, user.id);
    if (identity === undefined) throw new ApiError('NOT_FOUND');
    return this.#begin(await this.#usable(identity.providerId), { redirectUri, returnTo: null, sessionId: user.sessionId });
  }

  /** Finishes the flow of this browser with the provider's answer, the query of its redirection. */
  async finish(flow: Flow | undefined, answer: string, caller: Caller): Promise<Finished> {
    this.#throttle(caller.ip);
    const query = new URLSearchParams(answer);
    if (flow === undefined || query.get('state') !== flow.state) throw new ApiError('FLOW_INVALID');
    if ((await this.#parts.states.spend(flow.state)) !== flow.providerId) throw new ApiError('FLOW_INVALID');
    const provider = await this.#usable(flow.providerId);
    const answered = await this.#with(provider, () => finishFlow(this.#clientOf(provider), flow, query));
    this.#requireAssurance(provider, answered, flow);
    if (flow.sessionId !== null) return this.#prove(provider, answered, { sessionId: flow.sessionId, ip: caller.ip });
    const person = personOf(answered.claims, provider.content.config);
    if (person === undefined) throw new ApiError('PROVIDER_REFUSED', { name: provider.name, why: 'no_user_name' });
    const userId = await syncAccount(this.#ctx, { provider, content: provider.content, person, ip: caller.ip });
    const opened = { id: provider.id, name: provider.name, sid: answered.sid, hours: provider.content.config.sessionHours };
    const signedIn = await this.#parts.signIn.withProvider(userId, opened, caller);
    return { signedIn, provedUntil: undefined, returnTo: flow.returnTo };
  }

  /** The library has compared the time of the authentication of own proof with the present. */
  #requireAssurance({ name, content: { config } }: Usable, { acr }: Answered, { sessionId }: Flow): void {
    const wanted = sessionId === null ? config.signInAcr : config.proofAcr;
    if (wanted !== '' && (acr === undefined || !wanted.split(/ +/).includes(acr))) throw new ApiError('ASSURANCE_TOO_LOW', { name });
  }

  /** Own proof holds for the session that asked for it, if the person at the provider is its user. */
  async #prove(provider: Usable, { claims }: Answered, { sessionId, ip }: { sessionId: string; ip: string }): Promise<Finished> {
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const [identity, userId] = await Promise.all([
      findIdentity(db, provider.id, String(claims['sub'])),
      findSessionUser(db, sessionId, new Date(now)),
    ]);
    if (identity === undefined || identity.userId !== userId) throw new ApiError('ASSURANCE_TOO_LOW', { name: provider.name });
    const detail = { provider: provider.name };
    await db.transaction().execute(async (tx) => {
      await noteProof(tx, sessionId, new Date(now));
      await writeAudit(tx, { userId, action: 'external_proof_given', entity: 'user', entityId: userId, detail, ip }, now);
    });
    return { signedIn: undefined, provedUntil: now + PROOF_MS, returnTo: null };
  }

  /** Ends the sessions that a logout token names. */
  async logout(providerId: string, token: string, ip: string): Promise<void> {
    this.#throttle(ip);
    const provider = await this.#usable(providerId);
    const { db, clock } = this.#ctx;
    const now = clock.now();
    const order = await this.#with(provider, () => verifyLogout(this.#clientOf(provider), token, now));
    if (order === undefined || !(await this.#parts.spendLogout(`${providerId} ${order.jti}`, order.endsAt)))
      throw new ApiError('FLOW_INVALID');
    const identity = order.subject === undefined ? undefined : await findIdentity(db, providerId, order.subject);
    if (order.subject !== undefined && identity === undefined) return;
    const sessions = await findProviderSessions(db, providerId, { userId: identity?.userId, sid: order.sid });
    const detail = { provider: provider.name, sessions: sessions.length };
    await commitChanges(
      this.#ctx,
      async (tx) => {
        for (const { id } of sessions) await revokeSession(tx, id, new Date(now));
        for (const userId of new Set(sessions.map((session) => session.userId)))
          await writeAudit(tx, { userId, action: 'external_logout', entity: 'user', entityId: userId, detail, ip }, now);
      },
      () => [
        sessionsEnded(
          sessions.map(({ id }) => id),
          'signed_out',
        ),
      ],
    );
  }
}
