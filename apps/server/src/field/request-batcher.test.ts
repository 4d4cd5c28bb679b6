import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestBatcher } from './request-batcher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const makeBatcher = (run = (inputs: number[]) => Promise.resolve(inputs.map((input) => input * 10))) => {
  const batches: number[][] = [];
  const batcher = new RequestBatcher<number, number>(
    (inputs) => {
      batches.push(inputs);
      return run(inputs);
    },
    { waitMs: 10, maxItems: 3 },
  );
  return { batcher, batches };
};

test('requests within the wait are answered by one statement, each with its own answer', async () => {
  const { batcher, batches } = makeBatcher();
  const first = batcher.load(1);
  await vi.advanceTimersByTimeAsync(9);
  const second = batcher.load(2);
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([[1, 2]]);
  expect(await Promise.all([first, second])).toEqual([10, 20]);
  const third = batcher.load(3);
  await vi.advanceTimersByTimeAsync(10);
  expect([await third, batches]).toEqual([30, [[1, 2], [3]]]);
});

test('a full batch is run at once, and the next one waits again', async () => {
  const { batcher, batches } = makeBatcher();
  const full = Promise.all([1, 2, 3].map((input) => batcher.load(input)));
  expect(batches).toEqual([[1, 2, 3]]);
  expect(await full).toEqual([10, 20, 30]);
  void batcher.load(4);
  await vi.advanceTimersByTimeAsync(9);
  expect(batches).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test('a statement that fails fails its requests, and not later ones', async () => {
  let isBroken = true;
  const { batcher } = makeBatcher((inputs) => (isBroken ? Promise.reject(new Error('gone')) : Promise.resolve(inputs)));
  const failing = Promise.allSettled([batcher.load(1), batcher.load(2)]);
  await vi.advanceTimersByTimeAsync(10);
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  const next = batcher.load(3);
  await vi.advanceTimersByTimeAsync(10);
  expect(await next).toBe(3);
});
