import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { FeedKind, ReadingItem } from '@hes/contract/delivery/feed.ts';
import { UNKNOWN_OUTCOME } from '@hes/contract/task/words.ts';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { createPartitions } from '../src/db/partitions.ts';
import { cursorFromNow, cursorSince, measureLag, readOutbox } from '../src/features/deliveries/feed/outbox-queries.ts';
import { clearOutbox } from '../src/features/deliveries/feed/reader-queries.ts';
import { EventWriter } from '../src/storage/events/event-writer.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { createTask, type NewTask } from '../src/tasks/create-task.ts';
import { settleItems } from '../src/tasks/store.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const DAY = Math.floor(Date.now() / DAY_MS) - 1;
const QUARTER_MS = 900_000;

let app: TestApp;
let admin: TestUser;
let ofNorth: TestUser;
let writer: ReadingWriter;
const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(name) ?? 'nothing of this name';
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  await createPartitions(app.ctx.pool, Date.now());
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  for (const row of await app.ctx.db.selectFrom('transformer').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  admin = await app.addUser({ roles: ['ADMIN'] });
  ofNorth = await app.addUser({ transformers: [idOf('TN')] });
  writer = new ReadingWriter(app.ctx);
});
afterAll(async () => {
  await writer.stop();
  await app.close();
});

const store = (sn: string, slots: number[], kwh: number[]) =>
  writer.storeProfile(
    {
      meterId: idOf(sn),
      dcuId: idOf('DCUN0001'),
      profile: 'lpa',
      periodSeconds: 900,
      stamps: Float64Array.from(slots, (slot) => DAY * DAY_MS + slot * QUARTER_MS),
      status: undefined,
      channels: CHANNELS.map(({ column }) =>
        column === 'e_plus_wh'
          ? Float64Array.from(kwh, (value) => value * 1000)
          : column === 'u1_mv'
            ? Float64Array.from(kwh, () => 230_500)
            : undefined,
      ),
      readAt: Date.now(),
      source: 'meter',
      traceId: undefined,
    },
    true,
  );

interface Page<Item> {
  items: Item[];
  next: string;
  hasMore: boolean;
}
async function ask<Item = ReadingItem>(
  kind: FeedKind,
  after: string | undefined,
  { user = admin, ...query }: { user?: TestUser; limit?: number; wait?: number; since?: string } = {},
): Promise<Page<Item>> {
  const words = Object.entries({ after, ...query }).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  const answer = await app.call(user, { method: 'GET', url: `/api/feed/${kind}?${new URLSearchParams(words)}` });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}
const begin = async (kind: FeedKind, user = admin) => (await ask(kind, undefined, { user })).next;
/** Everything behind a cursor, by pages. */
async function drain<Item = ReadingItem>(kind: FeedKind, after: string, options: { user?: TestUser; limit?: number } = {}) {
  const items: Item[] = [];
  for (;;) {
    const page = await ask<Item>(kind, after, options);
    items.push(...page.items);
    after = page.next;
    if (!page.hasMore) return { items, next: after };
  }
}
const outboxRows = async () => Number((await app.ctx.pool.query<{ n: string }>('select count(*) as n from outbox')).rows[0]?.n);

test('nothing is written while nobody follows a feed', async () => {
  await store('MN0001', [0], [1]);
  await app.ctx.db.updateTable('meter').set({ customerNo: 'C-1' }).where('id', '=', idOf('MN0001')).execute();
  expect(await outboxRows()).toBe(0);
});

