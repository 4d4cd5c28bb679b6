import { Dropdown, type DropdownProps } from 'antd';
import { useRef, type ReactNode } from 'react';

/** A popup that has not been laid out after so many frames has been closed again. */
const FRAMES_TO_APPEAR = 120;

type Props = Pick<DropdownProps, 'menu' | 'placement'> & { children: ReactNode };

/** A button that opens a menu. The first entry has the focus as soon as it can be seen, so that arrow keys go on from there. */
export function ActionMenu({ children, ...rest }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dropdown
      {...rest}
      trigger={['click']}
      autoFocus
      popupRender={(menu) => <div ref={popup}>{menu}</div>}
      onOpenChange={(open) => {
        if (open) focusFirst(() => popup.current);
      }}
    >
      {children}
    </Dropdown>
  );
}

/** What is not laid out yet refuses the focus, and how many frames that takes is the machine's business: so until it is taken. */
export function focusFirst(popup: () => HTMLElement | null, framesLeft = FRAMES_TO_APPEAR): void {
  requestAnimationFrame(() => {
    const item = popup()?.querySelector<HTMLElement>('[role="menuitem"]:not([aria-disabled="true"])');
    item?.focus();
    if ((item === null || item === undefined || item !== document.activeElement) && framesLeft > 0) focusFirst(popup, framesLeft - 1);
  });
}
