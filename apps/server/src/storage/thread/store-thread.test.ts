import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RULES_OF_ONE_MACHINE } from '#db/settings.ts';
import { systemClock } from '#platform/clock.ts';
import { cloneDatabase, type TestDatabase } from '../../../test/database.ts';
import { createBus } from '../../platform/bus.ts';
import { createLog } from '../../platform/log.ts';
import { StoreThread } from './store-thread.ts';

const QUARTER_MS = 900_000;
const MIDNIGHT = Date.UTC(2026, 5, 1);

let database: TestDatabase;
let store: StoreThread;
beforeAll(async () => {
  database = await cloneDatabase();
  const settings = { timeZone: 'Asia/Shanghai', reload: () => Promise.resolve(), rules: RULES_OF_ONE_MACHINE };
  const clock = { ...systemClock, now: () => MIDNIGHT + 86_400_000 };
  store = new StoreThread({ pool: database.pool, clock, log: createLog('silent'), bus: createBus(), settings });
});
afterAll(async () => {
  await store.stop();
  await database.drop();
});

/** Overwrites the columns after the call, to prove that the store has copied them. */
function storeThenOverwrite(meterId: string, captures: number[]) {
  const stamps = Float64Array.from(captures);
  const channel = Float64Array.from(captures, () => 5);
  const stored = store.storeProfile({
    meterId,
    dcuId: '1',
    profile: 'lpa',
    periodSeconds: 900,
    stamps,
    status: undefined,
    channels: [channel],
    readAt: MIDNIGHT,
    source: 'meter',
    traceId: undefined,
  });
  for (const column of [stamps, channel]) column.fill(Number.NaN);
  return stored;
}
const presentOf = async (meterId: string) =>
  (await database.pool.query<{ present: number }>('select present from reading_profile where meter_id = $1', [meterId])).rows[0]?.present;

test('a reading is committed when its promise resolves, and its stamps are checked by the server clock', async () => {
  const tomorrow = MIDNIGHT + 3 * 86_400_000;
  await expect(storeThenOverwrite('41', [MIDNIGHT, MIDNIGHT + QUARTER_MS, tomorrow])).resolves.toEqual({ fresh: 2, dropped: 1 });
  expect(await presentOf('41')).toBe(2);
});

test('a reading that cannot be stored rejects its own promise only', async () => {
  const [wrong, right] = await Promise.allSettled([storeThenOverwrite('no number', [MIDNIGHT]), storeThenOverwrite('42', [MIDNIGHT])]);
  expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
  expect(await presentOf('42')).toBe(1);
});

test('a thread that ended is replaced, and its pending requests are rejected', async () => {
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  await storeThenOverwrite('43', [MIDNIGHT]);
  const [worker] = post.mock.contexts as Worker[]; // as: its method is observed
  post.mockRestore();
  const [pending] = await Promise.all([Promise.allSettled([storeThenOverwrite('44', [MIDNIGHT])]), worker?.terminate()]);
  expect(pending).toEqual([{ status: 'rejected', reason: new Error('The writer of readings ended with 1') }]);
  await storeThenOverwrite('45', [MIDNIGHT]);
  expect(await presentOf('45')).toBe(1);
});

test('stop writes traces that were queued before it', async () => {
  const settings = { timeZone: 'UTC', reload: () => Promise.resolve(), rules: RULES_OF_ONE_MACHINE };
  const other = new StoreThread({
    pool: database.pool,
    clock: { ...systemClock, now: () => MIDNIGHT },
    log: createLog('silent'),
    bus: createBus(),
    settings,
  });
  const frames = [{ at: MIDNIGHT, direction: 'down' as const, octets: Uint8Array.of(1, 2, 3), plain: undefined }];
  const id = '5d1c1b7e-0a0a-4c0c-8d0d-0123456789ab';
  other.storeTrace({
    id,
    dcuId: '1',
    meterId: null,
    sessionId: null,
    begunAt: MIDNIGHT,
    durationMs: 3,
    bytes: 3,
    frames,
    opener: undefined,
  });
  await other.stop();
  expect((await database.pool.query('select bytes, duration_ms from trace where id = $1', [id])).rows).toEqual([
    { bytes: 3, duration_ms: 3 },
  ]);
});
