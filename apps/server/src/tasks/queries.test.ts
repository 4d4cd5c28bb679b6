import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Epoch } from '#nodes/epoch.ts';
import { adopted } from '../../test/adopted.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import type { FinishedItem } from './finished-item.ts';
import {
  claimNext,
  findBusyDcus,
  finishItems,
  deleteEmptyClaims,
  releaseAllItems,
  releaseItems,
  releaseOrphans,
  releaseDeadLeases,
  renewLeases,
  bringForward,
  correctFutureTasks,
  shiftDueTimes,
  holdLivenessLock,
} from './queries.ts';

const LEASED = 3000;
const OWNER = 'me';

let database: TestDatabase;
const epochs = new Map<string, Epoch>();
const epochOf = (dcuId: string): Epoch => epochs.get(dcuId) ?? expect.fail(`Nobody holds ${dcuId}`);
beforeAll(async () => {
  database = await cloneDatabase();
  for (const dcuId of ['1', '2', '3']) {
    await database.pool.query(
      "insert into endpoint (id, sn, name, kind) overriding system value values ($1::bigint, 'QUEUE' || $1::text, 'Queue', 'meter')",
      [dcuId],
    );
    epochs.set(dcuId, await adopted(database.pool, dcuId));
  }
  // As during nightly collection: the planner statistics are older than the leases.
  await database.pool.query(`
    insert into task (kind, source, title, total) values ('collect', 'plan', 'Night', 20000);
    insert into task_item (task_id, kind, priority, device_kind, dcu_id) select t.id, 'collect', 5, 'meter', 1 from task t, generate_series(1, 20000);
    analyze task_item;
    update task_item set state = 'reading', lease_owner = '${OWNER}', lease_until = now() where id in (select id from task_item order by id limit ${LEASED})`);
});
afterAll(() => database.drop());

const endOf = (id: string, attempts = 0): FinishedItem => ({
  id,
  attempts,
  state: 'read_success',
  reasonCode: null,
  reasonText: null,
  latencyMs: 1,
  result: { rows: 96 },
  traceId: null,
  againInMs: 0,
});

/** A pool that explains each statement instead of executing it; `plan` returns the last plan. */
function explaining(pool: Pool): { pool: Pool; plan: () => string } {
  let plan = '';
  const query = async (asked: { text: string; values: unknown[] } | string, given: unknown[] = []) => {
    const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : asked;
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values);
    plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return { rows: [] };
  };
  return { pool: { query } as unknown as Pool, plan: () => plan }; // as: the functions under test only call query
}

test('finishItems joins results to items by id and does not scan all leased items per result', async () => {
  const found = await database.pool.query<{ id: string }>('select id from task_item order by id limit 500');
  const ends = found.rows.map(({ id }) => endOf(id));
  const explained = explaining(database.pool);
  await finishItems(explained.pool, OWNER, ends);
  expect(explained.plan()).toContain('Update on task_item');
  expect(explained.plan()).not.toMatch(/Join Filter: .*\bi\.id\b/);
  expect(await finishItems(database.pool, 'another owner', ends)).toEqual([]);
  expect(await finishItems(database.pool, OWNER, ends)).toHaveLength(ends.length);
  expect(await finishItems(database.pool, OWNER, ends)).toEqual([]);
});

