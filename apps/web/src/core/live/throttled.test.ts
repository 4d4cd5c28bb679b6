import { expect, test, vi } from 'vitest';
import { throttled } from './throttled.ts';

test('a burst runs at once and once more at its end, with the last arguments', () => {
  vi.useFakeTimers();
  const seen: number[] = [];
  const run = throttled((value: number) => void seen.push(value), 1000);
  for (let value = 0; value < 5; value += 1) run('key', value);
  expect(seen).toEqual([0]);
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual([0, 4]);
  vi.advanceTimersByTime(5000);
  expect(seen).toEqual([0, 4]);
  vi.useRealTimers();
});
