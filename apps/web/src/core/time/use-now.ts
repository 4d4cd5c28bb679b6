import { useEffect, useState } from 'react';
import { serverNow } from './format.ts';

/** The server's time, updated every `everyMs`. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
