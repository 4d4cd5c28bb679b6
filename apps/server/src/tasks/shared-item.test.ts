import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { adopted } from '../../test/adopted.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { createTask } from './create-task.ts';
import { InFlight } from './in-flight.ts';
import type { FinishedItem } from './finished-item.ts';
import { claimNext, failOffline, findItemRows, releaseItems, releaseLost } from './queries.ts';
import { ResultWriter } from './result-writer.ts';
import { SharedClaim } from './shared-claim.ts';
import { hasSharedItems } from './shared-item.ts';
import { partItems } from './shared-queries.ts';
import { cancelTask, repeatTask, retryTask } from './store.ts';
import type { ClaimedRow } from './operation.ts';

const OWNER = 'me';
const [DCU, OTHER] = ['1', '2'];

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  for (const dcuId of [DCU, OTHER])
    await database.pool.query(
      "insert into endpoint (id, sn, name, kind) overriding system value values ($1::bigint, 'SHARED' || $1::text, 'S', 'meter')",
      [dcuId],
    );
});
afterAll(() => database.drop());
beforeEach(async () => void (await database.pool.query('delete from task; delete from task_claim')));

const metersOf = (dcuId: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ deviceKind: 'meter' as const, dcuId, meterId: String(from + index) }));
const collect = (items: ReturnType<typeof metersOf>) =>
  createTask(database.db, { kind: 'collect', source: 'plan', createdBy: null, params: {}, items } as Parameters<typeof createTask>[1]); // as: the params have defaults
const claim = async (dcuId = DCU, count = 64, owner = OWNER): Promise<ClaimedRow[]> =>
  claimNext(database.pool, { dcuId, epoch: await adopted(database.pool, dcuId), from: 5, to: 9, count, owner });
const rowsOf = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const itemsOf = (taskId: string) =>
  rowsOf(
    `select meter_ids as meters, state, reason_code as reason, attempts, lease_owner as owner from task_item where task_id = $1 order by meter_ids`,
    [taskId],
  );
const taskOf = async (taskId: string) =>
  (await rowsOf('select state, total, done, ok, failed, finished_at is not null as ended from task where id = $1', [taskId]))[0];

/** A result of the first attempt. */
const resultOf = (id: string, values: Partial<FinishedItem> = {}): FinishedItem => ({
  id,
  attempts: 1,
  state: 'read_success',
  reasonCode: null,
  reasonText: null,
  latencyMs: 7,
  result: { rows: 96 },
  traceId: null,
  againInMs: 0,
  ...values,
});
const FAILED = { state: 'read_fail', reasonCode: 'METER_TIMEOUT', reasonText: 'No answer', result: null } as const;
const RETRIED = { ...FAILED, state: 'waiting', againInMs: 60_000 } as const;
const NOT_STARTED = { state: 'waiting', latencyMs: 0, result: null, wasStarted: false } as const;

/** The claim of the only item, with the writer of its results. */
async function claimed(pool: Pool = database.pool) {
  const [row] = await claim();
  if (row?.meterIds == null) throw new Error('No shared item is due');
  const shared = new SharedClaim({ ...row, meterIds: row.meterIds });
  const inFlight = new InFlight();
  inFlight.add(row.meterIds.map(() => row.id));
  const [onEnded, onPostponed] = [vi.fn(), vi.fn()];
  const writer = new ResultWriter({ pool, owner: OWNER, log: createLog('silent'), inFlight, onEnded, onPostponed });
  const add = (meterId: string, values?: Partial<FinishedItem>) =>
    writer.addMember(shared, meterId, resultOf(row.id, { attempts: row.attempts, ...values }));
  return { row, add, writer, inFlight, onEnded, onPostponed };
}

test('collection shares items; orders of users, orders that change a device and those for DCUs do not', () => {
  const plan = { kind: 'collect', source: 'plan', priority: 5 } as const;
  expect(hasSharedItems(plan, ['meter'])).toBe(true);
  expect(hasSharedItems({ ...plan, kind: 'refill', source: 'system', priority: 9 }, ['meter', 'meter'])).toBe(true);
  expect(hasSharedItems({ ...plan, source: 'user' }, ['meter'])).toBe(false);
  expect(hasSharedItems({ ...plan, source: 'api' }, ['meter'])).toBe(false);
  expect(hasSharedItems({ ...plan, priority: 4 }, ['meter'])).toBe(false);
  expect(hasSharedItems({ ...plan, kind: 'clock_sync' }, ['meter'])).toBe(false);
  expect(hasSharedItems(plan, ['meter', 'dcu'])).toBe(false);
});

