import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { SignJWT } from 'jose';
import type { InjectOptions } from 'fastify';
import { CLIENT, passIssuer, startIssuer, type Issuer, type IssuerPerson } from './oidc-issuer.ts';
import { smallTown } from './town.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { ageRights, testApp, type TestApp, type TestUser } from './test-app.ts';

const HOST = 'hes.test';
const REDIRECT = `http://${HOST}/hes/login`;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let app: TestApp;
let issuer: Issuer;
let boss: TestUser;
let providerId: string;
let roles: Map<string, string>;

type Body = Record<string, any>; // any: answers of several routes

async function ask(user: TestUser | undefined, method: NonNullable<InjectOptions['method']>, path: string, payload?: object, cookie = '') {
  const headers = { host: HOST, origin: `http://${HOST}`, ...(cookie === '' ? {} : { cookie }) };
  const answer = await app.call(user, { method, url: `/api${path}`, headers, ...(payload === undefined ? {} : { payload }) });
  const cookies = answer.cookies as { name: string; value: string }[];
  return { status: answer.statusCode, body: (answer.body === '' ? {} : answer.json()) as Body, cookies };
}

const fieldsOf = (more: object = {}) => ({
  name: 'Works',
  kind: 'oidc',
  isEnabled: true,
  issuer: issuer.address,
  clientId: CLIENT.id,
  secret: CLIENT.secret,
  mapping: [
    { group: 'operators', roleIds: [roles.get('OPERATOR')] },
    { group: 'admins', roleIds: [roles.get('ADMIN')] },
  ],
  ...more,
});

async function change(more: object): Promise<Body> {
  const { items } = (await ask(boss, 'GET', '/manager/identity-provider')).body;
  const row = items.find(({ id }: Body) => id === providerId);
  return (await ask(boss, 'PUT', `/manager/identity-provider/${providerId}`, { ...fieldsOf(), secret: '', version: row.version, ...more }))
    .body;
}

/** Begins a sign-in as a browser does: the address to open, and the cookie that the head-end set. */
async function begin(id = providerId) {
  const started = await ask(undefined, 'POST', '/auth/external/start', { providerId: id, returnTo: '/assets/dcu' });
  const flow = started.cookies.find(({ name }) => name === 'hes_flow');
  return { ...started, cookie: `hes_flow=${flow?.value ?? ''}` };
}
const finish = (answer: string, cookie: string) => ask(undefined, 'POST', '/auth/external/finish', { answer }, cookie);

/** Signs a person in. `jar`: cookies of the browser at the issuer. */
async function signIn(person: IssuerPerson, jar = new Map<string, string>()) {
  issuer.person = person;
  const { body, cookie } = await begin();
  const done = await finish(await passIssuer(body['address'], jar), cookie);
  const refresh = done.cookies.find(({ name }) => name === 'hes_refresh')?.value ?? '';
  const { signedIn } = done.body;
  const user: TestUser | undefined =
    signedIn === undefined || signedIn === null
      ? undefined
      : { id: signedIn.user.id, sessionId: refresh.slice(0, 36), token: signedIn.access_token };
  return { ...done, user, refresh, jar };
}

const refreshed = async (refresh: string) => {
  const answer = await app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: {
      authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      cookie: `hes_refresh=${refresh}`,
    },
    payload: 'grant_type=refresh_token',
  });
  return answer.statusCode;
};

const rolesOf = async (userId: string) =>
  (
    await app.ctx.db
      .selectFrom('userRole as u')
      .innerJoin('role as r', 'r.id', 'u.roleId')
      .where('userId', '=', userId)
      .select('code')
      .execute()
  ).map(({ code }) => code);
const actionsOf = async (userId: string) =>
  (
    await app.ctx.db
      .selectFrom('auditLog')
      .where('entityId', '=', userId)
      .where('entity', '=', 'user')
      .select('action')
      .orderBy('id')
      .execute()
  ).map(({ action }) => action);

