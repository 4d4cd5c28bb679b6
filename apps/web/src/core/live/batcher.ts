/**
 * Batches items: the first one after a pause is applied at once, then at most one batch per `everyMs`. A burst causes few renders, and a
 * single message has no delay.
 */
export function createBatcher<T>(apply: (items: T[]) => void, everyMs: number): (item: T) => void {
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
