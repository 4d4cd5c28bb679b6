/** Cells of the map at most: more blocks share cells. */
export const MAX_CELLS = 600;

export interface BlockCell {
  first: number;
  count: number;
  done: number;
}

/** The blocks of an image in their order, so many to a cell that the map stays small; the last cell may hold fewer. */
export function cellsOf(blockMap: string): BlockCell[] {
  const perCell = Math.max(1, Math.ceil(blockMap.length / MAX_CELLS));
  return Array.from({ length: Math.ceil(blockMap.length / perCell) }, (_, at) => {
    const part = blockMap.slice(at * perCell, (at + 1) * perCell);
    return { first: at * perCell, count: part.length, done: part.replaceAll('0', '').length };
  });
}
