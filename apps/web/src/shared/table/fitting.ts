import { useEffect, useState, type RefObject } from 'react';
import { useScale } from '#shared/theme/scale.ts';

/** What a column without a width needs at least. */
const USUAL_PX = 140;

/** What is known of a column before it is drawn. */
interface Sized {
  width?: number;
  low?: boolean;
}

export const widthOf = (columns: readonly Sized[]): number => columns.reduce((sum, { width }) => sum + (width ?? USUAL_PX), 0);

/** The columns there is room for: those of low rank leave, the last one first, until nothing lies beside the window. */
export function fitting<C extends Sized>(columns: C[], roomPx: number): C[] {
  let excessPx = widthOf(columns) - roomPx;
  const left = new Set<C>();
  for (const column of columns.filter(({ low }) => low).toReversed()) {
    if (excessPx <= 0) break;
    left.add(column);
    excessPx -= widthOf([column]);
  }
  return left.size === 0 ? columns : columns.filter((column) => !left.has(column));
}

/** How wide a box is, in pixels of the design. */
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
