import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let admin: TestUser;
const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(name) ?? 'nothing of this name';
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  const { db } = app.ctx;
  for (const row of await db.selectFrom('meter').select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  for (const row of await db.selectFrom('meterType').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const row of await db.selectFrom('networkLevel').select(['id', 'code']).execute()) ids.set(row.code, row.id);
});
afterAll(() => app.close());

const order = (key: string | undefined, payload: object, user = admin) =>
  app.call(user, {
    method: 'POST',
    url: '/api/v1/action/read/on-demand',
    payload,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const reading = (sn: string) => ({ meterIds: [idOf(sn)], kind: 'registers', items: ['A_PLUS_TOTAL'] });
const countTasks = async () => (await app.ctx.db.selectFrom('task').select('id').execute()).length;

test('a repeated order with the same key is placed once and gets the same answer', async () => {
  const { items } = (await app.call(admin, { url: '/api/v1/reading/obis' })).json();
  const payload = { meterIds: [idOf('MN0001')], kind: 'registers', items: [items[0].key] };
  const key = randomUUID();
  const before = await countTasks();
  const first = await order(key, payload);
  expect(first.statusCode, first.body).toBe(202);
  const repeated = await order(key, payload);
  expect([repeated.statusCode, repeated.json()]).toEqual([202, first.json()]);
  expect(await countTasks()).toBe(before + 1);
  expect((await order(undefined, payload)).json()).not.toEqual(first.json());
  expect((await order(key, { ...payload, meterIds: [idOf('MN0002')] })).json()).toMatchObject({ status: 422, code: 'KEY_OF_ANOTHER_CALL' });
  // Another user may use the same key.
  const other = await app.addUser({ roles: ['ADMIN'] });
  expect((await order(key, payload, other)).json()).not.toEqual(first.json());
});

test('concurrent orders with one key are placed once', async () => {
  const { items } = (await app.call(admin, { url: '/api/v1/reading/obis' })).json();
  const payload = { meterIds: [idOf('MN0001')], kind: 'registers', items: [items[0].key] };
  const before = await countTasks();
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 8 }, () => order(key, payload)));
  expect(await countTasks()).toBe(before + 1);
  for (const answer of answers) expect(answer.statusCode === 202 || answer.json().code === 'CALL_NOT_ENDED').toBe(true);
});

test('a refused order leaves its key free, and a key ends after a day', async () => {
  const key = randomUUID();
  expect((await order(key, reading('no such meter'))).statusCode).toBe(400);
  expect((await order(key, { meterIds: [idOf('MN0001')], kind: 'registers', items: ['x'] })).json()).toMatchObject({
    code: 'UNKNOWN_ITEM',
  });
  const { items } = (await app.call(admin, { url: '/api/v1/reading/obis' })).json();
  const payload = { meterIds: [idOf('MN0001')], kind: 'registers', items: [items[0].key] };
  const first = await order(key, payload);
  expect(first.statusCode).toBe(202);
  await app.ctx.db
    .updateTable('idempotencyKey')
    .set({ createdAt: new Date(Date.now() - 86_400_001) })
    .execute();
  expect((await order(key, payload)).json()).not.toEqual(first.json());
});

test('a meter is added by its serial number once, and changed the next time', async () => {
  const put = (fields: object) =>
    app.call(admin, {
      method: 'PUT',
      url: '/api/v1/asset/meter/by-sn',
      payload: { sn: 'EXT000001', meterTypeId: idOf('ONE'), communicationMode: 'plc', ...fields },
    });
  const added = (await put({ customerNo: 'C-1' })).json();
  expect(added).toMatchObject({ isNew: true, sn: 'EXT000001', customerNo: 'C-1' });
  const changed = (await put({ customerNo: 'C-2' })).json();
  expect(changed).toMatchObject({ isNew: false, id: added.id, customerNo: 'C-2' });
  const limited = await app.addUser({ scope: [idOf('DN')] });
  const foreign = await app.call(limited, {
    method: 'PUT',
    url: '/api/v1/asset/meter/by-sn',
    payload: { sn: 'MS0001', meterTypeId: idOf('ONE'), communicationMode: 'plc' },
  });
  expect(foreign.json()).toMatchObject({ code: 'BEYOND_OWN_RIGHTS' });
});

