import type { ModuleRow } from '@hes/contract/manager/module.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { treeRows } from '#kit/list/tree-rows.ts';

const TREE = { idOf: ({ id }: ModuleRow) => id, parentOf: ({ parentId }: ModuleRow) => parentId };

/** The sibling before which one step up or down puts a module; null: behind all others; undefined: there is no such step. */
export function stepOf(
  { id }: Pick<ModuleRow, 'id'>,
  by: -1 | 1,
  { siblingsOf }: Pick<ListTools, 'siblingsOf'>,
): string | null | undefined {
  const ids = siblingsOf(id);
  const at = ids.indexOf(id);
  if (by === -1) return ids[at - 1];
  return at + 1 < ids.length ? (ids[at + 2] ?? null) : undefined;
}

/** Groups that can contain a module: neither itself nor its descendants. */
export function parentsFor(modules: readonly ModuleRow[], id: string | undefined): { module: ModuleRow; level: number }[] {
  const inside = new Set<string>(id === undefined ? [] : [id]);
  return treeRows(modules, TREE).flatMap(({ row, level }) => {
    if (row.parentId !== null && inside.has(row.parentId)) inside.add(row.id);
    return row.type === 'group' && !inside.has(row.id) ? [{ module: row, level }] : [];
  });
}
