import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

type Record = globalThis.Record<string, unknown>;
interface Entity {
  list: string;
  /** Which row of the list is tried; it is in use. */
  pick: (row: Record) => boolean;
  /** Where one is read and changed, when that is not the list's own path. */
  one?: (id: string) => string;
  /** A text that two people change. */
  field: string;
  /** Fields that the answer names otherwise than the form. */
  formOf?: (row: Record) => Record;
  refusal: string;
  users: RegExp;
}

const ENTITIES: globalThis.Record<string, Entity> = {
  level: { list: '/asset/level', pick: ({ code }) => code === 'DN', field: 'name', refusal: 'NOT_EMPTY', users: /transformers: 1/ },
  supplier: { list: '/asset/supplier', pick: ({ types }) => Number(types) > 0, field: 'name', refusal: 'IN_USE', users: /Single phase/ },
  'DCU type': { list: '/asset/dcu-type', pick: ({ dcus }) => Number(dcus) > 0, field: 'name', refusal: 'IN_USE', users: /DCU/ },
  'meter type': { list: '/asset/meter-type', pick: ({ meters }) => Number(meters) > 0, field: 'name', refusal: 'IN_USE', users: /meter/i },
  transformer: { list: '/asset/transformer', pick: ({ dcus }) => Number(dcus) > 0, field: 'name', refusal: 'IN_USE', users: /DCU.*meter/i },
  DCU: {
    list: '/asset/dcu',
    pick: ({ meters }) => Number(meters) > 0,
    one: (id) => `/asset/dcu/${id}`,
    field: 'name',
    formOf: (row) => ({ ...row, longitude: row['ownLongitude'], latitude: row['ownLatitude'] }),
    refusal: 'HAS_ARCHIVES',
    users: /MN0001/,
  },
  meter: {
    list: '/asset/meter/inventory',
    pick: ({ dcuId }) => dcuId !== null,
    one: (id) => `/asset/meter/${id}/asset`,
    field: 'address',
    formOf: (row) => ({ ...row, ...(row['own'] as Record) }), // as: of the contract
    refusal: 'NOT_IN_WAREHOUSE',
    users: /MN0001/,
  },
};

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

async function ask(method: NonNullable<InjectOptions['method']>, path: string, payload?: object) {
  const answer = await app.call(admin, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

async function usedOne({ list, pick, one }: Entity): Promise<Record> {
  const rows: Record[] = (await ask('GET', list)).body.items;
  const row = rows.find(pick);
  if (row === undefined) throw new Error(`no ${list} is in use`);
  return one === undefined ? row : (await ask('GET', one(String(row['id'])))).body;
}

const pathOf = ({ list }: Entity, id: unknown) => `${list.replace('/inventory', '')}/${String(id)}`;

describe.each(Object.entries(ENTITIES))('a %s', (_, entity) => {
  test('that another user has changed is rejected with the current values, so that the form can show both', async () => {
    const row = await usedOne(entity);
    const { field, formOf = (same: Record) => same } = entity;
    const form = formOf(row);
    const first = await ask('PUT', pathOf(entity, row['id']), { ...form, [field]: 'Theirs' });
    expect(first).toMatchObject({ status: 200, body: { [field]: 'Theirs' } });
    const late = await ask('PUT', pathOf(entity, row['id']), { ...form, [field]: 'Mine' });
    expect(late.body).toMatchObject({
      status: 409,
      code: 'STALE',
      current: { id: row['id'], [field]: 'Theirs', version: first.body.version },
    });
    const settled = await ask('PUT', pathOf(entity, row['id']), { ...form, [field]: 'Mine', version: late.body.current.version });
    expect(settled).toMatchObject({ status: 200, body: { [field]: 'Mine' } });
  });

  test('that is in use is not deleted, and the refusal says who uses it', async () => {
    const row = await usedOne(entity);
    const refused = await ask('DELETE', pathOf(entity, row['id']));
    expect(refused.body).toMatchObject({ status: 409, code: entity.refusal });
    expect(refused.body.detail).toMatch(entity.users);
    expect((await usedOne(entity))['id']).toBe(row['id']);
  });
});
