import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { Finisher } from './finisher.ts';
import { Held } from './held.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const END = {
  id: '1',
  attempts: 1,
  state: 'read_success',
  reasonCode: null,
  reasonText: null,
  latencyMs: 1,
  result: null,
  traceId: null,
  againInMs: 0,
} as const;

/** A database that is away until it is told to be back. */
function database() {
  let isAway = true;
  const written: unknown[] = [];
  const query = async (statement: { values: unknown[] }) => {
    if (isAway) throw new Error('the database system is starting up');
    written.push(statement.values[1]); // the ids of items
    return { rows: [{ id: '1', taskId: '7' }] };
  };
  return { pool: { query } as unknown as Pool, written, isBack: () => (isAway = false) }; // as: only queries are asked of it
}

const finisherOf = (pool: Pool, held = new Held()) =>
  new Finisher({ held, pool, owner: 'me', log: createLog('silent'), onEnded: () => undefined });

test('what ended while the database was away for minutes is written when it is back, because nobody else would ever do these items', async () => {
  const { pool, written, isBack } = database();
  const finisher = finisherOf(pool);
  finisher.add(END, true);
  await vi.advanceTimersByTimeAsync(180_000);
  isBack();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual(['{1}']);
});

test('a server that stops does not wait for a database that is away', async () => {
  const finisher = finisherOf(database().pool);
  finisher.add(END, true);
  const closed = finisher.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(closed).resolves.toBeUndefined();
});

test('an end waits for company as long as something else is being done, and what comes last for nobody', async () => {
  const { pool, written, isBack } = database();
  isBack();
  const held = new Held();
  const finisher = finisherOf(pool, held);
  held.take(['1', '2', '3']);
  finisher.add({ ...END, id: '1' }, false);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(['{1}']);
  finisher.add({ ...END, id: '2' }, false);
  finisher.add({ ...END, id: '3' }, false);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual(['{1}', '{2,3}']);
});
