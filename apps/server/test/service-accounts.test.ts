import { randomUUID } from 'node:crypto';
import type { ProgramDetail } from '@hes/contract/manager/program.ts';
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { ageRights, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let app: TestApp;
let admin: TestUser;
const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(name) ?? 'nothing of this name';
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  for (const row of await app.ctx.db.selectFrom('role').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const row of await app.ctx.db.selectFrom('meter').select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
});
afterAll(() => app.close());

const asAdmin = (method: 'POST' | 'PUT' | 'DELETE' | 'GET', url: string, payload?: object) =>
  app.call(admin, { method, url: `/api${url}`, ...(payload === undefined ? {} : { payload }) });

async function addProgram(fields: { roles?: string[]; mayOrder?: string[] } = {}): Promise<ProgramDetail> {
  const { roles = ['OPERATOR'], mayOrder = [] } = fields;
  const username = `p${randomUUID().slice(0, 12)}`;
  const added = await asAdmin('POST', '/manager/program', { username, name: 'Billing', roleIds: roles.map(idOf), mayOrder });
  expect(added.statusCode, added.body).toBe(201);
  return added.json();
}

const orderToken = (id: string, fields: object = {}) =>
  asAdmin('POST', `/manager/program/${id}/token`, { name: randomUUID(), validDays: 30, ...fields });

async function addToken(id: string, fields: object = {}): Promise<{ token: string; tokenId: string }> {
  const answer = await orderToken(id, fields);
  expect(answer.statusCode, answer.body).toBe(201);
  const { token, account } = answer.json();
  return { token, tokenId: account.tokens[0].id };
}

const by = (token: string, url: string, options: { method?: 'GET' | 'POST' | 'PUT' | 'DELETE'; payload?: object; ip?: string } = {}) =>
  app.fastify.inject({
    method: options.method ?? 'GET',
    url: `/api${url}`,
    headers: { authorization: `Bearer ${token}` },
    remoteAddress: options.ip ?? '127.0.0.1',
    ...(options.payload === undefined ? {} : { payload: options.payload }),
  });

const exchange = (id: string, secret: string, { inBody = false, ip = '127.0.0.1' } = {}) =>
  app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    remoteAddress: ip,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(inBody ? {} : { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }),
    },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(inBody ? { client_id: id, client_secret: secret } : {}),
    }).toString(),
  });

const disconnect = (sn: string) => ({
  requestId: randomUUID(),
  meterIds: [idOf(sn)],
  operation: 'disconnect',
  reason: 'contract ended',
  workOrder: 'WO-1',
});

test('a token opens the promised calls, by itself and by client credentials', async () => {
  const { id, username } = await addProgram();
  const { token } = await addToken(id);
  expect((await by(token, '/manager/user/me')).json()).toMatchObject({ id, username });
  for (const inBody of [false, true]) {
    const answer = await exchange(username, token, { inBody });
    expect(answer.json()).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await by(answer.json().access_token, '/manager/user/me')).json()).toMatchObject({ username });
  }
});

