import {
  cloneElement,
  lazy,
  Suspense,
  useCallback,
  useRef,
  useState,
  type HTMLAttributes,
  type MouseEvent,
  type ReactElement,
  type Ref,
} from 'react';
import type { PopupOptions } from './popups.tsx';

const Popup = lazy(async () => ({ default: (await import('./popups.tsx')).Popup }));

type Opener = ReactElement<HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement> }>;

/**
 * A button that opens a menu or a panel. The component library loads when pointer or focus reaches the button, and an earlier click is
 * replayed. The button element is never replaced, so that it keeps focus and pointer capture.
 */
export function WithPopup({ children, ...options }: PopupOptions & { children: Opener }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [isNear, setIsNear] = useState(false);
  const isAttached = useRef(false);
  const missed = useRef<Pick<MouseEvent, 'type' | 'clientX' | 'clientY'>>(undefined);
  const opensBy = (type: string): boolean => options.trigger.some((trigger) => trigger.toLowerCase() === type);

  const comesNear = () => setIsNear(true);
  const onPress = (event: MouseEvent) => {
    if (isAttached.current || !opensBy(event.type)) return;
    event.preventDefault();
    missed.current = { type: event.type, clientX: event.clientX, clientY: event.clientY };
    comesNear();
  };
  const onAttached = useCallback(() => {
    if (isAttached.current) return;
    isAttached.current = true;
    const { type = 'mouseenter', ...where } = missed.current ?? {};
    if (missed.current === undefined && !element?.matches(':hover')) return;
    // Dispatch outside of the render phase: the handler renders synchronously.
    queueMicrotask(() => element?.dispatchEvent(new globalThis.MouseEvent(type, { ...where, cancelable: true })));
  }, [element]);

  return (
    <>
      {/* oxlint-disable-next-line react/refs -- the handlers read their refs when a pointer or the focus arrives, not while rendering */}
      {cloneElement(children, {
        ref: setElement,
        onPointerEnter: comesNear,
        onFocus: comesNear,
        onClick: onPress,
        onContextMenu: onPress,
      })}
      {isNear && element ? (
        <Suspense>
          <Popup {...options} element={element} onAttached={onAttached} />
        </Suspense>
      ) : null}
    </>
  );
}
