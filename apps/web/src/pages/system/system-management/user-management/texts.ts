import type { UserRow } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { common } from '#core/i18n/common.messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { hourMinute } from '#core/time/format.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import type { UserState } from '#domain/states/tables.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };
export type T = Translate<typeof texts>;

/** The single state shown in a row; a lock has precedence. */
export const stateOfUser = (user: Pick<UserRow, 'lock' | 'mustChangePassword'>): UserState =>
  user.lock ? 'locked' : user.mustChangePassword ? 'must_change' : 'active';

/** The reason of a lock; null when the user is not locked, or no reason was given. */
export const lockReasonOf = (say: ListTools['say'], user: Pick<UserRow, 'lockReason' | 'lockedUntil'>): string | null =>
  user.lockReason ?? (user.lockedUntil === null ? null : say(texts.failedLogins, { time: hourMinute(user.lockedUntil) }));

export const rolesOf = ({ roles }: Pick<UserRow, 'roles'>, say: ListTools['say']): string =>
  roles.map((role) => say(roleName(role))).join(', ');

/** As in the query string. */
type Flag = 'true' | 'false';

export const STATE_FILTER: Record<UserState, { lock: Flag; mustChangePassword?: Flag }> = {
  active: { lock: 'false', mustChangePassword: 'false' },
  locked: { lock: 'true' },
  must_change: { lock: 'false', mustChangePassword: 'true' },
};