test('a run has one item for each DCU, with its meters in their order, and several for a very large one', async () => {
  const { id } = await collect([...metersOf(OTHER, 900, 2), ...metersOf(DCU, 1, 101)]);
  const items = await itemsOf(id);
  expect(items.map(({ meters }) => meters.length)).toEqual([100, 1, 2]);
  expect(items[2].meters).toEqual(['900', '901']);
  expect(items[0].meters.slice(0, 3)).toEqual(['1', '2', '3']);
  expect(await taskOf(id)).toMatchObject({ total: 103, done: 0, state: 'waiting' });
});

test('while a head-end may start that does not know shared items, each meter has its own', async () => {
  await database.owner.query('update schema_migration set number = 9137 where number = 137');
  try {
    const { id } = await collect(metersOf(DCU, 1, 2));
    expect(await rowsOf('select meter_id as meter, meter_ids as meters from task_item where task_id = $1 order by 1', [id])).toEqual([
      { meter: '1', meters: null },
      { meter: '2', meters: null },
    ]);
  } finally {
    await database.owner.query('update schema_migration set number = 137 where number = 9137');
  }
});

test('a claim ends with the item that reaches its number of devices', async () => {
  await collect(metersOf(DCU, 1, 40));
  await collect(metersOf(DCU, 101, 40));
  await collect(metersOf(DCU, 201, 40));
  expect((await claim()).map(({ meterIds }) => meterIds?.[0])).toEqual(['1', '101']);
  expect((await claim()).map(({ meterIds, attempts }) => [meterIds?.[0], attempts])).toEqual([['201', 1]]);
});

test('an item whose members end alike stays one row, with what each of them returned', async () => {
  const { id } = await collect(metersOf(DCU, 1, 3));
  const { row, add, writer, inFlight, onEnded } = await claimed();
  add('2', { latencyMs: 20, traceId: 'f5e4d3c2-0000-4000-8000-000000000001' });
  add('1', { latencyMs: 10 });
  expect(inFlight.size).toBe(1);
  add('3', { latencyMs: 30, result: { rows: 1 } });
  await writer.close();
  expect(await itemsOf(id)).toEqual([{ meters: ['2', '1', '3'], state: 'read_success', reason: null, attempts: 1, owner: null }]);
  expect(await taskOf(id)).toEqual({ state: 'finished', total: 3, done: 3, ok: 3, failed: 0, ended: true });
  const rows = await findItemRows(database.pool, [row.id]);
  expect(rows.map((each) => [each.id, each.meterId, each.latencyMs, each.result, each.traceId])).toEqual([
    ['1', '1', 10, { rows: 96 }, null],
    ['2', '2', 20, { rows: 96 }, 'f5e4d3c2-0000-4000-8000-000000000001'],
    ['3', '3', 30, { rows: 1 }, null],
  ]);
  expect([inFlight.size, onEnded.mock.calls]).toEqual([0, [[[expect.objectContaining({ id: row.id, taskId: id })], []]]]);
});

test('members that end otherwise become items of their own: failures, retries and those that were not started', async () => {
  const { id } = await collect(metersOf(DCU, 1, 7));
  const { row, add, writer, onEnded, onPostponed } = await claimed();
  for (const meterId of ['1', '2', '3']) add(meterId);
  add('4', FAILED);
  add('5', RETRIED);
  for (const meterId of ['6', '7']) add(meterId, NOT_STARTED);
  await writer.close();
  expect(await itemsOf(id)).toEqual([
    { meters: ['1', '2', '3'], state: 'read_success', reason: null, attempts: 1, owner: null },
    { meters: ['4'], state: 'read_fail', reason: 'METER_TIMEOUT', attempts: 1, owner: null },
    { meters: ['5'], state: 'waiting', reason: 'METER_TIMEOUT', attempts: 1, owner: null },
    { meters: ['6', '7'], state: 'waiting', reason: null, attempts: 0, owner: null },
  ]);
  expect(await taskOf(id)).toEqual({ state: 'running', total: 7, done: 4, ok: 3, failed: 1, ended: false });
  const idOf = async (meter: string) => (await rowsOf('select id from task_item where meter_ids[1] = $1', [meter]))[0].id;
  const postponed = new Map(onPostponed.mock.calls.map(([item]) => [item.id, Math.ceil(item.againInMs / 5_000)]));
  expect(postponed).toEqual(
    new Map([
      [await idOf('5'), 12],
      [await idOf('6'), 0],
    ]),
  );
  expect(new Set(onEnded.mock.calls[0]?.[1])).toEqual(new Set([await idOf('4'), await idOf('5')]));
  // Those that were not started are due at once, the retry is not.
  expect((await claim()).map(({ meterIds, attempts }) => [meterIds, attempts])).toEqual([[['6', '7'], 1]]);
  expect(row.attempts).toBe(1);
});

