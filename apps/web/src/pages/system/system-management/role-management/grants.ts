import { ACTIONS, type Action } from '@hes/contract/core/route.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import type { Permission } from '@hes/contract/manager/role.ts';

/** What a role may do on each page it opens. A page that is not there is closed; `view` comes with every page. */
export type Grants = ReadonlyMap<string, ReadonlySet<Action>>;
export type Ticked = 'all' | 'some' | 'none';

export const grantsOf = ({ moduleIds, actions }: Pick<Permission, 'moduleIds' | 'actions'>): Grants => {
  const given = new Map(actions.map((entry) => [entry.moduleId, entry.actions]));
  return new Map(moduleIds.map((id) => [id, new Set<Action>(['view', ...(given.get(id) ?? [])])]));
};

export const permissionOf = (grants: Grants): Pick<Permission, 'moduleIds' | 'actions'> => ({
  moduleIds: [...grants.keys()],
  actions: [...grants].map(([moduleId, held]) => ({ moduleId, actions: ACTIONS.filter((action) => held.has(action)) })),
});

/** Ticks or clears actions on pages: any action opens its page, and without `view` a page is closed. */
export function tick(grants: Grants, pageIds: readonly string[], actions: readonly Action[], on: boolean): Grants {
  const next = new Map(grants);
  for (const id of pageIds) {
    const held = new Set(next.get(id));
    for (const action of actions) {
      if (on) held.add(action).add('view');
      else held.delete(action);
    }
    if (held.has('view')) next.set(id, held);
    else next.delete(id);
  }
  return next;
}

/** Whether all, some or none of these actions are given on all these pages. */
export function ticked(grants: Grants, pageIds: readonly string[], actions: readonly Action[]): Ticked {
  const given = pageIds.reduce((sum, id) => sum + actions.filter((action) => grants.get(id)?.has(action)).length, 0);
  return given === 0 ? 'none' : given === pageIds.length * actions.length ? 'all' : 'some';
}

export interface MatrixRow {
  module: ModuleRow;
  depth: number;
  /** The page itself, or all pages below a group. */
  pageIds: string[];
}

/** The modules in the order of the menu, each with the pages it stands for; groups without a page are left out. */
export function matrixRows(modules: readonly ModuleRow[], isWanted: (module: ModuleRow) => boolean = () => true): MatrixRow[] {
  const children = Map.groupBy(modules, (module) => module.parentId);
  const below = (parentId: string | null, depth: number): MatrixRow[] =>
    (children.get(parentId) ?? []).flatMap((module) => {
      if (module.type === 'page') return isWanted(module) ? [{ module, depth, pageIds: [module.id] }] : [];
      const rows = below(module.id, depth + 1);
      const pageIds = rows.filter((row) => row.module.type === 'page').map((row) => row.module.id);
      return pageIds.length === 0 ? [] : [{ module, depth, pageIds }, ...rows];
    });
  return below(null, 0);
}
