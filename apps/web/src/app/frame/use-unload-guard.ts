import { useEffect } from 'react';
import { useDrafts } from '#kit/form/drafts.ts';

/** Lets the browser ask before it closes or reloads the console with unsaved input, which is in memory only. */
export function useUnloadGuard(): void {
  const isHeld = useDrafts().length > 0;
  useEffect(() => {
    if (!isHeld) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isHeld]);
}
