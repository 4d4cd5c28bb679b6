import { useState } from 'react';

/**
 * True from the first time `isNow` is true. A dialog is not rendered before it first opens, and stays mounted for its closing animation.
 */
export function useStickyTrue(isNow: boolean): boolean {
  const [wasEver, setWasEver] = useState(isNow);
  if (isNow && !wasEver) setWasEver(true);
  return isNow || wasEver;
}
