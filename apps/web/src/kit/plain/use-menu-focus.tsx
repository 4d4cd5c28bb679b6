import { useRef, type KeyboardEvent, type ReactNode } from 'react';

/** A popup without a layout after this number of frames was closed again. */
const FRAMES_TO_APPEAR = 120;

/** Moves the focus into a menu by `enter`, and back to its opener on Escape. */
export function useMenuFocus(): { enter: () => void; popupRender: (menu: ReactNode) => ReactNode } {
  const popup = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && opener.current instanceof HTMLElement) opener.current.focus();
  };
  return {
    enter: () => {
      opener.current = document.activeElement;
      focusFirst(() => popup.current);
    },
    popupRender: (menu) => (
      <div ref={popup} role="presentation" onKeyDown={onKeyDown}>
        {menu}
      </div>
    ),
  };
}

/** An element without a layout refuses the focus, and the number of frames until layout varies: retry until it takes the focus. */
function focusFirst(popup: () => HTMLElement | null, framesLeft = FRAMES_TO_APPEAR): void {
  requestAnimationFrame(() => {
    const item = popup()?.querySelector<HTMLElement>('[role="menuitem"]:not([aria-disabled="true"])');
    item?.focus();
    if ((item === null || item === undefined || item !== document.activeElement) && framesLeft > 0) focusFirst(popup, framesLeft - 1);
  });
}
