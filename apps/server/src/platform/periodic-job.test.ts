import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPeriodicJob, type PeriodicJob } from './periodic-job.ts';

const watches: PeriodicJob[] = [];

beforeEach(() => vi.useFakeTimers());

afterEach(async () => {
  const stopping = Promise.all(watches.splice(0).map((one) => one.stop()));
  await vi.advanceTimersByTimeAsync(10_000);
  await stopping;
  vi.useRealTimers();
});

const never = (error: unknown) => {
  throw error;
};

const started = (everyMs: number, look: () => Promise<unknown>, onFailure: (error: unknown) => void = never): PeriodicJob => {
  const one = startPeriodicJob(everyMs, look, onFailure);
  watches.push(one);
  return one;
};

test('jobs of all periods run one after another, never simultaneously', async () => {
  const looks: number[] = [];
  for (const everyMs of [1_000, 1_000, 5_000, 10_000, 15_000, 30_000, 60_000, 60_000])
    started(everyMs, () => Promise.resolve(looks.push(performance.now())));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(looks.length).toBeGreaterThanOrEqual(2 * 120 + 24 + 12 + 8 + 4 + 2 * 2);
  const gaps = looks.slice(1).map((at, i) => at - (looks[i] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(20);
});

test('a run that is due during another is skipped, and the phase is kept', async () => {
  const begun: number[] = [];
  started(1_000, async () => {
    begun.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 2_500));
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun.length).toBeGreaterThanOrEqual(3);
  for (const [i, at] of begun.slice(1).entries()) expect(at - (begun[i] ?? 0)).toBeCloseTo(3_000, 0);
});

test('a failed run is reported, and the next one follows', async () => {
  const told: unknown[] = [];
  started(
    1_000,
    () => Promise.reject(new Error('away')),
    (error) => told.push(error),
  );
  await vi.advanceTimersByTimeAsync(3_500);
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(told[0]).toMatchObject({ message: 'away' });
});

test('a manual run joins the current one, and stopping waits for it', async () => {
  let ends = () => {};
  let looks = 0;
  const one = started(60_000, () => {
    looks++;
    return new Promise<void>((resolve) => (ends = resolve));
  });
  const both = Promise.all([one.runNow(), one.runNow()]);
  let isStopped = false;
  const stopping = one.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(120_000);
  expect({ looks, isStopped }).toEqual({ looks: 1, isStopped: false });
  ends();
  await both;
  await stopping;
  expect(isStopped).toBe(true);
});
