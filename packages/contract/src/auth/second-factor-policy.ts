import { approval } from '../action/approval.ts';
import { relay } from '../action/relay.ts';
import type { Action, Route } from '../core/route.ts';
import { role } from '../manager/role.ts';
import { setting } from '../manager/setting.ts';
import { user } from '../manager/user.ts';
import type { SettingValues } from '../setting/settings.ts';
import { firmware } from '../upgrade/firmware.ts';

/** Routes whose right is critical: it permits disconnecting supplies, approving orders, or granting such rights. */
const CRITICAL: readonly Pick<Route, 'allow'>[] = [
  relay.order,
  approval.decide,
  firmware.approve,
  user.create,
  user.update,
  role.setPermission,
  setting.update,
];

/** Whether a user with these rights (`path → actions`) must set up a second factor before any other call. */
export function isFactorAsked(
  requiredFor: SettingValues['secondFactor']['requiredFor'],
  actions: ReadonlyMap<string, { has(action: Action): boolean }>,
): boolean {
  if (requiredFor === 'orders') return false;
  if (requiredFor !== 'critical') return requiredFor === 'everybody';
  return CRITICAL.some(({ allow }) => typeof allow === 'object' && actions.get(allow.page)?.has(allow.action) === true);
}
