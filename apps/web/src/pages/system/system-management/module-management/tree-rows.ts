import type { ModuleRow } from '@hes/contract/manager/module.ts';

export interface TreeRow {
  module: ModuleRow;
  depth: number;
  hasChildren: boolean;
  isOpen: boolean;
  /** Its neighbours among the siblings. */
  previous: ModuleRow | undefined;
  next: ModuleRow | undefined;
}

/** The rows to show: with a filter all matches and their ancestors, else those outside closed groups. */
export function treeRows(modules: readonly ModuleRow[], closed: ReadonlySet<string>, isWanted?: (module: ModuleRow) => boolean): TreeRow[] {
  const children = Map.groupBy(modules, (module) => module.parentId);
  const below = (parentId: string | null, depth: number): TreeRow[] => {
    const siblings = children.get(parentId) ?? [];
    return siblings.flatMap((module, at) => {
      const inner = below(module.id, depth + 1);
      if (isWanted && inner.length === 0 && !isWanted(module)) return [];
      const isOpen = isWanted !== undefined || !closed.has(module.id);
      const row = { module, depth, hasChildren: inner.length > 0, isOpen, previous: siblings[at - 1], next: siblings[at + 1] };
      return [row, ...(isOpen ? inner : [])];
    });
  };
  return below(null, 0);
}

export interface Place {
  parentId: string | null;
  /** The sibling to insert before; null: at the end. */
  beforeId: string | null;
}

/** The target of moving a module one step up or down among its siblings; undefined at the end. */
export function stepOf(modules: readonly ModuleRow[], id: string, by: -1 | 1): Place | undefined {
  const parentId = modules.find((module) => module.id === id)?.parentId ?? null;
  const siblings = modules.filter((module) => module.parentId === parentId);
  const at = siblings.findIndex((module) => module.id === id);
  if (at + by < 0 || at + by >= siblings.length) return undefined;
  return { parentId, beforeId: siblings[by === -1 ? at - 1 : at + 2]?.id ?? null };
}

/** Groups that can contain a module: neither itself nor its descendants. */
export function parentsFor(modules: readonly ModuleRow[], id: string | undefined): { module: ModuleRow; depth: number }[] {
  const rows = treeRows(modules, new Set());
  const inside = new Set<string>(id === undefined ? [] : [id]);
  return rows.flatMap(({ module, depth }) => {
    if (module.parentId !== null && inside.has(module.parentId)) inside.add(module.id);
    return module.type === 'group' && !inside.has(module.id) ? [{ module, depth }] : [];
  });
}
