import { GUARDS, type Danger } from '@hes/contract/core/guard.ts';
import { findStopReason } from '#db/emergency-stop.ts';
import type { Right } from '#db/holders.ts';
import { requireProof } from '#features/people/second-factor/own-proof.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';

/** Refuses while the emergency stop is pressed, where it covers the danger. */
export async function refuseWhileStopped(ctx: Context, danger: Danger): Promise<void> {
  const reason = GUARDS[danger].isStopped ? await findStopReason(ctx.db) : undefined;
  if (reason !== undefined) throw new ApiError('RELAY_STOPPED', { reason });
}

/** Refuses a dangerous order or an approval of a user who must have a second factor for it and has none. */
export function requireFactor({ mustEnrolToOrder }: User, danger: Danger): void {
  if (mustEnrolToOrder === true && GUARDS[danger].asksFactor) throw new ApiError('SECOND_FACTOR_REQUIRED');
}

/** The guard of an act whose danger depends on what it is about, such as sending the items of a task again. */
export async function requireGuard(ctx: Context, who: Who, { danger, right }: { danger: Danger; right: Right }): Promise<void> {
  const { asksRestedRight, asksProof } = GUARDS[danger];
  const isRested = who.user.rested?.get(right.page)?.has(right.action) === true;
  if (asksRestedRight && !isRested) throw new ApiError('RIGHT_TOO_NEW');
  await refuseWhileStopped(ctx, danger);
  requireFactor(who.user, danger);
  if (asksProof) await requireProof(ctx, who);
}