beforeAll(async () => {
  app = await testApp({ deliveryNetworks: ['127.0.0.0/8'] });
  await importCommissioning(app.ctx, smallTown());
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
  const port = (app.fastify.server.address() as { port: number }).port;
  issuer = await startIssuer({
    redirectUri: REDIRECT,
    logoutUri: () => `http://127.0.0.1:${port}/api/auth/external/1/logout`,
  });
  boss = await app.addUser({ roles: ['ADMIN'] });
  roles = new Map((await app.ctx.db.selectFrom('role').select(['id', 'code']).execute()).map(({ id, code }) => [code, id]));
  const created = await ask(boss, 'POST', '/manager/identity-provider', fieldsOf());
  expect(created.body).toMatchObject({ name: 'Works', hasSecret: true, state: 'running' });
  providerId = created.body['id'];
  expect(providerId).toBe('1');
});
afterAll(async () => {
  await issuer.close();
  await app.close();
});
beforeEach(() => {
  issuer.isDown = false;
  issuer.acr = undefined;
});

describe('a sign-in', () => {
  test('creates an account with the roles of its groups, and none of them rests yet', async () => {
    const { status, body, user } = await signIn({ sub: 's-1', username: 'olga@example.com', name: 'Olga', groups: ['operators', 'choir'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      returnTo: '/assets/dcu',
      provedUntil: null,
      signedIn: { user: { username: 'olga', mustChangePassword: false } },
    });
    expect(await rolesOf(user!.id)).toEqual(['OPERATOR']); // the sign-in was successful
    expect((await ask(user, 'GET', '/manager/user/me')).body).toMatchObject({ username: 'olga', mustEnrol: false });
    expect(await actionsOf(user!.id)).toEqual(['external_account_created', 'sign_in']);
    // The person who wrote the mapping is the grantor, and the day of new rights begins now.
    const granted = await app.ctx.db.selectFrom('userRole').where('userId', '=', user!.id).selectAll().executeTakeFirstOrThrow();
    expect(granted.grantedBy).toBe(boss.id);
    expect(Date.now() - granted.grantedAt.getTime()).toBeLessThan(MINUTE_MS);
  });

  test('gives the roles of the groups of that moment, and ends other sessions when they differ', async () => {
    const first = await signIn({ sub: 's-2', username: 'paul', groups: ['operators'] });
    const second = await signIn({ sub: 's-2', username: 'paul', groups: ['operators', 'admins'] });
    expect((await rolesOf(first.user!.id)).sort()).toEqual(['ADMIN', 'OPERATOR']);
    expect(second.user!.id).toBe(first.user!.id);
    expect((await ask(first.user, 'GET', '/manager/user/me')).status).toBe(401);
    expect((await ask(second.user, 'GET', '/manager/user/me')).status).toBe(200);
  });

  test('ends the account when no group gives a role, and gives the rights anew when one does', async () => {
    const first = await signIn({ sub: 's-3', username: 'quinn', groups: ['operators'] });
    await ageRights(app.ctx);
    const gone = await signIn({ sub: 's-3', username: 'quinn', groups: [] });
    expect(gone.body['code']).toBe('NO_ROLE_OF_PROVIDER');
    expect(await rolesOf(first.user!.id)).toEqual([]);
    expect((await ask(first.user, 'GET', '/manager/user/me')).status).toBe(401);
    const back = await signIn({ sub: 's-3', username: 'quinn', groups: ['operators'] });
    expect(back.user!.id).toBe(first.user!.id);
    const granted = await app.ctx.db
      .selectFrom('userRole')
      .where('userId', '=', back.user!.id)
      .select('grantedAt')
      .executeTakeFirstOrThrow();
    expect(Date.now() - granted.grantedAt.getTime()).toBeLessThan(MINUTE_MS);
  });

  test('never takes over a local account by its name or address, nor one that another person had', async () => {
    const local = await app.ctx.db
      .updateTable('appUser')
      .set({ username: 'rosa', email: 'rosa@example.com' })
      .where('id', '=', (await app.addUser({ roles: ['ADMIN'] })).id)
      .returning('id')
      .executeTakeFirstOrThrow();
    const taken = await signIn({ sub: 's-4', username: 'ROSA', email: 'rosa@example.com', groups: ['operators'] });
    expect(taken.body).toMatchObject({ status: 409, code: 'NAME_TAKEN' });
    const other = await signIn({
      sub: 's-4',
      username: 'rosalind',
      email: 'rosa@example.com',
      isEmailVerified: false,
      groups: ['operators'],
    });
    expect(other.user!.id).not.toBe(local.id);
    const stored = await app.ctx.db.selectFrom('appUser').where('id', '=', other.user!.id).select('email').executeTakeFirstOrThrow();
    expect(stored.email).toBeNull();
    expect((await signIn({ sub: 's-5', username: 'rosalind', groups: ['operators'] })).body['code']).toBe('NAME_TAKEN');
  });

  test('of a locked account is refused, and so is one whose person refused', async () => {
    const { user } = await signIn({ sub: 's-6', username: 'sven', groups: ['operators'] });
    expect((await ask(boss, 'PUT', `/manager/user/${user!.id}/lock`, { lock: true, lockReason: 'leave' })).status).toBeLessThan(300);
    expect((await signIn({ sub: 's-6', username: 'sven', groups: ['operators'] })).body['code']).toBe('LOCKED');
    issuer.person = undefined;
    const { body, cookie } = await begin();
    expect((await finish(await passIssuer(body['address']), cookie)).body).toMatchObject({ code: 'PROVIDER_REFUSED' });
  });

  test('has no password: it neither signs in by one nor gets one', async () => {
    const { user } = await signIn({ sub: 's-7', username: 'tom', groups: ['operators'] });
    const reset = await ask(boss, 'PUT', `/manager/user/${user!.id}/reset-password`, { newPassword: 'A-New-One-77!', mustChange: false });
    expect(reset.body).toMatchObject({ code: 'EXTERNAL_ACCOUNT' });
  });
});

describe('an answer', () => {
  test('is used once, by the browser that began, with its own state', async () => {
    issuer.person = { sub: 'a-1', username: 'uma', groups: ['operators'] };
    const one = await begin();
    const two = await begin();
    const answer = await passIssuer(one.body['address']);
    // Another browser, a browser without a flow, and a state that was altered.
    expect((await finish(answer, two.cookie)).body['code']).toBe('FLOW_INVALID');
    expect((await finish(answer, '')).body['code']).toBe('FLOW_INVALID');
    expect((await finish(answer.replace(/state=./, 'state=_'), one.cookie)).body['code']).toBe('FLOW_INVALID');
    expect((await finish(answer, one.cookie)).status).toBe(200);
    expect((await finish(answer, one.cookie)).body['code']).toBe('FLOW_INVALID');
  });

  test('of another issuer is refused, and a code of another flow, too', async () => {
    issuer.person = { sub: 'a-2', username: 'vera', groups: ['operators'] };
    const one = await begin();
    const mixed = new URLSearchParams(await passIssuer(one.body['address']));
    mixed.set('iss', 'https://evil.example.com');
    expect((await finish(mixed.toString(), one.cookie)).status).toBeGreaterThanOrEqual(400);
    const [three, four] = [await begin(), await begin()];
    const stolen = new URLSearchParams(await passIssuer(three.body['address'])).get('code') ?? '';
    const own = new URLSearchParams(await passIssuer(four.body['address']));
    own.set('code', stolen);
    expect((await finish(own.toString(), four.cookie)).body['code']).toBe('PROVIDER_REFUSED');
  });

  test('leads back to a path of the console, never to another site', async () => {
    for (const returnTo of ['https://evil.example.com', '//evil.example.com', '/\\evil.example.com']) {
      issuer.person = { sub: 'a-3', username: 'wim', groups: ['operators'] };
      const started = await ask(undefined, 'POST', '/auth/external/start', { providerId, returnTo });
      const cookie = `hes_flow=${started.cookies[0]?.value ?? ''}`;
      expect((await finish(await passIssuer(started.body['address']), cookie)).body['returnTo']).toBeNull();
    }
  });

  test('is accepted after the issuer has replaced its keys', async () => {
    await signIn({ sub: 'a-4', username: 'xenia', groups: ['operators'] });
    await issuer.rotateKeys();
    expect((await signIn({ sub: 'a-4', username: 'xenia', groups: ['operators'] })).status).toBe(200);
  });

  test('is missing while the issuer is down: the sign-in is refused, sessions go on, the list shows why', async () => {
    const { user, refresh } = await signIn({ sub: 'a-5', username: 'yann', groups: ['operators'] });
    const begun = await begin();
    const answer = await passIssuer(begun.body['address']);
    issuer.isDown = true;
    expect((await begin()).body).toMatchObject({ status: 502, code: 'PROVIDER_FAILED' });
    expect((await finish(answer, begun.cookie)).body['code']).toBe('PROVIDER_FAILED');
    expect((await ask(user, 'GET', '/manager/user/me')).status).toBe(200);
    expect(await refreshed(refresh)).toBe(200);
    expect((await ask(boss, 'GET', '/manager/identity-provider')).body['items'][0]).toMatchObject({ failure: 'unreachable' });
    expect((await ask(boss, 'POST', `/manager/identity-provider/${providerId}/test`)).body).toMatchObject({ isReached: false });
    issuer.isDown = false;
    expect((await ask(boss, 'POST', `/manager/identity-provider/${providerId}/test`)).body).toMatchObject({ isReached: true });
  });
});

describe('own proof', () => {
  const prove = async (user: TestUser, person: IssuerPerson, jar: Map<string, string>) => {
    issuer.person = person;
    const begun = await ask(user, 'POST', '/auth/external/proof');
    const answer = await passIssuer(begun.body['address'], jar);
    return finish(answer, `hes_flow=${begun.cookies[0]?.value ?? ''}`);
  };

  test('is a new authentication of the same person at the provider', async () => {
    const person = { sub: 'p-1', username: 'zoe', groups: ['admins'] };
    const { user, jar } = await signIn(person);
    await ageRights(app.ctx);
    const create = () => ask(user, 'POST', '/manager/role', { code: `R_${'X'.repeat(3)}`, name: 'One', description: null });
    expect((await create()).body).toMatchObject({ code: 'PROOF_REQUIRED', proof: 'provider' });
    expect((await ask(user, 'POST', '/auth/proof', { password: 'Any-Word-77' })).status).toBe(400);
    const other = await prove(user!, { sub: 'p-2', username: 'abel', groups: ['admins'] }, new Map());
    expect(other.body['code']).toBe('ASSURANCE_TOO_LOW');
    expect((await create()).body['code']).toBe('PROOF_REQUIRED');
    expect((await prove(user!, person, jar)).body).toMatchObject({ signedIn: null, provedUntil: expect.any(String) });
    expect((await create()).status).toBe(201);
  });

  test('and a sign-in have the assurance that the settings want', async () => {
    await change({ signInAcr: 'low high', proofAcr: 'high' });
    const person = { sub: 'p-3', username: 'bert', groups: ['operators'] };
    expect((await signIn(person)).body['code']).toBe('ASSURANCE_TOO_LOW');
    issuer.acr = 'low';
    const { user } = await signIn(person);
    expect((await prove(user!, person, new Map())).body['code']).toBe('ASSURANCE_TOO_LOW');
    issuer.acr = 'high';
    expect((await prove(user!, person, new Map())).body['provedUntil']).toEqual(expect.any(String));
    await change({ signInAcr: '', proofAcr: '' });
  });
});

describe('a session', () => {
  /** Calls the back channel with a token; returns the status. */
  const logout = (token: string) =>
    app.fastify.inject({
      method: 'POST',
      url: `/api/auth/external/${providerId}/logout`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ logout_token: token }).toString(),
    });

  test('ends by the back channel, once, and by no forged token', async () => {
    const { user } = await signIn({ sub: 'l-1', username: 'cleo', groups: ['operators'] });
    const forged = await new SignJWT({ sub: 'l-1', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer.address)
      .setAudience(CLIENT.id)
      .setIssuedAt()
      .setJti('1')
      .sign(new TextEncoder().encode(CLIENT.secret));
    expect((await logout(forged)).statusCode).toBe(400);
    expect((await ask(user, 'GET', '/manager/user/me')).status).toBe(200);
    const { providerSid } = await app.ctx.db
      .selectFrom('userSession')
      .where('id', '=', user!.sessionId)
      .selectAll()
      .executeTakeFirstOrThrow();
    await issuer.logout('l-1', providerSid ?? '');
    app.advance(5000);
    expect((await ask(user, 'GET', '/manager/user/me')).status).toBe(401);
    expect(await actionsOf(user!.id)).toContain('external_logout');
  });

  test('is not ended by a signed token of another person, time, audience or purpose, nor by one that is repeated', async () => {
    const person = { sub: 'l-7', username: 'fay', groups: ['operators'] };
    const { user } = await signIn(person);
    const isIn = async (who = user) => {
      app.advance(2000);
      return (await ask(who, 'GET', '/manager/user/me')).status === 200;
    };
    const { providerSid: sid } = await app.ctx.db
      .selectFrom('userSession')
      .where('id', '=', user!.sessionId)
      .selectAll()
      .executeTakeFirstOrThrow();
    const seconds = Math.floor(Date.now() / 1000);
    for (const claims of [
      { sub: 'l-7', iat: seconds - 7200 },
      { sub: 'l-7', iat: seconds + 7200 },
      { sub: 'l-7', aud: 'another client' },
      { sub: 'l-7', iss: 'https://other.example' },
      { sub: 'l-7', events: {} },
      { sub: 'l-7', nonce: 'of an ID token' },
      { sub: 'l-7', jti: undefined },
      {},
    ])
      expect([claims, (await logout(await issuer.logoutToken(claims))).statusCode]).toEqual([claims, 400]);
    // Valid tokens, whose person or session is another one.
    for (const claims of [{ sub: 'l-8' }, { sub: 'l-8', sid }, { sub: 'l-7', sid: 'another' }, { sid: 'another' }])
      expect([claims, (await logout(await issuer.logoutToken(claims))).statusCode]).toEqual([claims, 200]);
    expect(await isIn()).toBe(true);
    const token = await issuer.logoutToken({ sub: 'l-7', sid });
    expect((await logout(token)).statusCode).toBe(200);
    expect(await isIn()).toBe(false);
    const next = await signIn(person);
    expect((await logout(token)).statusCode).toBe(400);
    expect(await isIn(next.user)).toBe(true);
  });

  test('lasts as long as the provider permits, and not after the provider is switched off', async () => {
    await change({ sessionHours: 1 });
    const short = await signIn({ sub: 'l-2', username: 'dora', groups: ['operators'] });
    app.advance(HOUR_MS + MINUTE_MS);
    expect(await refreshed(short.refresh)).toBe(400);
    app.advance(-HOUR_MS - MINUTE_MS);
    await change({ sessionHours: 12 });
    const other = await signIn({ sub: 'l-2', username: 'dora', groups: ['operators'] });
    await change({ isEnabled: false });
    expect(await refreshed(other.refresh)).toBe(400);
    expect((await begin()).status).toBe(404);
    expect((await ask(undefined, 'GET', '/white/list/api')).body['providers']).toEqual([]);
    await change({ isEnabled: true });
  });
});

