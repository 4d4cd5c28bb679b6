import { typeBelow, type LevelRow, type LevelType } from '@hes/contract/asset/level.ts';

/** A new level that is not saved yet. */
export interface Draft {
  parentId: string | null;
  type: LevelType;
  code: string;
  sort: number;
}

export const DRAFT_KEY = 'draft';

export interface LevelNode {
  key: string;
  level: LevelRow | undefined;
  children: LevelNode[];
}

const SORT_STEP = 10;
const MAX_SORT = 9999;

const siblingsOf = (levels: readonly LevelRow[], parentId: string | null) => levels.filter((level) => level.parentId === parentId);

/** An unused code: code of the parent and a number, such as `DN-3`. */
function freeCode(levels: readonly LevelRow[], parent: LevelRow | undefined): string {
  const taken = new Set(levels.map((level) => level.code));
  const prefix = parent ? `${parent.code}-` : 'L';
  let number = siblingsOf(levels, parent?.id ?? null).length + 1;
  while (taken.has(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}

const draft = (levels: readonly LevelRow[], parent: LevelRow | undefined, type: LevelType): Draft => ({
  parentId: parent?.id ?? null,
  type,
  code: freeCode(levels, parent),
  sort: Math.min(MAX_SORT, Math.max(0, ...siblingsOf(levels, parent?.id ?? null).map((level) => level.sort)) + SORT_STEP),
});

/** A draft with the same parent and type as a level; next to a root it is another root. */
export const peerOf = (levels: readonly LevelRow[], level: LevelRow): Draft =>
  draft(
    levels,
    levels.find((other) => other.id === level.parentId),
    level.type,
  );

/** A draft below a level, of the next type. */
export const subordinateOf = (levels: readonly LevelRow[], level: LevelRow): Draft => draft(levels, level, typeBelow(level.type));

export const firstOf = (): Draft => ({ parentId: null, type: 'company', code: 'L1', sort: SORT_STEP });

/** The levels as a tree with the draft in its place. With a filter only matches and their ancestors. */
export function treeOf(
  levels: readonly LevelRow[],
  added: Draft | undefined,
  { search, type }: { search: string; type?: LevelType | undefined },
): LevelNode[] {
  const word = search.trim().toLowerCase();
  const below = Map.groupBy(levels, (level) => level.parentId);
  const fits = (level: LevelRow) =>
    (type === undefined || level.type === type) && `${level.name} ${level.code}`.toLowerCase().includes(word);
  const nodesOf = (parentId: string | null): LevelNode[] => {
    const nodes = (below.get(parentId) ?? []).flatMap((level): LevelNode[] => {
      const children = nodesOf(level.id);
      return children.length > 0 || fits(level) ? [{ key: level.id, level, children }] : [];
    });
    return added && added.parentId === parentId ? [...nodes, { key: DRAFT_KEY, level: undefined, children: [] }] : nodes;
  };
  return nodesOf(null);
}

/** The target of a drop: into a level, or before or after it. */
export function placeOf(
  levels: readonly LevelRow[],
  moved: string,
  target: LevelRow,
  where: 'into' | 'before' | 'behind',
): { parentId: string | null; beforeId: string | null } {
  if (where === 'into') return { parentId: target.id, beforeId: null };
  const siblings = siblingsOf(levels, target.parentId).filter((level) => level.id !== moved);
  const at = siblings.findIndex((level) => level.id === target.id);
  return { parentId: target.parentId, beforeId: where === 'before' ? target.id : (siblings[at + 1]?.id ?? null) };
}

/** A level cannot move into itself or its descendants, nor exceed the maximum depth. */
export function mayGoInto(levels: readonly LevelRow[], moved: LevelRow, parent: LevelRow | undefined, maxDepth: number): boolean {
  for (let at = parent; at; at = levels.find((level) => level.id === at?.parentId)) if (at.id === moved.id) return false;
  const heightOf = (id: string): number =>
    1 + Math.max(0, ...levels.filter((level) => level.parentId === id).map((level) => heightOf(level.id)));
  return (parent?.depth ?? 0) + heightOf(moved.id) <= maxDepth;
}
