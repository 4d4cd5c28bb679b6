import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { OverdueRetries } from './overdue-retries.ts';

const dueOf = async (retries: OverdueRetries, unclaimed: string[] = []): Promise<string[]> => {
  let due: string[] = [];
  await retries.correct((ids) => Promise.resolve({ corrected: (due = ids).length, unclaimed }));
  return due;
};

test('a retry is overdue once, ten seconds after its time by the monotonic clock', async () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  retries.add('1', 5_000);
  retries.add('2', 60_000);
  elapsedMs = 14_999;
  expect(await dueOf(retries)).toEqual([]);
  elapsedMs = 15_000;
  expect(await dueOf(retries)).toEqual(['1']);
  expect(await dueOf(retries)).toEqual([]);
});

test('an item that is postponed again is overdue after the last time', async () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  retries.add('1', 5_000);
  elapsedMs = 12_000;
  retries.add('1', 5_000);
  elapsedMs = 20_000;
  expect(await dueOf(retries)).toEqual([]);
  elapsedMs = 27_000;
  expect(await dueOf(retries)).toEqual(['1']);
});

test('a retry stays overdue until it was brought forward, since the database may be unavailable', async () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  retries.add('1', 5_000);
  elapsedMs = 15_000;
  await expect(retries.correct(() => Promise.reject(new Error('No database')))).rejects.toThrow('No database');
  expect(await dueOf(retries)).toEqual(['1']);
  expect(await dueOf(retries)).toEqual([]);
});

// Chaos, seed 5: retries became due while the clock was ahead, and were not claimed before it was set back.
test('a retry that is due and not claimed yet is looked at again, until it is claimed', async () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  retries.add('1', 5_000);
  elapsedMs = 15_000;
  expect(await dueOf(retries, ['1'])).toEqual(['1']);
  elapsedMs = 44_999;
  expect(await dueOf(retries)).toEqual([]);
  elapsedMs = 45_000;
  expect(await dueOf(retries)).toEqual(['1']);
  elapsedMs = 100_000;
  expect(await dueOf(retries)).toEqual([]);
});

test('beyond a hundred thousand retries the oldest is forgotten', async () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  for (let id = 0; id <= 100_000; id++) retries.add(String(id), 0);
  elapsedMs = 10_000;
  const overdue = await dueOf(retries);
  expect([overdue.length, overdue[0], overdue.at(-1)]).toEqual([100_000, '1', '100000']);
});

test('an item that is postponed again counts as the newest, and is not the one that is forgotten', async () => {
  let elapsedMs = 0;
  const retries = new OverdueRetries({ monotonic: () => monotonicAt(elapsedMs) });
  for (let id = 0; id < 100_000; id++) retries.add(String(id), 0);
  retries.add('0', 0);
  retries.add('100000', 0);
  elapsedMs = 10_000;
  const overdue = await dueOf(retries);
  expect([overdue.length, overdue[0], ...overdue.slice(-2)]).toEqual([100_000, '2', '0', '100000']);
});
