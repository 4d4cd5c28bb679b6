import { expect, test } from 'vitest';
import { Patience } from './patience.ts';

const LONGEST_MS = 30_000;

test('a channel nobody knows yet is given a good while', () => {
  expect(new Patience(LONGEST_MS).ms).toBe(15_000);
});

test('a fast channel is not waited for longer than some seconds', () => {
  const patience = new Patience(LONGEST_MS);
  for (let i = 0; i < 20; i++) patience.answeredIn(200);
  expect(patience.ms).toBe(4_000);
});

test('a slow and unsteady channel gets the time it needs, up to the longest', () => {
  const patience = new Patience(LONGEST_MS);
  for (let i = 0; i < 20; i++) patience.answeredIn(i % 2 === 0 ? 2_000 : 6_000);
  expect(patience.ms).toBeGreaterThan(12_000);
  for (let i = 0; i < 20; i++) patience.missed();
  expect(patience.ms).toBe(LONGEST_MS);
});

test('nobody waits longer than was allowed', () => {
  expect(new Patience(500).ms).toBe(500);
});
