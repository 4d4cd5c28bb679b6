import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { ClockSteps } from './clock-steps.ts';

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());

test('a backward step of the database clock is reported once; a forward step and a late answer are not', async () => {
  let [databaseMs, elapsedMs, isFailing] = [1_700_000_000_000, 0, false];
  // as: only this query is called
  const pool = { query: () => Promise.resolve({ rows: [{ ms: String(databaseMs) }] }) } as unknown as Pool;
  const steps = new ClockSteps({ monotonic: () => monotonicAt(elapsedMs) });
  const pass = (ms: number, stepMs = 0) => {
    elapsedMs += ms;
    databaseMs += ms + stepMs;
    return steps
      .correct(pool, () => (isFailing ? Promise.reject(new Error('No database')) : Promise.resolve(1)))
      .then((done) => done.setBackMs);
  };
  expect(await pass(0)).toBe(0);
  expect(await pass(10_000)).toBe(0);
  expect(await pass(10_000, 3_600_000)).toBe(0);
  expect(await pass(10_000, -3_600_000)).toBe(3_600_000);
  expect(await pass(10_000)).toBe(0);
  expect(await pass(10_000, -9_999)).toBe(0);
  expect(await pass(10_000, -10_000)).toBe(10_000);
  isFailing = true;
  await expect(pass(10_000, -3_600_000)).rejects.toThrow('No database');
  isFailing = false;
  expect(await pass(10_000), 'a step whose correction failed is corrected later').toBe(3_600_000);
  expect(await pass(10_000)).toBe(0);
});

test('the clock of the database is read in milliseconds, and nothing is corrected without a step', async () => {
  let elapsedMs = 0;
  const steps = new ClockSteps({ monotonic: () => monotonicAt(elapsedMs) });
  const correct = vi.fn().mockResolvedValue(3);
  expect(await steps.correct(database.pool, correct)).toEqual({ setBackMs: 0, corrected: 0 });
  expect(correct).not.toHaveBeenCalled();
  // The monotonic clock is ahead of the database's by an hour, less the time between the two readings.
  elapsedMs = 3_600_000;
  const { setBackMs, corrected } = await steps.correct(database.pool, correct);
  expect([setBackMs > 3_500_000, setBackMs <= 3_600_000, corrected]).toEqual([true, true, 3]);
  expect(correct.mock.calls).toEqual([[setBackMs]]);
});
