import { useEffect, useState } from 'react';
import { serverNow } from './format.ts';

/** The time of `clock`, by default the server's, updated every `everyMs`. */
export function useNow(everyMs = 1000, clock = serverNow): number {
  const [now, setNow] = useState(clock);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, clock]);
  return now;
}