test('a transformer is added by its code once, and changed the next time', async () => {
  const put = (fields: object, user = admin) =>
    app.call(user, { method: 'PUT', url: '/api/v1/asset/transformer/by-code', payload: { code: 'EXT-1', levelId: idOf('DN'), ...fields } });
  const added = (await put({ name: 'Harbour' })).json();
  expect(added).toMatchObject({ isNew: true, code: 'EXT-1', name: 'Harbour' });
  expect((await put({ name: 'Harbour 4' })).json()).toMatchObject({ isNew: false, id: added.id, name: 'Harbour 4' });
  expect((await put({ code: '', name: 'x' })).json()).toMatchObject({ code: 'VALIDATION' });
  const south = await app.addUser({ scope: [idOf('DS')] });
  expect((await put({ name: 'Taken' }, south)).json().code).not.toBeUndefined();
  expect((await app.call(admin, { url: `/api/v1/asset/transformer/${added.id}` })).json()).toMatchObject({ name: 'Harbour 4' });
});

test('calls for one number at once add it once, and the others change it', async () => {
  const put = (path: string, fields: object) => app.call(admin, { method: 'PUT', url: `/api/v1/asset/${path}`, payload: fields });
  const meter = { sn: 'EXT000002', meterTypeId: idOf('ONE'), communicationMode: 'plc' };
  const customers = ['C-1', 'C-2', 'C-3', 'C-4'];
  const meters = await Promise.all(customers.map((customerNo) => put('meter/by-sn', { ...meter, customerNo })));
  const codes = ['Harbour', 'Hill', 'Mill', 'Quay'];
  const transformers = await Promise.all(codes.map((name) => put('transformer/by-code', { code: 'EXT-2', levelId: idOf('DN'), name })));
  for (const answers of [meters, transformers]) {
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const bodies = answers.map((answer) => answer.json());
    expect(bodies.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
  }
});

/** Three events, received a minute ago; and one that was received just now. */
const insertEvents = () =>
  sql`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, received_at, direction, raw, source, dedup_hash)
    select 'meter', m.id, m.dcu_id, 'fraud', 40, now() - n * interval '1 hour', now() - case n when 4 then interval '0' else interval '1 minute' end, 'occur', '',
      'push', decode(lpad(n::text, 8, '0'), 'hex') from meter m, generate_series(1, 4) n where m.sn = 'MN0001'`.execute(app.ctx.db);

test('the newest events appear at the cursor when they are settled', async () => {
  await insertEvents();
  const list = (await app.call(admin, { url: '/api/v1/event?size=10' })).json();
  expect(list.total).toBe(4);
  const page = (await app.call(admin, { url: '/api/v1/event?size=10&after=0' })).json();
  expect(page.items).toHaveLength(3);
  app.advance(6000);
  const rest = (await app.call(admin, { url: `/api/v1/event?size=10&after=${page.next}` })).json();
  expect(rest.items).toHaveLength(1);
});

/** Three days before today, for which the database has partitions. */
const DAYS = [3, 2, 1].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));

type Item = Record<string, unknown>;
/** All items behind the cursor, two at a time, and the cursor behind the last. */
async function readAll(path: string, query: string): Promise<{ items: Item[]; after: string }> {
  const items: Item[] = [];
  let after = '0';
  for (;;) {
    const page = (await app.call(admin, { url: `/api/v1${path}?${query}size=2&after=${after}` })).json();
    items.push(...page.items);
    after = page.next;
    if (page.items.length < 2) return { items, after };
  }
}

