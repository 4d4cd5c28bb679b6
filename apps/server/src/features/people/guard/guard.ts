import { GUARDS, MAX_SILENCED_PER_HOUR } from '@hes/contract/core/guard.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { countAuditRows, writeAudit } from '#db/audit.ts';
import type { Call, Handler, Implemented } from '#http/implement.ts';
import { holdCall } from '#features/approval/port.ts';
import { requireProof } from '#features/people/second-factor/own-proof.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#db/context.ts';
import { SharedRateLimiter } from '#db/shared-rate-limiter.ts';
import type { RateLimit } from '#platform/rate-limiter.ts';
import { refuseWhileStopped, requireFactor } from './act.ts';
import { withIdempotency } from './idempotency.ts';

const HOUR_S = 3600;

/** Limit of devices that one user may make unreachable per hour without approval. */
const SILENCING: RateLimit = { burst: MAX_SILENCED_PER_HOUR, perSecond: MAX_SILENCED_PER_HOUR / HOUR_S };

/** Call of a guarded route. Such a route is never public, so the user is known. */
type GuardedCall = Omit<Call<Route>, 'user'> & { user: User };

/** Whether the route requires proof for the values of this body. */
function asksProof({ endangers = 'nothing', proofOnlyIf }: Route, body: unknown): boolean {
  if (!GUARDS[endangers].asksProof) return false;
  const given = (body ?? {}) as Record<string, unknown>; // as: bodies with conditions are objects
  return Object.entries(proofOnlyIf ?? {}).every(([field, value]) => given[field] === value);
}

/** Rejects a call that violates a guard. Holds a call that requires the approval of a second user. */
async function checkCall({ route, requiresApproval }: Implemented, call: GuardedCall, silenced: SharedRateLimiter): Promise<void> {
  const { ctx, user, params, query, body, wire } = call;
  const who = { user, ip: wire.ip };
  await refuseWhileStopped(ctx, route.endangers ?? 'nothing');
  // The permission of its account replaces the proof of a program; the binding has checked it.
  if (asksProof(route, body) && user.program === undefined) {
    requireFactor(user, route.endangers ?? 'nothing');
    await requireProof(ctx, who);
  }
  const devices = route.silences?.(body) ?? 0;
  const isAbove = devices > 0 && (await silenced.take(user.id, devices)) > 0;
  if (isAbove || (await requiresApproval?.({ ctx, params })) === true) await holdCall(ctx, who, route, { params, query, body }, devices);
}

/** Runs the handler, and writes an audit row if the handler itself wrote none. */
async function runRecorded({ method, path }: Route, call: GuardedCall, handle: Implemented['handle']): Promise<unknown> {
  const { ctx, user, wire } = call;
  const { answer, records } = await countAuditRows(() => handle(call));
  if (records === 0) {
    const entry = { userId: user.id, action: 'call_made', entity: 'call', entityId: `${method} ${path}`, ip: wire.ip } as const;
    await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  }
  return answer;
}

function guarded(implemented: Implemented, silenced: SharedRateLimiter): Implemented {
  const { route, handle } = implemented;
  if (!GUARDS[route.endangers ?? 'nothing'].isRecorded) return implemented;
  return {
    route,
    handle: (async ({ user, ...rest }) => {
      if (user === undefined) throw new ApiError('FORBIDDEN');
      const call = { user, ...rest };
      await checkCall(implemented, call, silenced);
      return runRecorded(route, call, handle);
    }) as Handler<any>, // any: what the route declares was parsed before
  };
}

/** Wraps every dangerous route in the guards of its declaration. All guards of the product run here. */
export function guardRoutes(routes: readonly Implemented[], ctx: Context, limit = SILENCING): Implemented[] {
  const silenced = new SharedRateLimiter(ctx, 'silencing', limit);
  return routes.map((route) => withIdempotency(guarded(route, silenced)));
}