test('a scan for work passes over the devices that another node holds', async () => {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(`
      insert into task_item (task_id, kind, priority, device_kind, dcu_id) select id, 'collect', 5, 'meter', d from task, unnest('{2,3}'::bigint[]) d where title = 'Night';
      update endpoint set node_id = 7 where id = 2; update endpoint set node_id = null where id = 3`);
    const inside = client as unknown as Pool; // as: only `query` is called
    const busy = async (others: string[]) => (await findBusyDcus(inside, others)).map(({ dcuId, nodeId }) => [dcuId, nodeId]);
    const all = [
      ['1', '1'],
      ['2', '7'],
      ['3', null],
    ];
    expect(await busy([])).toEqual(all);
    expect(await busy(['9'])).toEqual(all);
    expect(await busy(['7', '9'])).toEqual([all[0], all[2]]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('no index covers a column that a claim changes, so claims are HOT updates', async () => {
  const { rows } = await database.pool.query<{ text: string }>("select indexdef as text from pg_indexes where tablename = 'task_item'");
  expect(rows.length).toBeGreaterThan(3);
  for (const { text } of rows) expect(text).not.toMatch(/\b(state|attempts|lease_owner|lease_until|started_at)\b/);
});

test('leased items are found through task_claim without a table scan, and a claim without leased items is deleted', async () => {
  const { pool } = database;
  await pool.query('insert into task_claim (items) select array_agg(id) from task_item where id % 64 = 0 and state = $1', ['reading']);
  for (const statement of [(to: Pool) => releaseDeadLeases(to, OWNER, []), deleteEmptyClaims]) {
    const explained = explaining(pool);
    await statement(explained.pool);
    expect(explained.plan()).toContain('task_item_pkey');
    expect(explained.plan()).not.toContain('Seq Scan on task_item');
  }
  const claims = async () => (await pool.query<{ items: string[] }>('select items from task_claim order by id desc')).rows;
  const [taken, other] = [
    await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 2, owner: 'other' }),
    await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 2, owner: 'other' }),
  ].map((items) => items.map(({ id }) => id));
  expect((await claims()).slice(0, 2)).toEqual([{ items: other }, { items: taken }]);
  expect(new Set([...(taken ?? []), ...(other ?? [])]).size).toBe(4);
  await finishItems(
    pool,
    'other',
    [...(taken ?? []), other?.[0] ?? ''].map((id) => endOf(id, 1)),
  );
  await deleteEmptyClaims(pool);
  expect((await claims())[0]).toEqual({ items: other });
  // No session holds the lock of owner `other`, so its unfinished item returns to the queue.
  await releaseDeadLeases(pool, OWNER, []);
  await deleteEmptyClaims(pool);
  expect((await claims()).filter(({ items }) => items.includes(other?.[1] ?? ''))).toEqual([]);
  const left = await pool.query('select state, lease_owner from task_item where id = $1', [other?.[1]]);
  expect(left.rows).toEqual([{ state: 'waiting', lease_owner: null }]);
});

test('the result of an earlier claim does not end an item that was claimed again, even by the same owner', async () => {
  const { pool } = database;
  const claim = async () => (await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 1, owner: OWNER }))[0];
  const first = await claim();
  await pool.query("update task_item set state = 'waiting', lease_owner = null, lease_until = null where id = $1", [first?.id]);
  const second = await claim();
  expect([second?.id, first?.attempts, second?.attempts]).toEqual([first?.id, 1, 2]);
  expect(await finishItems(pool, OWNER, [endOf(first?.id ?? '', first?.attempts)])).toEqual([]);
  expect(await finishItems(pool, OWNER, [endOf(second?.id ?? '', second?.attempts)])).toHaveLength(1);
});

test('leases of a live owner are not released when the database clock jumps ahead and all of them expire', async () => {
  const { pool } = database;
  const neighbour = await pool.connect();
  await holdLivenessLock(neighbour, 'neighbour');
  const ids = (await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 2, owner: 'neighbour' })).map(
    ({ id }) => id,
  );
  const mine = (await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 2, owner: OWNER })).map(({ id }) => id);
  await pool.query("update task_item set lease_until = now() - interval '1 hour' where id = any($1)", [[...ids, ...mine]]);
  const ownersOf = async (of: string[]) =>
    (
      await pool.query<{ owner: string | null }>('select lease_owner as owner from task_item where id = any($1) order by id', [of])
    ).rows.map(({ owner }) => owner);
  await releaseDeadLeases(pool, OWNER, mine.slice(0, 1));
  expect(await ownersOf(ids)).toEqual(['neighbour', 'neighbour']);
  // Of this owner, the in-flight item keeps its lease and the other one is released.
  expect(await ownersOf(mine)).toEqual([OWNER, null]);
  neighbour.release(true);
  await vi.waitFor(async () => {
    await releaseDeadLeases(pool, OWNER, mine);
    expect(await ownersOf(ids)).toEqual([null, null]);
  });
});

