/** A row of a tree and its place in it. */
interface TreeRow<Row> {
  row: Row;
  /** Counts from 1. */
  level: number;
  /** Undefined for a row without a branch. */
  isOpen: boolean | undefined;
}

interface TreeShape<Row> {
  idOf: (row: Row) => string;
  /** Id of the row above; null at the top. */
  parentOf: (row: Row) => string | null;
  closed?: ReadonlySet<string>;
  isWanted?: ((row: Row) => boolean) | undefined;
}

/** The rows of a tree to show: with a filter all matches and their ancestors, else those outside closed branches. */
export function treeRows<Row>(rows: readonly Row[], { idOf, parentOf, closed, isWanted }: TreeShape<Row>): TreeRow<Row>[] {
  const children = Map.groupBy(rows, parentOf);
  const below = (parentId: string | null, level: number): TreeRow<Row>[] =>
    (children.get(parentId) ?? []).flatMap((row) => {
      const inner = below(idOf(row), level + 1);
      if (isWanted && inner.length === 0 && !isWanted(row)) return [];
      const isOpen = isWanted !== undefined || closed?.has(idOf(row)) !== true;
      return [{ row, level, isOpen: inner.length > 0 ? isOpen : undefined }, ...(isOpen ? inner : [])];
    });
  return below(null, 1);
}