describe('the settings', () => {
  test('keep their issuer, want the secret again for another client, and never show it', async () => {
    expect((await change({ issuer: 'https://evil.example.com' }))['issues']).toMatchObject([{ field: 'issuer' }]);
    expect((await change({ clientId: 'other' }))['issues']).toMatchObject([{ field: 'secret' }]);
    const list = await ask(boss, 'GET', '/manager/identity-provider');
    expect(JSON.stringify(list.body)).not.toContain(CLIENT.secret);
    const { secret } = await app.ctx.db.selectFrom('identityProvider').selectAll().executeTakeFirstOrThrow();
    expect(secret.includes(Buffer.from(CLIENT.secret))).toBe(false);
  });

  test('say in the audit log who replaced the secret, and never its value', async () => {
    await change({ secret: '' });
    await change({ secret: CLIENT.secret });
    const rows = await app.ctx.db
      .selectFrom('auditLog')
      .where('action', '=', 'identity_provider_changed')
      .select(['detail', 'userId'])
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    expect(rows).toMatchObject([
      { detail: { newSecrets: ['secret'] }, userId: boss.id },
      { detail: {}, userId: boss.id },
    ]);
    expect(rows[1]?.detail).not.toHaveProperty('newSecrets');
    expect(JSON.stringify(rows)).not.toContain(CLIENT.secret);
  });

  test('give no roles beyond those of the caller, and need the whole network', async () => {
    const level = await app.ctx.db.selectFrom('networkLevel').select('id').orderBy('id').executeTakeFirstOrThrow();
    const district = await app.addUser({ scope: [level.id] });
    expect((await ask(district, 'GET', '/manager/identity-provider')).body['code']).toBe('WHOLE_NETWORK_ONLY');
    expect((await ask(district, 'POST', '/manager/identity-provider', fieldsOf({ name: 'Second' }))).status).toBe(403);
    const gone = fieldsOf({ name: 'Third', mapping: [{ group: 'x', roleIds: ['999999'] }] });
    expect((await ask(boss, 'POST', '/manager/identity-provider', gone)).body['code']).toBe('UNKNOWN_REFERENCE');
  });

  test('keep the roles that their groups give from being deleted', async () => {
    const role = (await ask(boss, 'POST', '/manager/role', { code: 'NIGHT_SHIFT', name: 'Night shift' })).body;
    const fields = fieldsOf({ name: 'Contractors', isEnabled: false, mapping: [{ group: 'night', roleIds: [role['id']] }] });
    const provider = (await ask(boss, 'POST', '/manager/identity-provider', fields)).body;
    const refused = await ask(boss, 'DELETE', `/manager/role/${role['id']}`);
    expect(refused.body).toMatchObject({ code: 'IN_USE', detail: expect.stringContaining('Contractors') });
    expect((await ask(boss, 'DELETE', `/manager/identity-provider/${provider['id']}`)).status).toBe(204);
    expect((await ask(boss, 'DELETE', `/manager/role/${role['id']}`)).status).toBe(204);
  });

  test('are not changed by a user who lacks a right that their groups give, not even the claim of the groups', async () => {
    await sql`insert into role (code, name, sees_whole_network) values ('KEEPER', 'Keeper', true)`.execute(app.ctx.db);
    for (const table of ['role_module', 'role_action'])
      await sql`insert into ${sql.table(table)} select (select id from role where code = 'KEEPER'), module_id ${sql.raw(table === 'role_action' ? ', action' : '')}
        from ${sql.table(table)} g join role r on r.id = g.role_id join module m on m.id = g.module_id
        where r.code = 'ADMIN' and m.path = '/system/system-management/identity-providers'`.execute(app.ctx.db);
    const keeper = await app.addUser({ roles: ['KEEPER'] });
    const row = (await ask(keeper, 'GET', '/manager/identity-provider')).body['items'].find(({ id }: Body) => id === providerId);
    const given = { ...fieldsOf(), secret: '', version: row.version, groupsClaim: 'of_my_own' };
    expect((await ask(keeper, 'PUT', `/manager/identity-provider/${providerId}`, given)).body['code']).toBe('BEYOND_OWN_RIGHTS');
  });

  test('that were changed or replaced by older ones in the database give no right', async () => {
    const before = await app.ctx.db.selectFrom('identityProvider').where('id', '=', providerId).selectAll().executeTakeFirstOrThrow();
    await change({ mapping: [] });
    await ask(boss, 'GET', '/manager/identity-provider');
    await app.ctx.db
      .updateTable('identityProvider')
      .set({ secret: before.secret, version: before.version })
      .where('id', '=', providerId)
      .execute();
    expect((await begin()).status).toBe(404);
    expect((await ask(boss, 'GET', '/manager/identity-provider')).body['items'][0]).toMatchObject({ failure: 'changed_outside' });
  });

  test('tell what claims would give', async () => {
    const created = (await ask(boss, 'POST', '/manager/identity-provider', fieldsOf({ name: 'Nested', groupsClaim: 'realm_access.roles' })))
      .body;
    const claims = { sub: 'x', preferred_username: 'x.y', realm_access: { roles: ['operators', 'choir'] } };
    const { body } = await ask(boss, 'POST', `/manager/identity-provider/${created['id']}/preview`, { claims });
    expect(body).toMatchObject({
      subject: 'x',
      username: 'x.y',
      groups: [
        { group: 'operators', isMapped: true },
        { group: 'choir', isMapped: false },
      ],
      roles: [{ code: 'OPERATOR' }],
    });
  });

  test('reach no internal network that is not permitted', async () => {
    const bad = (await ask(boss, 'POST', '/manager/identity-provider', fieldsOf({ name: 'Metadata', issuer: 'http://169.254.169.254' })))
      .body;
    const { body } = await ask(boss, 'POST', `/manager/identity-provider/${bad['id']}/test`);
    expect(body).toMatchObject({ isReached: false, failure: 'address_refused' });
  });

  test('end the accounts when they are deleted', async () => {
    const users = await app.ctx.db.selectFrom('externalIdentity').select('userId').execute();
    expect(users.length).toBeGreaterThan(5);
    expect((await ask(boss, 'DELETE', `/manager/identity-provider/${providerId}`)).body['code']).toBe('CHANGED_OUTSIDE');
  });
});
