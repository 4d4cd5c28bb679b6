import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gathering } from './gathering.ts';

let drained: number;
let gathering: Gathering;
beforeEach(() => {
  vi.useFakeTimers();
  drained = 0;
  gathering = new Gathering(() => Promise.resolve(void drained++), { quietMs: 40, longestMs: 200 });
});
afterEach(() => vi.useRealTimers());

test('what came goes when nothing more has come for a while', () => {
  gathering.arm();
  vi.advanceTimersByTime(30);
  gathering.arm();
  vi.advanceTimersByTime(39);
  expect(drained).toBe(0);
  vi.advanceTimersByTime(1);
  expect(drained).toBe(1);
});

test('what came first does not wait for ever, however much comes after it', () => {
  for (let at = 0; at < 300 && drained === 0; at += 10) {
    gathering.arm();
    vi.advanceTimersByTime(10);
    if (at < 150) expect(drained).toBe(0);
    else if (at > 200) expect(drained).toBe(1);
  }
});

test('one drain at a time, and a flush waits for it', async () => {
  gathering.start();
  gathering.start();
  await gathering.flush();
  expect(drained).toBe(1);
  await gathering.flush();
  expect(drained).toBe(2);
});
