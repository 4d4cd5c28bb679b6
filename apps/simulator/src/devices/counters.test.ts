import { expect, test } from 'vitest';
import { createCounters } from './counters.ts';

const START = Date.UTC(2026, 10, 21);

test('a counter increases with every use and stays above all earlier ones after a restart of the simulator', () => {
  const first = createCounters(() => START);
  const used = Array.from({ length: 20 }, () => first.next());
  expect(new Set(used).size).toBe(20);
  const again = createCounters(() => START + 3000);
  expect(again.next()).toBeGreaterThan(used.at(-1) ?? 0);
  expect(again.next()).toBeLessThan(2 ** 32);
});

test('the highest counter of clients is kept', () => {
  const counters = createCounters(() => START);
  const client = new Uint8Array(8);
  expect(counters.last(client)).toBe(-1);
  counters.accept(client, 7);
  expect(counters.last(client)).toBe(7);
  expect(counters.highest()).toBe(7);
});
