import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommissioningFile } from '../src/db/seed/commissioning.ts';
import { migrate } from '../src/db/migrate.ts';
import { listMigrations } from '../src/db/migration.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { cloneDatabase } from './database.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

/** Two substations on one feeder, so that only an area that goes down to a transformer tells them apart. */
function oneFeeder(): CommissioningFile {
  const town = smallTown();
  return { ...town, transformers: town.transformers.map((transformer) => ({ ...transformer, levelCode: 'DN' })) };
}

let app: TestApp;
let admin: TestUser;
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? `nothing called ${name}`;
const NO_SUCH_ID = '999999999';

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, oneFeeder());
  for (const table of ['networkLevel', 'transformer'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

async function ask(user: TestUser, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
  const answer = await app.call(user, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

let made = 0;
/** A new role, as the console adds one: without permissions. */
async function addRole(): Promise<{ id: string; code: string }> {
  const code = `AREA_${String.fromCodePoint(65 + made++)}`;
  const { body } = await ask(admin, 'POST', '/manager/role', { code, name: code });
  return { id: body.id, code };
}

const NO_RIGHTS = { moduleIds: [], actions: [] };
const setArea = async (roleId: string, area: unknown, rights: object = NO_RIGHTS) => {
  const { version } = (await ask(admin, 'GET', `/manager/role/${roleId}`)).body;
  return ask(admin, 'PUT', `/manager/role/${roleId}/permission`, { ...rights, area, version });
};
const nodes = (...keys: string[]) => ({ kind: 'nodes', nodes: keys });

describe('the area of a role', () => {
  test('is empty until one is chosen, and its users see nothing of the network', async () => {
    const { id, code } = await addRole();
    expect((await ask(admin, 'GET', `/manager/role/${id}/permission`)).body.area).toEqual({ kind: 'none' });
    const row = (await ask(admin, 'GET', `/manager/role?code=${code}`)).body.items[0];
    expect(row.area).toEqual({ kind: 'none', nodes: 0 });
    const user = await app.addUser({ roles: [code] });
    expect((await ask(user, 'GET', '/manager/user/me')).body.scope).toEqual({ kind: 'none' });
    const summary = (await ask(user, 'GET', '/dashboard/summary')).body;
    expect([summary.meters.total, summary.dcus.total, summary.heat.levels]).toEqual([0, 0, []]);
    expect(summary.load.today.every(({ kw }: { kw: number | null }) => kw === null)).toBe(true);
    expect((await ask(user, 'GET', '/dashboard/map')).body.items).toEqual([]);
    expect((await ask(user, 'GET', '/asset/tree')).body.items).toEqual([]);
    expect((await ask(user, 'GET', '/asset/tree?search=MN')).body.items).toEqual([]);
  });

  test('of a user without any role is empty, too', async () => {
    const user = await app.addUser();
    expect((await ask(user, 'GET', '/manager/user/me')).body.scope).toEqual({ kind: 'none' });
    expect((await ask(user, 'GET', '/dashboard/summary')).body.meters.total).toBe(0);
  });

  test('that came with the head-end is the whole network', async () => {
    const { items } = (await ask(admin, 'GET', '/manager/role?size=100')).body;
    const delivered = items.filter((role: { isBuiltin: boolean }) => role.isBuiltin);
    expect(delivered.length).toBeGreaterThan(5);
    expect(new Set(delivered.map((role: { area: { kind: string } }) => role.area.kind))).toEqual(new Set(['whole']));
  });

  test('is stored and shown as it was chosen: a transformer is not the level that has the same id', async () => {
    // Levels and transformers are counted from one each: this is the mistake that gave a whole utility away.
    expect([idOf('TN'), idOf('CITY')]).toEqual(['1', '1']);
    const { id, code } = await addRole();
    const saved = await setArea(id, nodes(`transformer:${idOf('TN')}`));
    const area = {
      kind: 'nodes',
      nodes: [
        {
          key: `transformer:${idOf('TN')}`,
          title: 'Transformer N',
          above: [
            { key: `level:${idOf('CITY')}`, title: 'City' },
            { key: `level:${idOf('DN')}`, title: 'District N' },
          ],
          meters: 2,
        },
      ],
    };
    expect(saved.body.area).toEqual(area);
    expect((await ask(admin, 'GET', `/manager/role/${id}/permission`)).body.area).toEqual(area);
    expect((await ask(admin, 'GET', `/manager/role?code=${code}`)).body.items[0].area).toEqual({ kind: 'nodes', nodes: 1 });
    const user = await app.addUser({ roles: [code] });
    expect((await ask(user, 'GET', '/manager/user/me')).body.scope).toEqual({ kind: 'nodes', nodes: [`transformer:${idOf('TN')}`] });
    expect((await ask(user, 'GET', '/dashboard/summary')).body.meters.total).toBe(2);
  });

  test('may mix levels and transformers, each counted once', async () => {
    const { id } = await addRole();
    const keys = [`level:${idOf('DS')}`, `transformer:${idOf('TS')}`, `level:${idOf('DS')}`];
    const { body } = await setArea(id, nodes(...keys));
    expect(body.area.nodes.map((node: { key: string }) => node.key)).toEqual(keys.slice(0, 2));
  });

  test.each([
    ['an id without a kind', nodes('1')],
    ['a DCU', nodes('dcu:1')],
    ['a meter', nodes('meter:1')],
    ['an empty list of nodes', nodes()],
    ['levels by bare ids', { kind: 'levels', levelIds: ['1'] }],
    ['nothing', undefined],
  ])('cannot be %s', async (_, area) => {
    const { id } = await addRole();
    await setArea(id, nodes(`transformer:${idOf('TN')}`));
    const answer = await setArea(id, area);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION']);
    expect((await ask(admin, 'GET', `/manager/role/${id}/permission`)).body.area.nodes).toHaveLength(1);
  });

  test('contains nodes of the network only; the refusal names an unknown one', async () => {
    const { id } = await addRole();
    for (const key of [`level:${NO_SUCH_ID}`, `transformer:${NO_SUCH_ID}`]) {
      const answer = await setArea(id, nodes(`level:${idOf('DN')}`, key));
      expect([answer.status, answer.body.code]).toEqual([422, 'UNKNOWN_NODE']);
      expect(answer.body.detail).toContain(key);
    }
    expect((await ask(admin, 'GET', `/manager/role/${id}/permission`)).body.area).toEqual({ kind: 'none' });
  });

  test('keeps the node from being deleted', async () => {
    const level = (await ask(admin, 'POST', '/asset/level', { parentId: idOf('CITY'), name: 'Kept', code: 'KEPT', type: 'district' })).body;
    const transformer = (await ask(admin, 'POST', '/asset/transformer', { name: 'Kept', levelId: level.id })).body;
    const { id } = await addRole();
    await setArea(id, nodes(`transformer:${transformer.id}`));
    expect((await ask(admin, 'DELETE', `/asset/transformer/${transformer.id}`)).body.code).toBe('IN_USE');
    await setArea(id, nodes(`level:${level.id}`));
    expect((await ask(admin, 'DELETE', `/asset/transformer/${transformer.id}`)).status).toBe(204);
    expect((await ask(admin, 'DELETE', `/asset/level/${level.id}`)).body.code).toBe('NOT_EMPTY');
    await setArea(id, { kind: 'none' });
    expect((await ask(admin, 'DELETE', `/asset/level/${level.id}`)).status).toBe(204);
  });

  test('stands in the audit log with the names of its nodes, before and after', async () => {
    const { id } = await addRole();
    await setArea(id, nodes(`transformer:${idOf('TN')}`));
    await setArea(id, { kind: 'whole' });
    const entries = await app.ctx.db
      .selectFrom('auditLog')
      .where('entity', '=', 'role')
      .where('entityId', '=', id)
      .where('action', '=', 'role_permission_changed')
      .orderBy('id')
      .select('detail')
      .execute();
    const node = `City / District N / Transformer N (transformer:${idOf('TN')})`;
    expect(entries.map((entry) => entry.detail)).toMatchObject([
      { before: { area: 'none', areaNodes: [] }, after: { area: 'nodes', areaNodes: [node] } },
      { before: { area: 'nodes', areaNodes: [node] }, after: { area: 'whole', areaNodes: [] } },
    ]);
  });

  test('can be given by a limited user within the own area only, and hides the names of nodes outside', async () => {
    const limited = await app.addUser({ transformers: [idOf('TN')] });
    const { id } = (await ask(limited, 'POST', '/manager/role', { code: 'WITHIN_TN', name: 'x' })).body;
    const give = (area: object, version: number) => ask(limited, 'PUT', `/manager/role/${id}/permission`, { ...NO_RIGHTS, area, version });
    for (const area of [{ kind: 'whole' }, nodes(`level:${idOf('DN')}`), nodes(`transformer:${idOf('TS')}`)])
      expect((await give(area, 1)).body.code).toBe('BEYOND_OWN_RIGHTS');
    expect((await give(nodes(`transformer:${idOf('TN')}`), 1)).status).toBe(200);
    const other = await addRole();
    await setArea(other.id, nodes(`transformer:${idOf('TS')}`));
    const { area } = (await ask(limited, 'GET', `/manager/role/${other.id}/permission`)).body;
    expect(area.nodes).toEqual([{ key: `transformer:${idOf('TS')}`, title: null, above: [], meters: 0 }]);
  });

  test('of a role from before areas were chosen stays what it was', async () => {
    const { owner: pool, drop } = await cloneDatabase();
    await pool.query('drop schema public cascade; drop schema if exists pgboss cascade; create schema public');
    await migrate(
      pool,
      undefined,
      listMigrations().filter(({ number }) => number < 51),
    );
    await pool.query(`
      insert into role (code, name) values ('EVERYWHERE', 'x'), ('LIMITED', 'x');
      insert into network_level (name, code, type, path) values ('x', 'X', 'company', '{1}');
      insert into role_scope (role_id, level_id) select role.id, network_level.id from role, network_level where role.code = 'LIMITED'`);
    await migrate(pool);
    const { rows } = await pool.query(
      'select code, sees_whole_network as whole, array(select level_id::text from role_scope where role_id = role.id) as levels from role order by code',
    );
    expect(rows).toEqual([
      { code: 'EVERYWHERE', whole: true, levels: [] },
      { code: 'LIMITED', whole: false, levels: ['1'] },
    ]);
    await drop();
    // All migrations are applied one after the other.
  }, 120_000);
});

describe('a user added with an area', () => {
  let users = 0;
  const person = (fields: object) => ({
    username: `limited.${++users}`,
    name: 'x',
    password: 'Owl-And-Lamp-77',
    mustChangePassword: false,
    ...fields,
  });
  const operator = async () =>
    (await ask(admin, 'GET', '/manager/role?size=100')).body.items.find((role: { code: string }) => role.code === 'OPERATOR') as {
      id: string;
    };
  const permissionOf = async (id: string) => (await ask(admin, 'GET', `/manager/role/${id}/permission`)).body;

  test('gets a role of the same permissions with exactly this area, which the next user shares', async () => {
    const { id } = await operator();
    const areaNodes = [`transformer:${idOf('TN')}`];
    const first = (await ask(admin, 'POST', '/manager/user', person({ roleIds: [id], areaNodes }))).body;
    expect(first.roles).toMatchObject([{ code: 'OPERATOR_A', name: expect.stringContaining('Transformer N') }]);
    const [given, base] = [await permissionOf(first.roles[0].id), await permissionOf(id)];
    expect(given.actions).toEqual(base.actions);
    expect(given.area.nodes.map(({ key }: { key: string }) => key)).toEqual(areaNodes);
    expect(base.area).toEqual({ kind: 'whole' });
    const second = (await ask(admin, 'POST', '/manager/user', person({ roleIds: [id], areaNodes }))).body;
    expect(second.roles).toEqual(first.roles);
    const other = (await ask(admin, 'POST', '/manager/user', person({ roleIds: [id], areaNodes: [`level:${idOf('DN')}`] }))).body;
    expect(other.roles).toMatchObject([{ code: 'OPERATOR_B' }]);
  });

  test('adds no role when the user is refused, when a node is unknown, or when the list is empty', async () => {
    const { id } = await operator();
    const total = async () => (await ask(admin, 'GET', '/manager/role')).body.total as number;
    const before = await total();
    const tries = [
      [person({ roleIds: [id], areaNodes: [`level:${NO_SUCH_ID}`] }), 'UNKNOWN_NODE'],
      [person({ roleIds: [id], areaNodes: [] }), 'VALIDATION'],
      [person({ roleIds: [NO_SUCH_ID], areaNodes: [`level:${idOf('DS')}`] }), 'UNKNOWN_REFERENCE'],
      [{ ...person({ roleIds: [id], areaNodes: [`level:${idOf('DS')}`] }), username: 'limited.1' }, 'DUPLICATE'],
    ] as const;
    for (const [body, code] of tries) expect((await ask(admin, 'POST', '/manager/user', body)).body.code).toBe(code);
    expect(await total()).toBe(before);
  });

  test('is refused to callers who may not give permissions to roles', async () => {
    const { id } = await operator();
    const role = await addRole();
    const { items } = (await ask(admin, 'GET', '/manager/role/module')).body;
    const moduleId = items.find((one: { path: string }) => one.path === PAGE_PATH.users).id;
    await setArea(role.id, { kind: 'whole' }, { moduleIds: [moduleId], actions: [{ moduleId, actions: ['view', 'add'] }] });
    const clerk = await app.addUser({ roles: [role.code] });
    const body = person({ roleIds: [id], areaNodes: [`transformer:${idOf('TN')}`] });
    expect((await ask(clerk, 'POST', '/manager/user', body)).body.code).toBe('BEYOND_OWN_RIGHTS');
  });

  test('never passes on a role that was changed outside the product', async () => {
    const { id } = await operator();
    await app.ctx.db.updateTable('role').set({ seesWholeNetwork: false }).where('id', '=', id).execute();
    const body = person({ roleIds: [id], areaNodes: [`transformer:${idOf('TN')}`] });
    expect((await ask(admin, 'POST', '/manager/user', body)).body.code).toBe('CHANGED_OUTSIDE');
  });
});

describe('a search of the tree', () => {
  const find = async (user: TestUser, search: string, until: string): Promise<string[]> =>
    (await ask(user, 'GET', `/asset/tree?search=${encodeURIComponent(search)}&until=${until}`)).body.items.map(
      (node: { key: string }) => node.key,
    );

  test('finds levels and transformers by name, and nothing below the kind that was asked for', async () => {
    expect(await find(admin, 'district', 'meter')).toEqual([`level:${idOf('DN')}`, `level:${idOf('DS')}`]);
    expect(await find(admin, 't n', 'transformer')).toEqual([`level:${idOf('DN')}`]);
    expect(await find(admin, 'former n', 'transformer')).toEqual([`transformer:${idOf('TN')}`]);
    expect(await find(admin, 'Transformer', 'level')).toEqual([]);
    expect(await find(admin, 'N0001', 'transformer')).toEqual([]);
    expect(await find(admin, 'N0001', 'meter')).toEqual([`dcu:${idOf('DCUN0001')}`, `meter:${idOf('MN0001')}`]);
  });

  test('of a user of one transformer finds what leads to it, counting that transformer alone', async () => {
    const limited = await app.addUser({ transformers: [idOf('TN')] });
    expect(await find(limited, 'district', 'meter')).toEqual([`level:${idOf('DN')}`]);
    const [city] = (await ask(limited, 'GET', '/asset/tree')).body.items;
    expect(city).toMatchObject({ key: `level:${idOf('CITY')}`, meters: 2 });
    const below = async (root: string) =>
      (await ask(limited, 'GET', `/asset/tree?root=${root}`)).body.items.map((node: { key: string; meters: number }) => [
        node.key,
        node.meters,
      ]);
    expect(await below(`level:${idOf('CITY')}`)).toEqual([[`level:${idOf('DN')}`, 2]]);
    expect(await below(`level:${idOf('DN')}`)).toEqual([[`transformer:${idOf('TN')}`, 2]]);
  });
});
