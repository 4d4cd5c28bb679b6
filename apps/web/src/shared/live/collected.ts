/**
 * Gathers what comes in a rush and hands it on together: what comes after a silence goes at once, and then at most one batch
 * goes every `everyMs`, so that a rush is drawn a few times a second and a single message is seen when it comes.
 */
export function collected<T>(apply: (items: T[]) => void, everyMs: number): (item: T) => void {
  let waiting: T[] = [];
  let isPausing = false;
  const go = (): void => {
    isPausing = waiting.length > 0;
    if (!isPausing) return;
    const items = waiting;
    waiting = [];
    setTimeout(go, everyMs);
    apply(items);
  };
  return (item) => {
    waiting.push(item);
    if (!isPausing) go();
  };
}
