import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test.each(['/asset/meter/inventory', '/asset/transformer', '/task', '/event'])('%s is read to its end by a cursor', async (path) => {
  const all = (await app.call(admin, { url: `/api/v1${path}?size=500` })).json();
  const seen: string[] = [];
  let after = '0';
  for (;;) {
    const page = (await app.call(admin, { url: `/api/v1${path}?size=2&after=${after}` })).json();
    seen.push(...page.items.map(({ id }: { id: string }) => id));
    after = page.next;
    if (page.items.length < 2) break;
  }
  expect(seen).toEqual(all.items.map(({ id }: { id: string }) => id).toSorted((a: string, b: string) => Number(a) - Number(b)));
  expect((await app.call(admin, { url: `/api/v1${path}?after=${after}` })).json()).toMatchObject({ items: [], next: after });
});
