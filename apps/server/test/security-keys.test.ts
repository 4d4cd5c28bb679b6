import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { relyingPartyOf } from '../src/features/people/security-key/relying-party.ts';
import { hashPassword } from '../src/platform/passwords.ts';
import { authenticator } from './authenticator.ts';
import { softwareKey, type Deviation, type SoftwareKey } from './software-key.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const PASSWORD = 'Two-Of-A-Kind-7';
const MINUTE_MS = 60_000;

type Body = Record<string, any>; // any: answers of several routes
type Person = TestUser & { username: string };

let app: TestApp;
let hash: string;
beforeAll(async () => {
  app = await testApp({ isClockStill: true });
  await importCommissioning(app.ctx, smallTown());
  hash = await hashPassword(PASSWORD);
});
afterAll(() => app.close());
beforeEach(() => app.advance(20 * MINUTE_MS));

async function ask(user: TestUser, method: NonNullable<InjectOptions['method']>, path: string, payload?: object, host = 'localhost') {
  const answer = await app.call(user, { method, url: `/api${path}`, headers: { host }, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: (answer.body === '' ? {} : answer.json()) as Body };
}

async function newPerson(): Promise<Person> {
  const user = await app.addUser({ roles: ['ADMIN'], isProved: false });
  const changed = app.ctx.db.updateTable('appUser').set({ passwordHash: hash }).where('id', '=', user.id).returning('username');
  const { username } = await changed.executeTakeFirstOrThrow();
  await sealAll(app.ctx);
  return { ...user, username };
}

const begin = (user: TestUser) => ask(user, 'POST', '/auth/security-key', { password: PASSWORD });
const finish = (user: TestUser, key: SoftwareKey, options: Body, deviation?: Deviation) =>
  ask(user, 'PUT', '/auth/security-key', { name: 'Blue key', attestation: key.create(options as never, deviation) }); // as: the answer of begin

async function addKey(user: TestUser, key: SoftwareKey): Promise<Body> {
  const done = await finish(user, key, (await begin(user)).body);
  expect(done.status).toBe(200);
  return done.body;
}

async function keyed(): Promise<Person & { key: SoftwareKey; recoveryCodes: string[] }> {
  const [user, key] = [await newPerson(), softwareKey()];
  const { recoveryCodes } = await addKey(user, key);
  return { ...user, key, recoveryCodes };
}

async function prove(user: TestUser, key: SoftwareKey, deviation?: Deviation): Promise<string> {
  const { body } = await ask(user, 'POST', '/auth/proof/key');
  const answer = await ask(user, 'POST', '/auth/proof', { assertion: key.get(body as never, deviation) }); // as: the answer of the route
  return answer.body['code'] ?? 'proved';
}

async function token(fields: Record<string, string>): Promise<Body> {
  const answer = await app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: { host: 'localhost', authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', ...fields }).toString(),
  });
  return answer.json();
}
async function withPassword(username: string): Promise<Body> {
  const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
  return token({ username, password: PASSWORD, slider: slider.nonce });
}
const withKey = (refusal: Body, key: SoftwareKey, deviation?: Deviation) =>
  token({ ticket: refusal['ticket'], assertion: JSON.stringify(key.get(refusal['key'], deviation)) });

const lastAudit = async (userId: string) =>
  (await app.ctx.db.selectFrom('auditLog').where('entityId', '=', userId).selectAll().orderBy('id', 'desc').execute())[0];