test('a stored reading leaves with values, units and revision, and a correction with a larger one', async () => {
  const start = await begin('readings');
  await store('MN0002', [4, 5], [10.5, 11]);
  const first = await ask('readings', start);
  expect(first).toMatchObject({ units: { ePlus: 'kWh', u1: 'V' }, hasMore: false });
  const [item] = first.items;
  expect(first.items).toHaveLength(1);
  expect(item).toMatchObject({ meterSn: 'MN0002', profile: 'lpa', day: new Date(DAY * DAY_MS).toISOString().slice(0, 10) });
  const ts = (slot: number) => new Date(DAY * DAY_MS + slot * QUARTER_MS).toISOString();
  expect(item?.slots).toEqual([
    { ts: ts(4), quality: 'read', statusWord: 0, values: { ePlus: 10.5, u1: 230.5 } },
    { ts: ts(5), quality: 'read', statusWord: 0, values: { ePlus: 11, u1: 230.5 } },
  ]);
  await store('MN0002', [5], [12]);
  const { items } = await ask('readings', first.next);
  expect(items[0]?.slots).toMatchObject([{ ts: ts(5), values: { ePlus: 12 } }]);
  expect(BigInt(items[0]?.revision ?? 0)).toBeGreaterThan(BigInt(item?.revision ?? 0));
});

test('a reading that was read again with the same values does not leave again', async () => {
  await store('MN0002', [8], [1]);
  const start = await begin('readings');
  await store('MN0002', [8], [1]);
  expect((await ask('readings', start)).items).toEqual([]);
});

test('freezes leave, read or entered by a person, and again when they change', async () => {
  const start = await begin('readings');
  const freeze = (tenthWh: number) =>
    writer.storeDaily(
      [
        {
          meterId: idOf('MN0001'),
          dcuId: idOf('DCUN0001'),
          freezeDay: DAY,
          registers: [tenthWh],
          statusWord: 0,
          deviceTime: undefined,
          readAt: Date.now(),
          source: 'meter',
          traceId: undefined,
        },
      ],
      true,
    );
  await freeze(123_450_000);
  await freeze(123_450_000);
  const body = { meterId: idOf('MN0002'), date: new Date((DAY - 3) * DAY_MS).toISOString().slice(0, 10), ePlus: 7, reason: 'display' };
  expect((await app.call(admin, { method: 'POST', url: '/api/reading/manual', payload: body })).statusCode).toBeLessThan(300);
  const { items } = await ask('readings', start);
  expect(items.map(({ meterSn, profile, source, slots }) => [meterSn, profile, source, slots.map(({ values }) => values)])).toEqual([
    ['MN0001', 'daily', 'meter', [{ ePlus: 12_345 }]],
    ['MN0002', 'daily', 'manual', [{ ePlus: 7 }]],
  ]);
  expect(items[0]).toMatchObject({ day: new Date(DAY * DAY_MS).toISOString().slice(0, 10) });
});

/** Writes one announcement in a transaction that stays open. */
async function announceInOpenTransaction(meterSn: string): Promise<PoolClient> {
  const client = await app.ctx.pool.connect();
  await client.query('begin');
  await client.query(`select announce('assets', 'meter', array[$1::bigint])`, [idOf(meterSn)]);
  return client;
}

test('a row whose transaction commits later than those of newer rows is not skipped', async () => {
  const start = await begin('assets');
  const slow = await announceInOpenTransaction('MN0001');
  const rename = (sn: string, customerNo: string) =>
    app.ctx.db.updateTable('meter').set({ customerNo }).where('id', '=', idOf(sn)).execute();
  await rename('MN0002', 'C-2');
  await rename('MS0002', 'C-3');
  const early = await drain<{ number: string }>('assets', start, { limit: 1 });
  expect(early.items.map(({ number }) => number)).toEqual(['MN0002', 'MS0002']);
  await slow.query('commit');
  slow.release();
  await rename('MS0001', 'C-4');
  const late = await drain<{ number: string }>('assets', early.next, { limit: 1 });
  expect(late.items.map(({ number }) => number)).toEqual(['MN0001', 'MS0001']);
});

