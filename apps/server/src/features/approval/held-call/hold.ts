import type { Route } from '@hes/contract/core/route.ts';
import { APPROVAL_MINUTES } from '@hes/contract/action/relay-rules.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { sealOrder } from '#platform/order-seal.ts';
import { insertHeld } from './queries.ts';

const MINUTE_MS = 60_000;

export interface CallInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

const routeKey = ({ method, path }: Route): string => `${method} ${path}`;

/** Binds the sealed input to its route and to its requester. */
export const contentPurpose = (route: string, userId: string): string => `held-call/${route}/${userId}`;

/** The stored form of an input. Routes with an upload must not be held: its bytes would be lost. */
function textOf(input: CallInput): string {
  return JSON.stringify(input);
}

function reasonOf(body: unknown): string | null {
  const reason = typeof body === 'object' && body !== null && 'reason' in body ? body.reason : undefined;
  return typeof reason === 'string' ? reason.slice(0, 256) : null;
}

/** Stores a call until its approval, and reports that to the caller by an error. */
export async function holdCall(ctx: Context, { user, ip }: Who, route: Route, input: CallInput, devices: number): Promise<never> {
  const now = ctx.clock.now();
  const key = routeKey(route);
  const text = textOf(input);
  const call = {
    route: key,
    content: ctx.secrets.seal(Buffer.from(text), contentPurpose(key, user.id)),
    digest: sealOrder(ctx.secrets, 'held call', [key, text]),
    devices,
    reason: reasonOf(input.body),
    requestedBy: user.id,
    createdAt: new Date(now),
    expiresAt: new Date(now + APPROVAL_MINUTES * MINUTE_MS),
  };
  await ctx.db.transaction().execute(async (tx) => {
    const id = await insertHeld(tx, call);
    if (id === undefined) return;
    const detail = { devices, ...(call.reason === null ? {} : { reason: call.reason }) };
    await writeAudit(tx, { userId: user.id, action: 'call_held', entity: 'call', entityId: key, detail, ip }, now);
  });
  throw new ApiError('APPROVAL_REQUIRED', { minutes: APPROVAL_MINUTES });
}
