import { lazy, useState, type ComponentType } from 'react';

export interface LatePart<P = object> {
  /** Ends when its code is there. It does not fail: who draws the part tells what went wrong. */
  coming(): Promise<void>;
  Part: ComponentType<P>;
}

/**
 * A part of the console whose code comes when it is needed. One that has come is drawn at once: a moment of nothing before it would
 * cost a drawing, and then the third of a second for which React holds back what takes the place of a stand-in.
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
