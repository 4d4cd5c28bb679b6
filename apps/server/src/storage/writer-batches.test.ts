import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBus } from '#platform/bus.ts';
import { createLog } from '#platform/log.ts';
import type { DailyRow } from './staging.ts';
import { ReadingWriter } from './writer.ts';

const DAY = 20_000;

let batches: number;
let writer: ReadingWriter;
beforeEach(() => {
  vi.useFakeTimers();
  batches = 0;
  // A batch takes one connection; this one is never established.
  const connect = () => new Promise(() => void batches++);
  const pool = { connect, query: () => Promise.resolve({ rows: [] }) } as unknown as Pool; // as: nothing else is called before the connection
  const clock = { now: () => DAY * 86_400_000 };
  writer = new ReadingWriter({ pool, clock, log: createLog('silent'), bus: createBus(), settings: { timeZone: 'UTC' } });
});
afterEach(() => void vi.useRealTimers());

const freezesOf = (count: number): DailyRow[] =>
  Array.from({ length: count }, (_, meter) => ({
    meterId: String(meter),
    dcuId: '1',
    freezeDay: DAY,
    registers: [1, 2],
    statusWord: undefined,
    deviceTime: undefined,
    readAt: 0,
    source: 'meter',
    traceId: undefined,
    taskId: undefined,
  }));

test('a full batch of freezes is written at once, and a smaller one 50 ms after the last reading', async () => {
  void writer.storeDaily(freezesOf(1_498));
  await vi.advanceTimersByTimeAsync(49);
  expect(batches).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toBe(1);
});

test('a batch is full with 1,500 rows, and each call counts as one more', async () => {
  void writer.storeDaily(freezesOf(1_499));
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toBe(1);
});

test('a batch waits half a second at most while readings arrive, and an urgent reading for nothing', async () => {
  for (let ms = 0; ms < 480; ms += 40) {
    void writer.storeDaily(freezesOf(1));
    await vi.advanceTimersByTimeAsync(40);
  }
  expect(batches).toBe(0);
  await vi.advanceTimersByTimeAsync(40);
  expect(batches).toBe(1);
});

test('an urgent reading is written at once', async () => {
  void writer.storeDaily(freezesOf(1), true);
  await vi.advanceTimersByTimeAsync(0);
  expect(batches).toBe(1);
});

test('no rows are stored without a batch', async () => {
  expect(await writer.storeDaily([], true)).toEqual({ fresh: 0, dropped: 0 });
  expect(batches).toBe(0);
});
