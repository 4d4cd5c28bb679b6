import { useEffect, useState, type RefObject } from 'react';
import { useScale } from '#core/theme/scale.ts';

/** Minimum width of a column without `width`. */
const USUAL_PX = 140;

/** The properties of a column that decide whether it fits. */
interface Sized {
  width?: number;
  low?: boolean;
}

export const widthOf = (columns: readonly Sized[]): number => columns.reduce((sum, { width }) => sum + (width ?? USUAL_PX), 0);

/** The columns that fit: columns with `low` are hidden from the last one on until the table needs no horizontal scrolling. */
export function fitColumns<C extends Sized>(columns: C[], roomPx: number): C[] {
  let excessPx = widthOf(columns) - roomPx;
  const left = new Set<C>();
  for (const column of columns.filter(({ low }) => low).toReversed()) {
    if (excessPx <= 0) break;
    left.add(column);
    excessPx -= widthOf([column]);
  }
  return left.size === 0 ? columns : columns.filter((column) => !left.has(column));
}

/** What a column says about a row, as far as it can be known without drawing it. */
interface Valued<R> {
  low?: boolean;
  sparse?: boolean;
  value?: (row: R) => unknown;
  time?: (row: R) => unknown;
}

/** The columns without those with `sparse` that no row has a value for. A column that the user chose has no `low`, and stays. */
export function filledColumns<R, C extends Valued<R>>(columns: C[], rows: readonly R[]): C[] {
  const isBlank = ({ low, sparse, value, time }: C) =>
    low === true && sparse === true && rows.length > 0 && rows.every((row) => ((value ?? time)?.(row) ?? null) === null);
  return columns.some(isBlank) ? columns.filter((column) => !isBlank(column)) : columns;
}

/** The width of a box in design pixels. */
export function useRoom(box: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidthPx] = useState(Infinity);
  const boost = useScale((state) => state.boost);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidthPx(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return widthPx / boost;
}
