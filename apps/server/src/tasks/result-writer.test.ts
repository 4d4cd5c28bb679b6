import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { measures } from '#platform/measures.ts';
import { errorIn, recordedLog } from '../../test/recorded-log.ts';
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

const createResultWriter = (
  pool: Pool,
  inFlight = new InFlight(),
  listeners: Partial<ConstructorParameters<typeof ResultWriter>[0]> = {},
) =>
  new ResultWriter({
    inFlight,
    pool,
    owner: 'me',
    log: createLog('silent'),
    onEnded: () => undefined,
    onPostponed: () => undefined,
    ...listeners,
  });

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

test('results are reported after they are written: ended items, failed ones, and the waits of postponed ones', async () => {
  const { pool, restore } = createUnavailableDatabase();
  const inFlight = new InFlight();
  inFlight.add(['1', '2', '3', '4']);
  const ended: unknown[] = [];
  const postponed: unknown[] = [];
  const resultWriter = createResultWriter(pool, inFlight, {
    onEnded: (items, failedIds) => ended.push(items, failedIds),
    onPostponed: ({ id, againInMs }) => postponed.push([id, againInMs]),
  });
  resultWriter.add(END, false);
  resultWriter.add({ ...END, id: '2', state: 'read_fail', reasonCode: 'NO_DATA' }, false);
  resultWriter.add({ ...END, id: '3', state: 'waiting', reasonCode: 'METER_TIMEOUT', againInMs: 2_000 }, true);
  await vi.advanceTimersByTimeAsync(499);
  expect([ended, postponed, inFlight.ids]).toEqual([[], [], ['1', '2', '3', '4']]);
  restore();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual([[{ id: '1', taskId: '7' }], ['2', '3']]);
  expect(postponed).toEqual([['3', 2_000]]);
  expect(inFlight.ids).toEqual(['4']);
});

test('a batch has at most 500 results, and a full one is written at once', async () => {
  const { pool, written, restore } = createUnavailableDatabase();
  restore();
  const inFlight = new InFlight();
  inFlight.add(Array.from({ length: 2_000 }, (_, index) => String(index)));
  const resultWriter = createResultWriter(pool, inFlight);
  const add = (from: number, to: number) => {
    for (let index = from; index < to; index++) resultWriter.add({ ...END, id: String(index) }, false);
  };
  const sizes = () => written.map((ids) => String(ids).split(',').length);
  add(0, 499);
  await vi.advanceTimersByTimeAsync(1);
  expect(sizes()).toEqual([]);
  add(499, 500);
  await vi.advanceTimersByTimeAsync(1);
  expect(sizes()).toEqual([500]);
  add(500, 1_700);
  await vi.advanceTimersByTimeAsync(1);
  expect(sizes()).toEqual([500, 500, 500, 200]);
});

test('results are written 150 ms after the last one, and half a second after the first at the latest', async () => {
  const { pool, written, restore } = createUnavailableDatabase();
  restore();
  const inFlight = new InFlight();
  inFlight.add(Array.from({ length: 20 }, (_, index) => String(index)));
  const resultWriter = createResultWriter(pool, inFlight);
  resultWriter.add(END, false);
  await vi.advanceTimersByTimeAsync(149);
  expect(written).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toHaveLength(1);
  for (let ms = 0; ms <= 400; ms += 100) {
    resultWriter.add(END, false);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(written).toHaveLength(2);
});

test('retries wait longer each time, up to five seconds', async () => {
  const times: number[] = [];
  const pool = { query: () => Promise.reject(new Error('gone')).finally(() => times.push(Date.now())) } as unknown as Pool; // as: the writer only calls query
  createResultWriter(pool).add(END, true);
  await vi.advanceTimersByTimeAsync(60_000);
  const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(waits.slice(0, 12)).toEqual([500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000, 5_000, 5_000]);
});

test('a result after close is dropped: its item is back in the queue', async () => {
  const { pool, written, restore } = createUnavailableDatabase();
  restore();
  const resultWriter = createResultWriter(pool);
  resultWriter.add(END, false);
  await resultWriter.close();
  expect(written).toEqual(['{1}']);
  resultWriter.add({ ...END, id: '2' }, true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual(['{1}']);
});

test('while the server stops, a batch is given up after its second attempt', async () => {
  let attempts = 0;
  const pool = { query: () => Promise.reject(new Error('gone')).finally(() => attempts++) } as unknown as Pool; // as: the writer only calls query
  const resultWriter = createResultWriter(pool);
  resultWriter.add(END, true);
  const closed = resultWriter.close();
  await vi.advanceTimersByTimeAsync(60_000);
  await closed;
  expect(attempts).toBe(2);
});

test('each attempt that fails is in the log, and the last one while the server stops is an error', async () => {
  const { log, lines } = recordedLog();
  const { pool } = createUnavailableDatabase();
  const resultWriter = createResultWriter(pool, new InFlight(), { log });
  resultWriter.add(END, true);
  await vi.advanceTimersByTimeAsync(499);
  const closed = resultWriter.close();
  await vi.advanceTimersByTimeAsync(1);
  await closed;
  const failure = { message: 'Results of items could not be written', error: errorIn('the database system is starting up'), items: 1 };
  expect(lines).toEqual([
    { level: 'warn', ...failure, attempt: 1 },
    { level: 'error', ...failure, attempt: 2 },
  ]);
});

test('a result is the last one although others are being written meanwhile', async () => {
  const inFlight = new InFlight();
  inFlight.add(['1', '2']);
  const written: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const pool = {
    query: async ({ values }: { values: unknown[] }) => {
      written.push(values[1]);
      if (written.length === 1) await promise;
      return { rows: [] };
    },
  };
  const resultWriter = createResultWriter(pool as unknown as Pool, inFlight); // as: the writer only calls query
  resultWriter.add({ ...END, id: '1' }, true);
  await vi.advanceTimersByTimeAsync(0);
  resultWriter.add({ ...END, id: '2' }, false);
  expect(vi.getTimerCount(), 'it is not delayed').toBe(0);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(written).toEqual(['{1}', '{2}']);
  inFlight.add(['3', '4']);
  resultWriter.add({ ...END, id: '3' }, false);
  expect(vi.getTimerCount(), 'nothing is being written any more').toBe(1);
});

test('each result is measured with its state and reason after it is written', async () => {
  const { pool, restore } = createUnavailableDatabase();
  const measured: unknown[] = [];
  const unsubscribe = measures.itemResult.subscribe((value) => measured.push(value));
  const resultWriter = createResultWriter(pool);
  resultWriter.add(END, true);
  await vi.advanceTimersByTimeAsync(0);
  resultWriter.add({ ...END, id: '2', state: 'read_fail', reasonCode: 'NO_DATA' }, true);
  expect(measured).toEqual([]);
  restore();
  await vi.advanceTimersByTimeAsync(1_000);
  unsubscribe();
  expect(measured).toEqual([
    { state: 'read_success', reason: null },
    { state: 'read_fail', reason: 'NO_DATA' },
  ]);
});
