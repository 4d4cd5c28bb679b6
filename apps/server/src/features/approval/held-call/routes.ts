import { heldCall } from '@hes/contract/action/held-call.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { decideCall, listCalls, type Registry } from './service.ts';

/** `registry` holds the implementations of the calls without their approval check. */
export const heldCallRoutes = (registry: Registry): Implemented[] =>
  implement(heldCall, {
    list: async ({ ctx, user }) => ({ items: await listCalls(ctx, registry, user) }),
    decide: ({ ctx, user, wire, locale, params, body }) => decideCall(ctx, registry, { user, wire, locale }, { ...params, ...body }),
  });
