import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { OverdueRetries } from './overdue-retries.ts';

test('a retry is overdue once, ten seconds after its time by the monotonic clock', () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  retries.add('1', 5_000);
  retries.add('2', 60_000);
  elapsedMs = 14_999;
  expect(retries.take()).toEqual([]);
  elapsedMs = 15_000;
  expect(retries.take()).toEqual(['1']);
  expect(retries.take()).toEqual([]);
});

test('an item that is postponed again is overdue after the last time', () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  retries.add('1', 5_000);
  elapsedMs = 12_000;
  retries.add('1', 5_000);
  elapsedMs = 20_000;
  expect(retries.take()).toEqual([]);
  elapsedMs = 27_000;
  expect(retries.take()).toEqual(['1']);
});

test('beyond a hundred thousand retries the oldest is forgotten', () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  for (let id = 0; id <= 100_000; id++) retries.add(String(id), 0);
  elapsedMs = 10_000;
  const overdue = retries.take();
  expect([overdue.length, overdue[0], overdue.at(-1)]).toEqual([100_000, '1', '100000']);
});
