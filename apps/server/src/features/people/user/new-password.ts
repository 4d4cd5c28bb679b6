import { ApiError } from '#platform/api-error.ts';
import type { Context } from '#db/context.ts';
import { isCommonPassword } from './common-passwords.ts';

export const isTooShort = ({ settings }: Pick<Context, 'settings'>, password: string): boolean =>
  [...password].length < settings.rules.passwordMin;

/** Rejects a password that is shorter than the minimum of the installation or easy to guess. */
export async function checkNewPassword(
  ctx: Context,
  { password, username, field }: { password: string; username: string; field: string },
): Promise<void> {
  if (isTooShort(ctx, password)) throw new ApiError('PASSWORD_SHORT', { min: ctx.settings.rules.passwordMin }, field);
  if (await isCommonPassword(password, username)) throw new ApiError('PASSWORD_COMMON', {}, field);
}