test('an object leaves with what other systems compute with: type, ratios, position, generator and capacity', async () => {
  const start = await begin('assets');
  const { db } = app.ctx;
  await db
    .updateTable('meter')
    .set({ ctRatio: 40, ptRatio: 2.5, longitude: 121.25, latitude: 31.5, isGenerator: true })
    .where('id', '=', idOf('MN0001'))
    .execute();
  await db.updateTable('transformer').set({ ctRatio: 80 }).where('id', '=', idOf('TN')).execute();
  await db.updateTable('dcu').set({ name: 'renamed' }).where('id', '=', idOf('DCUN0001')).execute();
  const { items } = await drain<object>('assets', start);
  expect(items).toMatchObject([
    { number: 'MN0001', ctRatio: 40, ptRatio: 2.5, longitude: 121.25, latitude: 31.5, isGenerator: true, capacityKva: null },
    { number: 'TN', ctRatio: 80, longitude: 121.5, capacityKva: 400, typeCode: null },
    { number: 'DCUN0001', typeCode: 'DCU1', ctRatio: null, isGenerator: null },
  ]);
});

test('an account may wait by eight calls; all of them get what is stored, and the database is asked for all of them at once', async () => {
  const start = await begin('assets');
  const statements = async () => {
    const { rows } = await app.ctx.pool.query<{ n: number }>(
      `select xact_commit::int as n from pg_stat_database where datname = current_database()`,
    );
    return rows[0]?.n ?? 0;
  };
  const waiting = Array.from({ length: 8 }, () => ask<{ customerNo: string }>('assets', start, { wait: 20 }));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const ninth = await app.call(admin, { method: 'GET', url: `/api/feed/assets?after=${start}&wait=20` });
  expect(ninth.json()).toMatchObject({ code: 'RATE_LIMIT' });
  const before = await statements();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  // Eight polls of their own would be some ninety; statistics of other connections may come late.
  expect((await statements()) - before).toBeLessThan(60);
  await app.ctx.db.updateTable('meter').set({ customerNo: 'woken' }).where('id', '=', idOf('MN0001')).execute();
  for (const page of await Promise.all(waiting)) expect(page.items).toMatchObject([{ customerNo: 'woken' }]);
  expect((await ask('assets', start, { wait: 1 })).items).toHaveLength(1);
});

test('a transaction that ends between two pages of a window is in the next window', async () => {
  const start = await begin('assets');
  const slow = await announceInOpenTransaction('MS0001');
  const update = { method: 'PUT' as const, customerNo: 'C-5' };
  for (const sn of ['MN0001', 'MN0002'])
    await app.ctx.db
      .updateTable('meter')
      .set({ customerNo: `${update.customerNo} ${sn}` })
      .where('id', '=', idOf(sn))
      .execute();
  const first = await ask<{ number: string }>('assets', start, { limit: 1 });
  await slow.query('commit');
  slow.release();
  const rest = await drain<{ number: string }>('assets', first.next, { limit: 1 });
  expect([...first.items, ...rest.items].map(({ number }) => number)).toEqual(['MN0001', 'MN0002', 'MS0001']);
});

test('a new reader begins only after the transactions that did not write for it', async () => {
  await app.ctx.pool.query(`delete from outbox_reader where kind = 'assets'`);
  const slow = await announceInOpenTransaction('MN0001');
  const busy = await app.call(admin, { method: 'GET', url: '/api/feed/assets' });
  expect(busy.json()).toMatchObject({ code: 'OUTBOX_BUSY' });
  await slow.query('rollback');
  slow.release();
  await begin('assets');
});

