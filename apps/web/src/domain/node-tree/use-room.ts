import { useCallback, useState } from 'react';

const MIN_PX = 240;
/** Maximum height when the box grows with the tree. */
const MAX_PX = 960;

/** The height available to a long list in a box. */
export function useRoom() {
  const [heightPx, setHeightPx] = useState(MIN_PX);
  const box = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => setHeightPx(Math.min(MAX_PX, Math.max(MIN_PX, element.clientHeight)));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, heightPx };
}
