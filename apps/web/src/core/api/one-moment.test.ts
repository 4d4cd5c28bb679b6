import { expect, test, vi } from 'vitest';
import { findOutdated, oldestOf } from './one-moment.ts';

const answered = (dataUpdatedAt: number, isFetching = false) => ({ dataUpdatedAt, isFetching, refetch: vi.fn() });

test('counts that are older than their list are refetched', () => {
  const [old, fresh] = [answered(40_000), answered(99_000)];
  expect(findOutdated(answered(100_000), [old, fresh])).toEqual([old]);
});

test('counts that are loading, or were never requested, are not refetched', () => {
  expect(findOutdated(answered(100_000), [answered(40_000, true), answered(0)])).toEqual([]);
});

test('counts never refetch the list, so that two slow queries cannot loop', () => {
  expect(findOutdated(answered(40_000), [answered(100_000)])).toEqual([]);
});

test('a page is as old as its oldest answer', () => {
  expect(oldestOf(answered(100_000), answered(97_000), answered(0))).toBe(97_000);
});
