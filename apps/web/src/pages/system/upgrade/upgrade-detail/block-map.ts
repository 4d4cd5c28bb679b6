/** Maximum number of cells: larger images have several blocks per cell. */
export const MAX_CELLS = 600;

export interface BlockCell {
  first: number;
  count: number;
  done: number;
}

/** The blocks of an image in their order, grouped into cells; the last cell may have fewer blocks. */
export function cellsOf(blockMap: string): BlockCell[] {
  const perCell = Math.max(1, Math.ceil(blockMap.length / MAX_CELLS));
  return Array.from({ length: Math.ceil(blockMap.length / perCell) }, (_, at) => {
    const part = blockMap.slice(at * perCell, (at + 1) * perCell);
    return { first: at * perCell, count: part.length, done: part.replaceAll('0', '').length };
  });
}
