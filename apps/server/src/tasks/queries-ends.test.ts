import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { adopted } from '../../test/adopted.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import {
  claimNext,
  endStopped,
  expireItems,
  failOffline,
  findItemRows,
  findSuspendedTasks,
  findTaskRows,
  findUnknownLeases,
  finishItems,
  refuseItems,
  releaseDeadLeases,
  releaseItems,
  releaseLost,
  releaseOrphans,
} from './queries.ts';
import { settleItems, storePartialResult } from './store.ts';

const OWNER = 'me';

let database: TestDatabase;
let dcuId: string;
let directId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  const { dcuTypeId } = await insertDeviceTypes(database.pool);
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into dcu (sn, name, dcu_type_id) values ('ENDSDCU', 'D', $1) returning id",
    [dcuTypeId],
  );
  dcuId = rows[0]?.id ?? '';
  const direct = await database.pool.query<{ id: string }>(
    "insert into endpoint (sn, name, kind, online_status) values ('ENDSMETER', 'M', 'meter', 'offline') returning id",
  );
  directId = direct.rows[0]?.id ?? '';
});
afterAll(() => database.drop());
beforeEach(async () => void (await database.pool.query('delete from task')));

interface NewItem {
  /** SQL conditions of the item: kind, claims so far, and when it is due. */
  kind?: string;
  attempts?: number;
  due?: string;
  priority?: number;
  device?: string;
  meterId?: string;
}

/** A task with items that wait; `set` is SQL for its other columns. Returns the ids. */
async function queue(items: NewItem[], set = "state = 'waiting'"): Promise<{ taskId: string; ids: string[] }> {
  const { pool } = database;
  const created = await pool.query<{ id: string }>(
    "insert into task (kind, source, title, total, created_at, waits_for_device) values ('lpa', 'user', 'Ends', $1, now() - interval '1 hour', false) returning id",
    [items.length],
  );
  const taskId = created.rows[0]?.id ?? '';
  await pool.query(`update task set ${set} where id = $1`, [taskId]);
  const ids: string[] = [];
  for (const { kind = 'lpa', attempts = 0, due = 'now()', priority = 3, device = dcuId, meterId } of items) {
    const { rows } = await pool.query<{ id: string }>(
      `insert into task_item (task_id, kind, priority, device_kind, dcu_id, attempts, not_before, meter_id) values ($1, $2, $3, 'meter', $4, $5, ${due}, $6) returning id`,
      [taskId, kind, priority, device, attempts, meterId ?? null],
    );
    ids.push(rows[0]?.id ?? '');
  }
  return { taskId, ids };
}

const statesOf = async (ids: string[]) =>
  (
    await database.pool.query<{ state: string; reason: string | null }>(
      'select state, reason_code as reason from task_item where id = any($1) order by id',
      [ids],
    )
  ).rows.map(({ state, reason }) => [state, reason]);
const countsOf = async (taskId: string) =>
  (await database.pool.query('select state, done, ok, failed, finished_at is not null as ended from task where id = $1', [taskId])).rows[0];
const claimOf = async (count: number, owner = OWNER) =>
  claimNext(database.pool, { dcuId, epoch: await adopted(database.pool, dcuId), from: 1, to: 9, count, owner });

test('a claim carries the item and the params of its task, the most urgent and longest due first', async () => {
  const { taskId, ids } = await queue(
    [
      { priority: 5 },
      { due: "now() - interval '1 minute'" },
      { due: "now() - interval '2 minutes'" },
      { due: "now() + interval '1 minute'" },
    ],
    `params = '{"a": 1}'`,
  );
  const claimed = await claimOf(9);
  expect(claimed.map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]]);
  expect(claimed[0]).toEqual({
    id: ids[2],
    taskId,
    kind: 'lpa',
    source: 'user',
    traceparent: null,
    priority: 3,
    deviceKind: 'meter',
    dcuId,
    meterId: null,
    meterIds: null,
    attempts: 1,
    params: { a: 1 },
  });
  expect(await countsOf(taskId)).toMatchObject({ state: 'running' });
});

