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

/** A page with what can be done on it. */
type Page = Pick<ModuleRow, 'id' | 'actions'>;

/** The cells that exist where these pages and actions meet. */
const cellsOf = (pages: readonly Page[], actions: readonly Action[]) =>
  pages.map(({ id, actions: offered }) => ({ id, actions: offered.filter((action) => actions.includes(action)) }));

/** Ticks or clears actions on pages: any action opens its page, and without `view` a page is closed. */
export function tick(grants: Grants, pages: readonly Page[], actions: readonly Action[], on: boolean): Grants {
  const next = new Map(grants);
  for (const { id, actions: offered } of cellsOf(pages, actions)) {
    const held = new Set(next.get(id));
    for (const action of offered) {
      if (on) held.add(action).add('view');
      else held.delete(action);
    }
    if (held.has('view')) next.set(id, held);
    else next.delete(id);
  }
  return next;
}

/** Whether all, some or none of these actions are given on all these pages; undefined: there they cannot be done at all. */
export function ticked(grants: Grants, pages: readonly Page[], actions: readonly Action[]): Ticked | undefined {
  const cells = cellsOf(pages, actions);
  const offered = cells.reduce((sum, page) => sum + page.actions.length, 0);
  if (offered === 0) return undefined;
  const given = cells.reduce((sum, page) => sum + page.actions.filter((action) => grants.get(page.id)?.has(action)).length, 0);
  return given === 0 ? 'none' : given === offered ? 'all' : 'some';
}

export interface MatrixRow {
  module: ModuleRow;
  depth: number;
  /** The page itself, or all pages below a group. */
  pages: ModuleRow[];
}

/** The modules in the order of the menu, each with the pages it stands for; groups without a page are left out. */
export function matrixRows(modules: readonly ModuleRow[], isWanted: (module: ModuleRow) => boolean = () => true): MatrixRow[] {
  const children = Map.groupBy(modules, (module) => module.parentId);
  const below = (parentId: string | null, depth: number): MatrixRow[] =>
    (children.get(parentId) ?? []).flatMap((module) => {
      if (module.type === 'page') return isWanted(module) ? [{ module, depth, pages: [module] }] : [];
      const rows = below(module.id, depth + 1);
      const pages = rows.filter((row) => row.module.type === 'page').map((row) => row.module);
      return pages.length === 0 ? [] : [{ module, depth, pages }, ...rows];
    });
  return below(null, 0);
}