describe('adding a key', () => {
  test('takes the password and the answer to a challenge of this session, once', async () => {
    const [user, key, other] = [await newPerson(), softwareKey(), await newPerson()];
    expect((await ask(user, 'POST', '/auth/security-key', { password: 'Wrong-One-77' })).body['code']).toBe('OLD_PASSWORD_WRONG');
    const { body } = await begin(user);
    expect(body).toMatchObject({ rp: { id: 'localhost' }, attestation: 'none', authenticatorSelection: { userVerification: 'required' } });
    expect(body['user'].id).not.toContain(user.id);
    const foreign = await finish(other, key, body);
    expect(foreign.body['code']).toBe('KEY_REFUSED');
    // Spent by the answer of the other session.
    expect((await finish(user, key, body)).body['code']).toBe('KEY_REFUSED');
    const done = await finish(user, key, (await begin(user)).body);
    expect(done.body['recoveryCodes']).toHaveLength(10);
    expect((await ask(user, 'GET', '/auth/security-key')).body).toMatchObject({
      isPossible: true,
      keys: [{ name: 'Blue key', lastUsedAt: null, isUsable: true }],
    });
    expect((await ask(user, 'GET', '/manager/user/me')).body).toMatchObject({ hasSecondFactor: true });
    expect(await lastAudit(user.id)).toMatchObject({ action: 'security_key_added', detail: { name: 'Blue key' } });
  });

  test('ends the other sessions of the user', async () => {
    const user = await newPerson();
    const other = (await withPassword(user.username))['access_token'];
    await addKey(user, softwareKey());
    expect((await ask({ ...user, token: other }, 'GET', '/manager/user/me')).status).toBe(401);
  });

  test('needs the second factor that the user has, so that an unlocked screen is not enough', async () => {
    const { key, ...user } = await keyed();
    expect((await begin(user)).body).toMatchObject({ code: 'PROOF_REQUIRED', proof: 'key' });
    expect(await prove(user, key)).toBe('proved');
    expect(await addKey(user, softwareKey())).toEqual({ recoveryCodes: [] });
    expect((await ask(user, 'GET', '/auth/security-key')).body['keys']).toHaveLength(2);
  });

  test.each([
    ['another origin', { origin: 'https://localhost.evil.example' }],
    ['another site', { rpId: 'evil.example' }],
    ['no PIN or fingerprint', { flags: 1 }],
    ['no touch', { flags: 4 }],
  ])('is refused with %s', async (_, deviation) => {
    const user = await newPerson();
    expect((await finish(user, softwareKey(), (await begin(user)).body, deviation)).body['code']).toBe('KEY_REFUSED');
  });

  test('of a key that an account has already is refused', async () => {
    const { key } = await keyed();
    const user = await newPerson();
    expect((await finish(user, key, (await begin(user)).body)).body['code']).toBe('KEY_REFUSED');
  });

  test('reads no address that certificates of an attestation name', async () => {
    let calls = 0;
    const server = createServer((_, answer) => {
      calls += 1;
      answer.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/crl`;
    const user = await newPerson();
    // A map with the name `x5c` and a list with octets that hold the address.
    const octets = Buffer.from(address);
    const statement = Buffer.concat([Buffer.from([0xa1, 0x63]), Buffer.from('x5c'), Buffer.from([0x81, 0x58, octets.length]), octets]);
    for (const format of ['packed', 'fido-u2f', 'android-key', 'apple', 'tpm']) {
      const answer = await finish(user, softwareKey(), (await begin(user)).body, { attestation: { format, statement } });
      expect(answer.body['code']).toBe('KEY_REFUSED');
    }
    server.close();
    expect(calls).toBe(0);
  });

  test('tolerates malformed and deeply nested octets', async () => {
    const user = await newPerson();
    const deep = Buffer.alloc(6000, 0x81).toString('base64url');
    for (const attestationObject of ['', 'AA', deep, Buffer.alloc(600, 0xff).toString('base64url')]) {
      const attestation = softwareKey().create((await begin(user)).body as never); // as: the answer of begin
      const given = { ...attestation, response: { ...attestation.response, attestationObject } };
      expect((await ask(user, 'PUT', '/auth/security-key', { name: 'x', attestation: given })).body['code']).toBe('KEY_REFUSED');
    }
    const attestation = softwareKey().create((await begin(user)).body as never); // as: the answer of begin
    const given = { ...attestation, response: { ...attestation.response, clientDataJSON: 'bnVsbA' } };
    expect((await ask(user, 'PUT', '/auth/security-key', { name: 'x', attestation: given })).body['code']).toBe('KEY_REFUSED');
  });

  test('is refused where browsers offer no keys, with the setting to change', async () => {
    const user = await newPerson();
    const answer = await ask(user, 'POST', '/auth/security-key', { password: PASSWORD }, '10.0.0.5:8080');
    expect(answer.body).toMatchObject({ status: 422, code: 'KEYS_NEED_ADDRESS' });
    expect(answer.body['detail']).toContain('HES_PUBLIC_URL');
    const wire = { header: () => 'evil.example' };
    const party = (url: string | undefined, isSecure = true) => relyingPartyOf(url, wire, isSecure)?.id;
    expect([party('https://hes.example'), party('http://localhost:8080'), party('http://hes.example'), party('https://10.0.0.5')]).toEqual([
      'hes.example',
      'localhost',
      undefined,
      undefined,
    ]);
    // The Host header is chosen by the caller, so without a public address no other name counts.
    expect([party(undefined), party('https://[::1]')]).toEqual([undefined, undefined]);
  });
});

describe('a sign-in with a key', () => {
  test('opens a session by password and key, and notes the use', async () => {
    const { key, ...user } = await keyed();
    const refusal = await withPassword(user.username);
    expect(refusal).toMatchObject({ code: 'MFA_REQUIRED', key: { rpId: 'localhost', allowCredentials: [{ id: key.id }] } });
    expect(await withKey(refusal, key)).toMatchObject({ user: { username: user.username } });
    expect((await ask(user, 'GET', '/auth/security-key')).body['keys'][0].lastUsedAt).not.toBeNull();
  });

  test('takes each answer once, also at another head-end', async () => {
    const { key, ...user } = await keyed();
    const refusal = await withPassword(user.username);
    const answer = JSON.stringify(key.get(refusal['key']));
    expect(await token({ ticket: refusal['ticket'], assertion: answer })).toHaveProperty('access_token');
    expect(await token({ ticket: refusal['ticket'], assertion: answer })).toMatchObject({ code: 'MFA_EXPIRED' });
    // An answer for one ticket does not fit another one.
    const next = await withPassword(user.username);
    expect(await token({ ticket: next['ticket'], assertion: answer })).toMatchObject({ code: 'KEY_REFUSED' });
  });

  test('refuses the key of another user, and a site in between', async () => {
    const [mine, other] = [await keyed(), await keyed()];
    const refusal = await withPassword(mine.username);
    const second = await withKey(refusal, other.key);
    expect(second).toMatchObject({ code: 'KEY_REFUSED', key: { rpId: 'localhost' } });
    const third = await withKey(second, mine.key, { origin: 'http://localhost:9999' });
    expect(third).toMatchObject({ code: 'KEY_REFUSED' });
    expect(await withKey(third, mine.key)).toHaveProperty('access_token');
  });

  test('refuses a copied key by its counter, and says so in the audit log', async () => {
    const { key, ...user } = await keyed();
    expect(await withKey(await withPassword(user.username), key, { counter: 40 })).toHaveProperty('access_token');
    expect(await withKey(await withPassword(user.username), key, { counter: 40 })).toMatchObject({ code: 'KEY_REFUSED' });
    expect(await lastAudit(user.id)).toMatchObject({ action: 'second_factor_failed', detail: { why: 'COPIED_KEY' } });
    // A copy that does not count at all is one as well.
    expect(await withKey(await withPassword(user.username), key, { counter: 0 })).toMatchObject({ code: 'KEY_REFUSED' });
    expect(await withKey(await withPassword(user.username), key, { counter: 41 })).toHaveProperty('access_token');
  });

  test('accepts keys that do not count', async () => {
    const [user, key] = [await newPerson(), softwareKey({ counts: false })];
    await addKey(user, key);
    for (let i = 0; i < 2; i++) expect(await withKey(await withPassword(user.username), key)).toHaveProperty('access_token');
  });

  test('accepts a recovery code of a user who has no authenticator app', async () => {
    const { recoveryCodes, ...user } = await keyed();
    const refusal = await withPassword(user.username);
    expect(await token({ ticket: refusal['ticket'], otp: recoveryCodes[0] ?? '' })).toHaveProperty('access_token');
    const next = await withPassword(user.username);
    expect(await token({ ticket: next['ticket'], otp: '123456' })).toMatchObject({ code: 'OTP_WRONG' });
  });

  test('locks the name after failures, as wrong codes do', async () => {
    const [mine, other] = [await keyed(), await keyed()];
    let refusal = await withPassword(mine.username);
    for (let i = 0; i < 5; i++)
      refusal = await withKey(refusal['key'] === undefined ? await withPassword(mine.username) : refusal, other.key);
    expect(refusal['code']).toBe('LOCKED');
  });

  test('refuses an account whose keys were changed outside the product', async () => {
    const { key, ...user } = await keyed();
    await app.owner.query('update security_key set public_key = public_key || $1 where user_id = $2', [Buffer.from('x'), user.id]);
    expect(await withPassword(user.username)).toMatchObject({ code: 'LOCKED' });
    expect((await ask(user, 'GET', '/auth/security-key')).status).toBe(401);
    expect(key.id).not.toBe('');
  });
});

describe('own proof by a key', () => {
  test('is asked for before a dangerous call, holds in its session, and takes no answer twice', async () => {
    const { key, ...user } = await keyed();
    const refused = await ask(user, 'PUT', '/manager/setting/timeZone', { value: 'UTC', version: 0 });
    expect(refused.body).toMatchObject({ code: 'PROOF_REQUIRED', proof: 'key' });
    const { body } = await ask(user, 'POST', '/auth/proof/key');
    const assertion = key.get(body as never); // as: the answer of the route
    expect((await ask(user, 'POST', '/auth/proof', { assertion })).status).toBe(200);
    expect((await ask(user, 'POST', '/auth/proof', { assertion })).body['code']).toBe('KEY_REFUSED');
    expect((await ask(user, 'PUT', '/manager/setting/timeZone', { value: 'UTC', version: 0 })).body['code']).not.toBe('PROOF_REQUIRED');
  });

  test('takes neither the challenge of another session nor one of another purpose, nor an old one', async () => {
    const { key, ...user } = await keyed();
    const other = { ...user, ...(await app.addUser({ roles: ['ADMIN'] })) };
    const { body } = await ask(user, 'POST', '/auth/proof/key');
    const answer = (assertion: object) => ask(user, 'POST', '/auth/proof', { assertion });
    expect((await ask(other, 'POST', '/auth/proof', { password: 'x', assertion: key.get(body as never) })).body['code']).not.toBe('proved'); // as: above
    const ticket = (await withPassword(user.username))['ticket'];
    expect((await answer(key.get({ challenge: ticket, rpId: 'localhost' }))).body['code']).toBe('KEY_REFUSED');
    const old = (await ask(user, 'POST', '/auth/proof/key')).body;
    app.advance(6 * MINUTE_MS);
    expect((await answer(key.get(old as never))).body['code']).toBe('KEY_REFUSED'); // as: above
  });

  test('accepts no password of a user who has a key', async () => {
    const { key: _, ...user } = await keyed();
    expect((await ask(user, 'POST', '/auth/proof', { password: PASSWORD })).body['code']).toBe('OTP_REQUIRED');
  });
});

describe('removing a key', () => {
  test('takes password and second factor; with the last factor the recovery codes go', async () => {
    const { key, ...user } = await keyed();
    const [{ id }] = (await ask(user, 'GET', '/auth/security-key')).body['keys'];
    const remove = (password = PASSWORD) => ask(user, 'POST', `/auth/security-key/${id}/remove`, { password });
    expect((await remove('Wrong-One-77')).body['code']).toBe('OLD_PASSWORD_WRONG');
    expect((await remove()).body['code']).toBe('PROOF_REQUIRED');
    expect(await prove(user, key)).toBe('proved');
    const stranger = await keyed();
    expect(await prove(stranger, stranger.key)).toBe('proved');
    expect((await ask(stranger, 'POST', `/auth/security-key/${id}/remove`, { password: PASSWORD })).status).toBe(404);
    expect((await remove()).status).toBe(204);
    expect(await withPassword(user.username)).toHaveProperty('access_token');
    const { rows } = await sql`select from recovery_code where user_id = ${user.id}`.execute(app.ctx.db);
    expect(rows).toHaveLength(0);
    expect(await lastAudit(user.id)).toMatchObject({ action: 'sign_in' });
  });

  test('and an authenticator app do not touch each other', async () => {
    const { key, ...user } = await keyed();
    expect(await prove(user, key)).toBe('proved');
    const begun = (await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body;
    const phone = authenticator(begun['uri'], app.ctx.clock);
    // The recovery codes of the key stay valid.
    expect((await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() })).body).toEqual({ recoveryCodes: [] });
    app.advance(MINUTE_MS / 2);
    expect((await ask(user, 'POST', '/auth/second-factor/remove', { password: PASSWORD, otp: phone.code() })).status).toBe(204);
    app.advance(MINUTE_MS / 2);
    expect((await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() })).body['code']).toBe('OTP_WRONG');
    const refusal = await withPassword(user.username);
    expect(refusal['code']).toBe('MFA_REQUIRED');
    expect(await withKey(refusal, key)).toHaveProperty('access_token');
    expect((await ask(user, 'GET', '/auth/second-factor')).body).toMatchObject({ isOn: false, recoveryLeft: 10 });
  });

  test('is done by an administrator for a lost key', async () => {
    const { key: _, ...user } = await keyed();
    const boss = await app.addUser({ roles: ['ADMIN'] });
    const reset = await ask(boss, 'PUT', `/manager/user/${user.id}/reset-second-factor`, { reason: 'Lost' });
    expect(reset.status).toBeLessThan(300);
    expect(await withPassword(user.username)).toHaveProperty('access_token');
  });
});
