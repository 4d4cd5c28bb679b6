import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gathering } from './gathering.ts';

let drained: number;
let gathering: Gathering;
beforeEach(() => {
  vi.useFakeTimers();
  drained = 0;
  gathering = new Gathering(() => Promise.resolve(void drained++), { quietMs: 40, longestMs: 200 });
});
afterEach(() => vi.useRealTimers());

test('what came goes when nothing more has come for a while', () => {
  gathering.arm();
  vi.advanceTimersByTime(30);
  gathering.arm();
  vi.advanceTimersByTime(39);
  expect(drained).toBe(0);
  vi.advanceTimersByTime(1);
  expect(drained).toBe(1);
});

test('what came first does not wait for ever, however much comes after it', () => {
  for (let at = 0; at < 300 && drained === 0; at += 10) {
    gathering.arm();
    vi.advanceTimersByTime(10);
    if (at < 150) expect(drained).toBe(0);
    else if (at > 200) expect(drained).toBe(1);
  }
});

test('one drain at a time, and a flush waits for all that came before it', async () => {
  let running = 0;
  let most = 0;
  const busy = new Gathering(
    async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    },
    { quietMs: 40, longestMs: 200 },
  );
  busy.start();
  busy.start();
  await busy.flush();
  expect([most, running]).toEqual([1, 0]);
});

test('a flush waits for what comes while it drains, also when that could wait for company', async () => {
  const queue = ['first'];
  const drained: string[] = [];
  const busy: Gathering = new Gathering(
    async () => {
      const [one] = queue.splice(0);
      await Promise.resolve();
      if (one === undefined) return;
      drained.push(one);
      if (drained.length > 2) return;
      queue.push(`after ${one}`);
      busy.arm();
    },
    { quietMs: 40, longestMs: 200 },
  );
  await busy.flush();
  expect(drained).toEqual(['first', 'after first', 'after after first']);
});

test.each([0, 1, 2, 3, 4, 5])('what comes %i steps after the last look of a drain is not forgotten', async (steps) => {
  const queue = ['first'];
  let late: Promise<void> | undefined;
  const emptying = new Gathering(
    async () => {
      await Promise.resolve();
      queue.length = 0;
      late ??= (async () => {
        for (let step = 0; step < steps; step++) await Promise.resolve();
        queue.push('late');
        emptying.start();
      })();
    },
    { quietMs: 40, longestMs: 200 },
  );
  await emptying.flush();
  await late;
  await vi.waitFor(() => expect(queue).toEqual([]));
});
