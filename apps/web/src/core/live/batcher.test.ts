import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBatcher } from './batcher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('applies the first item at once, a burst as one batch, and the next item after a pause at once again', () => {
  const batches: number[][] = [];
  const take = createBatcher((items: number[]) => void batches.push(items), 250);
  take(1);
  expect(batches).toEqual([[1]]);
  take(2);
  take(3);
  expect(batches).toHaveLength(1);
  vi.advanceTimersByTime(250);
  expect(batches).toEqual([[1], [2, 3]]);
  vi.advanceTimersByTime(500);
  take(4);
  expect(batches.at(-1)).toEqual([4]);
});
