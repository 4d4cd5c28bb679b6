import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { capturesSwitched, commitChanges } from '../../src/db/changes.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import type { TinyMeter } from './tiny-dcu.ts';

const SOON = { timeout: 10_000, interval: 50 };
const DAY_MS = 86_400_000;
/** The captures are read by a statement that nothing waits for. */
const CAPTURE_LOADS_MS = 300;

let bench: Bench;
let app: TestApp;
let admin: TestUser;
let headEnd: HeadEnd;
let [dcuId, meterId] = ['', ''];
let meter: TinyMeter;
beforeAll(async () => {
  bench = await fieldBench();
  // The console has another setting than the head-end with the device.
  app = await testApp({ database: bench.database, traceSharePercent: 100 });
  admin = await app.addUser({ roles: ['ADMIN'] });
  headEnd = await bench.headEnd({ traceSharePercent: 0 });
  const registered = await bench.register('SHARES01', 1);
  dcuId = registered.dcuId;
  meterId = registered.meterIds[0] ?? '';
  meter = registered.meters[0] as TinyMeter; // as: one was registered
  headEnd.dial('SHARES01', registered.meters);
});
afterAll(async () => {
  await app.close();
  await bench.close();
});

/** Reads the meter and returns the result with the id of the trace that it names. */
const readFor = (source: 'user' | 'plan') => order({ kind: 'registers', params: { items: ['E_PLUS'] }, source });

async function order(what: { kind: 'registers' | 'refill'; params: object; source: 'user' | 'plan' | 'system' }) {
  const items = [{ deviceKind: 'meter' as const, dcuId, meterId }];
  const { id, ended } = await headEnd.order({ ...what, items });
  const [end] = await ended;
  const { rows } = await bench.database.pool.query<{ trace: string }>('select trace_id as trace from task_item where task_id = $1', [id]);
  return { state: end?.state, traceId: rows[0]?.trace ?? '' };
}
const isStored = async (traceId: string) =>
  ((await bench.database.pool.query('select from trace where id = $1', [traceId])).rowCount ?? 0) > 0;
const codeOf = async (traceId: string) => (await app.call(admin, { url: `/api/trace/${traceId}` })).json();

test('of collection that succeeds only the share is kept, and the page says so; an order of a user is kept', async () => {
  const [planned, ordered] = [await readFor('plan'), await readFor('user')];
  expect([planned.state, ordered.state]).toEqual(['read_success', 'read_success']);
  await vi.waitFor(async () => expect(await isStored(ordered.traceId)).toBe(true), SOON);
  expect(await isStored(planned.traceId)).toBe(false);
  expect((await codeOf(ordered.traceId)).frames.length).toBeGreaterThan(0);
  expect(await codeOf(planned.traceId)).toMatchObject({
    status: 404,
    code: 'TRACE_NOT_KEPT',
    detail: expect.stringContaining('those of 0%'),
  });
});

test('a refill is kept, because it may end a gap for good', async () => {
  await bench.database.owner.query(
    `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at)
     values ($1, 'lpa', current_date - 2, 4, now() - interval '2 days', now() - interval '47 hours', now())`,
    [meterId],
  );
  const refilled = await order({ kind: 'refill', params: {}, source: 'system' });
  expect(refilled.state).toBe('read_success');
  await vi.waitFor(async () => expect(await isStored(refilled.traceId)).toBe(true), SOON);
});

test('collection that fails is kept', async () => {
  const stored = async () => (await bench.database.pool.query('select from trace where meter_id = $1', [meterId])).rowCount ?? 0;
  const before = await stored();
  meter.silent = true;
  const reading = readFor('plan');
  await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(before), SOON);
  meter.silent = false;
  await reading;
});

test('collection of a DCU that is captured is kept', async () => {
  await commitChanges(
    bench.ctx,
    (tx) =>
      tx
        .insertInto('dcuCapture')
        .values({ dcuId, level: 'all', endsAt: new Date(Date.now() + DAY_MS) })
        .execute(),
    () => [capturesSwitched([dcuId], 'all')],
  );
  await wait(CAPTURE_LOADS_MS);
  const captured = await readFor('plan');
  expect(captured.state).toBe('read_success');
  await vi.waitFor(async () => expect(await isStored(captured.traceId)).toBe(true), SOON);
});

test('a trace that is older than its retention is said to be deleted, and an unknown id to be unknown', async () => {
  const old = randomUUIDv7().split('-');
  const hex = Math.floor(Date.now() - 40 * DAY_MS)
    .toString(16)
    .padStart(12, '0');
  const id = [hex.slice(0, 8), hex.slice(8), ...old.slice(2)].join('-');
  expect(await codeOf(id)).toMatchObject({ status: 404, code: 'TRACE_EXPIRED', detail: expect.stringContaining('30 days') });
  expect(await codeOf('123e4567-e89b-42d3-a456-426614174000')).toMatchObject({ code: 'NOT_FOUND' });
});
