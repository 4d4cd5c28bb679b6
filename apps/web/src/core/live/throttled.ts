/** Runs at once, then at most once per interval and key. The last call within an interval runs at its end. */
export function throttled<A extends unknown[]>(run: (...args: A) => void, everyMs: number): (key: string, ...args: A) => void {
  const pending = new Map<string, A | undefined>();
  const open = (key: string): void => {
    pending.set(key, undefined);
    setTimeout(() => {
      const waiting = pending.get(key);
      pending.delete(key);
      if (waiting) {
        run(...waiting);
        open(key);
      }
    }, everyMs);
  };
  return (key, ...args) => {
    if (pending.has(key)) pending.set(key, args);
    else {
      run(...args);
      open(key);
    }
  };
}
