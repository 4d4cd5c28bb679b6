import { Dropdown, Popover, type DropdownProps, type PopoverProps } from 'antd';
import { useEffect, useImperativeHandle, type Ref } from 'react';
import { Controls } from '#kit/theme/controls.tsx';

interface PopupAnchorProps {
  element: HTMLElement;
  ref?: Ref<HTMLElement>;
  [given: string]: unknown;
}

/** Anchors a popup of the library to an existing element: passes the element as ref and attaches the library's event handlers to it. */
function PopupAnchor({ element, ref, ...given }: PopupAnchorProps) {
  useImperativeHandle(ref, () => element, [element]);
  useEffect(() => {
    const handlers = Object.entries(given).flatMap(([name, handler]) =>
      typeof handler === 'function' && /^on[A-Z]/.test(name) ? [[name.slice(2).toLowerCase(), handler as EventListener] as const] : [],
    );
    for (const [type, listener] of handlers) element.addEventListener(type, listener);
    return () => handlers.forEach(([type, listener]) => element.removeEventListener(type, listener));
  });
  return null;
}

interface Opening {
  trigger: ('click' | 'contextMenu' | 'hover')[];
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}
type Menu = Pick<DropdownProps, 'menu' | 'placement' | 'popupRender' | 'autoFocus' | 'mouseEnterDelay'>;
type Panel = Pick<PopoverProps, 'content' | 'placement' | 'arrow'>;

/** The content of a popup, and how it opens. */
export type PopupOptions = Opening & (Menu | Panel);

/** A menu or a panel anchored to an element. Calls `onAttached` once its event handlers are attached. */
export function Popup({ element, onAttached, ...options }: PopupOptions & { element: HTMLElement; onAttached: () => void }) {
  // Effects of children run first: the handlers are attached by now.
  useEffect(onAttached, [onAttached]);
  return (
    <Controls>
      {'content' in options ? (
        <Popover {...options}>
          <PopupAnchor element={element} />
        </Popover>
      ) : (
        <Dropdown {...options}>
          <PopupAnchor element={element} />
        </Dropdown>
      )}
    </Controls>
  );
}
