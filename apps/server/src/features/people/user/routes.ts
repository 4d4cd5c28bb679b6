import { user } from '@hes/contract/manager/user.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { ApiError } from '#platform/api-error.ts';
import type { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import {
  changeUser,
  createUser,
  getUser,
  listGrantableRoles,
  lockUser,
  logOutUser,
  removeUser,
  resetPassword,
  resetSecondFactor,
  sealUser,
} from './administer.ts';
import { listUsers } from './admin-queries.ts';
import { userSheet } from './export-users.ts';
import { userList } from './import-users.ts';
import { changePassword, changeSelf, describeSelf } from './service.ts';

/** `changes` limits the changes of the own password by user. */
export const userRoutes = (changes: SharedRateLimiter, version: string): Implemented[] => [
  ...importRoutes(userList),
  ...exportRoutes(userSheet),
  ...implement(user, {
    me: ({ ctx, user: caller }) => describeSelf(ctx, caller, version),
    updateMe: async ({ ctx, user: caller, body, wire }) => {
      await changeSelf(ctx, { user: caller, ip: wire.ip }, body);
      return describeSelf(ctx, caller, version);
    },
    changePassword: async ({ ctx, user: caller, params, body, wire }) => {
      const seconds = await changes.take(caller.id);
      if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
      await changePassword(ctx, caller, { ...params, ...body, ip: wire.ip });
    },
    list: ({ ctx, user: caller, query }) => listUsers(ctx.db, caller, query, ctx.clock.now()),
    roles: async ({ ctx, user: caller }) => ({ items: await listGrantableRoles(ctx, caller) }),
    get: ({ ctx, user: caller, params }) => getUser(ctx, caller, params.id),
    create: ({ ctx, user: caller, body, wire }) => createUser(ctx, { user: caller, ip: wire.ip }, body),
    update: ({ ctx, user: caller, params, body, wire }) => changeUser(ctx, { user: caller, ip: wire.ip }, { ...params, ...body }),
    remove: ({ ctx, user: caller, params, wire }) => removeUser(ctx, { user: caller, ip: wire.ip }, params.id),
    lock: ({ ctx, user: caller, params, body, wire }) => lockUser(ctx, { user: caller, ip: wire.ip }, { ...params, ...body }),
    resetPassword: ({ ctx, user: caller, params, body, wire }) => resetPassword(ctx, { user: caller, ip: wire.ip }, { ...params, ...body }),
    resetSecondFactor: ({ ctx, user: caller, params, body, wire }) =>
      resetSecondFactor(ctx, { user: caller, ip: wire.ip }, { ...params, ...body }),
    seal: ({ ctx, user: caller, params, body, wire }) => sealUser(ctx, { user: caller, ip: wire.ip }, { ...params, ...body }),
    logout: ({ ctx, user: caller, params, wire }) => logOutUser(ctx, { user: caller, ip: wire.ip }, params.id),
  }),
];
