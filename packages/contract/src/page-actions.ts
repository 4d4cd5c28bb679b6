import { ACTIONS, type Action, type Route } from './core/route.ts';
import { everyRoute } from './every-route.ts';

const asked = new Map<string, Set<Action>>();
for (const group of Object.values(everyRoute))
  for (const { allow } of Object.values(group) as Route[])
    // as: all groups are records of routes
    if (typeof allow === 'object') asked.set(allow.page, (asked.get(allow.page) ?? new Set<Action>()).add(allow.action));

/** Actions of a page: those of its routes, and `view`. */
export const actionsOfPage = (path: string): Action[] => ACTIONS.filter((action) => action === 'view' || asked.get(path)?.has(action));

/** Whether routes require rights on this page, so that roles can have rights on it. */
export const hasRights = (path: string): boolean => asked.has(path);
