import { secondFactor } from '@hes/contract/auth/second-factor.ts';
import { implement, type Wire } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User, Who } from '#platform/context.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { beginEnrolment, confirmEnrolment, describeFactor, removeFactor } from './service.ts';

/** `tries`: changes of password and second factor, by user. */
export function secondFactorRoutes(tries: RateLimiter) {
  const throttled = (user: User, wire: Wire): Who => {
    const seconds = tries.take(user.id);
    if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
    return { user, ip: wire.ip };
  };
  return implement(secondFactor, {
    own: ({ ctx, user }) => describeFactor(ctx, user),
    begin: ({ ctx, user, body, wire }) => beginEnrolment(ctx, throttled(user, wire), body.password),
    confirm: ({ ctx, user, body, wire }) => confirmEnrolment(ctx, throttled(user, wire), body.otp),
    remove: ({ ctx, user, body, wire }) => removeFactor(ctx, throttled(user, wire), body),
  });
}
