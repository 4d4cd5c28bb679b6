import { useCallback, useState } from 'react';

const LEAST_PX = 240;
/** Maximum height when the box grows with the tree. */
const MOST_PX = 960;

/** The height available to a long list in a box. */
export function useRoom() {
  const [heightPx, setHeightPx] = useState(LEAST_PX);
  const box = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => setHeightPx(Math.min(MOST_PX, Math.max(LEAST_PX, element.clientHeight)));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, heightPx };
}
