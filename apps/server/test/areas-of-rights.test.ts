import type { Action } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { packFrames } from '../src/storage/frames.ts';
import { createTask } from '../src/tasks/create-task.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const RELAY = '/action/relay-control';
const ROLES = '/system/system-management/role-management';
const INVENTORY = '/meter/auto-meter-reading';

let app: TestApp;
let admin: TestUser;
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? `nothing called ${name}`;

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  for (const row of await app.ctx.db.selectFrom('networkLevel').select(['id', 'code']).execute()) ids.set(row.code, row.id);
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
/** A role with these rights, for a level or the whole network. */
async function addRole(rights: Record<string, Action[]>, level?: string): Promise<string> {
  const code = `RIGHTS_${String.fromCodePoint(65 + made++)}`;
  const { db } = app.ctx;
  await db
    .insertInto('role')
    .values({ code, name: code, seesWholeNetwork: level === undefined })
    .execute();
  for (const [path, actions] of Object.entries(rights)) {
    await sql`insert into role_module select r.id, m.id from role r, module m where r.code = ${code} and m.path = ${path}`.execute(db);
    await sql`insert into role_action select r.id, m.id, unnest(${actions}::text[]) from role r, module m
      where r.code = ${code} and m.path = ${path}`.execute(db);
  }
  if (level !== undefined)
    await sql`insert into role_scope (role_id, level_id) select id, ${idOf(level)} from role where code = ${code}`.execute(db);
  return code;
}

const serials = ({ body }: { body: { items: { sn: string }[] } }): string[] => body.items.map(({ sn }) => sn).toSorted();

describe('a user who may switch in one district and see meters everywhere', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await app.addUser({
      roles: [await addRole({ [RELAY]: ['view', 'execute'] }, 'DN'), await addRole({ [INVENTORY]: ['view'] })],
    });
  });

  test('sees in each list what the right for that list reaches', async () => {
    expect(serials(await ask(user, 'GET', '/asset/meter?size=100'))).toEqual(['MN0001', 'MN0002', 'MS0001', 'MS0002']);
    // Master meters have no relay.
    expect(serials(await ask(user, 'GET', '/action/relay?size=100'))).toEqual(['MN0002']);
  });

  test('reads relays in that district alone', async () => {
    const read = (sn: string) => ask(user, 'POST', '/action/relay/read', { meterIds: [idOf(sn)] });
    expect((await read('MN0002')).status).toBe(202);
    expect((await read('MS0002')).body.code).toBe('METER_NOT_FOUND');
  });

  test('switches in that district alone', async () => {
    const order = (sn: string) =>
      ask(user, 'POST', '/action/relay', {
        requestId: crypto.randomUUID(),
        meterIds: [idOf(sn)],
        operation: 'connect',
        reason: 'Paid',
        workOrder: 'WO-1',
      });
    expect((await order('MS0002')).body.code).toBe('METER_NOT_FOUND');
    expect((await order('MN0002')).status).toBe(202);
  });

  test('steers tasks whose devices all lie in that district', async () => {
    const add = async (...sns: string[]) => {
      const items = sns.map((sn) => ({ deviceKind: 'meter' as const, dcuId: idOf(`DCU${sn[1] ?? ''}0001`), meterId: idOf(sn) }));
      const base = { kind: 'relay_read', source: 'user', title: 'x', params: {}, priority: 1, createdBy: null } as const;
      return (await createTask(app.ctx.db, { ...base, items })).id;
    };
    const [own, mixed] = [await add('MN0001'), await add('MN0001', 'MS0001')];
    expect((await ask(user, 'POST', `/task/${mixed}/cancel`)).body.code).toBe('FORBIDDEN');
    expect((await ask(user, 'POST', `/task/${own}/cancel`)).status).toBe(200);
    expect((await ask(admin, 'POST', `/task/${mixed}/cancel`)).status).toBe(200);
  });
});

describe('a manager of roles in the whole network who may switch in one district', () => {
  test('hands on the right to switch in that district alone', async () => {
    const manager = await app.addUser({
      roles: [await addRole({ [ROLES]: ['view', 'add', 'configure'] }), await addRole({ [RELAY]: ['view', 'execute'] }, 'DN')],
    });
    const { id } = (await ask(manager, 'POST', '/manager/role', { code: 'HANDED_ON', name: 'x' })).body;
    const { id: moduleId } = await app.ctx.db.selectFrom('module').where('path', '=', RELAY).select('id').executeTakeFirstOrThrow();
    const give = (area: object, version: number) =>
      ask(manager, 'PUT', `/manager/role/${id}/permission`, {
        moduleIds: [moduleId],
        actions: [{ moduleId, actions: ['view', 'execute'] }],
        area,
        version,
      });
    for (const area of [
      { kind: 'whole' },
      { kind: 'nodes', nodes: [`level:${idOf('DS')}`] },
      { kind: 'nodes', nodes: [`level:${idOf('CITY')}`] },
    ])
      expect((await give(area, 1)).body.code).toBe('BEYOND_OWN_RIGHTS');
    expect((await give({ kind: 'nodes', nodes: [`level:${idOf('DN')}`] }, 1)).status).toBe(200);
  });
});

describe('an exchange', () => {
  const DCU_LOG = '/system/debug/dcu-log-management';
  const TRACE = '00000000-0000-4000-8000-00000000f016';
  beforeAll(async () => {
    const values = { id: TRACE, dcuId: idOf('DCUN0001'), meterId: idOf('MN0001'), frames: packFrames([]), bytes: 0, durationMs: 0 };
    await app.ctx.db.insertInto('trace').values(values).execute();
  });
  const looks = () => app.ctx.db.selectFrom('auditLog').select(['userId', 'detail']).where('action', '=', 'exchange_read').execute();

  test('is refused to a user without the right to see it', async () => {
    const user = await app.addUser({ roles: [await addRole({ [INVENTORY]: ['view'] })] });
    expect(await ask(user, 'GET', `/trace/${TRACE}`)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await looks()).toEqual([]);
  });

  test('is opened with that right, and the audit log names its meter', async () => {
    const user = await app.addUser({ roles: [await addRole({ [DCU_LOG]: ['view'] })] });
    expect(await ask(user, 'GET', `/trace/${TRACE}`)).toMatchObject({ status: 200, body: { frames: [] } });
    expect(await looks()).toMatchObject([{ detail: { traceId: TRACE, meterSn: 'MN0001' } }]);
  });
});
