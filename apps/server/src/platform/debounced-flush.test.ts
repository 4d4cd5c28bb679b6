import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DebouncedFlush } from './debounced-flush.ts';

let flushes: number;
let flush: DebouncedFlush;
beforeEach(() => {
  vi.useFakeTimers();
  flushes = 0;
  flush = new DebouncedFlush(() => Promise.resolve(void flushes++), { quietMs: 40, longestMs: 200 });
});
afterEach(() => vi.useRealTimers());

test('flushes after the quiet time', () => {
  flush.schedule();
  vi.advanceTimersByTime(30);
  flush.schedule();
  vi.advanceTimersByTime(39);
  expect(flushes).toBe(0);
  vi.advanceTimersByTime(1);
  expect(flushes).toBe(1);
});

test('flushes at the latest after the longest time, however often it is scheduled', () => {
  for (let at = 0; at < 300 && flushes === 0; at += 10) {
    flush.schedule();
    vi.advanceTimersByTime(10);
    if (at < 150) expect(flushes).toBe(0);
    else if (at > 200) expect(flushes).toBe(1);
  }
});

test('one flush runs at a time, and flushAll waits for those requested before it', async () => {
  let running = 0;
  let most = 0;
  const busy = new DebouncedFlush(
    async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    },
    { quietMs: 40, longestMs: 200 },
  );
  busy.flushNow();
  busy.flushNow();
  await busy.flushAll();
  expect([most, running]).toEqual([1, 0]);
});

test('flushAll waits for entries that arrive while it flushes, scheduled ones included', async () => {
  const queue = ['first'];
  const drained: string[] = [];
  const busy: DebouncedFlush = new DebouncedFlush(
    async () => {
      const [one] = queue.splice(0);
      await Promise.resolve();
      if (one === undefined) return;
      drained.push(one);
      if (drained.length > 2) return;
      queue.push(`after ${one}`);
      busy.schedule();
    },
    { quietMs: 40, longestMs: 200 },
  );
  await busy.flushAll();
  expect(drained).toEqual(['first', 'after first', 'after after first']);
});

test.each([0, 1, 2, 3, 4, 5])('an entry that arrives %i microtasks after the end of a flush is not missed', async (steps) => {
  const queue = ['first'];
  let late: Promise<void> | undefined;
  const emptying = new DebouncedFlush(
    async () => {
      await Promise.resolve();
      queue.length = 0;
      late ??= (async () => {
        for (let step = 0; step < steps; step++) await Promise.resolve();
        queue.push('late');
        emptying.flushNow();
      })();
    },
    { quietMs: 40, longestMs: 200 },
  );
  await emptying.flushAll();
  await late;
  await vi.waitFor(() => expect(queue).toEqual([]));
});

test('a fixed delay is not moved by later entries', () => {
  const fixed = new DebouncedFlush(() => void flushes++, { quietMs: 40, longestMs: 40 });
  fixed.schedule();
  vi.advanceTimersByTime(30);
  fixed.schedule();
  vi.advanceTimersByTime(10);
  expect(flushes).toBe(1);
});

test('an error is reported, and the next flush runs', async () => {
  const errors: unknown[] = [];
  const failing = new DebouncedFlush(() => Promise.reject(new Error('lost')), {
    quietMs: 40,
    longestMs: 40,
    onError: (error) => errors.push(error),
  });
  await failing.flushAll();
  await failing.flushAll();
  expect(errors).toEqual([new Error('lost'), new Error('lost')]);
});
