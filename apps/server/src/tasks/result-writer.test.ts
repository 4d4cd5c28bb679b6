import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { ResultWriter } from './result-writer.ts';
import { InFlight } from './in-flight.ts';

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

/** A database that refuses every statement until `restore` is called. */
function createUnavailableDatabase() {
  let isAway = true;
  const written: unknown[] = [];
  const query = async (statement: { values: unknown[] }) => {
    if (isAway) throw new Error('the database system is starting up');
    written.push(statement.values[1]); // the ids of items
    return { rows: [{ id: '1', taskId: '7' }] };
  };
  return { pool: { query } as unknown as Pool, written, restore: () => (isAway = false) }; // as: the writer only calls query
}

const createResultWriter = (pool: Pool, inFlight = new InFlight()) =>
  new ResultWriter({ inFlight, pool, owner: 'me', log: createLog('silent'), onEnded: () => undefined, onPostponed: () => undefined });

test('results survive minutes without a database and are written after it returns', async () => {
  const { pool, written, restore } = createUnavailableDatabase();
  const resultWriter = createResultWriter(pool);
  resultWriter.add(END, true);
  await vi.advanceTimersByTimeAsync(180_000);
  restore();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual(['{1}']);
});

test('close does not wait for an unavailable database', async () => {
  const resultWriter = createResultWriter(createUnavailableDatabase().pool);
  resultWriter.add(END, true);
  const closed = resultWriter.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(closed).resolves.toBeUndefined();
});

test('a result waits for its batch while other items are in flight, and the last one is written at once', async () => {
  const { pool, written, restore } = createUnavailableDatabase();
  restore();
  const inFlight = new InFlight();
  const resultWriter = createResultWriter(pool, inFlight);
  inFlight.add(['1', '2', '3']);
  resultWriter.add({ ...END, id: '1' }, false);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(['{1}']);
  resultWriter.add({ ...END, id: '2' }, false);
  resultWriter.add({ ...END, id: '3' }, false);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual(['{1}', '{2,3}']);
});
