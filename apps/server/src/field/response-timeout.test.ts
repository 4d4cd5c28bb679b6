import { describe, expect, test } from 'vitest';
import { ResponseTimeout } from './response-timeout.ts';

const LONGEST_MS = 30_000;
const ASSOCIATION = 1;
const PROFILE = 2;
const createTimeout = (longestMs = LONGEST_MS): ResponseTimeout => new ResponseTimeout({ longestMs });

test('a channel without samples has the first timeout', () => {
  expect(createTimeout().timeoutMs(ASSOCIATION)).toBe(15_000);
});

test('the timeout of a fast channel falls to the lower limit', () => {
  const timeout = createTimeout();
  for (let i = 0; i < 20; i++) timeout.addSample(ASSOCIATION, 200);
  expect(timeout.timeoutMs(ASSOCIATION)).toBe(4_000);
});

test('the timeout of a slow and unsteady channel rises to the upper limit', () => {
  const timeout = createTimeout();
  for (let i = 0; i < 20; i++) timeout.addSample(ASSOCIATION, i % 2 === 0 ? 2_000 : 6_000);
  expect(timeout.timeoutMs(ASSOCIATION)).toBeGreaterThan(12_000);
  for (let i = 0; i < 20; i++) timeout.addTimeout(ASSOCIATION);
  expect(timeout.timeoutMs(ASSOCIATION)).toBe(LONGEST_MS);
});

test('a fast class of requests has a shorter timeout than a day of a profile', () => {
  const timeout = createTimeout();
  for (let i = 0; i < 20; i++) {
    timeout.addSample(ASSOCIATION, 1_300);
    timeout.addSample(PROFILE, 12_000);
  }
  expect(timeout.timeoutMs(ASSOCIATION)).toBe(4_000);
  expect(timeout.timeoutMs(PROFILE)).toBeGreaterThan(12_000);
  // A class without samples uses the estimate of the channel.
  expect(timeout.timeoutMs(3)).toBeGreaterThan(12_000);
});

test('the upper limit also holds for the first timeout', () => {
  expect(createTimeout(500).timeoutMs(ASSOCIATION)).toBe(500);
});

test('two samples of a class are enough for its estimate, and other classes keep the first timeout', () => {
  const timeout = createTimeout();
  timeout.addSample(ASSOCIATION, 1_200);
  expect(timeout.timeoutMs(ASSOCIATION)).toBe(15_000);
  timeout.addSample(ASSOCIATION, 1_300);
  expect(timeout.timeoutMs(ASSOCIATION)).toBeLessThan(5_500);
  expect(timeout.timeoutMs(PROFILE)).toBe(15_000);
});

test('single timeouts do not raise the timeout, consecutive ones do', () => {
  const timeout = createTimeout();
  for (let i = 0; i < 40; i++) {
    timeout.addSample(PROFILE, 7_000 + (i % 2) * 100);
    if (i % 5 === 0) timeout.addTimeout(PROFILE);
  }
  expect(timeout.timeoutMs(PROFILE)).toBeLessThan(8_000);
  timeout.addTimeout(PROFILE);
  expect(timeout.timeoutMs(PROFILE)).toBeLessThan(8_000);
  timeout.addTimeout(PROFILE);
  expect(timeout.timeoutMs(PROFILE)).toBeGreaterThan(14_000);
  timeout.addTimeout(PROFILE);
  expect(timeout.timeoutMs(PROFILE)).toBeGreaterThan(28_000);
  timeout.addSample(PROFILE, 12_000);
  expect(timeout.timeoutMs(PROFILE)).toBeGreaterThan(12_000);
});

describe('the limit of a read', () => {
  const createReadTimeout = () => new ResponseTimeout({ shortestReadMs: 20_000, longestReadMs: 500_000 });

  test('is several times the estimated duration of its round trips', () => {
    const timeout = createReadTimeout();
    for (let i = 0; i < 20; i++) timeout.addSample(PROFILE, 2_000);
    expect(timeout.readLimitMs(PROFILE, 10)).toBe(4 * 10 * 2_000);
  });

  test('stays between its lower and its upper limit', () => {
    const timeout = createReadTimeout();
    for (let i = 0; i < 20; i++) timeout.addSample(PROFILE, 5);
    expect(timeout.readLimitMs(PROFILE, 10)).toBe(20_000);
    for (let i = 0; i < 200; i++) timeout.addSample(PROFILE, 20_000);
    expect(timeout.readLimitMs(PROFILE, 1000)).toBe(500_000);
  });
});
