import { proof, secondFactor } from '@hes/contract/auth/second-factor.ts';
import { implement, type Implemented, type Wire } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User, Who } from '#db/context.ts';
import type { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import { takeProof } from './own-proof.ts';
import { beginEnrolment, confirmEnrolment, describeFactor, removeFactor } from './service.ts';

/** Rate limits by user: changes of the second factor, and proofs of presence. */
export function secondFactorRoutes({ changes, proofs }: { changes: SharedRateLimiter; proofs: SharedRateLimiter }): Implemented[] {
  const throttled = async (user: User, wire: Wire): Promise<Who> => {
    const seconds = await changes.take(user.id);
    if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
    return { user, ip: wire.ip };
  };
  const steps = implement(proof, {
    give: async ({ ctx, user, body, wire }) => {
      const until = await takeProof(ctx, { user, ip: wire.ip }, { ...body, tries: proofs });
      return { provedUntil: new Date(until).toISOString() };
    },
  });
  const own = implement(secondFactor, {
    own: ({ ctx, user }) => describeFactor(ctx, user),
    begin: async ({ ctx, user, body, wire }) => beginEnrolment(ctx, await throttled(user, wire), body.password),
    confirm: async ({ ctx, user, body, wire }) => confirmEnrolment(ctx, await throttled(user, wire), body.otp),
    remove: async ({ ctx, user, body, wire }) => removeFactor(ctx, await throttled(user, wire), body),
  });
  return [...steps, ...own];
}
