import { useEffect, useRef, type RefObject } from 'react';

/** Other pages of open tabs are mounted but hidden. */
const isShown = (element: Element): boolean => element instanceof HTMLElement && element.offsetParent !== null;

const headingOf = (main: HTMLElement): HTMLElement | undefined => [...main.querySelectorAll('h1')].find(isShown);

/**
 * After a navigation the heading of the new page takes the focus, so that screen readers announce the page once and Tab continues in it.
 * The first page, a reload, and changes within a page leave the focus where it is, as does a page that focuses a field of its own.
 */
export function useHeadingFocus(main: RefObject<HTMLElement | null>, pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    const box = main.current;
    if (box === null || pathname === shown.current || pathname.startsWith('/redirect/')) return undefined;
    shown.current = pathname;
    const before = document.activeElement;
    const focusHeading = (): boolean => {
      const heading = headingOf(box);
      if (!heading) return false;
      const now = document.activeElement ?? document.body;
      const hasMoved = now !== before && now !== document.body;
      const isOfPage = now !== box && box.contains(now) && isShown(now);
      if (hasMoved || isOfPage) return true;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      return true;
    };
    if (focusHeading()) return undefined;
    // The code of the page or its first data is still loading.
    const observer = new MutationObserver(() => {
      if (focusHeading()) observer.disconnect();
    });
    observer.observe(box, { subtree: true, childList: true, attributes: true, attributeFilter: ['style'] });
    return () => observer.disconnect();
  }, [main, pathname]);
}
