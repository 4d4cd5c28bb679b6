import { expect, test } from 'vitest';
import { retryAfter, retryRuleOf } from './retry.ts';

const waitsOf = (priority: number) => [1, 2, 3].map((attempts) => retryAfter('METER_TIMEOUT', attempts, priority));

test('an early retry waits 2 and 5 s for operators, and 10 and 60 s for collection; a third failure ends the item', () => {
  expect(waitsOf(1)).toEqual([2_000, 5_000, undefined]);
  expect(waitsOf(4)).toEqual([2_000, 5_000, undefined]);
  expect(waitsOf(5)).toEqual([10_000, 60_000, undefined]);
});

test('a reason that lasts is not retried early', () => {
  expect(retryAfter('DCU_OFFLINE', 1, 3)).toBeUndefined();
  expect(retryAfter('KEYS_MISSING', 1, 3)).toBeUndefined();
});

test('the rule of a plan decides number and interval, also for reasons that last, and never for those that no retry can change', () => {
  const rule = { count: 4, intervalMinutes: 30 };
  expect(retryAfter('DCU_OFFLINE', 4, 5, rule)).toBe(1_800_000);
  expect(retryAfter('METER_TIMEOUT', 5, 5, rule)).toBeUndefined();
  expect(retryAfter('KEYS_MISSING', 1, 5, rule)).toBeUndefined();
  expect(retryAfter('METER_TIMEOUT', 1, 5, { count: 0, intervalMinutes: 30 })).toBeUndefined();
});

test('a rule has a count and an interval; params without both have none', () => {
  const rule = { count: 2, intervalMinutes: 15 };
  expect(retryRuleOf({ retry: { ...rule, more: 1 } })).toEqual(rule);
  const broken = [
    undefined,
    null,
    'often',
    3,
    {},
    { count: 2 },
    { intervalMinutes: 15 },
    { ...rule, count: '2' },
    { ...rule, intervalMinutes: null },
  ];
  for (const retry of broken) expect(retryRuleOf({ retry })).toBeUndefined();
  expect(retryRuleOf({})).toBeUndefined();
});
