import { sql } from 'kysely';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RightsCheck } from '../src/composition/rights-watch.ts';
import { findBrokenSessions } from '../src/db/right-seals.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { hashPassword } from '../src/platform/passwords.ts';
import { CLIENT, passIssuer, startIssuer, type Issuer } from './oidc-issuer.ts';
import { ageRights, sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const AUTHORIZATION = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const HOST = 'hes.test';
const PASSWORD = 'Two-Of-A-Kind-7';

type Body = Record<string, any>; // any: answers of several routes
type Person = TestUser & { username: string };

let app: TestApp;
let issuer: Issuer;
let boss: TestUser;
let hash: string;
let keeper: Person;

async function ask(user: TestUser | undefined, method: NonNullable<InjectOptions['method']>, path: string, payload?: object, cookie = '') {
  const headers = { host: HOST, origin: `http://${HOST}`, ...(cookie === '' ? {} : { cookie }) };
  const answer = await app.call(user, { method, url: `/api${path}`, headers, ...(payload === undefined ? {} : { payload }) });
  return {
    status: answer.statusCode,
    body: (answer.body === '' ? {} : answer.json()) as Body,
    cookies: answer.cookies as { name: string; value: string }[],
  };
}

async function newPerson(role = 'ADMIN'): Promise<Person> {
  const user = await app.addUser({ roles: [role] });
  const changed = app.ctx.db.updateTable('appUser').set({ passwordHash: hash }).where('id', '=', user.id).returning('username');
  const { username } = await changed.executeTakeFirstOrThrow();
  await sealAll(app.ctx);
  return { ...user, username };
}

async function token(fields: Record<string, string>, cookie = '') {
  const answer = await app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: { authorization: AUTHORIZATION, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
  const refresh = answer.cookies.find(({ name }) => name === 'hes_refresh')?.value ?? '';
  return { status: answer.statusCode, body: answer.json() as Body, refresh };
}
async function withPassword(username: string, password = PASSWORD) {
  const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
  return token({ grant_type: 'password', username, password, slider: slider.nonce });
}
const refreshed = (refresh: string) => token({ grant_type: 'refresh_token' }, `hes_refresh=${refresh}`);

async function allow(allowed: 'everybody' | 'emergency', emergencyUser: string, who = boss) {
  const { version } = (await ask(who, 'GET', '/manager/setting/localSignIn')).body;
  return ask(who, 'PUT', '/manager/setting/localSignIn', { value: { allowed, emergencyUser }, version });
}

/** An administrator of the identity provider signs in. */
async function signInByProvider(): Promise<void> {
  issuer.person = { sub: 'anna-1', username: 'anna', groups: ['admins'] };
  const [provider] = (await ask(boss, 'GET', '/manager/identity-provider')).body['items'];
  const begun = await ask(undefined, 'POST', '/auth/external/start', { providerId: provider.id });
  const flow = begun.cookies.find(({ name }) => name === 'hes_flow')?.value ?? '';
  const done = await ask(
    undefined,
    'POST',
    '/auth/external/finish',
    { answer: await passIssuer(begun.body['address']) },
    `hes_flow=${flow}`,
  );
  expect(done.body['signedIn']).not.toBeNull();
  await ageRights(app.ctx);
}

const events = async () =>
  (await sql<{ message: string }>`select message from event where code = 60080 order by id`.execute(app.ctx.db)).rows.map(
    ({ message }) => message,
  );

beforeAll(async () => {
  app = await testApp({ deliveryNetworks: ['127.0.0.0/8'] });
  await importCommissioning(app.ctx, smallTown());
  hash = await hashPassword(PASSWORD);
  issuer = await startIssuer({ redirectUri: `http://${HOST}/hes/login` });
  boss = await app.addUser({ roles: ['ADMIN'] });
  const { rows } = await sql<{ id: string }>`select id::text from role where code = 'ADMIN'`.execute(app.ctx.db);
  const mapping = [{ group: 'admins', roleIds: [rows[0]?.id] }];
  const fields = {
    name: 'Works',
    kind: 'oidc',
    isEnabled: true,
    issuer: issuer.address,
    clientId: CLIENT.id,
    secret: CLIENT.secret,
    mapping,
  };
  expect((await ask(boss, 'POST', '/manager/identity-provider', fields)).status).toBe(201);
  keeper = await newPerson();
});
afterAll(async () => {
  await issuer.close();
  await app.close();
});

test('passwords are switched off only after an administrator has signed in by a provider, and with an account for emergencies', async () => {
  expect((await allow('emergency', '')).body).toMatchObject({ code: 'VALIDATION' });
  expect((await allow('emergency', keeper.username)).body).toMatchObject({ code: 'NO_WAY_IN' });
  await signInByProvider();
  const operator = await newPerson('OPERATOR');
  for (const username of ['nobody.here', operator.username, 'anna'])
    expect((await allow('emergency', username)).body).toMatchObject({ code: 'EMERGENCY_ACCOUNT_INVALID' });
  expect((await allow('emergency', keeper.username)).status).toBe(200);
  expect((await allow('everybody', keeper.username)).status).toBe(200);
});

test('local accounts cannot sign in or refresh, and only the right password tells why', async () => {
  const local = await newPerson('OPERATOR');
  const open = await withPassword(local.username);
  expect(open.status).toBe(200);
  await signInByProvider();
  expect((await allow('emergency', keeper.username)).status).toBe(200);
  expect((await app.fastify.inject({ url: '/api/white/list/api' })).json()).toMatchObject({ isLocalOff: true });
  expect((await refreshed(open.refresh)).body).toMatchObject({ code: 'INVALID_GRANT' });
  expect((await ask({ ...local, token: open.body['access_token'] }, 'GET', '/manager/user/me')).status).toBe(401);
  expect((await withPassword(local.username, 'Wrong-One-77')).body).toMatchObject({ code: 'INVALID_GRANT' });
  expect((await withPassword(keeper.username, 'Wrong-One-77')).body).toMatchObject({ code: 'INVALID_GRANT' });
  expect((await withPassword(local.username)).body).toMatchObject({ status: 403, code: 'LOCAL_SIGN_IN_OFF' });
  expect((await allow('everybody', keeper.username)).status).toBe(200);
  expect((await withPassword(local.username)).status).toBe(200);
});

test('a setting that was changed, replaced or deleted in the database opens no password, is reported, and is set again by an administrator', async () => {
  const local = await newPerson('OPERATOR');
  await signInByProvider();
  expect((await allow('everybody', keeper.username)).status).toBe(200);
  const former = await app.ctx.db.selectFrom('setting').where('key', '=', 'localSignIn').selectAll().executeTakeFirstOrThrow();
  expect((await allow('emergency', keeper.username)).status).toBe(200);
  expect((await withPassword(local.username)).body).toMatchObject({ code: 'LOCAL_SIGN_IN_OFF' });
  const { pool } = app.ctx;
  const write = (value: object) => pool.query("update setting set value = $1 where key = 'localSignIn'", [JSON.stringify(value)]);
  const replay = () =>
    pool.query("update setting set value = $1, version = $2, seal = $3 where key = 'localSignIn'", [
      JSON.stringify(former.value),
      former.version,
      former.seal,
    ]);
  for (const attack of [
    () => write({ allowed: 'everybody', emergencyUser: '' }),
    replay,
    () => pool.query("update setting set seal = null where key = 'localSignIn'"),
    () => pool.query("delete from setting where key = 'localSignIn'"),
  ]) {
    await attack();
    expect((await withPassword(local.username)).body).toMatchObject({ code: 'LOCAL_SIGN_IN_OFF' });
    expect((await withPassword(keeper.username)).body).toMatchObject({ code: 'LOCAL_SIGN_IN_OFF' });
  }
  const check = new RightsCheck(app.ctx);
  await check.look();
  await check.look();
  const { rows } = await pool.query("select message from event where code = 60040 and message = 'setting localSignIn'");
  expect(rows).toHaveLength(1);
  expect((await allow('everybody', keeper.username)).status).toBe(200);
  expect((await withPassword(local.username)).status).toBe(200);
});

test('a session gives no rights after its provider was added, removed or exchanged in the database', async () => {
  const local = await newPerson('OPERATOR');
  const open = await withPassword(local.username);
  const me = () => ask({ ...local, token: open.body['access_token'] }, 'GET', '/manager/user/me');
  const { rows } = await app.ctx.pool.query<{ id: string }>('select id::text from identity_provider');
  const setProvider = (providerId: string | null, userId: string) =>
    app.ctx.db.updateTable('userSession').set({ providerId }).where('userId', '=', userId).execute();
  await setProvider(rows[0]?.id ?? null, local.id);
  expect((await me()).status).toBe(401);
  await setProvider(null, local.id);
  expect((await me()).status).toBe(200);
  await signInByProvider();
  const anna = await app.ctx.db.selectFrom('appUser').where('username', '=', 'anna').select('id').executeTakeFirstOrThrow();
  const broken = async () => (await findBrokenSessions(app.ctx.db, new Date())).filter(({ userId }) => userId === anna.id).length;
  expect(await broken()).toBe(0);
  await setProvider(null, anna.id);
  expect(await broken()).toBeGreaterThan(0);
  await app.ctx.db.updateTable('userSession').set({ revokedAt: new Date() }).where('userId', '=', anna.id).execute();
});

test('the last provider is not deleted while passwords are off, and is switched off only with a confirmation', async () => {
  await signInByProvider();
  expect((await allow('emergency', keeper.username)).status).toBe(200);
  const [row] = (await ask(boss, 'GET', '/manager/identity-provider')).body['items'];
  const path = `/manager/identity-provider/${row.id}`;
  const change = (fields: object, version: number) => ask(boss, 'PUT', path, { ...row, secret: '', ...fields, version });
  const refused = await change({ isEnabled: false }, row.version);
  expect(refused.body).toMatchObject({ code: 'LAST_PROVIDER', detail: expect.stringContaining(keeper.username) });
  expect((await ask(boss, 'DELETE', path)).body).toMatchObject({ code: 'LAST_PROVIDER' });
  expect((await change({ isEnabled: false, isLastConfirmed: true }, row.version)).status).toBe(200);
  expect((await withPassword(keeper.username)).status).toBe(200);
  expect((await change({ isEnabled: true }, row.version + 1)).status).toBe(200);
  expect((await allow('everybody', keeper.username)).status).toBe(200);
});

test('the use of the emergency account raises an alarm, is audited and shows on the dashboard', async () => {
  await signInByProvider();
  await allow('emergency', keeper.username);
  const before = (await events()).length;
  const used = await withPassword(keeper.username);
  expect(used.status).toBe(200);
  expect((await events()).slice(before)).toEqual([expect.stringContaining(keeper.username)]);
  const last = await app.ctx.db.selectFrom('auditLog').where('action', '=', 'emergency_sign_in').selectAll().executeTakeFirstOrThrow();
  expect(last).toMatchObject({ userId: keeper.id, detail: { username: keeper.username } });
  expect((await refreshed(used.refresh)).status).toBe(200);
  const summary = (user: TestUser) => ask(user, 'GET', '/dashboard/summary');
  expect((await summary(boss)).body['emergency']).toMatchObject({ username: keeper.username });
  expect((await summary(await newPerson('OPERATOR'))).body['emergency']).toBeNull();
  await allow('everybody', '');
});

test('the emergency account cannot be locked, deleted or lose its role while the sign-in relies on it', async () => {
  await signInByProvider();
  await allow('emergency', keeper.username);
  const user = (await ask(boss, 'GET', `/manager/user/${keeper.id}`)).body;
  const lock = { lock: true, lockReason: 'On leave' };
  expect((await ask(boss, 'PUT', `/manager/user/${keeper.id}/lock`, lock)).body).toMatchObject({ code: 'LAST_EMERGENCY' });
  expect((await ask(boss, 'DELETE', `/manager/user/${keeper.id}`)).body).toMatchObject({ code: 'LAST_EMERGENCY' });
  const change = { name: user['name'], roleIds: [], version: user['version'] };
  expect((await ask(boss, 'PUT', `/manager/user/${keeper.id}`, change)).body['code']).toMatch(/LAST_EMERGENCY|VALIDATION/);
  await allow('everybody', '');
  expect((await ask(boss, 'PUT', `/manager/user/${keeper.id}/lock`, lock)).status).toBe(200);
});
