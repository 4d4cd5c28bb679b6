import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FrameBudget } from './frame-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const makeBudget = () => new FrameBudget({ burst: 3, perSecond: 10 });
const chargeTimes = (budget: FrameBudget, times: number) => Array.from({ length: times }, () => Math.round(budget.charge()));

test('a burst is free, and each further frame waits for the time of two tokens and those that are owed', () => {
  expect(chargeTimes(makeBudget(), 5)).toEqual([0, 0, 0, 200, 300]);
});

test('tokens return with time, and never more than a burst', () => {
  const budget = makeBudget();
  chargeTimes(budget, 3);
  vi.advanceTimersByTime(100);
  expect(chargeTimes(budget, 2)).toEqual([0, 200]);
  vi.advanceTimersByTime(60_000);
  expect(chargeTimes(budget, 4)).toEqual([0, 0, 0, 200]);
});

test('a refunded frame costs nothing, and more refunds than charges do not enlarge the burst', () => {
  const budget = makeBudget();
  budget.refund();
  expect(chargeTimes(budget, 3)).toEqual([0, 0, 0]);
  budget.refund();
  expect(chargeTimes(budget, 2)).toEqual([0, 200]);
});

test('a connection may send a thousand frames in one go', () => {
  const budget = new FrameBudget();
  expect(chargeTimes(budget, 1_000).every((wait) => wait === 0)).toBe(true);
  expect(budget.charge()).toBeCloseTo(8, 5);
});