/** Freezes of three days and slots of one for two meters of either side, and commands to their relays. */
async function insertReadingsAndCommands(): Promise<void> {
  const meters = ['MN0001', 'MN0002', 'MS0001', 'MS0002'].map(idOf);
  await sql`insert into reading_daily (meter_id, freeze_date, read_at, source, quality)
    select m, d, now(), 'meter', 'read' from unnest(${meters}::bigint[]) m, unnest(${DAYS}::date[]) d`.execute(app.ctx.db);
  await sql`insert into reading_gap (meter_id, profile, day, from_at, to_at, missing, state, next_try_at)
    select m, 'lpa', ${DAYS[1]}::date, ${`${DAYS[1]}T10:00Z`}::timestamptz, ${`${DAYS[1]}T10:45Z`}::timestamptz, 4, 'open', now() from unnest(${meters}::bigint[]) m`.execute(
    app.ctx.db,
  );
  await sql`with ordered as (insert into task (kind, source, title, params, priority, state, total) values ('relay_connect', 'user', 'x', '{}', 1, 'finished', 4) returning id),
      of_it as (insert into relay_order (task_id, request_id, operation, requested_by, reason, work_order, needs_approval, meters, power_w)
        select id, gen_random_uuid(), 'connect', ${admin.id}, 'x', 'x', false, 4, 0 from ordered)
    insert into relay_command (task_id, meter_id, operation, state, requested_by, needs_approval, seal, created_at)
      select o.id, m, 'connect', 'done', ${admin.id}, false, '', now() - interval '1 minute' from ordered o, unnest(${meters}::bigint[]) m`.execute(
    app.ctx.db,
  );
}

describe('a long list', () => {
  beforeAll(insertReadingsAndCommands);
  const RANGE = `from=${DAYS[0]}&to=${DAYS[2]}&`;

  test.each([
    ['/asset/meter/inventory', '', ['id']],
    ['/asset/transformer', '', ['id']],
    ['/asset/dcu', '', ['id']],
    ['/task', '', ['id']],
    ['/event', '', ['id']],
    ['/action/relay', '', ['meterId']],
    ['/action/relay/log', '', ['id']],
    ['/reading/daily', RANGE, ['freezeDate', 'meterSn']],
    ['/reading/profile/lpa', RANGE, ['meterId', 'ts']],
  ])('%s is read to its end by a cursor, in its order, each row once', async (path, query, key) => {
    const keyOf = (row: Item) => key.map((name) => String(row[name]).padStart(30, '0')).join(' ');
    const all = (await app.call(admin, { url: `/api/v1${path}?${query}size=500` })).json();
    const { items, after } = await readAll(path, query);
    expect(items.length).toBeGreaterThan(1);
    expect(items.map(keyOf)).toEqual(all.items.map(keyOf).toSorted());
    // The rows are those of the list, whole.
    expect(items[0]).toEqual(all.items.find((row: Item) => keyOf(row) === keyOf(items[0] ?? {})));
    expect((await app.call(admin, { url: `/api/v1${path}?${query}after=${after}` })).json()).toMatchObject({ items: [], next: after });
    expect(all.next).toBeNull();
  });

  test('of readings refuses a cursor that it never gave', async () => {
    for (const [path, after] of [
      ['/reading/daily', DAYS[0] ?? ''],
      ['/reading/daily', '2026-99-99.MN0001'],
      ['/reading/profile/lpa', '1'],
      ['/reading/profile/lpa', "1' or '1"],
    ] as const)
      expect((await app.call(admin, { url: `/api/v1${path}?${RANGE}after=${encodeURIComponent(after)}` })).json()).toMatchObject({
        status: 400,
        code: 'VALIDATION',
      });
  });

  test('of the items of a task is read to its end by a cursor', async () => {
    const { items: objects } = (await app.call(admin, { url: '/api/v1/reading/obis' })).json();
    const meterIds = ['MN0001', 'MN0002', 'MS0001'].map(idOf);
    const { taskId } = (await order(undefined, { meterIds, kind: 'registers', items: [objects[0].key] })).json();
    const { items } = await readAll(`/task/${taskId}/items`, '');
    expect(items.map(({ meterSn }) => meterSn).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      'MN0001',
      'MN0002',
      'MS0001',
    ]);
  });
});
