import { lazy, useState, type ComponentType } from 'react';

export interface LatePart<P = object> {
  /** Resolves when the code is loaded or has failed to load: a failure surfaces when the part is rendered. */
  coming(): Promise<void>;
  Part: ComponentType<P>;
}

/**
 * A lazily loaded part of the console. Once loaded, it renders without suspending: a fallback would cost a render and the 300 ms for
 * which React delays replacing it.
 */
export function latePart<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): LatePart<P> {
  let arrived: ComponentType<P> | undefined;
  const Awaited = lazy(load);
  return {
    coming: () =>
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
