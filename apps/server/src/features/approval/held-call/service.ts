import type { HeldCallRow } from '@hes/contract/action/held-call.ts';
import type { Allow } from '@hes/contract/core/route.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import { writeAudit } from '#db/audit.ts';
import { requireIndependentApprover } from '#db/right-holders.ts';
import { findUserById } from '#http/access/queries.ts';
import type { Implemented, Wire } from '#http/implement.ts';
import { refuseWhileStopped } from '#features/people/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Scope, User } from '#db/context.ts';
import { contentPurpose, type CallInput } from './hold.ts';
import { decideHeld, findHeld, listHeld, markFailed, type HeldCall } from './queries.ts';

const WEEK_MS = 7 * 86_400_000;

/** Implementations of calls by method and path. */
export type Registry = ReadonlyMap<string, Implemented>;
type PageRight = Exclude<Allow, string>;

const rightOf = ({ route: { allow } }: Implemented): PageRight | undefined => (typeof allow === 'object' ? allow : undefined);

/** Area of a right that the user has had for at least a day; newer rights do not count for dangerous calls. */
const restedScope = (user: User, { page, action }: PageRight): Scope | undefined => user.rested?.get(page)?.get(action);

/** An approver needs the whole network or exactly the area of the requester. */
const coversArea = (own: Scope, asked: Scope): boolean => own.kind === 'whole' || JSON.stringify(own) === JSON.stringify(asked);

function mayDecide(registry: Registry, user: User, call: HeldCall): boolean {
  const implemented = registry.get(call.route);
  const right = implemented && rightOf(implemented);
  return right !== undefined && call.requestedBy !== user.id && restedScope(user, right) !== undefined;
}

export async function listCalls(ctx: Context, registry: Registry, user: User): Promise<HeldCallRow[]> {
  const now = ctx.clock.now();
  const calls = await listHeld(ctx.db, new Date(now - WEEK_MS));
  return calls.flatMap((call): HeldCallRow[] => {
    const isOther = mayDecide(registry, user, call);
    if (!isOther && call.requestedBy !== user.id) return [];
    const { content: _, ...row } = call;
    const isOver = call.state === 'pending' && call.expiresAt.getTime() <= now;
    return [
      {
        ...row,
        summary: registry.get(call.route)?.route.summary ?? call.route,
        createdAt: call.createdAt.toISOString(),
        expiresAt: call.expiresAt.toISOString(),
        decidedAt: call.decidedAt?.toISOString() ?? null,
        state: isOver ? 'expired' : call.state,
        mayDecide: isOther && call.state === 'pending' && !isOver,
      },
    ];
  });
}

export interface CallDecision {
  id: string;
  decision: 'approve' | 'reject';
  comment: string;
}

/** Stores the decision. An approved call runs at once, with the present rights of its requester. */
export async function decideCall(
  ctx: Context,
  registry: Registry,
  caller: { user: User; wire: Wire; locale: Locale },
  { id, decision, comment }: CallDecision,
): Promise<void> {
  const { user, wire, locale } = caller;
  const call = await findHeld(ctx.db, id);
  const implemented = call && registry.get(call.route);
  const right = implemented && rightOf(implemented);
  if (call?.requestedBy === user.id) throw new ApiError('SAME_USER');
  const own = right && restedScope(user, right);
  if (call === undefined || implemented === undefined || right === undefined || own === undefined) throw new ApiError('NOT_FOUND');
  const isApproved = decision === 'approve';
  const requester = isApproved ? await requesterOf(ctx, call, right, { user, own }) : undefined;
  if (isApproved) await refuseWhileStopped(ctx, implemented.route.endangers ?? 'nothing');
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const state = isApproved ? ('approved' as const) : ('rejected' as const);
    const decided = { state, approverId: user.id, comment: comment === '' ? null : comment, decidedAt: new Date(now) };
    if (!(await decideHeld(tx, id, decided))) throw new ApiError('NOTHING_TO_DO');
    const detail = { requestedBy: call.requestedByName, devices: call.devices, comment };
    const action = isApproved ? ('call_approved' as const) : ('call_rejected' as const);
    await writeAudit(tx, { userId: user.id, action, entity: 'call', entityId: call.route, detail, ip: wire.ip }, now);
  });
  if (requester === undefined) return;
  // as: sealed by `holdCall`
  const input = JSON.parse(ctx.secrets.open(call.content, contentPurpose(call.route, call.requestedBy)).toString()) as CallInput;
  try {
    await implemented.handle({ ctx, user: requester, ...input, locale, wire });
  } catch (error) {
    await markFailed(ctx.db, id);
    throw error;
  }
}

/** Loads the requester with present rights, after checking that this approver may decide about the call. */
async function requesterOf(ctx: Context, call: HeldCall, right: PageRight, approver: { user: User; own: Scope }): Promise<User> {
  const found = await findUserById(ctx, call.requestedBy, new Date(ctx.clock.now()));
  const scope = found && restedScope(found, right);
  if (found === undefined || scope === undefined) throw new ApiError('NOTHING_TO_DO');
  if (!coversArea(approver.own, scope)) throw new ApiError('BEYOND_OWN_RIGHTS');
  await requireIndependentApprover(ctx.db, { userId: found.id, right }, { userId: approver.user.id, right });
  return { ...found, scope };
}
