import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkChain } from '../src/db/check-chain.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { seed } from '../src/db/seed/seed.ts';
import { openLive } from './live-socket.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const PASSWORD = 'Quiet-Lantern-8';
const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const NO_SUCH_ID = '999999999';

let app: TestApp;
let admin: TestUser;
let port: number;
const roleIds = new Map<string, string>();
const levelIds = new Map<string, string>();

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
  // as: it listens on TCP.
  port = (app.fastify.server.address() as AddressInfo).port;
  admin = await app.addUser({ roles: ['ADMIN'] });
  for (const row of await app.ctx.db.selectFrom('role').select(['id', 'code']).execute()) roleIds.set(row.code, row.id);
  for (const row of await app.ctx.db.selectFrom('networkLevel').select(['id', 'code']).execute()) levelIds.set(row.code, row.id);
});
afterAll(() => app.close());

const roleId = (code: string) => roleIds.get(code) ?? '';
const levelId = (code: string) => levelIds.get(code) ?? '';

async function ask(user: TestUser, method: NonNullable<InjectOptions['method']>, path: string, payload?: object, language = 'en') {
  const headers = { 'accept-language': language };
  const answer = await app.call(user, { method, url: `/api${path}`, headers, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

let count = 0;
const newUser = (fields: object = {}) => ({
  username: `person${++count}`,
  name: 'A Person',
  password: PASSWORD,
  roleIds: [roleId('OPERATOR')],
  ...fields,
});
const addUser = async (fields: object = {}) => (await ask(admin, 'POST', '/manager/user', newUser(fields))).body;
const sessionsOf = async (id: string) => (await ask(admin, 'GET', `/manager/user/${id}`)).body.sessions.length;
const isIn = async (user: TestUser) => (await ask(user, 'GET', '/manager/user/me')).status === 200;
const lastAudit = async () => (await ask(admin, 'GET', '/manager/audit?size=1')).body.items[0];

describe('a user', () => {
  test('S-030: is added, found, changed and deleted, and every change stands in the audit log', async () => {
    const added = await ask(admin, 'POST', '/manager/user', newUser({ username: 'zhang.wei', phone: '+86 138 0000 0000', email: '' }));
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({ email: null, lock: false, mustChangePassword: true, online: false });
    expect(JSON.stringify(added.body)).not.toContain('argon2');
    const { id, version } = added.body;
    const found = await ask(admin, 'GET', `/manager/user?username=ZHANG&roleId=${roleId('OPERATOR')}&lock=false`);
    expect(found.body.items.map((row: { id: string }) => row.id)).toEqual([id]);
    const changed = await ask(admin, 'PUT', `/manager/user/${id}`, { name: 'Zhang Wei', roleIds: [roleId('AUDITOR')], version });
    expect(changed.body).toMatchObject({ name: 'Zhang Wei', roles: [{ code: 'AUDITOR' }], phone: '+86 138 0000 0000' });
    expect(await lastAudit()).toMatchObject({
      action: 'user_changed',
      entityId: id,
      userId: admin.id,
      detail: { before: { name: 'A Person', roles: ['OPERATOR'] }, after: { name: 'Zhang Wei', roles: ['AUDITOR'] } },
    });
    expect((await ask(admin, 'PUT', `/manager/user/${id}`, { name: 'Late', roleIds: [roleId('AUDITOR')], version })).body.code).toBe(
      'STALE',
    );
    expect((await ask(admin, 'DELETE', `/manager/user/${id}`)).status).toBe(204);
    expect((await ask(admin, 'GET', `/manager/user/${id}`)).status).toBe(404);
    expect(await lastAudit()).toMatchObject({ action: 'user_deleted', entityId: id });
    expect((await ask(admin, 'POST', '/manager/user', newUser({ username: 'zhang.wei' }))).status).toBe(201);
  });

  test('S-212 S-213: has an id and a user name', async () => {
    const [one, two] = [await addUser({ username: 'first.one' }), await addUser({ username: 'second.one' })];
    expect(one.id).not.toBe(two.id);
    for (const [{ id }, username] of [
      [one, 'first.one'],
      [two, 'second.one'],
    ] as const)
      expect((await ask(admin, 'GET', `/manager/user/${id}`)).body).toMatchObject({ id, username });
  });

  test.each([
    ['S-214', 'name', 'Zhang San', 'Zhang Wei'],
    ['S-215', 'phone', '+86 138 0000 0000', '+49 30 1234567'],
    ['S-216', 'email', 'san@example.org', 'wei@example.org'],
  ])('%s: has a %s, which is kept and can be changed', async (_statement, field, first, second) => {
    const { id, version } = await addUser({ [field]: first });
    const shown = async () => (await ask(admin, 'GET', `/manager/user/${id}`)).body[field];
    expect(await shown()).toBe(first);
    const change = { name: 'A Person', roleIds: [roleId('OPERATOR')], version, [field]: second };
    expect((await ask(admin, 'PUT', `/manager/user/${id}`, change)).body).toMatchObject({ [field]: second });
    expect(await shown()).toBe(second);
    expect(await lastAudit()).toMatchObject({ entityId: id, detail: { before: { [field]: first }, after: { [field]: second } } });
  });

  test('S-217: has a role, and may do what that role allows', async () => {
    const { id, version } = await addUser({ username: 'role.holder', mustChangePassword: false });
    const roles = async () => (await ask(admin, 'GET', `/manager/user/${id}`)).body.roles.map((role: { code: string }) => role.code);
    expect(await roles()).toEqual(['OPERATOR']);
    const permitted = async (code: string) => (await ask(await app.addUser({ roles: [code] }), 'GET', '/manager/user')).status;
    expect([await permitted('OPERATOR'), await permitted('ADMIN')]).toEqual([403, 200]);
    await ask(admin, 'PUT', `/manager/user/${id}`, { name: 'A Person', roleIds: [roleId('ADMIN')], version });
    expect(await roles()).toEqual(['ADMIN']);
  });

  test('S-220: has a password, and signs in with that one only', async () => {
    await addUser({ username: 'pass.holder', mustChangePassword: false });
    const signIn = async (password: string) => {
      const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
      const answer = await app.fastify.inject({
        method: 'POST',
        url: '/api/auth/oauth2/token',
        headers: { authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ grant_type: 'password', username: 'pass.holder', password, slider: slider.nonce }).toString(),
      });
      return answer.statusCode;
    };
    expect([await signIn('Another-Lantern-9'), await signIn(PASSWORD)]).toEqual([400, 200]);
  });

  test('with a name that is taken is refused at that field, in the language of the caller', async () => {
    await addUser({ username: 'taken' });
    const again = newUser({ username: 'TAKEN' });
    expect((await ask(admin, 'POST', '/manager/user', again)).body).toMatchObject({
      status: 409,
      code: 'DUPLICATE',
      issues: [{ field: 'username', message: 'Username TAKEN is already in use.' }],
    });
    expect((await ask(admin, 'POST', '/manager/user', again, 'zh-CN')).body.issues).toEqual([
      { field: 'username', message: '用户名 TAKEN 已存在。' },
    ]);
  });

  test.each([
    [{ name: '\u200B' }, 'name', 'Visible characters are needed, without control characters', '须包含可见字符，且不含控制字符'],
    [{ name: 'Ann\u202Eeoz' }, 'name', 'Visible characters are needed, without control characters', '须包含可见字符，且不含控制字符'],
    [{ phone: '12ab' }, 'phone', 'Phone Number Is Not Valid', '手机号码不正确'],
    [{ phone: '(((-)))' }, 'phone', 'Phone Number Is Not Valid', '手机号码不正确'],
    [{ phone: '123456' }, 'phone', 'Phone Number Is Not Valid', '手机号码不正确'],
    [{ email: 'nobody' }, 'email', 'Email is not valid', '邮箱格式不正确'],
    [
      { password: 'short1!' },
      'password',
      'More Than 7 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
      '长度不少于7位，须包含大小写字母、数字、特殊字符，且不含空格',
    ],
    [{ roleIds: [] }, 'roleIds', 'Please select at least one role', '请至少选择一个角色'],
    [{ username: 'a b' }, 'username', '3 to 32 letters, digits, dots, hyphens or underscores', '3至32位字母、数字、点、连字符或下划线'],
  ])('with %o is refused at %s', async (fields, field, english, chinese) => {
    expect((await ask(admin, 'POST', '/manager/user', newUser(fields))).body).toMatchObject({
      code: 'VALIDATION',
      issues: [{ field, message: english }],
    });
    expect((await ask(admin, 'POST', '/manager/user', newUser(fields), 'zh')).body.issues).toEqual([{ field, message: chinese }]);
  });

  test('with a common password or a role that is gone is refused', async () => {
    const common = await ask(admin, 'POST', '/manager/user', newUser({ password: 'Sunshine-2026' }));
    expect(common.body).toMatchObject({ code: 'PASSWORD_COMMON', issues: [{ field: 'password' }] });
    const gone = await ask(admin, 'POST', '/manager/user', newUser({ roleIds: [NO_SUCH_ID] }));
    expect(gone.body).toMatchObject({ status: 422, code: 'UNKNOWN_REFERENCE', issues: [{ field: 'roleIds' }] });
  });

  test('a change of the own name and contact is audited with the previous values and the address', async () => {
    const { body: before } = await ask(admin, 'GET', '/manager/user/me');
    const change = { name: 'مناوب 夜班 👩‍🔧', phone: '(0571) 8888-1234' };
    expect((await ask(admin, 'PUT', '/manager/user/me', change)).body).toMatchObject(change);
    expect(await lastAudit()).toMatchObject({
      action: 'profile_changed',
      userId: admin.id,
      ip: '127.0.0.1',
      detail: { before: { name: before.name, phone: null }, after: change },
    });
  });

  test('is listed in the usual order when asked for one that no column has', async () => {
    for (const sort of ['password', '__proto__', 'constructor', 'toString'])
      expect((await ask(admin, 'GET', `/manager/user?sort=${sort},desc`)).status).toBe(200);
  });

  test('keeps what a form does not hold, however it is sent', async () => {
    const { body } = await ask(admin, 'POST', '/manager/user', { ...newUser(), id: '1', lock: true, passwordHash: 'x', isBuiltin: true });
    expect(body).toMatchObject({ lock: false });
    expect(body.id).not.toBe('1');
  });
});

describe('the sessions of a user', () => {
  test('S-218 S-219: end immediately with a lock, and the next sign-in states its reason', async () => {
    const user = await app.addUser({ roles: ['OPERATOR'] });
    expect(await isIn(user)).toBe(true);
    expect((await ask(admin, 'PUT', `/manager/user/${user.id}/lock`, { lock: true })).body).toMatchObject({
      code: 'VALIDATION',
      issues: [{ field: 'lockReason', message: 'Please enter lock reason' }],
    });
    const locked = await ask(admin, 'PUT', `/manager/user/${user.id}/lock`, { lock: true, lockReason: 'left the company' });
    expect(locked.body).toMatchObject({ lock: true, lockReason: 'left the company', sessions: [] });
    expect(await isIn(user)).toBe(false);
    expect(await lastAudit()).toMatchObject({ action: 'user_locked', detail: { lockReason: 'left the company' } });
    expect((await ask(admin, 'PUT', `/manager/user/${user.id}/lock`, { lock: false })).body).toMatchObject({
      lock: false,
      lockReason: null,
    });
  });

  test('end with a reset password, a forced logout, other roles and deletion', async () => {
    const ends: [string, (id: string, version: number) => Promise<unknown>][] = [
      ['reset', (id) => ask(admin, 'PUT', `/manager/user/${id}/reset-password`, { newPassword: PASSWORD })],
      ['logout', (id) => ask(admin, 'POST', `/manager/user/${id}/logout`)],
      ['roles', (id, version) => ask(admin, 'PUT', `/manager/user/${id}`, { name: 'n', roleIds: [roleId('AUDITOR')], version })],
      ['delete', (id) => ask(admin, 'DELETE', `/manager/user/${id}`)],
    ];
    for (const [name, end] of ends) {
      const user = await app.addUser({ roles: ['OPERATOR'] });
      expect(await isIn(user)).toBe(true);
      await end(user.id, (await ask(admin, 'GET', `/manager/user/${user.id}`)).body.version);
      expect([name, await isIn(user)]).toEqual([name, false]);
    }
  });

  test('stay when only the name changes', async () => {
    const user = await app.addUser({ roles: ['OPERATOR'] });
    const { version } = (await ask(admin, 'GET', `/manager/user/${user.id}`)).body;
    await ask(admin, 'PUT', `/manager/user/${user.id}`, { name: 'New Name', roleIds: [roleId('OPERATOR')], version });
    expect(await sessionsOf(user.id)).toBe(1);
    expect(await isIn(user)).toBe(true);
  });
});

describe('an administrator', () => {
  test('cannot delete, lock or reset himself', async () => {
    const answers = [
      await ask(admin, 'DELETE', `/manager/user/${admin.id}`),
      await ask(admin, 'PUT', `/manager/user/${admin.id}/lock`, { lock: true, lockReason: 'x' }),
      await ask(admin, 'PUT', `/manager/user/${admin.id}/reset-password`, { newPassword: PASSWORD }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([422, 422, 422].map((status) => [status, 'SELF']));
  });

  test('the last one cannot be removed in any way', async () => {
    const others = await app.ctx.db
      .selectFrom('userRole')
      .where('roleId', '=', roleId('ADMIN'))
      .where('userId', '<>', admin.id)
      .select('userId')
      .execute();
    const helper = await app.addUser({ roles: ['ADMIN'] });
    for (const { userId } of others) await ask(helper, 'PUT', `/manager/user/${userId}/lock`, { lock: true, lockReason: 'test' });
    const { version } = (await ask(helper, 'GET', `/manager/user/${helper.id}`)).body;
    expect((await ask(admin, 'DELETE', `/manager/user/${helper.id}`)).status).toBe(204);
    const own = (await ask(admin, 'GET', `/manager/user/${admin.id}`)).body;
    const change = { name: own.name, roleIds: [roleId('AUDITOR')], version: own.version };
    expect((await ask(admin, 'PUT', `/manager/user/${admin.id}`, change)).body.code).toBe('LAST_ADMIN');
    expect(version).toBeGreaterThan(0);
    for (const { userId } of others) await ask(admin, 'PUT', `/manager/user/${userId}/lock`, { lock: false });
  });

  test('and another who delete each other at the same moment do not both succeed', async () => {
    const everybody = await app.ctx.db.selectFrom('userRole').where('roleId', '=', roleId('ADMIN')).select('userId').execute();
    const [one, two] = [await app.addUser({ roles: ['ADMIN'] }), await app.addUser({ roles: ['ADMIN'] })];
    await app.ctx.db
      .updateTable('appUser')
      .set({ lock: true })
      .where(
        'id',
        'in',
        everybody.map((row) => row.userId),
      )
      .execute();
    const answers = await Promise.all([ask(one, 'DELETE', `/manager/user/${two.id}`), ask(two, 'DELETE', `/manager/user/${one.id}`)]);
    await app.ctx.db
      .updateTable('appUser')
      .set({ lock: false })
      .where(
        'id',
        'in',
        everybody.map((row) => row.userId),
      )
      .execute();
    app.advance(4000);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  });

  test('of users only cannot give away, or take over, more than he holds himself', async () => {
    const { id } = (await ask(admin, 'POST', '/manager/role', { code: 'USER_CLERK', name: 'User clerk' })).body;
    const modules: { id: string; path: string }[] = (await ask(admin, 'GET', '/manager/role/module')).body.items;
    const page = modules.find((module) => module.path === '/system/system-management/user-management')?.id ?? '';
    await ask(admin, 'PUT', `/manager/role/${id}/permission`, {
      moduleIds: [page],
      actions: [{ moduleId: page, actions: ['add', 'edit', 'delete'] }],
      area: { kind: 'whole' },
      version: 1,
    });
    const clerk = await app.addUser({ roles: ['USER_CLERK'] });
    expect((await ask(clerk, 'POST', '/manager/user', newUser({ roleIds: [roleId('ADMIN')] }))).body.code).toBe('BEYOND_OWN_RIGHTS');
    expect((await ask(clerk, 'POST', '/manager/user', newUser({ roleIds: [id] }))).status).toBe(201);
    expect((await ask(clerk, 'PUT', `/manager/user/${admin.id}/reset-password`, { newPassword: PASSWORD })).body.code).toBe(
      'BEYOND_OWN_RIGHTS',
    );
    expect((await ask(clerk, 'DELETE', `/manager/user/${admin.id}`)).body.code).toBe('BEYOND_OWN_RIGHTS');
    const offered = (await ask(clerk, 'GET', '/manager/user/role')).body.items;
    expect(offered.filter((role: { canGrant: boolean }) => role.canGrant).map((role: { code: string }) => role.code)).toEqual([
      'USER_CLERK',
    ]);
  });

  test('of one district sees and changes the people of that district only', async () => {
    const north = await app.addUser({ scope: [levelId('DN')] });
    const neighbour = await app.addUser({ scope: [levelId('DN')] });
    const south = await app.addUser({ scope: [levelId('DS')] });
    const seen: string[] = (await ask(north, 'GET', '/manager/user?size=500')).body.items.map((row: { id: string }) => row.id);
    expect(seen.toSorted()).toEqual([north.id, neighbour.id].toSorted());
    expect((await ask(north, 'DELETE', `/manager/user/${south.id}`)).status).toBe(404);
    expect((await ask(north, 'POST', `/manager/user/${neighbour.id}/logout`)).status).toBe(204);
    expect((await ask(north, 'POST', '/manager/user', newUser())).body.code).toBe('BEYOND_OWN_RIGHTS');
    const entries = (await ask(north, 'GET', '/manager/audit?size=500')).body.items;
    expect(entries.every((entry: { userId: string }) => seen.includes(entry.userId))).toBe(true);
  });
});

describe('a role', () => {
  test('is found by its displayed name in either language, and by its name after a rename', async () => {
    const found = async (name: string): Promise<string[]> =>
      (await ask(admin, 'GET', `/manager/role?name=${encodeURIComponent(name)}`)).body.items.map((row: { code: string }) => row.code);
    expect(await found('operat')).toEqual(['OPERATOR']);
    expect(await found('值班')).toEqual(['OPERATOR']);
    expect(await found('工程师')).toEqual(['COMM_ENGINEER', 'DATA_ENGINEER', 'FW_ENGINEER']);
    const rename = (name: string) => app.ctx.db.updateTable('role').set({ name }).where('code', '=', 'OPERATOR').execute();
    await rename('Shift');
    expect([await found('值班'), await found('shift')]).toEqual([[], ['OPERATOR']]);
    await rename('Operator');
  });

  test('S-031 S-221 S-222 S-223: is added without rights, given some, and deleted when no user has it', async () => {
    const added = await ask(admin, 'POST', '/manager/role', { code: 'NIGHT_SHIFT', name: 'Night shift' });
    expect(added).toMatchObject({ status: 201, body: { isBuiltin: false, users: 0, modules: 0, version: 1 } });
    expect((await ask(admin, 'POST', '/manager/role', { code: 'NIGHT_SHIFT', name: 'Again' })).body).toMatchObject({
      code: 'DUPLICATE',
      issues: [{ field: 'code' }],
    });
    expect((await ask(admin, 'POST', '/manager/role', { code: 'night', name: 'x' })).body.issues).toEqual([
      { field: 'code', message: '2 to 32 upper case letters or underscores' },
    ]);
    const { id } = added.body;
    const renamed = await ask(admin, 'PUT', `/manager/role/${id}`, { name: 'Night', description: '夜班', version: 1 });
    expect(renamed.body).toMatchObject({ name: 'Night', description: '夜班', version: 2 });
    expect((await ask(admin, 'PUT', `/manager/role/${id}`, { name: 'x', version: 1 })).body).toMatchObject({
      code: 'STALE',
      current: { version: 2 },
    });
    const user = await addUser({ roleIds: [id] });
    expect((await ask(admin, 'DELETE', `/manager/role/${id}`)).body).toMatchObject({ status: 409, code: 'IN_USE' });
    await ask(admin, 'DELETE', `/manager/user/${user.id}`);
    expect((await ask(admin, 'DELETE', `/manager/role/${id}`)).status).toBe(204);
    expect((await ask(admin, 'DELETE', `/manager/role/${roleId('AUDITOR')}`)).body.code).toBe('BUILT_IN');
  });

  test('opens pages with their groups, and `view` comes with the page', async () => {
    const { id } = (await ask(admin, 'POST', '/manager/role', { code: 'PAGES', name: 'Pages' })).body;
    const modules: { id: string; path: string }[] = (await ask(admin, 'GET', '/manager/role/module')).body.items;
    const idOf = (path: string) => modules.find((module) => module.path === path)?.id ?? '';
    const wanted = {
      moduleIds: [idOf('/assets'), idOf('/assets/dcu'), idOf('/system/debug/sta-model')],
      actions: [{ moduleId: idOf('/assets/dcu'), actions: ['export'] }],
      area: { kind: 'nodes', nodes: [`level:${levelId('DN')}`] },
      version: 1,
    };
    const set = await ask(admin, 'PUT', `/manager/role/${id}/permission`, wanted);
    expect(set.body).toEqual({
      moduleIds: [idOf('/assets/dcu'), idOf('/system/debug/sta-model')],
      actions: [
        { moduleId: idOf('/assets/dcu'), actions: ['export', 'view'] },
        { moduleId: idOf('/system/debug/sta-model'), actions: ['view'] },
      ],
      area: {
        kind: 'nodes',
        nodes: [
          { key: `level:${levelId('DN')}`, title: 'District N', above: [{ key: `level:${levelId('CITY')}`, title: 'City' }], meters: 2 },
        ],
      },
      version: 2,
    });
    const user = await app.addUser({ roles: ['PAGES'] });
    const me = (await ask(user, 'GET', '/manager/user/me')).body;
    expect(me).toMatchObject({
      scope: { kind: 'nodes', nodes: [`level:${levelId('DN')}`] },
      actions: { '/assets/dcu': ['export', 'view'] },
    });
    const tree = (await ask(user, 'GET', '/manager/module/tree')).body;
    const paths = (nodes: { path: string; children: [] }[]): unknown[] => nodes.map((node) => [node.path, paths(node.children)]);
    expect(paths(tree)).toEqual([
      ['/assets', [['/assets/dcu', []]]],
      ['/system', [['/system/debug', [['/system/debug/sta-model', []]]]]],
    ]);
    expect((await ask(admin, 'PUT', `/manager/role/${id}/permission`, wanted)).body.code).toBe('STALE');
    for (const wrong of [{ moduleIds: [NO_SUCH_ID] }, { moduleIds: [] }])
      expect((await ask(admin, 'PUT', `/manager/role/${id}/permission`, { ...wanted, version: 2, ...wrong })).body.code).toBe(
        'UNKNOWN_REFERENCE',
      );
  });

  test('changed takes effect at the next call, and open consoles of its users are notified', async () => {
    const { id } = (await ask(admin, 'POST', '/manager/role', { code: 'CHANGING', name: 'Changing' })).body;
    const user = await app.addUser({ roles: ['CHANGING'] });
    const socket = await openLive(`127.0.0.1:${port}`, user.token);
    await once(socket, 'open');
    expect((await ask(user, 'GET', '/asset/dcu')).status).toBe(403);
    const told = once(socket, 'message');
    const modules: { id: string; path: string }[] = (await ask(admin, 'GET', '/manager/role/module')).body.items;
    const page = modules.find((module) => module.path === '/assets/dcu')?.id ?? '';
    await ask(admin, 'PUT', `/manager/role/${id}/permission`, { moduleIds: [page], actions: [], area: { kind: 'whole' }, version: 1 });
    expect((await ask(user, 'GET', '/asset/dcu')).status).toBe(200);
    expect(JSON.parse(String((await told)[0]))).toMatchObject({ type: 'notice', data: { about: 'permissions' } });
    const revoked = once(socket, 'message');
    const closed = once(socket, 'close');
    await ask(admin, 'PUT', `/manager/user/${user.id}/lock`, { lock: true, lockReason: 'x' });
    expect(JSON.parse(String((await revoked)[0]))).toMatchObject({ type: 'session.revoked', data: { reason: 'locked' } });
    expect((await closed)[0]).toBe(4401);
  });

  test('of the administrator keeps the system pages and the whole network', async () => {
    const { body } = await ask(admin, 'GET', `/manager/role/${roleId('ADMIN')}/permission`);
    const limited = { ...body, area: { kind: 'nodes', nodes: [`level:${levelId('DN')}`] } };
    const nowhere = { ...body, area: { kind: 'none' } };
    const less = { ...body, actions: body.actions.slice(1), moduleIds: body.moduleIds };
    const none = { ...body, moduleIds: [], actions: [] };
    for (const wrong of [limited, nowhere, none])
      expect((await ask(admin, 'PUT', `/manager/role/${roleId('ADMIN')}/permission`, wrong)).body.code).toBe('ADMIN_KEEPS_SYSTEM');
    expect((await ask(admin, 'PUT', `/manager/role/${roleId('ADMIN')}/permission`, less)).status).toBe(200);
    const whole = { ...body, version: body.version + 1 };
    expect((await ask(admin, 'PUT', `/manager/role/${roleId('ADMIN')}/permission`, whole)).status).toBe(200);
  });
});

describe('a module', () => {
  const add = (fields: object) =>
    ask(admin, 'POST', '/manager/module', { nameEn: 'Reports', nameZh: '报表', icon: 'file', type: 'page', parentId: '100', ...fields });

  test.each([
    ['S-224', 'nameEn', 'Weekly', 'Monthly'],
    ['S-225', 'nameZh', '周报', '月报'],
    ['S-226', 'path', '/reports-of/week', '/reports-of/month'],
    ['S-227', 'icon', 'file', 'server'],
  ])('%s: has a %s, which is kept and can be changed', async (_statement, field, first, second) => {
    const own = { nameEn: 'Reports', nameZh: '报表', path: `/reports-of/${field.toLowerCase()}`, icon: 'file', visible: true };
    const { id, version } = (await add({ ...own, [field]: first })).body;
    const shown = async () => (await ask(admin, 'GET', '/manager/module')).body.items.find((row: { id: string }) => row.id === id)[field];
    expect(await shown()).toBe(first);
    expect((await ask(admin, 'PUT', `/manager/module/${id}`, { ...own, [field]: second, version })).status).toBe(200);
    expect(await shown()).toBe(second);
    expect((await ask(admin, 'DELETE', `/manager/module/${id}`)).status).toBe(204);
  });

  test('S-032: is added below a group, opened by administrators at once, moved, changed and deleted', async () => {
    const group = (await add({ path: '/reports', type: 'group', parentId: null })).body;
    const page = (await add({ path: '/reports/monthly', parentId: group.id })).body;
    expect(page).toMatchObject({ isFixed: false, visible: true, actions: ['view'], version: 1 });
    expect(group.actions).toEqual([]);
    expect((await ask(admin, 'GET', '/manager/user/me')).body.actions['/reports/monthly']).toContain('configure');
    expect((await ask(admin, 'DELETE', `/manager/module/${group.id}`)).body).toMatchObject({ status: 409, code: 'HAS_CHILDREN' });
    expect((await add({ path: '/reports/monthly' })).body).toMatchObject({ code: 'DUPLICATE', issues: [{ field: 'path' }] });
    expect((await add({ path: 'no/slash' })).body.issues).toEqual([{ field: 'path', message: 'A path like /system/my-page' }]);
    expect((await add({ path: '/under-a-page', parentId: page.id })).body.code).toBe('MODULE_PARENT');
    const moved = await ask(admin, 'PUT', `/manager/module/${page.id}/move`, { parentId: '100', beforeId: '102', version: 1 });
    const siblings = moved.body.items.filter((row: { parentId: string }) => row.parentId === '100').map((row: { id: string }) => row.id);
    expect(siblings.slice(0, 3)).toEqual(['101', page.id, '102']);
    const change = { nameEn: 'Monthly', nameZh: '月报', path: '/reports/month', icon: 'file', visible: false, version: 2 };
    expect((await ask(admin, 'PUT', `/manager/module/${page.id}`, change)).body).toMatchObject({
      path: '/reports/month',
      visible: false,
      version: 3,
    });
    expect((await ask(admin, 'PUT', `/manager/module/${page.id}`, change)).body).toMatchObject({
      code: 'STALE',
      current: { nameZh: '月报', version: 3 },
    });
    for (const { id } of [page, group]) expect((await ask(admin, 'DELETE', `/manager/module/${id}`)).status).toBe(204);
  });

  test('cannot be put below itself', async () => {
    const move = await ask(admin, 'PUT', '/manager/module/500/move', { parentId: '520', version: 1 });
    expect(move.body).toMatchObject({ status: 422, code: 'MODULE_PARENT' });
  });

  test('that administrators need to correct errors stays where it is', async () => {
    const page = { nameEn: 'Users', nameZh: '用户', path: '/elsewhere', icon: 'user', version: 1 };
    const codes = [
      await ask(admin, 'DELETE', '/manager/module/523'),
      await ask(admin, 'PUT', '/manager/module/522', page),
      await ask(admin, 'PUT', '/manager/module/522/move', { parentId: null, version: 1 }),
    ].map(({ body }) => body.code);
    expect(codes).toEqual(['ADMIN_KEEPS_SYSTEM', 'ADMIN_KEEPS_SYSTEM', 'ADMIN_KEEPS_SYSTEM']);
  });

  test('is hidden by a caller who may do everything on it, never deleted or given another path: roles keep their rights', async () => {
    const { id } = (await ask(admin, 'POST', '/manager/role', { code: 'MENU_CLERK', name: 'Menu clerk' })).body;
    const modules: { id: string; path: string; version: number }[] = (await ask(admin, 'GET', '/manager/module')).body.items;
    const at = (path: string) => modules.find((module) => module.path === path) ?? expect.fail(`no module ${path}`);
    const [menu, dcus, supplier] = ['/system/system-management/module-management', '/assets/dcu', '/assets/supplier-management'].map(at);
    const pages = [menu, dcus].map((page) => page?.id ?? '');
    const actions = pages.map((moduleId) => ({ moduleId, actions: ['add', 'edit', 'delete', 'execute'] }));
    await ask(admin, 'PUT', `/manager/role/${id}/permission`, { moduleIds: pages, actions, area: { kind: 'whole' }, version: 1 });
    const clerk = await app.addUser({ roles: ['MENU_CLERK'] });
    expect((await ask(clerk, 'DELETE', `/manager/module/${supplier?.id}`)).body.code).toBe('BEYOND_OWN_RIGHTS');
    expect((await ask(admin, 'DELETE', `/manager/module/${supplier?.id}`)).status).toBe(204);
    expect((await ask(admin, 'GET', '/manager/module')).body.items).toContainEqual(
      expect.objectContaining({ path: '/assets/supplier-management', visible: false }),
    );
    expect((await ask(await app.addUser({ roles: ['ASSET_CLERK'] }), 'GET', '/asset/supplier')).status).toBe(200);
    const change = { nameEn: 'DCU', nameZh: '集中器', icon: 'server', visible: true, version: dcus?.version };
    const taken = await ask(clerk, 'PUT', `/manager/module/${dcus?.id}`, { ...change, path: '/assets/supplier-management' });
    expect(taken.body).toMatchObject({ status: 422, code: 'PAGE_KEEPS_PATH', issues: [{ field: 'path' }] });
    expect((await ask(clerk, 'GET', '/asset/supplier')).status).toBe(403);
    expect((await ask(clerk, 'PUT', `/manager/module/${dcus?.id}`, { ...change, path: '/assets/dcu', nameEn: 'Hubs' })).status).toBe(200);
    expect((await ask(admin, 'POST', '/manager/module/restore')).status).toBe(200);
  });

  test('that was hidden stays hidden at the next start', async () => {
    expect((await ask(admin, 'DELETE', '/manager/module/102')).status).toBe(204);
    await seed(app.ctx.db, { adminPassword: undefined });
    expect(await app.ctx.db.selectFrom('module').where('id', '=', '102').select('visible').executeTakeFirst()).toEqual({ visible: false });
  });
});

describe('a setting', () => {
  test('has a default, is changed by its own rule, and holds at once', async () => {
    expect((await ask(admin, 'GET', '/manager/setting/freshness')).body).toMatchObject({
      value: { hours: [24, 48, 72] },
      isDefault: true,
      version: 0,
    });
    const wrong = await ask(admin, 'PUT', '/manager/setting/freshness', { value: { hours: [48, 24, 72] }, version: 0 });
    expect(wrong.body).toMatchObject({
      code: 'VALIDATION',
      issues: [{ field: 'value.hours', message: 'Each limit must be above the one before' }],
    });
    const { id } = await app.ctx.db
      .updateTable('dcu')
      .set({ lastCommAt: new Date(app.ctx.clock.now() - 10 * 3_600_000) })
      .where('sn', '=', 'DCUN0001')
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await ask(admin, 'GET', `/asset/dcu/${id}`)).body.freshness).toBe('h24');
    const changed = await ask(admin, 'PUT', '/manager/setting/freshness', { value: { hours: [6, 12, 24] }, version: 0 });
    expect(changed.body).toMatchObject({ value: { hours: [6, 12, 24] }, isDefault: false, version: 1 });
    expect((await ask(admin, 'GET', `/asset/dcu/${id}`)).body.freshness).toBe('h24_48');
    const stale = await ask(admin, 'PUT', '/manager/setting/freshness', { value: { hours: [1, 2, 3] }, version: 0 });
    expect(stale.body).toMatchObject({ code: 'STALE', current: { value: { hours: [6, 12, 24] }, version: 1 } });
    expect(await lastAudit()).toMatchObject({ action: 'setting_changed', entityId: 'freshness' });
  });

  test('of the time zone is a zone that exists, and the server knows it at once', async () => {
    const { version } = (await ask(admin, 'GET', '/manager/setting/timeZone')).body;
    expect((await ask(admin, 'PUT', '/manager/setting/timeZone', { value: 'Mars/Olympus', version }, 'zh')).body.issues).toEqual([
      { field: 'value', message: '不存在该时区' },
    ]);
    expect((await ask(admin, 'PUT', '/manager/setting/timeZone', { value: 'Europe/Berlin', version })).status).toBe(200);
    expect(app.ctx.settings.timeZone).toBe('Europe/Berlin');
  });

  test('is one of a list, which a page asks for once', async () => {
    const { items } = (await ask(admin, 'GET', '/manager/setting')).body;
    expect(items.map((row: { key: string }) => row.key)).toEqual([
      'timeZone',
      'secondFactor',
      'localSignIn',
      'freshness',
      'signal',
      'thresholds',
      'retention',
    ]);
    expect((await ask(admin, 'GET', '/manager/setting/colour')).status).toBe(400);
  });
});

test('a dictionary tells its words in all languages', async () => {
  const { body } = await ask(admin, 'GET', '/manager/dictionary/signal');
  expect(body.items[0]).toEqual({ key: 'outstanding', en: 'Outstanding', zh: '极好', es: 'Óptima' });
  expect((await ask(admin, 'GET', '/manager/dictionary/upgrade')).body.items).toHaveLength(20);
  expect((await ask(admin, 'GET', '/manager/dictionary/nonsense')).status).toBe(400);
});

describe('the audit log', () => {
  test('S-436 S-437 S-526: is filtered, paged without moving, and limited to a month at a time', async () => {
    const first = (await ask(admin, 'GET', '/manager/audit?size=2&action=user_created,role_created')).body;
    expect(first.items.every((entry: { action: string }) => entry.action.endsWith('_created'))).toBe(true);
    const before = first.items[1].id;
    const next = (await ask(admin, 'GET', `/manager/audit?size=2&before=${before}`)).body;
    expect(BigInt(next.items[0].id)).toBeLessThan(BigInt(before));
    const month = await ask(admin, 'GET', '/manager/audit?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z');
    expect(month.status).toBe(200);
    const wide = await ask(admin, 'GET', '/manager/audit?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z');
    expect(wide.body).toMatchObject({ status: 400, code: 'RANGE_TOO_LONG', detail: 'The Time Range Cannot Exceed 31 Days!' });
  });

  test('proves part by part that nothing in it was changed', async () => {
    let after: string | null = '';
    let checked = 0;
    while (after !== null) {
      const { body } = await ask(admin, 'GET', `/manager/audit/verification?limit=10${after === '' ? '' : `&after=${after}`}`);
      expect(body.brokenId).toBeNull();
      checked += body.checked;
      after = body.next;
      if (after === null) expect(checked).toBe(body.total);
    }
    expect((await checkChain(app.ctx.db, 'audit', { limit: 10_000 }))?.isEnd).toBe(true);
    expect((await ask(admin, 'GET', `/manager/audit/verification?after=${NO_SUCH_ID}`)).status).toBe(404);
  });

  test('cannot be changed or emptied by the server itself', async () => {
    await expect(app.ctx.db.updateTable('auditLog').set({ action: 'x' }).execute()).rejects.toThrow('permission denied');
    await expect(app.ctx.db.deleteFrom('auditLog').execute()).rejects.toThrow('permission denied');
  });
});
