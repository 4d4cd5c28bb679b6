import { user } from '@hes/contract/manager/user.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { changePassword, changeSelf, describeSelf } from './service.ts';

/** `tries`: changes of password, by user. */
export const userRoutes = (tries: RateLimiter) =>
  implement(user, {
    me: ({ ctx, user: caller }) => describeSelf(ctx, caller),
    updateMe: ({ ctx, user: caller, body }) => changeSelf(ctx, caller, body),
    changePassword: async ({ ctx, user: caller, params, body, wire }) => {
      const seconds = tries.take(caller.id);
      if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
      await changePassword(ctx, caller, { ...params, ...body, ip: wire.ip });
    },
  });
