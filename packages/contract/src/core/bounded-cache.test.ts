import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

test('evicts what was set longest ago, and counts a second set as new', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  expect([...cache.keys()]).toEqual(['a', 'c']);
  expect([cache.get('a'), cache.has('b'), cache.size]).toEqual([3, false, 2]);
});

test('creates a missing value once', () => {
  const cache = new BoundedCache<string, object>(1);
  const made = cache.getOrSet('a', () => ({}));
  expect(cache.getOrSet('a', () => ({}))).toBe(made);
  cache.set('b', {});
  expect(cache.getOrSet('a', () => ({}))).not.toBe(made);
});

test('an entry that must stay is passed over, and goes once it may', () => {
  const kept = new Set([1]);
  const cache = new BoundedCache<string, number>(2, (value) => !kept.has(value));
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const)
    cache.set(key, value);
  expect([...cache.keys()]).toEqual(['c', 'a']);
  kept.clear();
  cache.set('d', 4);
  cache.set('e', 5);
  expect([...cache.keys()]).toEqual(['d', 'e']);
});

test('exceeds its maximum where every entry must stay, and shrinks again', () => {
  let mayEvict = false;
  const cache = new BoundedCache<number, number>(10, () => mayEvict);
  for (let i = 0; i < 300; i++) cache.set(i, i);
  expect(cache.size).toBe(300);
  mayEvict = true;
  for (let i = 300; i < 310; i++) cache.set(i, i);
  expect(cache.size).toBe(10);
});
