import { ACTIONS, type Action, type Route } from './core/route.ts';
import { everyRoute } from './every-route.ts';

const asked = new Map<string, Set<Action>>();
for (const group of Object.values(everyRoute))
  for (const { allow } of Object.values(group) as Route[])
    // as: the groups differ only in what else they say
    if (typeof allow === 'object') asked.set(allow.page, (asked.get(allow.page) ?? new Set<Action>()).add(allow.action));

/** What can be done on a page: what its calls ask for, and looking. */
export const actionsOfPage = (path: string): Action[] => ACTIONS.filter((action) => action === 'view' || asked.get(path)?.has(action));

/** Whether calls are guarded by rights on this page: then roles hold rights on it. */
export const hasRights = (path: string): boolean => asked.has(path);