test('a reader that waits for a long transaction hardly holds up those that store', async () => {
  await app.ctx.pool.query(`delete from outbox_reader where kind = 'assets'`);
  const slow = await announceInOpenTransaction('MN0001');
  const waiting = app.call(admin, { method: 'GET', url: '/api/feed/assets' });
  const took: number[] = [];
  for (let n = 0; n < 10; n++) {
    const began = performance.now();
    await app.ctx.pool.query(`select announce('assets', 'meter', array[$1::bigint])`, [idOf('MS0001')]);
    took.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  expect((await waiting).json()).toMatchObject({ code: 'OUTBOX_BUSY' });
  await slow.query('rollback');
  slow.release();
  expect(Math.max(...took)).toBeLessThan(1000);
});

test('pages of a row with many meters follow each other without repetition', async () => {
  const start = await begin('readings');
  await Promise.all(['MN0001', 'MN0002', 'MS0001', 'MS0002'].map((sn) => store(sn, [20], [3])));
  const { items } = await drain('readings', start, { limit: 3 });
  expect(items.map(({ meterSn }) => meterSn).toSorted()).toEqual(['MN0001', 'MN0002', 'MS0001', 'MS0002']);
  expect(new Set(items.map(({ id }) => id)).size).toBe(4);
});

test('pages of any size hold each entry once, in order, however the entries are spread over rows', async () => {
  await begin('assets');
  const start = await cursorFromNow(app.ctx.db, 'assets');
  const sizes = [1, 5, 3, 40, 2, 7, 1, 1, 12, ...Array.from({ length: 35 }, (_, k) => 1 + (k % 4))];
  const expected: string[] = [];
  for (const [row, size] of sizes.entries()) {
    const of = Array.from({ length: size }, (_, k) => String(1_000_000 + row * 100 + k));
    expected.push(...of);
    await app.ctx.pool.query(`select announce('assets', 'meter', $1::bigint[])`, [of]);
  }
  for (const limit of [1, 2, 3, 5, 6, 7, 9, 12, 48, 49, 50, 500]) {
    const seen: string[] = [];
    for (let cursor = start, hasMore = true; hasMore;) {
      const part = await readOutbox(app.ctx.db, 'assets', cursor, limit);
      expect(part.entries.length).toBeLessThanOrEqual(limit);
      seen.push(...part.entries.map(({ subjectId }) => subjectId));
      [cursor, hasMore] = [part.next, part.hasMore];
    }
    expect(seen, `pages of ${limit}`).toEqual(expected);
  }
});

test('a user receives what lies in the area of the right, and removed objects only with the whole network', async () => {
  const [readings, assets] = [await begin('readings', ofNorth), await begin('assets', ofNorth)];
  await store('MN0001', [30], [1]);
  await store('MS0001', [30], [1]);
  await app.ctx.db.updateTable('meter').set({ address: 'Harbour Street' }).where('sn', 'in', ['MN0001', 'MS0001']).execute();
  await app.ctx.pool.query(`select announce('assets', 'meter', array[999999::bigint])`);
  expect((await drain('readings', readings, { user: ofNorth })).items.map(({ meterSn }) => meterSn)).toEqual(['MN0001']);
  const seen = await drain<{ number: string | null; isRemoved: boolean }>('assets', assets, { user: ofNorth });
  expect(seen.items.map(({ number }) => number)).toEqual(['MN0001']);
  const all = await drain<{ number: string | null; isRemoved: boolean }>('assets', assets);
  expect(all.items.map(({ number, isRemoved }) => `${number} ${isRemoved}`).toSorted()).toEqual([
    'MN0001 false',
    'MS0001 false',
    'null true',
  ]);
});

test('a device that is moved to another area is removed for the one that it leaves and new in the other', async () => {
  const ofSouth = await app.addUser({ transformers: [idOf('TS')] });
  const [north, south, whole] = [await begin('assets', ofNorth), await begin('assets', ofSouth), await begin('assets')];
  const move = (code: string) =>
    app.ctx.db
      .updateTable('meter')
      .set({ transformerId: idOf(code) })
      .where('id', '=', idOf('MN0002'))
      .execute();
  await move('TS');
  type Seen = { number: string | null; isRemoved: boolean; parentNumber: string | null };
  const seenBy = async (after: string, user?: TestUser) =>
    (await drain<Seen>('assets', after, user === undefined ? {} : { user })).items.map(({ number, isRemoved, parentNumber }) => ({
      number,
      isRemoved,
      parentNumber,
    }));
  const there = { number: 'MN0002', isRemoved: false, parentNumber: 'TS' };
  expect(await seenBy(north, ofNorth)).toEqual([{ number: 'MN0002', isRemoved: true, parentNumber: null }]);
  expect(await seenBy(south, ofSouth)).toEqual([there]);
  expect(await seenBy(whole)).toEqual([there]);
  await app.ctx.db
    .updateTable('dcu')
    .set({ transformerId: idOf('TS') })
    .where('id', '=', idOf('DCUN0001'))
    .execute();
  expect((await seenBy(north, ofNorth)).map(({ number, isRemoved }) => `${number} ${isRemoved}`)).toEqual(['MN0002 true', 'DCUN0001 true']);
  await app.ctx.db
    .updateTable('dcu')
    .set({ transformerId: idOf('TN') })
    .where('id', '=', idOf('DCUN0001'))
    .execute();
  await move('TN');
});

test('what collection writes into the row of a meter is no change of master data', async () => {
  const start = await begin('assets');
  await app.ctx.db.updateTable('meter').set({ lastCommAt: new Date(), relayState: 'connected' }).where('id', '=', idOf('MN0001')).execute();
  expect((await ask('assets', start)).items).toEqual([]);
});

test('an event leaves once, however often it is read', async () => {
  const start = await begin('events');
  const events = new EventWriter(app.ctx);
  const device = {
    deviceKind: 'meter' as const,
    meterId: idOf('MN0002'),
    dcuId: idOf('DCUN0001'),
    source: 'pull' as const,
    traceId: null,
    events: [{ log: 'fraud' as const, code: 40, occurAt: DAY * DAY_MS, message: 'cover', raw: Uint8Array.of(1, 2) }],
  };
  await events.store(device);
  await events.store(device);
  const { items } = await ask<object>('events', start);
  expect(items).toMatchObject([{ meterSn: 'MN0002', log: 'fraud', code: 40, raw: '0102', message: 'cover' }]);
});

/** An order for one meter that ended with a timeout. */
async function endOrder(sn: string, fields: Partial<NewTask> = {}, reasonCode = 'METER_TIMEOUT'): Promise<string> {
  const meter = await app.ctx.db.selectFrom('meter').select(['id', 'dcuId']).where('sn', '=', sn).executeTakeFirstOrThrow();
  const items = [{ deviceKind: 'meter' as const, dcuId: meter.dcuId ?? '', meterId: meter.id }];
  const order = {
    kind: 'lpa' as const,
    source: 'user' as const,
    title: 'x',
    params: { from: '2026-01-01', to: '2026-01-02' },
    createdBy: admin.id,
  };
  const task = await app.ctx.db.transaction().execute((tx) => createTask(tx, { ...order, ...fields, items } as NewTask)); // as: fields keep the kind
  for (const state of ['reading', 'read_fail'] as const)
    await app.ctx.db.updateTable('taskItem').set({ state, reasonCode, finishedAt: new Date() }).where('taskId', '=', task.id).execute();
  return task.id;
}

test('the end of an order leaves, of any priority; the work of plans and of the server does not', async () => {
  const start = await begin('commands');
  const ordered = await endOrder('MN0001');
  await endOrder('MN0001', { source: 'plan', priority: 3 });
  await endOrder('MN0001', { source: 'system', priority: 3, createdBy: null });
  const ofProgram = await endOrder('MN0001', { source: 'api', priority: 9 });
  const { items } = await ask<object>('commands', start);
  expect(items).toMatchObject([
    { taskId: ordered, meterSn: 'MN0001', state: 'read_fail', reasonCode: 'METER_TIMEOUT', orderedById: admin.id },
    { taskId: ofProgram },
  ]);
  expect((await ask<object>('commands', start, { user: ofNorth })).items).toEqual([]);
});

test('an outcome that was unknown leaves again when it is known, with a larger revision', async () => {
  const start = await begin('commands');
  const taskId = await endOrder('MN0001', {}, UNKNOWN_OUTCOME);
  const unknown = await ask<{ revision: string }>('commands', start);
  expect(unknown.items).toMatchObject([{ taskId, state: 'read_fail', reasonCode: UNKNOWN_OUTCOME }]);
  await settleItems(app.ctx.db, { taskId, meterId: idOf('MN0001') }, { ok: true, value: {} });
  const { items } = await ask<{ revision: string }>('commands', unknown.next);
  expect(items).toMatchObject([{ taskId, state: 'read_success', reasonCode: null }]);
  expect(BigInt(items[0]?.revision ?? 0)).toBeGreaterThan(BigInt(unknown.items[0]?.revision ?? 0));
});

test('a waiting call answers when something is stored', async () => {
  const start = await begin('readings');
  const waiting = ask('readings', start, { wait: 20 });
  await store('MN0001', [40], [5]);
  expect((await waiting).items).toHaveLength(1);
});

test('a reader can begin in the past, as far as the outbox reaches', async () => {
  const since = new Date().toISOString();
  await store('MN0001', [41], [5]);
  const { items } = await ask('readings', undefined, { since });
  expect(items.map(({ slots }) => slots[0]?.values.ePlus)).toEqual([5]);
  const tooEarly = await app.call(admin, { method: 'GET', url: `/api/feed/readings?since=${new Date(0).toISOString()}` });
  expect(tooEarly.json()).toMatchObject({ status: 410, code: 'FEED_GONE' });
});

test('a reader that begins in the past receives a transaction that was open then and has a smaller id', async () => {
  const start = await begin('assets');
  const since = new Date();
  const slow = await announceInOpenTransaction('MS0001');
  await app.ctx.db.updateTable('meter').set({ customerNo: 'C-9' }).where('sn', '=', 'MN0001').execute();
  const cursor = await cursorSince(app.ctx.db, 'assets', since);
  await slow.query('commit');
  slow.release();
  expect(await measureLag(app.ctx.db, 'assets', cursor)).toMatchObject({ waiting: 2 });
  const read: string[] = [];
  for (let at = cursor, more = true; more;) {
    const { entries, next, hasMore } = await readOutbox(app.ctx.db, 'assets', at, 1);
    read.push(...entries.map(({ subjectId }) => subjectId));
    [at, more] = [next, hasMore];
  }
  expect(read).toEqual([idOf('MN0001'), idOf('MS0001')]);
  expect((await ask('assets', start)).items).toHaveLength(2);
});

test('a cursor is refused when rows behind it were deleted, when nothing was written for a while, and when it is none', async () => {
  const start = await begin('events');
  const refusal = async (after: string) => (await app.call(admin, { method: 'GET', url: `/api/feed/events?after=${after}` })).json().code;
  await clearOutbox(app.ctx.db, 0);
  expect(await refusal(start)).toBe('FEED_GONE');
  // The reader was ended with the rows, and a new one begins another epoch.
  await app.ctx.pool.query(`update outbox_kind set cleared_before = '-infinity'`);
  expect(await refusal(start)).toBe('FEED_GONE');
  expect(await refusal('nonsense')).toBe('VALIDATION');
  expect(await refusal(Buffer.from('{"e":1,"s":"1:1:\'","t":1}').toString('base64url'))).toBe('VALIDATION');
  const ahead = Buffer.from(JSON.stringify({ e: 2, s: '99999999:99999999:', t: Date.now() })).toString('base64url');
  expect(await refusal(ahead)).toBe('FEED_GONE');
  expect(await ask('events', await begin('events'))).toMatchObject({ items: [] });
});
