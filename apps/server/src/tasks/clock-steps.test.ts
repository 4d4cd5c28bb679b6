import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { ClockSteps } from './clock-steps.ts';

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
