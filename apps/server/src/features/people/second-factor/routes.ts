import { proof, secondFactor } from '@hes/contract/auth/second-factor.ts';
import { implement, type Implemented, type Wire } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User, Who } from '#db/context.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { takeProof } from './own-proof.ts';
import { beginEnrolment, confirmEnrolment, describeFactor, removeFactor } from './service.ts';

/** Rate limits by user: changes of the second factor, and proofs of presence. */
export function secondFactorRoutes({ changes, proofs }: { changes: RateLimiter; proofs: RateLimiter }): Implemented[] {
  const throttled = (user: User, wire: Wire): Who => {
    const seconds = changes.take(user.id);
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
    begin: ({ ctx, user, body, wire }) => beginEnrolment(ctx, throttled(user, wire), body.password),
    confirm: ({ ctx, user, body, wire }) => confirmEnrolment(ctx, throttled(user, wire), body.otp),
    remove: ({ ctx, user, body, wire }) => removeFactor(ctx, throttled(user, wire), body),
  });
  return [...steps, ...own];
}
