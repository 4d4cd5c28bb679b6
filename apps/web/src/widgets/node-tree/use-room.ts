import { useCallback, useState } from 'react';

const LEAST_PX = 240;
/** Where the box grows with the tree, it does so up to here. */
const MOST_PX = 960;

/** How much height a box has for a long list in it. */
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
