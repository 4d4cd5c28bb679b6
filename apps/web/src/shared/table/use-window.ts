import { useCallback, useState } from 'react';

/** Below this many rows drawing all of them is quicker than choosing. */
const DRAWN_WHOLE = 200;
const OVERSCAN = 12;
const USUAL_ROW_PX = 36;

/** Which rows of a long table are drawn: those in sight and some around them. */
export function useWindow(count: number) {
  const [view, setView] = useState({ top: 0, height: 1200, rowPx: USUAL_ROW_PX });
  const isLong = count > DRAWN_WHOLE;
  const follow = useCallback((box: HTMLElement | null) => {
    if (box === null) return;
    const row = box.querySelector<HTMLElement>('tbody tr[data-row]');
    const next = { top: box.scrollTop, height: box.clientHeight, rowPx: row?.offsetHeight || USUAL_ROW_PX };
    setView((old) => (Math.abs(old.top - next.top) < next.rowPx && old.height === next.height && old.rowPx === next.rowPx ? old : next));
  }, []);
  if (!isLong) return { isLong, first: 0, last: count, before: 0, after: 0, follow };
  const first = Math.max(0, Math.min(count, Math.floor(view.top / view.rowPx) - OVERSCAN));
  const last = Math.min(count, Math.ceil((view.top + view.height) / view.rowPx) + OVERSCAN);
  return { isLong, first, last, before: first * view.rowPx, after: (count - last) * view.rowPx, follow };
}