test('suspended tasks are those that are paused, and those that are stopped and not ended', async () => {
  const paused = await queue([{}], "state = 'paused'");
  const stopped = await queue([{}], 'is_stopped = true');
  await queue([{}], 'is_stopped = true, finished_at = now()');
  await queue([{}]);
  expect((await findSuspendedTasks(database.pool)).toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
    { id: paused.taskId, isStopped: false },
    { id: stopped.taskId, isStopped: true },
  ]);
  expect((await claimOf(9)).map(({ taskId }) => taskId)).not.toContain(paused.taskId);
});

/** Endpoints without a connection, last known as offline. */
const disconnect = () => database.pool.query("update endpoint set node_id = null, online_status = 'offline'");

test('items of an offline device fail when they are due and not sent yet, unless their task is new or waits for the device', async () => {
  await disconnect();
  const { taskId, ids } = await queue([
    {},
    { due: "now() + interval '1 hour'" },
    { kind: 'relay_disconnect', attempts: 1 },
    { kind: 'relay_disconnect' },
  ]);
  const waiting = await queue([{}], 'waits_for_device = true');
  const fresh = await queue([{}], 'created_at = now()');
  const other = await queue([{ device: directId }]);
  const failed = await failOffline(database.pool, dcuId, 5);
  expect(failed).toEqual([ids[0], ids[3]].map((id) => ({ id, taskId })));
  expect(await statesOf(ids)).toEqual([
    ['read_fail', 'DCU_OFFLINE'],
    ['waiting', null],
    ['waiting', null],
    ['read_fail', 'DCU_OFFLINE'],
  ]);
  expect(await countsOf(taskId)).toEqual({ state: 'waiting', done: 2, ok: 0, failed: 2, ended: false });
  expect(await statesOf([...waiting.ids, ...fresh.ids])).toEqual([
    ['waiting', null],
    ['waiting', null],
  ]);
  expect(await failOffline(database.pool, directId, 5)).toHaveLength(1);
  expect(await statesOf(other.ids)).toEqual([['read_fail', 'METER_OFFLINE']]);
  expect(await countsOf(other.taskId)).toEqual({ state: 'failed', done: 1, ok: 0, failed: 1, ended: true });
});

test.each([
  ['another node holds it', "node_id = 7, online_status = 'offline'"],
  ['it is not known yet whether it is online', "node_id = null, online_status = 'unknown'"],
])('items of a device do not fail when %s', async (_why, set) => {
  await database.pool.query(`update endpoint set ${set} where id = $1`, [dcuId]);
  await queue([{}]);
  expect(await failOffline(database.pool, dcuId, 0)).toEqual([]);
});

