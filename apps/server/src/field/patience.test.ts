import { describe, expect, test } from 'vitest';
import { Patience } from './patience.ts';

const LONGEST_MS = 30_000;
const GREETING = 1;
const PROFILE = 2;
const patienceOf = (longestMs = LONGEST_MS): Patience => new Patience({ longestMs });

test('a channel nobody knows yet is given a good while', () => {
  expect(patienceOf().msFor(GREETING)).toBe(15_000);
});

test('a fast channel is not waited for longer than some seconds', () => {
  const patience = patienceOf();
  for (let i = 0; i < 20; i++) patience.answeredIn(GREETING, 200);
  expect(patience.msFor(GREETING)).toBe(4_000);
});

test('a slow and unsteady channel gets the time it needs, up to the longest', () => {
  const patience = patienceOf();
  for (let i = 0; i < 20; i++) patience.answeredIn(GREETING, i % 2 === 0 ? 2_000 : 6_000);
  expect(patience.msFor(GREETING)).toBeGreaterThan(12_000);
  for (let i = 0; i < 20; i++) patience.missed(GREETING);
  expect(patience.msFor(GREETING)).toBe(LONGEST_MS);
});

test('what is answered quickly is not waited for as long as a day of a profile', () => {
  const patience = patienceOf();
  for (let i = 0; i < 20; i++) {
    patience.answeredIn(GREETING, 1_300);
    patience.answeredIn(PROFILE, 12_000);
  }
  expect(patience.msFor(GREETING)).toBe(4_000);
  expect(patience.msFor(PROFILE)).toBeGreaterThan(12_000);
  // Nobody asked that before: the channel as a whole is what is known.
  expect(patience.msFor(3)).toBeGreaterThan(12_000);
});

test('nobody waits longer than was allowed', () => {
  expect(patienceOf(500).msFor(GREETING)).toBe(500);
});

test('a question that was answered twice is waited for as it deserves, one of another kind as at first', () => {
  const patience = patienceOf();
  patience.answeredIn(GREETING, 1_200);
  expect(patience.msFor(GREETING)).toBe(15_000);
  patience.answeredIn(GREETING, 1_300);
  expect(patience.msFor(GREETING)).toBeLessThan(5_500);
  expect(patience.msFor(PROFILE)).toBe(15_000);
});

test('frames lost now and then do not make anybody wait longer, silence that lasts does', () => {
  const patience = patienceOf();
  for (let i = 0; i < 40; i++) {
    patience.answeredIn(PROFILE, 7_000 + (i % 2) * 100);
    if (i % 5 === 0) patience.missed(PROFILE);
  }
  expect(patience.msFor(PROFILE)).toBeLessThan(8_000);
  patience.missed(PROFILE);
  expect(patience.msFor(PROFILE)).toBeLessThan(8_000);
  patience.missed(PROFILE);
  expect(patience.msFor(PROFILE)).toBeGreaterThan(14_000);
  patience.missed(PROFILE);
  expect(patience.msFor(PROFILE)).toBeGreaterThan(28_000);
  patience.answeredIn(PROFILE, 12_000);
  expect(patience.msFor(PROFILE)).toBeGreaterThan(12_000);
});

describe('a long answer', () => {
  const reads = () => new Patience({ shortestReadMs: 20_000, longestReadMs: 500_000 });

  test('is given several times what its round trips usually take here', () => {
    const patience = reads();
    for (let i = 0; i < 20; i++) patience.answeredIn(PROFILE, 2_000);
    expect(patience.readLimitMs(PROFILE, 10)).toBe(4 * 10 * 2_000);
  });

  test('is given some time on a fast channel, too, and never more than the longest', () => {
    const patience = reads();
    for (let i = 0; i < 20; i++) patience.answeredIn(PROFILE, 5);
    expect(patience.readLimitMs(PROFILE, 10)).toBe(20_000);
    for (let i = 0; i < 200; i++) patience.answeredIn(PROFILE, 20_000);
    expect(patience.readLimitMs(PROFILE, 1000)).toBe(500_000);
  });
});
