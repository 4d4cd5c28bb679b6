import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#platform/context.ts';
import { isPassword } from '#platform/passwords.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';

/** That the person is there, and not only their screen. A wrong password is a refused attempt on record. */
export async function checkOwnPassword(
  ctx: Context,
  { user, ip }: Who,
  check: { password: string; tries: RateLimiter; about: Record<string, unknown> },
): Promise<void> {
  const seconds = check.tries.take(user.id);
  if (seconds > 0) throw new ApiError('RATE_LIMIT', { seconds });
  const { passwordHash } = await ctx.db.selectFrom('appUser').where('id', '=', user.id).select('passwordHash').executeTakeFirstOrThrow();
  if (await isPassword(check.password, passwordHash)) return;
  const detail = { why: 'OLD_PASSWORD_WRONG', ...check.about };
  const entry = { userId: user.id, action: 'relay_refused', entity: 'relay', entityId: null, detail, ip } as const;
  await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  throw new ApiError('OLD_PASSWORD_WRONG', {}, 'password');
}