test('expired items end with the state of their device as their reason, and those of other tasks stay', async () => {
  await disconnect();
  await database.pool.query("update endpoint set online_status = 'online' where id = $1", [dcuId]);
  const { taskId, ids } = await queue([{}, { device: directId }], "expires_at = now() - interval '1 second'");
  const other = await queue([{}], "expires_at = now() + interval '1 hour'");
  expect((await expireItems(database.pool)).toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(ids.map((id) => ({ id, taskId })));
  expect(await statesOf([...ids, ...other.ids])).toEqual([
    ['expired', 'EXPIRED'],
    ['expired', 'METER_OFFLINE'],
    ['waiting', null],
  ]);
  expect(await countsOf(taskId)).toEqual({ state: 'failed', done: 2, ok: 0, failed: 2, ended: true });
  expect(await expireItems(database.pool)).toEqual([]);
});

test('items of a stopped task are cancelled, except a command that may have been executed', async () => {
  const { taskId, ids } = await queue([{}, { kind: 'relay_disconnect', attempts: 1 }], 'is_stopped = true');
  const other = await queue([{}]);
  expect(await endStopped(database.pool)).toEqual([{ id: ids[0], taskId }]);
  expect(await statesOf([...ids, ...other.ids])).toEqual([
    ['cancelled', 'CANCELLED'],
    ['waiting', null],
    ['waiting', null],
  ]);
  expect(await countsOf(taskId)).toEqual({ state: 'waiting', done: 1, ok: 0, failed: 0, ended: false });
  await refuseItems(database.pool, ids, 'NO_DATA');
  expect(await countsOf(taskId)).toEqual({ state: 'cancelled', done: 2, ok: 0, failed: 1, ended: true });
});

test('only items that wait are refused, with the given reason', async () => {
  const { taskId, ids } = await queue([{}, { due: "now() + interval '1 hour'" }]);
  await claimOf(1);
  expect(await refuseItems(database.pool, ids, 'NO_DATA')).toEqual([{ id: ids[1], taskId }]);
  expect(await statesOf(ids)).toEqual([
    ['reading', null],
    ['read_fail', 'NO_DATA'],
  ]);
});

test('a task with results of both kinds is partly failed, and one with successes only is finished', async () => {
  const end = { reasonCode: null, reasonText: null, latencyMs: 7, traceId: null, result: null, againInMs: 0 };
  const mixed = await queue([{}, {}]);
  const claimed = await claimOf(2);
  const results = claimed.map(
    ({ id, attempts }, index) => ({ ...end, id, attempts, state: index === 0 ? 'read_success' : 'read_fail' }) as const,
  );
  expect(await finishItems(database.pool, OWNER, results)).toHaveLength(2);
  expect(await countsOf(mixed.taskId)).toEqual({ state: 'partly_failed', done: 2, ok: 1, failed: 1, ended: true });
  const good = await queue([{}]);
  const [item] = await claimOf(1);
  await finishItems(database.pool, OWNER, [{ ...end, id: item?.id ?? '', attempts: 1, state: 'waiting', againInMs: 60_000 }]);
  expect(await countsOf(good.taskId)).toEqual({ state: 'running', done: 0, ok: 0, failed: 0, ended: false });
  expect(await claimOf(1), 'a postponed item is not due').toEqual([]);
  await database.pool.query('update task_item set not_before = now() where id = $1', [item?.id]);
  await claimOf(1);
  await finishItems(database.pool, OWNER, [{ ...end, id: item?.id ?? '', attempts: 2, state: 'read_success' }]);
  expect(await countsOf(good.taskId)).toEqual({ state: 'finished', done: 1, ok: 1, failed: 0, ended: true });
});

test('a result is written with its reason, text, latency, value and trace, and ends the lease', async () => {
  const { pool } = database;
  await queue([{}, {}]);
  const [first, second] = await claimOf(2);
  const traceId = '00000000-0000-4000-8000-000000000001';
  const base = { attempts: 1, againInMs: 0 };
  await finishItems(pool, OWNER, [
    {
      ...base,
      id: first?.id ?? '',
      state: 'read_success',
      reasonCode: null,
      reasonText: null,
      latencyMs: 12,
      result: { rows: 5 },
      traceId,
    },
    {
      ...base,
      id: second?.id ?? '',
      state: 'read_fail',
      reasonCode: 'NO_DATA',
      reasonText: 'Quiet, "empty"',
      latencyMs: 34,
      result: null,
      traceId: null,
    },
  ]);
  const { rows } = await pool.query(
    `select state, reason_code as reason, reason_text as text, latency_ms as ms, result, trace_id as trace, lease_owner as owner, finished_at is not null as ended
     from task_item where id = any($1) order by id`,
    [[first?.id, second?.id]],
  );
  expect(rows).toEqual([
    { state: 'read_success', reason: null, text: null, ms: 12, result: { rows: 5 }, trace: traceId, owner: null, ended: true },
    { state: 'read_fail', reason: 'NO_DATA', text: 'Quiet, "empty"', ms: 34, result: null, trace: null, owner: null, ended: true },
  ]);
});

test('leases that are not in flight are found and released, and counted', async () => {
  await queue([{}, {}, {}]);
  const [first = '', second = '', third = ''] = (await claimOf(3)).map(({ id }) => id);
  const { pool } = database;
  expect((await findUnknownLeases(pool, OWNER, [first])).toSorted()).toEqual([second, third].toSorted());
  expect(await findUnknownLeases(pool, 'other', [])).toEqual([]);
  expect([await releaseLost(pool, 'other', [first]), await releaseLost(pool, OWNER, [first])]).toEqual([0, 1]);
  expect([await releaseOrphans(pool, 'other', []), await releaseOrphans(pool, OWNER, [second])]).toEqual([0, 1]);
  expect([await releaseDeadLeases(pool, OWNER, []), await releaseDeadLeases(pool, 'other', [])]).toEqual([0, 1]);
  expect(await statesOf([first, second, third])).toEqual([
    ['waiting', null],
    ['waiting', null],
    ['waiting', null],
  ]);
});

test('a claim counts as an attempt when its item is lost, and not when it is released unstarted', async () => {
  const { ids } = await queue([{}, {}]);
  const [lost = '', unstarted = ''] = (await claimOf(2)).map(({ id }) => id);
  await releaseLost(database.pool, OWNER, [lost]);
  await releaseItems(database.pool, 'other', [unstarted]);
  await releaseItems(database.pool, OWNER, [unstarted]);
  const { rows } = await database.pool.query('select state, attempts from task_item where id = any($1) order by id', [ids]);
  expect(rows).toEqual([
    { state: 'waiting', attempts: 1 },
    { state: 'waiting', attempts: 0 },
  ]);
});

test('rows of tasks and items have their instants as ISO texts, or null before they happen', async () => {
  const { pool } = database;
  const at = '2026-01-01T10:00:00.000Z';
  const { taskId, ids } = await queue([{}], `params = '{"a": 1}', priority = 3, created_at = '${at}'`);
  const waiting = { startedAt: null, finishedAt: null };
  expect(await findTaskRows(pool, [taskId])).toEqual([
    {
      ...waiting,
      id: taskId,
      kind: 'lpa',
      source: 'user',
      title: 'Ends',
      state: 'waiting',
      total: 1,
      done: 0,
      ok: 0,
      failed: 0,
      unknown: 0,
      priority: 3,
      createdBy: null,
      createdByName: null,
      createdAt: at,
      params: { a: 1 },
      originId: null,
      isLoaded: false,
    },
  ]);
  const item = { id: ids[0], taskId, deviceKind: 'meter', dcuId, dcuSn: 'ENDSDCU', meterId: null, meterSn: null, transformerName: null };
  expect(await findItemRows(pool, ids)).toEqual([
    {
      ...item,
      ...waiting,
      state: 'waiting',
      reasonCode: null,
      reasonText: null,
      attempts: 0,
      latencyMs: null,
      result: null,
      traceId: null,
    },
  ]);
  for (const table of ['task', 'task_item']) await pool.query(`update ${table} set started_at = '${at}', finished_at = '${at}'`);
  expect(await findTaskRows(pool, [taskId])).toMatchObject([{ startedAt: at, finishedAt: at }]);
  expect(await findItemRows(pool, ids)).toMatchObject([{ startedAt: at, finishedAt: at }]);
});

test('items with an unknown outcome are counted in the row of their task, and settled by what the device says', async () => {
  const { pool, db } = database;
  const items = ['11', '12', '13'].map((meterId) => ({ kind: 'relay_disconnect', meterId }));
  const { taskId, ids } = await queue(items, "kind = 'relay_disconnect'");
  await refuseItems(pool, ids.slice(0, 2), 'RELAY_UNKNOWN');
  await refuseItems(pool, ids.slice(2), 'NO_DATA');
  const unknown = async () => (await findTaskRows(pool, [taskId]))[0]?.unknown;
  expect(await unknown()).toBe(2);
  const settle = (meterId: string, outcome: Parameters<typeof settleItems>[2]) => settleItems(db, { taskId, meterId }, outcome);
  expect(await settle('13', { ok: true, value: {} })).toEqual([]);
  expect(await settle('11', { ok: true, value: { rows: 3 } })).toMatchObject([{ id: ids[0], taskId }]);
  expect(await settle('12', { ok: false, reason: 'RELAY_REFUSED' as never })).toMatchObject([{ id: ids[1], taskId }]); // as: any reason
  expect(await statesOf(ids)).toEqual([
    ['read_success', null],
    ['read_fail', 'RELAY_REFUSED'],
    ['read_fail', 'NO_DATA'],
  ]);
  expect(await unknown()).toBe(0);
  expect(await countsOf(taskId)).toMatchObject({ state: 'partly_failed', ok: 1, failed: 2 });
  const { rows } = await pool.query('select result from task_item where id = any($1) order by id', [ids]);
  expect(rows).toEqual([{ result: { rows: 3 } }, { result: null }, { result: null }]);
});

test('a partial result is stored while its item is in progress, and not after its end', async () => {
  const { ids } = await queue([{}]);
  const resultOf = async () => (await database.pool.query('select result from task_item where id = any($1)', [ids])).rows[0].result;
  await storePartialResult(database.db, ids[0] ?? '', { rows: 1 });
  expect(await resultOf()).toBeNull();
  await claimOf(1);
  await storePartialResult(database.db, ids[0] ?? '', { rows: 2 });
  expect(await resultOf()).toEqual({ rows: 2 });
});