test('results of members are written after a while, although others are in execution', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { id } = await collect(metersOf(DCU, 1, 3));
    const { add, writer, inFlight } = await claimed();
    add('2');
    await vi.advanceTimersByTimeAsync(6_000);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await taskOf(id)).toMatchObject({ done: 1, ok: 1, state: 'running' }));
    expect(await itemsOf(id)).toEqual([
      { meters: ['1', '3'], state: 'reading', reason: null, attempts: 1, owner: OWNER },
      { meters: ['2'], state: 'read_success', reason: null, attempts: 1, owner: null },
    ]);
    expect(inFlight.ids).toHaveLength(1);
    add('1');
    add('3', FAILED);
    await writer.close();
    expect(await taskOf(id)).toEqual({ state: 'partly_failed', total: 3, done: 3, ok: 2, failed: 1, ended: true });
    expect(inFlight.size).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['and was claimed again', releaseLost, OWNER, 2],
  ['and another head-end has claimed it', releaseItems, 'heir', 1],
])('results are ignored once the item has returned to the queue %s', async (_when, release, owner, attempts) => {
  const { id } = await collect(metersOf(DCU, 1, 2));
  const { row, add, writer } = await claimed();
  await release(database.pool, OWNER, [row.id]);
  await claim(DCU, 64, owner);
  add('1');
  add('2', FAILED);
  await writer.close();
  expect(await itemsOf(id)).toEqual([{ meters: ['1', '2'], state: 'reading', reason: null, attempts, owner }]);
  expect(await taskOf(id)).toMatchObject({ done: 0, ok: 0, failed: 0 });
});

/** A connection that breaks after the first parting was committed and before its answer. */
function breakingOnce(): Pool {
  let isBroken = false;
  const query = async (statement: { name?: string }) => {
    const answer = await database.pool.query(statement as never);
    if (statement.name !== 'part_items' || isBroken) return answer;
    isBroken = true;
    throw new Error('Connection terminated unexpectedly');
  };
  return { query } as unknown as Pool; // as: the writer only calls query
}

test('a parting that was committed without an answer is not repeated: no member stands or counts twice', async () => {
  const { id } = await collect(metersOf(DCU, 1, 3));
  const { add, writer } = await claimed(breakingOnce());
  add('1');
  await writer.close();
  expect(await itemsOf(id)).toEqual([
    { meters: ['1'], state: 'read_success', reason: null, attempts: 1, owner: null },
    { meters: ['2', '3'], state: 'reading', reason: null, attempts: 1, owner: OWNER },
  ]);
  expect(await taskOf(id)).toMatchObject({ done: 1, ok: 1 });
});

test('after a crash that undid an earlier part, the others are not written either: the item returns whole', async () => {
  const { id } = await collect(metersOf(DCU, 1, 3));
  const [row] = await claim();
  const shared = new SharedClaim({ ...(row as ClaimedRow), meterIds: ['1', '2', '3'] });
  shared.add('1', resultOf(row?.id ?? ''));
  shared.take();
  for (const meterId of ['2', '3']) shared.add(meterId, resultOf(row?.id ?? ''));
  expect(await partItems(database.pool, OWNER, shared.take().parts)).toEqual([]);
  expect(await itemsOf(id)).toEqual([{ meters: ['1', '2', '3'], state: 'reading', reason: null, attempts: 1, owner: OWNER }]);
});

test('statements that end whole items count their devices', async () => {
  const { id: stopped } = await collect(metersOf(DCU, 1, 5));
  expect(await cancelTask(database.db, stopped)).toBe(5);
  expect(await taskOf(stopped)).toMatchObject({ state: 'cancelled', done: 5, ok: 0, failed: 0, ended: true });
  const { id: offline } = await collect(metersOf(OTHER, 1, 4));
  await database.pool.query("update task set waits_for_device = false, created_at = now() - interval '1 hour' where id = $1", [offline]);
  await database.pool.query("update endpoint set online_status = 'offline', node_id = null where id = $1", [OTHER]);
  await failOffline(database.pool, OTHER, 5);
  expect(await taskOf(offline)).toMatchObject({ state: 'failed', done: 4, failed: 4, ended: true });
  expect(await retryTask(database.db, offline)).toBe(4);
  expect(await taskOf(offline)).toMatchObject({ state: 'waiting', done: 0, failed: 0, ended: false });
});

test('a repeated run forgets what its members returned', async () => {
  const { id } = await collect(metersOf(DCU, 1, 2));
  const { row, add, writer } = await claimed();
  add('1');
  add('2', FAILED);
  await writer.close();
  expect(await repeatTask(database.db, id)).toBe(2);
  const rows = await findItemRows(database.pool, [row.id]);
  expect(rows.map(({ state, result, reasonText }) => [state, result, reasonText])).toEqual([['waiting', null, null]]);
});
