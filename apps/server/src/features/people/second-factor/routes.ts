import { proof, secondFactor } from '@hes/contract/auth/second-factor.ts';
import { securityKey } from '@hes/contract/auth/security-key.ts';
import { implement, type Implemented, type Wire } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User, Who } from '#db/context.ts';
import type { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import type { Directories } from '#features/people/external/directories.ts';
import type { KeyChallenges } from '#features/people/security-key/challenges.ts';
import type { RelyingParty } from '#features/people/security-key/relying-party.ts';
import { beginKey, finishKey, listKeys, removeKey } from '#features/people/security-key/service.ts';
import { takeProof } from './own-proof.ts';
import { beginEnrolment, confirmEnrolment, describeFactor, removeFactor } from './service.ts';

/** Rate limits by user: changes of the second factor, and proofs of presence. */
export function secondFactorRoutes({
  changes,
  proofs,
  keys,
  directories,
  partyOf,
}: {
  changes: SharedRateLimiter;
  proofs: SharedRateLimiter;
  keys: KeyChallenges;
  directories: Directories;
  partyOf: (wire: Wire) => RelyingParty | undefined;
}): Implemented[] {
  const throttled = async (user: User, wire: Wire): Promise<Who> => {
    const seconds = await changes.take(user.id);
    if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
    return { user, ip: wire.ip };
  };
  const steps = implement(proof, {
    give: async ({ ctx, user, body, wire }) => {
      const until = await takeProof(ctx, { user, ip: wire.ip }, { ...body, tries: proofs, keys, directories, party: partyOf(wire) });
      return { provedUntil: new Date(until).toISOString() };
    },
    key: ({ user, wire }) => keys.ask(user, partyOf(wire)),
  });
  const own = implement(secondFactor, {
    own: ({ ctx, user }) => describeFactor(ctx, user),
    begin: async ({ ctx, user, body, wire }) => beginEnrolment(ctx, await throttled(user, wire), { ...body, directories }),
    confirm: async ({ ctx, user, body, wire }) => confirmEnrolment(ctx, await throttled(user, wire), body.otp),
    remove: async ({ ctx, user, body, wire }) => removeFactor(ctx, await throttled(user, wire), { ...body, directories }),
  });
  const ownKeys = implement(securityKey, {
    list: ({ ctx, user, wire }) => listKeys(ctx, user, partyOf(wire)),
    begin: async ({ ctx, user, body, wire }) =>
      beginKey(ctx, await throttled(user, wire), { ...body, directories, party: partyOf(wire), keys }),
    finish: async ({ ctx, user, body, wire }) => finishKey(ctx, await throttled(user, wire), { ...body, party: partyOf(wire), keys }),
    remove: async ({ ctx, user, params, body, wire }) => removeKey(ctx, await throttled(user, wire), { ...params, ...body, directories }),
  });
  return [...steps, ...own, ...ownKeys];
}