test('renewLeases extends leases of in-flight items that expire soon, and no lease of another owner', async () => {
  const { pool } = database;
  const claim = async (owner: string) =>
    (await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 2, owner })).map(({ id }) => id);
  const [mine, others] = [await claim(OWNER), await claim('neighbour')];
  const [soon = '', late = ''] = mine;
  await pool.query("update task_item set lease_until = now() + interval '10 seconds' where id = any($1)", [[soon, ...others]]);
  await renewLeases(pool, OWNER, [...mine, ...others]);
  const secondsOf = async (ids: string[]) =>
    (
      await pool.query<{ s: number }>(
        'select round(extract(epoch from lease_until - now()) / 10)::int * 10 as s from task_item where id = any($1) order by id',
        [ids],
      )
    ).rows.map(({ s }) => s);
  expect(await secondsOf([soon])).toEqual([60]);
  expect(await secondsOf(others)).toEqual([10, 10]);
  // A lease with enough time left is not written again: it would only create a dead row version.
  const versionOf = async () => (await pool.query('select xmin::text from task_item where id = $1', [late])).rows[0];
  const before = await versionOf();
  await renewLeases(pool, OWNER, mine);
  expect(await versionOf()).toEqual(before);
});

test('results are counted into their task, each once', async () => {
  const { pool } = database;
  const countsOf = async () => (await pool.query<Record<string, number>>('select done, ok, failed from task')).rows[0];
  const claimed = await claimNext(pool, { dcuId: '1', epoch: epochOf('1'), from: 5, to: 9, count: 3, owner: OWNER });
  const before = await countsOf();
  const ends = claimed.map(({ id, attempts }, index): FinishedItem => {
    const end = endOf(id, attempts);
    return index === 0 ? { ...end, state: 'read_fail', reasonCode: 'METER_TIMEOUT', result: null } : end;
  });
  for (let times = 0; times < 2; times++) await finishItems(pool, OWNER, ends);
  const { done = 0, ok = 0, failed = 0 } = before ?? {};
  expect(await countsOf()).toEqual({ done: done + 3, ok: ok + 2, failed: failed + 1 });
});

test('an overdue retry is made due, and neither an upgrade on hold nor a paused item', async () => {
  const { rows } = await database.pool.query<{ id: string }>(`
    with t as (insert into task (kind, source, title, total) values ('lpa', 'user', 'retries', 4) returning id)
    insert into task_item (task_id, kind, priority, device_kind, dcu_id, attempts, not_before)
    select t.id, 'lpa', 3, 'meter', 2, 1, n.due from t, (values
      (now() + interval '61 minutes'), (now() - interval '1 minute'), (now() + interval '100 years'), (timestamptz '3000-01-01 00:05:00+00')
    ) as n (due) returning id`);
  const ids = rows.map(({ id }) => id);
  expect(await bringForward(database.pool, ids)).toEqual({ corrected: 1, unclaimed: ids.slice(0, 2) });
  const due = await database.pool.query('select not_before <= now() as is_due from task_item where id = any($1) order by id', [
    rows.map(({ id }) => id),
  ]);
  expect(due.rows.map(({ is_due: isDue }) => isDue)).toEqual([true, true, false, false]);
  await database.pool.query("delete from task_item where task_id = (select id from task where title = 'retries')");
});

test('after the clock was set back, items queued or postponed before the step are due at their intended times', async () => {
  const { rows } = await database.pool.query<{ id: string }>(`
    with t as (
      insert into task (kind, source, title, total, created_at) values
        ('lpa', 'user', 'before the step', 2, now() + interval '59 minutes'), ('lpa', 'user', 'after it', 4, now() - interval '1 minute') returning id, title
    )
    insert into task_item (task_id, kind, priority, device_kind, dcu_id, attempts, not_before)
    select t.id, 'lpa', 3, 'meter', 2, n.attempts, n.due from t join (values
      ('before the step', 0, now() + interval '59 minutes'),
      ('before the step', 1, now() + interval '70 minutes'),
      ('after it', 0, now() + interval '8 hours'),
      ('after it', 1, now() + interval '61 minutes'),
      ('after it', 0, timestamptz 'infinity'),
      ('after it', 1, timestamptz '3000-01-01 00:05:00+00')
    ) as n (title, attempts, due) on n.title = t.title returning id`);
  expect(await shiftDueTimes(database.pool, 3_600_000)).toBe(1);
  expect(await correctFutureTasks(database.pool)).toBe(2);
  expect(await correctFutureTasks(database.pool), 'a corrected task is not corrected again').toBe(0);
  const due = await database.pool.query<{ minutes: string }>(
    `select case when not_before = 'infinity' then 'never' when not_before > now() + interval '1 year' then 'held'
       else round(extract(epoch from not_before - now()) / 60)::text end as minutes from task_item where id = any($1) order by id`,
    [rows.map(({ id }) => id)],
  );
  expect(due.rows.map(({ minutes }) => minutes)).toEqual(['0', '11', '480', '1', 'never', 'held']);
});

