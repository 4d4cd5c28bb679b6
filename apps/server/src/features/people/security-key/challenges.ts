import type { Assertion, AssertionOptions } from '@hes/contract/core/own-proof.ts';
import type { Context, User } from '#db/context.ts';
import { Nonces } from '#db/nonces.ts';
import type { GivenKey } from '#features/people/second-factor/judge.ts';
import { ApiError } from '#platform/api-error.ts';
import { askKey, CHALLENGE_MINUTES } from './ask-key.ts';
import type { RelyingParty } from './relying-party.ts';
import { challengeIn } from './verify.ts';

type Session = Pick<User, 'id' | 'sessionId'>;

/** Challenges for the keys of signed-in users. Each is bound to a session and its purpose, and is spent in the database by its first answer. */
export class KeyChallenges {
  readonly #ctx: Context;
  readonly #proofs: Nonces;
  readonly #additions: Nonces;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#proofs = new Nonces(ctx, { purpose: 'security key', minutes: CHALLENGE_MINUTES });
    this.#additions = new Nonces(ctx, { purpose: 'new security key', minutes: CHALLENGE_MINUTES });
  }

  /** Options for own proof. */
  async ask(user: Session, party: RelyingParty | undefined): Promise<AssertionOptions> {
    if (party === undefined) throw new ApiError('KEYS_NEED_ADDRESS');
    const options = await askKey(this.#ctx.db, user.id, { party, challenge: () => this.#proofs.issue(user.sessionId).nonce });
    if (options === undefined) throw new ApiError('NOT_FOUND');
    return options;
  }

  /** The answer for own proof, with its challenge spent. */
  async answered(user: Session, answer: Assertion, party: RelyingParty | undefined): Promise<GivenKey> {
    if (party === undefined) throw new ApiError('KEYS_NEED_ADDRESS');
    return { answer, party, challenge: await spend(this.#proofs, user, answer.response.clientDataJSON) };
  }

  issueForNew(user: Session): string {
    return this.#additions.issue(user.sessionId).nonce;
  }

  spendForNew(user: Session, clientDataJSON: string): Promise<string> {
    return spend(this.#additions, user, clientDataJSON);
  }
}

async function spend(nonces: Nonces, { sessionId }: Session, clientDataJSON: string): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  if (challenge === undefined || (await nonces.spend(challenge)) !== sessionId) throw new ApiError('KEY_REFUSED');
  return challenge;
}
