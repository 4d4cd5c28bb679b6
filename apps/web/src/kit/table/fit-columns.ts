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