test.each<[how: string, release: (pool: Pool, ids: string[]) => Promise<unknown>]>([
  ['because its device is lost', (pool, ids) => releaseItems(pool, 'set back', ids)],
  ['because its server stops', (pool) => releaseAllItems(pool, 'set back')],
  ['because its result was undone', (pool) => releaseOrphans(pool, 'set back', [])],
  ['because its owner is dead', (pool) => releaseDeadLeases(pool, 'another', [])],
])('an item that was due by a clock that was ahead is due at once when its claim is released %s', async (_how, release) => {
  const { pool } = database;
  await pool.query(`
    with t as (insert into task (kind, source, title, total) values ('lpa', 'user', 'set back', 1) returning id)
    insert into task_item (task_id, kind, priority, device_kind, dcu_id) select id, 'lpa', 1, 'meter', 3 from t`);
  const claim = async () =>
    (await claimNext(pool, { dcuId: '3', epoch: epochOf('3'), from: 1, to: 1, count: 1, owner: 'set back' })).map(({ id }) => id);
  const ids = await claim();
  // As if the item had been queued and claimed while the clock was ahead by an hour.
  await pool.query("update task_item set not_before = now() + interval '1 hour' where id = any($1)", [ids]);
  await release(pool, ids);
  expect(await claim()).toEqual(ids);
  await pool.query('delete from task_item where id = any($1)', [ids]);
});

test('a server that stops keeps the attempt of a command it may have sent, so its item is not cancelled', async () => {
  const { pool } = database;
  await pool.query(`
    with t as (insert into task (kind, source, title, total) values ('relay_disconnect', 'user', 'Cut off', 2) returning id)
    insert into task_item (task_id, kind, priority, device_kind, dcu_id) select t.id, k.kind, 1, 'meter', 2 from t, (values ('relay_disconnect'), ('read')) as k (kind)`);
  expect(await claimNext(pool, { dcuId: '2', epoch: epochOf('2'), from: 1, to: 1, count: 2, owner: 'stopping' })).toHaveLength(2);
  await releaseAllItems(pool, 'stopping');
  const { rows } = await pool.query('select kind, state, attempts from task_item where dcu_id = 2 and priority = 1 order by kind');
  expect(rows).toEqual([
    { kind: 'read', state: 'waiting', attempts: 0 },
    { kind: 'relay_disconnect', state: 'waiting', attempts: 1 },
  ]);
});

test('a node that has lost a device to another one claims nothing for it', async () => {
  const { pool } = database;
  await pool.query(`
    insert into task (kind, source, title, total) values ('registers', 'user', 'Fence', 1);
    insert into task_item (task_id, kind, priority, device_kind, dcu_id) select max(id), 'registers', 4, 'meter', 2 from task`);
  const claim = { dcuId: '2', from: 4, to: 4, count: 1, owner: 'fenced' };
  const before = epochOf('2');
  const after = await adopted(pool, '2', '2');
  expect(await claimNext(pool, { ...claim, epoch: before })).toEqual([]);
  expect(await claimNext(pool, { ...claim, epoch: after })).toHaveLength(1);
});

test('leases of a node are released when it has ended, and not because the database lost all locks', async () => {
  const { pool } = database;
  await pool.query(`
    insert into task (kind, source, title, total) values ('registers', 'user', 'Dead', 1);
    insert into task_item (task_id, kind, priority, device_kind, dcu_id) select max(id), 'registers', 2, 'meter', 3 from task;
    insert into node (name, owner) values ('living', 'without a lock')`);
  const [item] = await claimNext(pool, { dcuId: '3', epoch: epochOf('3'), from: 2, to: 2, count: 1, owner: 'without a lock' });
  const stateOf = async () => (await pool.query<{ state: string }>('select state from task_item where id = $1', [item?.id])).rows[0]?.state;
  await releaseDeadLeases(pool, OWNER, []);
  expect(await stateOf()).toBe('reading');
  await pool.query("update node set ended_at = now() where owner = 'without a lock'");
  await releaseDeadLeases(pool, OWNER, []);
  expect(await stateOf()).toBe('waiting');
});
