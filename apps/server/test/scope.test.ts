import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { openKeys } from '../src/platform/device-keys.ts';
import { createTask } from '../src/tasks/create-task.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAYS = { from: '2026-01-01', to: '2026-01-02' };

let app: TestApp;
let all: TestUser;
let north: TestUser;
const ids = new Map<string, string>();

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  for (const table of ['dcu', 'meter'] as const) {
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  }
  for (const row of await app.ctx.db.selectFrom('networkLevel').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  all = await app.addUser({ roles: ['ADMIN'] });
  north = await app.addUser({ scope: [idOf('DN')] });
});
afterAll(() => app.close());

const idOf = (name: string): string => ids.get(name) ?? '';
const get = async (user: TestUser, path: string) => (await app.call(user, { url: `/api${path}` })).json();
const sns = (answer: { items: { sn: string }[] }) => answer.items.map((item) => item.sn).toSorted();

describe('a commissioning file', () => {
  test('imported again changes nothing', async () => {
    const before = await app.ctx.db.selectFrom('meter').selectAll().orderBy('id').execute();
    await importCommissioning(app.ctx, smallTown());
    expect(await app.ctx.db.selectFrom('meter').selectAll().orderBy('id').execute()).toEqual(before);
  });

  test('leaves no key readable in the database, and every key to its own device', async () => {
    const meters = await app.ctx.db.selectFrom('meter').select(['sn', 'ekSecret', 'akSecret']).orderBy('sn').execute();
    const [first, second] = meters;
    const plain = Buffer.from('000102030405060708090A0B0C0D0E0F', 'hex');
    for (const meter of meters) expect(meter.ekSecret?.includes(plain)).toBe(false);
    expect(first && openKeys(app.ctx.secrets, 'meter', first.sn, first)?.ek).toEqual(plain);
    expect(() => first && second && openKeys(app.ctx.secrets, 'meter', second.sn, first)).toThrow(/authenticat/);
  });
});

describe('a user limited to one district', () => {
  test('sees its devices and no others', async () => {
    expect(sns(await get(all, '/asset/dcu'))).toEqual(['DCUN0001', 'DCUS0001']);
    expect(sns(await get(north, '/asset/dcu'))).toEqual(['DCUN0001']);
    expect(sns(await get(north, '/asset/meter'))).toEqual(['MN0001', 'MN0002']);
    expect((await get(north, '/asset/meter')).total).toBe(2);
    expect((await get(north, `/asset/meter?node=level:${idOf('DS')}`)).items).toEqual([]);
    expect((await get(north, '/asset/dcu/facets')).total).toBe(1);
    expect((await get(north, '/dashboard/summary')).meters.total).toBe(2);
    expect((await get(north, '/dashboard/map')).items).toHaveLength(1);
  });

  test('gets the same response for objects outside the area as for missing ones', async () => {
    expect((await get(north, `/asset/dcu/${idOf('DCUS0001')}`)).code).toBe('DCU_NOT_FOUND');
    expect((await get(north, `/asset/meter/${idOf('MS0001')}`)).code).toBe('METER_NOT_FOUND');
    expect((await get(north, `/reading/${idOf('MS0001')}/latest`)).code).toBe('METER_NOT_FOUND');
  });

  test('cannot order anything from a meter outside', async () => {
    const order = (meterIds: string[]) =>
      app.call(north, { method: 'POST', url: '/api/action/read/on-demand', payload: { meterIds, kind: 'registers', items: ['E_PLUS'] } });
    expect((await order([idOf('MN0001'), idOf('MS0001')])).json().code).toBe('METER_NOT_FOUND');
    expect((await order([idOf('MN0001')])).statusCode).toBe(202);
  });

  test('sees the tasks it ordered, and only the items of its area', async () => {
    const items = ['N', 'S'].map((side) => ({
      deviceKind: 'meter' as const,
      dcuId: idOf(`DCU${side}0001`),
      meterId: idOf(`M${side}0001`),
    }));
    const create = (createdBy: string | null) =>
      app.ctx.db
        .transaction()
        .execute((tx) => createTask(tx, { kind: 'lpa', source: 'user', title: 'both', params: DAYS, priority: 5, createdBy, items }));
    const own = await create(north.id);
    expect((await get(all, `/task/${own.id}/items`)).items).toHaveLength(2);
    expect((await get(north, `/task/${own.id}/items`)).items.map((item: { meterSn: string }) => item.meterSn)).toEqual(['MN0001']);
    expect((await get(north, `/task/${(await create(null)).id}`)).code).toBe('NOT_FOUND');
  });

  test('sees an item of a meter of its area behind a DCU of another one, and not the reverse', async () => {
    const north1 = { deviceKind: 'meter' as const, dcuId: idOf('DCUS0001'), meterId: idOf('MN0001') };
    const south1 = { deviceKind: 'meter' as const, dcuId: idOf('DCUN0001'), meterId: idOf('MS0001') };
    const task = { kind: 'lpa', source: 'user', title: 'crossed', params: DAYS, priority: 5, createdBy: north.id } as const;
    const { id } = await app.ctx.db.transaction().execute((tx) => createTask(tx, { ...task, items: [north1, south1] }));
    expect((await get(north, `/task/${id}/items`)).items.map((item: { meterSn: string }) => item.meterSn)).toEqual(['MN0001']);
  });
});

test('a user of a level sees everything below it at any depth', async () => {
  const city = await app.addUser({ scope: [idOf('CITY')] });
  expect(sns(await get(city, '/asset/dcu'))).toEqual(['DCUN0001', 'DCUS0001']);
  expect(sns(await get(city, '/asset/meter'))).toEqual(['MN0001', 'MN0002', 'MS0001', 'MS0002']);
});

describe('lists', () => {
  test('page, sort and search, and count what they leave out', async () => {
    const page = await get(all, '/asset/meter?size=3&page=2&sort=sn,desc');
    expect(page).toMatchObject({ total: 4, totalIsExact: true, page: 2, size: 3 });
    expect(sns(page)).toEqual(['MN0001']);
    expect(sns(await get(all, '/asset/meter?search=n000'))).toEqual(['MN0001', 'MN0002']);
    expect(sns(await get(all, '/asset/meter?search=%25'))).toEqual([]);
  });

  test('open the tree level by level', async () => {
    const [city] = (await get(all, '/asset/tree')).items;
    expect(city).toMatchObject({ title: 'City', meters: 4 });
    expect((await get(all, `/asset/tree?root=${city.key}`)).items.map((node: { title: string }) => node.title).toSorted()).toEqual([
      'District N',
      'District S',
    ]);
  });

  test('name the way down to a node of the tree, and none to a node outside the area', async () => {
    const meter = `meter:${idOf('MS0001')}`;
    const { keys } = await get(all, `/asset/tree/path?node=${meter}`);
    expect(keys).toEqual([
      expect.stringMatching(/^level:/),
      `level:${idOf('DS')}`,
      expect.stringMatching(/^transformer:/),
      `dcu:${idOf('DCUS0001')}`,
      meter,
    ]);
    for (const node of [meter, `dcu:${idOf('DCUS0001')}`, keys[2], 'meter:999999999', 'level:999999999'])
      expect((await get(north, `/asset/tree/path?node=${node}`)).keys).toEqual([]);
    expect((await get(north, `/asset/tree/path?node=dcu:${idOf('DCUN0001')}`)).keys).toHaveLength(4);
  });
});
