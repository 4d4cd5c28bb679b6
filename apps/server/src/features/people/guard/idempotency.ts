import { createHash } from 'node:crypto';
import type { Route } from '@hes/contract/core/route.ts';
import type { TextParams } from '@hes/contract/core/text.ts';
import { canonical } from '#db/canonical.ts';
import type { Call, Handler, Implemented } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, User } from '#db/context.ts';
import { dropOlder, findReserved, release, reserve, storeAnswer, type Reservation } from './idempotency-queries.ts';

/** Keys are kept this long; the same key then places a new order. */
const KEPT_MS = 86_400_000;
/** Header of a promised POST call. */
const IDEMPOTENCY_HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e]{1,128}$/;

const digestOf = ({ method, path }: Route, { params, query, body }: Call<Route>): Buffer =>
  createHash('sha256')
    .update(canonical({ call: `${method} ${path}`, params, query, body }))
    .digest();

/** The outcome of a call. A call that waits for approval is placed, although it ends as a refusal. */
type Outcome = { value?: unknown } | { held: TextParams };

async function repeated(db: Db, entry: Reservation): Promise<unknown> {
  const stored = await findReserved(db, entry);
  if (stored !== undefined && !stored.digest.equals(entry.digest)) throw new ApiError('KEY_OF_ANOTHER_CALL');
  const outcome = stored?.answer as Outcome | null | undefined; // as: written by `runOnce`
  if (outcome === null || outcome === undefined) throw new ApiError('CALL_NOT_ENDED');
  if ('held' in outcome) throw new ApiError('APPROVAL_REQUIRED', outcome.held);
  return outcome.value;
}

/** Runs a call once per key. A refused call places no order, so its key is free again. */
async function runOnce({ db, clock }: Context, entry: Reservation, run: () => Promise<unknown>): Promise<unknown> {
  const now = clock.now();
  await dropOlder(db, new Date(now - KEPT_MS));
  if (!(await reserve(db, entry, new Date(now)))) return repeated(db, entry);
  const note = (outcome: Outcome) => storeAnswer(db, entry, JSON.stringify(outcome));
  try {
    const value = await run();
    await note({ value });
    return value;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'APPROVAL_REQUIRED') await note({ held: error.params });
    else if (error instanceof ApiError) await release(db, entry);
    throw error;
  }
}

/** Gives a promised POST call the header `Idempotency-Key`: the same key and input get the same answer for a day. */
export function withIdempotency(implemented: Implemented): Implemented {
  const { route, handle } = implemented;
  if (route.method !== 'POST' || route.v1 === undefined || route.allow === 'public') return implemented;
  return {
    ...implemented,
    handle: (async (call: Call<Route> & { user: User }) => {
      const key = call.wire.header(IDEMPOTENCY_HEADER);
      if (key === undefined) return handle(call);
      if (!KEY.test(key)) throw new ApiError('VALIDATION', {}, [{ field: IDEMPOTENCY_HEADER, message: '1 to 128 printable characters' }]);
      const entry = { userId: call.user.id, key, digest: digestOf(route, call) };
      return runOnce(call.ctx, entry, async () => handle(call));
    }) as Handler<any>, // any: what the route declares was parsed before
  };
}
