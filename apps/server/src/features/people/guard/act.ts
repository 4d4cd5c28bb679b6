import { GUARDS, isDangerPermitted, type Danger } from '@hes/contract/core/guard.ts';
import { findStopReason } from '#db/emergency-stop.ts';
import type { Right } from '#db/right-holders.ts';
import { requireProof } from '#features/people/second-factor/own-proof.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Program, User, Who } from '#db/context.ts';

/** Throws while the emergency stop is active, if the stop applies to this danger. */
export async function refuseWhileStopped(ctx: Context, danger: Danger): Promise<void> {
  const reason = GUARDS[danger].isStopped ? await findStopReason(ctx.db) : undefined;
  if (reason !== undefined) throw new ApiError('RELAY_STOPPED', { reason });
}

/** Throws if the danger requires a second factor and the user must still enrol one. */
export function requireFactor({ mustEnrolToOrder }: User, danger: Danger): void {
  if (mustEnrolToOrder === true && GUARDS[danger].asksFactor) throw new ApiError('SECOND_FACTOR_REQUIRED');
}

/** Throws if the account of a program does not permit the danger. */
function requirePermission({ mayOrder }: Program, danger: Danger): void {
  if (!isDangerPermitted(danger, mayOrder)) throw new ApiError('PROGRAM_REFUSED');
}

/** Guard for actions whose danger depends on their object, such as a retry of the items of a task. */
export async function requireGuard(ctx: Context, who: Who, { danger, right }: { danger: Danger; right: Right }): Promise<void> {
  const { asksRestedRight, asksProof } = GUARDS[danger];
  const isRested = who.user.rested?.get(right.page)?.has(right.action) === true;
  if (asksRestedRight && !isRested) throw new ApiError('RIGHT_TOO_NEW');
  await refuseWhileStopped(ctx, danger);
  if (who.user.program !== undefined) return requirePermission(who.user.program, danger);
  requireFactor(who.user, danger);
  if (asksProof) await requireProof(ctx, who);
}
