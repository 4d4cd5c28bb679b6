import { expect, test, vi } from 'vitest';
import { lagging, oldestOf } from './one-moment.ts';

const answered = (dataUpdatedAt: number, isFetching = false) => ({ dataUpdatedAt, isFetching, refetch: vi.fn() });

test('counts that are older than the list beside them are asked for again', () => {
  const [old, fresh] = [answered(40_000), answered(99_000)];
  expect(lagging(answered(100_000), [old, fresh])).toEqual([old]);
});

test('counts that are on their way, or were never asked for, are left alone', () => {
  expect(lagging(answered(100_000), [answered(40_000, true), answered(0)])).toEqual([]);
});

test('counts never make the list be asked for, so that two slow answers do not call each other', () => {
  expect(lagging(answered(40_000), [answered(100_000)])).toEqual([]);
});

test('a page is as old as its oldest answer', () => {
  expect(oldestOf(answered(100_000), answered(97_000), answered(0))).toBe(97_000);
});
