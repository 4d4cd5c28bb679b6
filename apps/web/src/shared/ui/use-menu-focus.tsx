import { useRef, type KeyboardEvent, type ReactNode } from 'react';

/** A popup that has not been laid out after so many frames has been closed again. */
const FRAMES_TO_APPEAR = 120;

/** Where the focus goes while a menu is open: into it with `enter`, and back with Escape to where it came from. */
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

/** What is not laid out yet refuses the focus, and how many frames that takes is the machine's business: so until it is taken. */
function focusFirst(popup: () => HTMLElement | null, framesLeft = FRAMES_TO_APPEAR): void {
  requestAnimationFrame(() => {
    const item = popup()?.querySelector<HTMLElement>('[role="menuitem"]:not([aria-disabled="true"])');
    item?.focus();
    if ((item === null || item === undefined || item !== document.activeElement) && framesLeft > 0) focusFirst(popup, framesLeft - 1);
  });
}
