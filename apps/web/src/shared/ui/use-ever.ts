import { useState } from 'react';

/** True from the first time on: a dialog that nobody has opened costs nothing, and one that closes is still there to do so. */
export function useEver(isNow: boolean): boolean {
  const [wasEver, setWasEver] = useState(isNow);
  if (isNow && !wasEver) setWasEver(true);
  return isNow || wasEver;
}
