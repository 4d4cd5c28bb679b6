import { useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Below this number of rows, rendering all is faster than windowing. */
const WINDOWED_ABOVE = 200;
const OVERSCAN = 12;
const USUAL_ROW_PX = 36;

/** True while printing: paper shows all rows of a list. `flushSync` renders them before the browser takes its snapshot. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

/** The range of rows to render in a long table: the visible ones and some around them. */
export function useWindow(count: number) {
  const [view, setView] = useState({ top: 0, height: 1200, rowPx: USUAL_ROW_PX });
  const isPrinting = usePrinting();
  const isLong = count > WINDOWED_ABOVE && !isPrinting;
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