test('only the hash of a token is stored, and a wrong secret or name is refused', async () => {
  const { id, username } = await addProgram();
  const { token, tokenId } = await addToken(id);
  const secret = token.split('_').slice(2).join('_');
  const row = await app.ctx.db.selectFrom('programToken').where('id', '=', tokenId).selectAll().executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain(secret);
  expect((await asAdmin('GET', `/manager/program/${id}`)).body).not.toContain(secret);
  const { detail } = await app.ctx.db.selectFrom('auditLog').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
  expect(JSON.stringify(detail)).not.toContain(secret);
  const wrong = token.slice(0, -4) + (token.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  expect((await by(wrong, '/manager/user/me')).statusCode).toBe(401);
  expect((await exchange(username, wrong)).json()).toMatchObject({ code: 'INVALID_CLIENT', error: 'invalid_client' });
  expect((await exchange('another', token)).json()).toMatchObject({ code: 'INVALID_CLIENT' });
});

test('a revoked, an expired or a locked token ends at once, with the access tokens issued for it', async () => {
  const { id, username } = await addProgram();
  const { token, tokenId } = await addToken(id);
  const access = (await exchange(username, token)).json().access_token;
  expect((await by(access, '/manager/user/me')).statusCode).toBe(200);
  expect((await asAdmin('DELETE', `/manager/program/${id}/token/${tokenId}`)).statusCode).toBe(200);
  for (const revoked of [token, access]) expect((await by(revoked, '/manager/user/me')).statusCode).toBe(401);
  expect((await exchange(username, token)).statusCode).toBe(400);

  const short = (await addToken(id, { validDays: 1 })).token;
  expect((await by(short, '/manager/user/me')).statusCode).toBe(200);
  app.advance(DAY_MS + 1);
  try {
    expect((await by(short, '/manager/user/me')).statusCode).toBe(401);
  } finally {
    app.advance(-DAY_MS - 1);
  }

  expect((await asAdmin('PUT', `/manager/user/${id}/lock`, { lock: true, lockReason: 'leaked' })).statusCode).toBe(200);
  app.advance(4000);
  expect((await by(short, '/manager/user/me')).statusCode).toBe(401);
});

test('two tokens overlap while a program changes over, and a third is refused', async () => {
  const { id } = await addProgram();
  const old = await addToken(id);
  const fresh = await addToken(id, { replacesId: old.tokenId, overlapHours: 2 });
  for (const { token } of [old, fresh]) expect((await by(token, '/manager/user/me')).statusCode).toBe(200);
  expect((await orderToken(id)).json()).toMatchObject({ code: 'TOO_MANY_TOKENS' });
  app.advance(2 * HOUR_MS + 4000);
  try {
    expect((await by(old.token, '/manager/user/me')).statusCode).toBe(401);
    expect((await by(fresh.token, '/manager/user/me')).statusCode).toBe(200);
  } finally {
    app.advance(-2 * HOUR_MS - 4000);
  }
});

test('a token with address ranges is refused from other addresses', async () => {
  const { id, username } = await addProgram();
  const { token } = await addToken(id, { addressRanges: ['10.1.0.0/16'] });
  expect((await by(token, '/manager/user/me', { ip: '10.1.2.3' })).statusCode).toBe(200);
  expect((await by(token, '/manager/user/me', { ip: '10.2.2.3' })).json()).toMatchObject({ code: 'ADDRESS_REFUSED' });
  expect((await exchange(username, token, { ip: '10.2.2.3' })).json()).toMatchObject({ code: 'ADDRESS_REFUSED' });
  const access = (await exchange(username, token, { ip: '10.1.2.3' })).json().access_token;
  expect((await by(access, '/manager/user/me', { ip: '10.2.2.3' })).json()).toMatchObject({ code: 'ADDRESS_REFUSED' });
  const { tokens } = (await asAdmin('GET', `/manager/program/${id}`)).json();
  expect(tokens[0]).toMatchObject({ lastUsedIp: '10.1.2.3', state: 'live' });
});

test('a program with every right makes no call outside the promise, approves nothing and changes no users', async () => {
  const { id } = await addProgram({ roles: ['ADMIN'], mayOrder: ['supply', 'reach', 'keys', 'billing'] });
  const { token } = await addToken(id);
  const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
  const guarded = routes.filter(({ allow, v1 }) => allow !== 'public' && v1 === undefined);
  expect(guarded.length).toBeGreaterThan(300);
  for (const { method, path } of guarded) {
    const answer = await by(token, path.replaceAll(/\{\w+\}/g, '1'), { method });
    expect(answer.json().code, `${method} ${path}`).toBe('PROGRAM_REFUSED');
  }
  const promised = routes.filter(({ v1 }) => v1 !== undefined);
  for (const { allow, endangers = 'nothing', path } of promised) {
    expect(typeof allow === 'object' && allow.action, path).not.toBe('approve');
    expect(['rights', 'settings', 'safeguards', 'account'], path).not.toContain(endangers);
  }
});

test('a program signs in with no password, not even one that an administrator tries to set', async () => {
  const { id, username } = await addProgram();
  const reset = await asAdmin('PUT', `/manager/user/${id}/reset-password`, { newPassword: 'Xk9#mmPqz2!', mustChange: false });
  expect(reset.statusCode).toBe(404);
  const slider = (await app.fastify.inject({ url: '/api/white/list/api' })).json().slider.nonce;
  const answer = await app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}`,
    },
    payload: new URLSearchParams({ grant_type: 'password', username, password: 'none', slider }).toString(),
  });
  expect(answer.json()).toMatchObject({ code: 'INVALID_GRANT' });
  expect((await asAdmin('GET', `/manager/user?username=${username}`)).json()).toMatchObject({ total: 0 });
});

test('a dangerous order needs the permission of the account, and a token and rights that are a day old', async () => {
  const without = await addProgram();
  const { token: plain } = await addToken(without.id);
  await ageRights(app.ctx);
  expect((await by(plain, '/action/relay', { method: 'POST', payload: disconnect('MN0002') })).json()).toMatchObject({
    code: 'PROGRAM_REFUSED',
  });

  const permitted = await addProgram({ mayOrder: ['supply'] });
  const { token } = await addToken(permitted.id, { name: 'switching' });
  const order = () => by(token, '/action/relay', { method: 'POST', payload: disconnect('MN0002') });
  expect((await order()).json()).toMatchObject({ code: 'RIGHT_TOO_NEW' });
  await ageRights(app.ctx);
  expect((await order()).json()).toMatchObject({ code: 'RIGHT_TOO_NEW' });
  app.advance(DAY_MS + 4000);
  try {
    expect((await order()).json()).toMatchObject({ taskId: expect.any(String) });
    const ordered = app.ctx.db.selectFrom('auditLog').selectAll().where('action', '=', 'relay_ordered').orderBy('id', 'desc').limit(1);
    expect(await ordered.executeTakeFirst()).toMatchObject({ userId: permitted.id, detail: { token: 'switching' } });
  } finally {
    app.advance(-DAY_MS - 4000);
  }
});

test('the audit log names program and token, and a refused call too', async () => {
  const { id } = await addProgram();
  const { token } = await addToken(id, { name: 'nightly' });
  await by(token, '/manager/role', { method: 'POST', payload: { code: 'X_Y', name: 'x' } });
  const last = await app.ctx.db.selectFrom('auditLog').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
  expect(last).toMatchObject({ userId: id, action: 'call_refused', detail: { token: 'nightly' } });
});

test('a program sees the area of its roles only', async () => {
  const level = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow();
  const limited = await app.addUser({ scope: [level.id] });
  const role = await app.ctx.db.selectFrom('userRole').where('userId', '=', limited.id).select('roleId').executeTakeFirstOrThrow();
  ids.set('limited', role.roleId);
  const { id } = await addProgram({ roles: ['limited'] });
  const { token } = await addToken(id);
  const list = (await by(token, '/asset/meter/inventory?size=100')).json();
  expect(list.items.map(({ sn }: { sn: string }) => sn.slice(0, 2))).toEqual(expect.arrayContaining(['MN']));
  expect(list.items.some(({ sn }: { sn: string }) => sn.startsWith('MS'))).toBe(false);
});

test('a token or a permission written into the database opens nothing', async () => {
  const { id } = await addProgram();
  const { token, tokenId } = await addToken(id);
  await app.ctx.db
    .updateTable('programToken')
    .set({ expiresAt: new Date('2100-01-01') })
    .where('id', '=', tokenId)
    .execute();
  expect((await by(token, '/manager/user/me', { method: 'GET' })).statusCode).toBe(401);
  expect((await asAdmin('GET', `/manager/program/${id}`)).json()).toMatchObject({ isSealed: false });
  expect((await orderToken(id)).json()).toMatchObject({ code: 'CHANGED_OUTSIDE' });
});

test('an administrator cannot give a program rights beyond the own', async () => {
  const level = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow();
  const limited = await app.addUser({ scope: [level.id] });
  const payload = { username: `p${randomUUID().slice(0, 8)}`, name: 'x', roleIds: [idOf('ADMIN')], mayOrder: [] };
  const answer = await app.call(limited, { method: 'POST', url: '/api/manager/program', payload });
  expect(answer.json()).toMatchObject({ code: 'BEYOND_OWN_RIGHTS' });
});
