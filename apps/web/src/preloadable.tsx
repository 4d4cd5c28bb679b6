import { lazy, useState, type ComponentType } from 'react';

export interface Preloadable<P = object> {
  /** Resolves when the code is loaded or has failed to load: a failure surfaces when the part is rendered. */
  preload(): Promise<void>;
  Part: ComponentType<P>;
}

/**
 * A lazily loaded part of the console. Once loaded, it renders without suspending: a fallback would cost a render and the 300 ms for
 * which React delays replacing it.
 */
export function preloadable<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Preloadable<P> {
  let arrived: ComponentType<P> | undefined;
  const Awaited = lazy(load);
  return {
    preload: () =>
      load().then(
        (part) => void (arrived = part.default),
        () => undefined,
      ),
    Part(props) {
      const [Part] = useState<ComponentType<P>>(() => arrived ?? Awaited);
      return <Part {...props} />;
    },
  };
}
