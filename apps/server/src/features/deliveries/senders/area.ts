import { ACTIONS } from '@hes/contract/core/route.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { Scope, User } from '#db/context.ts';
import { AUDIENCE_ID } from '../feed/item-queries.ts';

/** A user with the rights to see everything in the area of a sender, the orders of all users included. */
export function audienceOf(levelIds: readonly string[]): User {
  const scope: Scope = levelIds.length === 0 ? { kind: 'whole' } : { kind: 'nodes', levelIds, transformerIds: [] };
  const all = new Map(ACTIONS.map((action) => [action, scope]));
  const actions = new Map(Object.values(PAGE_PATH).map((path) => [path as string, all]));
  return { id: AUDIENCE_ID, username: '', name: '', sessionId: '', mustChangePassword: false, actions, scope };
}
