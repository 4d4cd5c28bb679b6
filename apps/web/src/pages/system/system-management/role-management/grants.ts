import { ACTIONS, type Action } from '@hes/contract/core/route.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import type { Permission } from '@hes/contract/manager/role.ts';

/** The allowed actions by page. A page without an entry is not accessible; `view` is part of every entry. */
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

/** A page with its possible actions. */
type Page = Pick<ModuleRow, 'id' | 'actions'>;

/** The possible cells of these pages and actions. */
const cellsOf = (pages: readonly Page[], actions: readonly Action[]) =>
  pages.map(({ id, actions: offered }) => ({ id, actions: offered.filter((action) => actions.includes(action)) }));

/** Grants or revokes actions on pages: any action grants `view`, and revoking `view` revokes the page. */
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

/** Whether all, some or none of these actions are granted on all these pages; undefined: none of them is possible there. */
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

/** The modules in menu order with the pages below them; groups without pages are left out. */
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
