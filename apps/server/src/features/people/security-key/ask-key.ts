import type { AssertionOptions } from '@hes/contract/core/own-proof.ts';
import type { Db } from '#db/context.ts';
import { findKeys } from './key-queries.ts';
import type { RelyingParty } from './relying-party.ts';

/** Time that a browser gives the user. */
export const KEY_TIMEOUT_MS = 120_000;
/** Time after which a challenge is refused. */
export const CHALLENGE_MINUTES = 5;

/** Options for a browser to ask one of the user's keys; undefined: the user has none that works at this address. */
export async function askKey(
  db: Db,
  userId: string,
  { party, challenge }: { party: RelyingParty | undefined; challenge: () => string },
): Promise<AssertionOptions | undefined> {
  if (party === undefined) return undefined;
  const keys = (await findKeys(db, userId)).filter(({ rpId }) => rpId === party.id);
  if (keys.length === 0) return undefined;
  return {
    challenge: challenge(),
    rpId: party.id,
    timeout: KEY_TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: keys.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      type: 'public-key' as const,
      transports,
    })),
  };
}
