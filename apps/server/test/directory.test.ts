import { sql } from 'kysely';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { escapeFilter } from '../src/features/people/external/directory.ts';
import { selfSigned } from '../src/platform/certificate.ts';
import { hashPassword } from '../src/platform/passwords.ts';
import { authenticator } from './authenticator.ts';
import { BASE, groupDn, SERVICE, slapdProgram, startDirectory, type TestDirectory } from './slapd.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const AUTHORIZATION = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const PASSWORD = 'Of-The-Directory-7';
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type Body = Record<string, any>; // any: answers of several routes

test('a value within a filter ends no filter and matches itself alone', () => {
  expect(escapeFilter('anna')).toBe('anna');
  expect(escapeFilter('*)(uid=*')).toBe('\\2a\\29\\28uid\\3d\\2a');
  expect(escapeFilter('a\0\\é')).toBe('a\\00\\5cé');
});

describe.skipIf(slapdProgram === undefined)('sign-in by a directory (slapd)', () => {
  let app: TestApp;
  let directory: TestDirectory;
  let boss: TestUser;
  let providerId: string;
  let ca: string;
  let roles: Map<string, string>;

  async function ask(user: TestUser | undefined, method: NonNullable<InjectOptions['method']>, path: string, payload?: object) {
    const answer = await app.call(user, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
    return { status: answer.statusCode, body: (answer.body === '' ? {} : answer.json()) as Body };
  }

  async function token(fields: Record<string, string>, cookie = '') {
    const answer = await app.fastify.inject({
      method: 'POST',
      url: '/api/auth/oauth2/token',
      headers: { authorization: AUTHORIZATION, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });
    const refresh = answer.cookies.find(({ name }) => name === 'hes_refresh')?.value ?? '';
    const body = answer.json() as Body;
    const user: TestUser = { id: body['user']?.id ?? '', sessionId: refresh.slice(0, 36), token: body['access_token'] ?? '' };
    return { status: answer.statusCode, body, refresh, user };
  }
  async function signIn(username: string, password = PASSWORD, provider = providerId) {
    const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
    return token({ grant_type: 'password', provider, username, password, slider: slider.nonce });
  }
  const refreshed = (refresh: string) => token({ grant_type: 'refresh_token' }, `hes_refresh=${refresh}`);

  const fieldsOf = (more: object = {}) => ({
    name: 'Works',
    kind: 'ldap',
    isEnabled: true,
    servers: directory.ldaps,
    ca,
    bindDn: SERVICE.dn,
    secret: SERVICE.password,
    baseDn: BASE,
    userFilter: '(&(objectClass=inetOrgPerson)(uid={name}))',
    usernameClaim: 'uid',
    groupsClaim: 'memberOf',
    mapping: [
      { group: groupDn('operators'), roleIds: [roles.get('OPERATOR')] },
      { group: groupDn('admins'), roleIds: [roles.get('ADMIN')] },
    ],
    ...more,
  });
  async function change(more: object): Promise<Body> {
    const row = (await ask(boss, 'GET', '/manager/identity-provider')).body['items'].find(({ id }: Body) => id === providerId);
    const { body } = await ask(boss, 'PUT', `/manager/identity-provider/${providerId}`, { ...fieldsOf(), version: row.version, ...more });
    expect(body['code']).toBeUndefined();
    return body;
  }
  const rolesOf = async (userId: string) =>
    (
      await sql<{ code: string }>`select r.code from user_role u join role r on r.id = u.role_id where u.user_id = ${userId}`.execute(
        app.ctx.db,
      )
    ).rows.map(({ code }) => code);

  beforeAll(async () => {
    const { cert, key } = selfSigned(['127.0.0.1', 'localhost'], Date.now(), Date.now() + DAY_MS);
    ca = cert;
    directory = await startDirectory({ cert, key });
    app = await testApp({ deliveryNetworks: ['127.0.0.0/8'] });
    await importCommissioning(app.ctx, smallTown());
    const { rows } = await sql<{ id: string; code: string }>`select id::text, code from role`.execute(app.ctx.db);
    roles = new Map(rows.map(({ id, code }) => [code, id]));
    boss = await app.addUser({ roles: ['ADMIN'] });
    for (const uid of ['anna', 'bert', 'cleo', 'dora', 'emil', 'gone', 'andré'])
      await directory.addPerson({ uid, name: `${uid} Works`, password: PASSWORD, mail: `${uid.slice(0, 4)}@utility.example` });
    await directory.setMembers('operators', ['anna', 'bert', 'cleo', 'dora', 'gone', 'andré']);
    await directory.setMembers('choir', ['emil']);
    const created = await ask(boss, 'POST', '/manager/identity-provider', fieldsOf());
    expect(created.status).toBe(201);
    providerId = created.body['id'];
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await directory.close();
  });

  test('creates an account with the roles of its groups', async () => {
    const { status, body, user } = await signIn('anna');
    expect([status, body['user']]).toEqual([200, expect.objectContaining({ username: 'anna', name: 'anna Works' })]);
    expect(await rolesOf(user.id)).toEqual(['OPERATOR']);
    expect((await ask(user, 'GET', '/manager/user/me')).body).toMatchObject({ email: 'anna@utility.example' });
    expect((await app.fastify.inject({ url: '/api/white/list/api' })).json().providers).toEqual([
      { id: providerId, name: 'Works', kind: 'ldap' },
    ]);
  });

  test('refuses a wrong and an empty password, an unknown name, and filters in place of a name, all alike', async () => {
    for (const [name, password] of [
      ['bert', 'Wrong-One-77'],
      ['bert', ''],
      ['nobody', PASSWORD],
      ['*', PASSWORD],
      ['b*', PASSWORD],
      ['bert)(uid=anna', PASSWORD],
      ['*)(objectClass=*', PASSWORD],
      ['bert\0', PASSWORD],
    ] as const)
      expect((await signIn(name, password)).body).toMatchObject({ status: 400, code: expect.stringMatching(/^INVALID_GRANT/) });
    expect((await signIn('bert')).status).toBe(200);
  });

  test('finds names with letters beyond ASCII', async () => {
    await change({ mapping: fieldsOf().mapping });
    expect((await signIn('andré')).body['user']).toMatchObject({ username: 'andre' });
  });

  test('refuses a person of no group, and one whose name belongs to a local account', async () => {
    expect((await signIn('emil')).body).toMatchObject({ status: 403, code: 'NO_ROLE_OF_PROVIDER' });
    const local = await app.addUser({ roles: ['OPERATOR'] });
    await app.ctx.db.updateTable('appUser').set({ username: 'dora' }).where('id', '=', local.id).execute();
    await sealAll(app.ctx);
    expect((await signIn('dora')).body).toMatchObject({ status: 409, code: 'NAME_TAKEN' });
  });

  test('locks a name after wrong passwords, so that the directory is not asked without limit', async () => {
    for (let i = 0; i < 5; i++) await signIn('emil', 'Wrong-One-77');
    expect((await signIn('emil')).body).toMatchObject({ code: 'LOCKED' });
    app.advance(16 * MINUTE_MS);
    boss = await app.addUser({ roles: ['ADMIN'] });
  });

  test('has no password of this system', async () => {
    const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
    const local = await token({ grant_type: 'password', username: 'anna', password: PASSWORD, slider: slider.nonce });
    expect(local.body).toMatchObject({ code: 'INVALID_GRANT' });
  });

  test('a renewed session has the groups of that moment, and ends with the person', async () => {
    const first = await signIn('cleo');
    const renewed = await refreshed(first.refresh);
    expect(renewed.status).toBe(200);
    await directory.setMembers('operators', ['anna', 'bert', 'gone']);
    expect((await refreshed(renewed.refresh)).body).toMatchObject({ code: 'INVALID_GRANT' });
    expect(await rolesOf(first.user.id)).toEqual([]);
    expect((await ask(renewed.user, 'GET', '/manager/user/me')).status).toBe(401);

    const leaving = await signIn('gone');
    await directory.removePerson('gone');
    expect((await refreshed(leaving.refresh)).body).toMatchObject({ code: 'INVALID_GRANT' });
    expect(await rolesOf(leaving.user.id)).toEqual([]);
    await directory.setMembers('operators', ['anna', 'bert', 'cleo']);
  });

  test('a second person with the name of a former one is another account', async () => {
    const before = await signIn('bert');
    await directory.removePerson('bert');
    await directory.addPerson({ uid: 'bert', name: 'Another Bert', password: PASSWORD });
    await directory.setMembers('operators', ['anna', 'bert', 'cleo']);
    expect((await signIn('bert')).body).toMatchObject({ code: 'NAME_TAKEN' });
    expect(before.status).toBe(200);
  });

  test('own proof and second factor: the directory judges the password, this system the code', async () => {
    const { user } = await signIn('anna');
    const prove = async (proof: object) => (await ask(user, 'POST', '/auth/proof', proof)).body['code'] ?? 'proved';
    expect([await prove({ password: 'Wrong-One-77' }), await prove({ password: '' }), await prove({ password: PASSWORD })]).toEqual([
      'OLD_PASSWORD_WRONG',
      'OLD_PASSWORD_WRONG',
      'proved',
    ]);
    expect((await ask(user, 'POST', '/auth/second-factor', { password: 'Wrong-One-77' })).body['code']).toBe('OLD_PASSWORD_WRONG');
    const phone = authenticator((await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body['uri'], app.ctx.clock);
    expect((await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() })).status).toBe(200);
    app.advance(MINUTE_MS / 2);
    const half = await signIn('anna');
    expect(half.body).toMatchObject({ code: 'MFA_REQUIRED' });
    const whole = await token({ grant_type: 'password', ticket: half.body['ticket'], otp: phone.code() });
    expect(whole.status).toBe(200);
    const session = app.ctx.db.selectFrom('userSession').where('id', '=', whole.user.sessionId).select('providerId');
    expect((await session.executeTakeFirstOrThrow()).providerId).toBe(providerId);
  });

  test('passwords of this system that are switched off do not close the directory', async () => {
    const keeper = await app.addUser({ roles: ['ADMIN'] });
    const set = { passwordHash: await hashPassword(PASSWORD), username: 'the.keeper' };
    await app.ctx.db.updateTable('appUser').set(set).where('id', '=', keeper.id).execute();
    await directory.setMembers('admins', ['cleo']);
    await sealAll(app.ctx);
    expect((await signIn('cleo')).status).toBe(200);
    const { version } = (await ask(boss, 'GET', '/manager/setting/localSignIn')).body;
    const value = { allowed: 'emergency', emergencyUser: 'the.keeper' };
    expect((await ask(boss, 'PUT', '/manager/setting/localSignIn', { value, version })).status).toBe(200);
    expect((await signIn('cleo')).status).toBe(200);
    const open = { value: { ...value, allowed: 'everybody' }, version: version + 1 };
    expect((await ask(boss, 'PUT', '/manager/setting/localSignIn', open)).status).toBe(200);
  });

  test('is reached by StartTLS, by the next of several servers, and never without the right certificate', async () => {
    await change({ servers: `ldaps://127.0.0.1:1 ${directory.ldap}` });
    expect((await signIn('cleo')).status).toBe(200);
    const { cert } = selfSigned(['127.0.0.1'], Date.now(), Date.now() + DAY_MS);
    for (const servers of [directory.ldaps, directory.ldap]) {
      await change({ servers, ca: cert });
      expect((await signIn('cleo')).body).toMatchObject({ code: 'PROVIDER_FAILED' });
      const tried = (await ask(boss, 'POST', `/manager/identity-provider/${providerId}/test`)).body;
      expect(tried).toMatchObject({ isReached: false, failure: 'unreachable' });
    }
    await change({ secret: 'not that of the reader' });
    expect((await ask(boss, 'POST', `/manager/identity-provider/${providerId}/test`)).body).toMatchObject({ failure: 'refused' });
    expect((await signIn('cleo')).body).toMatchObject({ code: 'PROVIDER_FAILED' });
    await change({});
    expect((await ask(boss, 'POST', `/manager/identity-provider/${providerId}/test`)).body).toMatchObject({ isReached: true });
  });

  test('groups are found by their members, too', async () => {
    await change({ groupSource: 'search', groupBaseDn: `ou=groups,${BASE}` });
    const { user, status } = await signIn('cleo');
    expect([status, (await rolesOf(user.id)).toSorted()]).toEqual([200, ['ADMIN', 'OPERATOR']]);
    await change({});
  });

  test('while it is down no one signs in, and sessions go on', async () => {
    const { refresh } = await signIn('cleo');
    await directory.stop();
    expect((await signIn('cleo')).body).toMatchObject({ code: 'PROVIDER_FAILED' });
    expect((await refreshed(refresh)).status).toBe(200);
    await directory.start();
    expect((await signIn('cleo')).status).toBe(200);
  });

  test('refuses servers without TLS in name, internal ones without permission, and a filter without the name', async () => {
    const refused = async (more: object) => (await ask(boss, 'POST', '/manager/identity-provider', fieldsOf({ name: 'X', ...more }))).body;
    for (const more of [
      { servers: 'http://127.0.0.1' },
      { servers: '' },
      { userFilter: '(uid=anna)' },
      { baseDn: '' },
      { servers: 'ldaps://a/b' },
    ])
      expect(await refused(more)).toMatchObject({ code: 'VALIDATION' });
    await change({ servers: 'ldaps://169.254.169.254' });
    expect((await ask(boss, 'POST', `/manager/identity-provider/${providerId}/test`)).body).toMatchObject({ failure: 'address_refused' });
  });
});
