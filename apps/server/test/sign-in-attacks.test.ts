import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { hashPassword } from '../src/platform/passwords.ts';
import {
  flushSliders,
  floodWithNames,
  guess,
  guessAtOnce,
  lockName,
  prove,
  send,
  sendRaw,
  takeSlider,
  type Told,
} from './attack/sign-in.ts';
import { authenticator } from './authenticator.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';

const PASSWORD = 'Quartz-River-77!x';
const MINUTE_MS = 60_000;

// Some of these are hundreds of calls.
vi.setConfig({ testTimeout: 120_000 });

let app: TestApp;
let base: string;
let hash: string;
beforeAll(async () => {
  // Many addresses are played by a proxy that is trusted.
  app = await testApp({ trustedProxies: ['127.0.0.1'] });
  hash = await hashPassword(PASSWORD);
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.fastify.server.address() as AddressInfo).port}`; // as: it listens on TCP
});
afterAll(() => app.close());
// Ends the throttling of the previous test.
beforeEach(() => app.advance(20 * MINUTE_MS));

async function person(roles = ['OPERATOR']): Promise<TestUser & { username: string }> {
  const user = await app.addUser({ roles });
  const { username } = await app.ctx.db
    .updateTable('appUser')
    .set({ passwordHash: hash })
    .where('id', '=', user.id)
    .returning('username')
    .executeTakeFirstOrThrow();
  await sealAll(app.ctx);
  return { ...user, username };
}

const auditOf = async (userId: string) =>
  (await app.ctx.db.selectFrom('auditLog').where('entityId', '=', userId).selectAll().orderBy('id').execute()).map(({ action }) => action);
const codesOf = (told: readonly Told[]) => told.map(({ code, status }) => code ?? status);
const isStanding = async (token: string) => (await send(base, '/manager/user/me', { token })).status === 200;

describe('wrong passwords (F10)', () => {
  test('are judged five times and no more, however many come at once; a right one during the lock is refused', async () => {
    const { username, id } = await person();
    const passwords = Array.from({ length: 30 }, (_, n) => `Wrong-${n}-Guess!`);
    // The number of rows depends on the pace of the machine; the number of refusals that they tell does not.
    const told = await guessAtOnce(base, username, passwords);
    const judged = told.filter(({ code }) => code === 'INVALID_GRANT' || code === 'INVALID_GRANT_TRIES');
    expect(judged).toHaveLength(4);
    expect(codesOf(told).filter((code) => code === 'LOCKED')).toHaveLength(26);
    expect((await guess(base, { username, password: PASSWORD, from: '192.0.2.1' })).code).toBe('LOCKED');
    expect((await auditOf(id)).filter((action) => action === 'sign_in_failed')).toHaveLength(5);
    app.advance(16 * MINUTE_MS);
    expect((await guess(base, { username, password: PASSWORD, from: '192.0.2.1' })).status).toBe(200);
  });
});

describe('hashing for callers without an account (F11)', () => {
  test('leaves lists quick, and refuses what does not fit with the time to wait', async () => {
    const admin = await app.addUser({ roles: ['ADMIN'] });
    const median = async (count: number) => {
      const times: number[] = [];
      for (let n = 0; n < count; n++) times.push((await send(base, '/manager/user?size=20', { token: admin.token })).ms);
      return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Infinity;
    };
    await median(10);
    const quiet = await median(30);
    let isOver = false;
    const flood = floodWithNames(base, 24, () => isOver);
    await expect.poll(async () => (await send(base, '/health')).status).toBe(200);
    const busy = await median(30);
    isOver = true;
    const statuses = await flood;
    // Each of the callers was answered at least once: more often only where lists take longer than a refusal.
    expect(statuses.length).toBeGreaterThanOrEqual(24);
    // Both are measured on the same machine at the same time: it was 64 times as long before.
    expect(busy / Math.max(quiet, 10), `${quiet.toFixed(1)} ms, then ${busy.toFixed(1)} ms`).toBeLessThan(12);
  });

  test('is limited by address across all names', async () => {
    const told: Told[] = [];
    for (let n = 0; n < 32; n++)
      told.push(await guess(base, { username: `spray${n}`, password: 'x', from: '198.51.100.200', slider: 'none' }));
    expect(told.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect(told.find(({ status }) => status === 429)?.retryAfter).toMatch(/^\d+$/);
    const sixtyFour = [];
    for (let n = 0; n < 32; n++)
      sixtyFour.push(await guess(base, { username: `v6${n}`, password: 'x', from: `2001:db8:0:7::${n + 1}`, slider: 'none' }));
    expect(sixtyFour.at(-1)?.status).toBe(429);
    expect((await guess(base, { username: 'v6', password: 'x', from: '2001:db8:0:8::1', slider: 'none' })).code).toBe('SLIDER_INVALID');
  });
});

describe('the slider (F12)', () => {
  test('of a user is not voided by those of other callers, is valid once, and cannot be forged', async () => {
    const { username } = await person();
    const slider = await takeSlider(base);
    await flushSliders(base, 300);
    expect((await guess(base, { username, password: PASSWORD, slider })).status).toBe(200);
    expect((await guess(base, { username, password: PASSWORD, slider })).code).toBe('SLIDER_INVALID');
    const made = Buffer.from(await takeSlider(base), 'base64url');
    made[9] = (made[9] ?? 0) ^ 1;
    for (const forged of [made.toString('base64url'), randomBytes(36).toString('base64url'), ''])
      expect((await guess(base, { username, password: PASSWORD, slider: forged })).code).toBe('SLIDER_INVALID');
  });
});

describe('unknown callers who lock a name (F13)', () => {
  test('lock neither its known browser nor its standing session, and raise one alarm an hour', async () => {
    const victim = await person(['ADMIN']);
    const known = await guess(base, { username: victim.username, password: PASSWORD, from: '192.0.2.7' });
    expect(known.status).toBe(200);
    expect(await lockName(base, victim.username)).toBe('LOCKED');
    expect((await guess(base, { username: victim.username, password: PASSWORD, from: '192.0.2.8' })).code).toBe('LOCKED');
    const again = await guess(base, { username: victim.username, password: PASSWORD, from: '192.0.2.7', cookies: known.cookies });
    expect(again.status).toBe(200);
    // The proof of an existing session is counted separately.
    const token = String(again.body['access_token']);
    expect((await prove(base, token, { password: 'Wrong-One-77' })).code).toBe('OLD_PASSWORD_WRONG');
    expect((await prove(base, token, { password: PASSWORD })).status).toBe(200);
    // Wrong passwords in the known browser lock that browser, and a cookie of another user makes none known.
    for (let n = 0; n < 5; n++)
      await guess(base, { username: victim.username, password: 'Wrong-One-77', from: '192.0.2.9', cookies: again.cookies });
    const locked = await guess(base, { username: victim.username, password: PASSWORD, from: '192.0.2.10', cookies: again.cookies });
    expect(locked.code).toBe('LOCKED');
    app.advance(16 * MINUTE_MS);
    expect(await lockName(base, victim.username)).toBe('LOCKED');
    expect((await auditOf(victim.id)).filter((action) => action === 'sign_in_attacked')).toHaveLength(1);
    const { rows } = await sql<{ level: string; message: string }>`select abnormal_level as level, message from event
      where device_kind = 'head_end' and code = 60020 and message like ${`${victim.username}%`}`.execute(app.ctx.db);
    expect(rows).toMatchObject([{ level: 'serious' }]);
  });

  test('learn nothing: the browser of one user is unknown to another', async () => {
    const [mine, other] = [await person(), await person()];
    const known = await guess(base, { username: mine.username, password: PASSWORD, from: '192.0.2.20' });
    await lockName(base, other.username);
    expect((await guess(base, { username: other.username, password: PASSWORD, from: '192.0.2.20', cookies: known.cookies })).code).toBe(
      'LOCKED',
    );
    expect((await guess(base, { username: other.username, password: PASSWORD, cookies: 'hes_browser=' + 'A'.repeat(43) })).code).toBe(
      'LOCKED',
    );
  });

  test('are audited without flooding the log when they make names up', async () => {
    const refusals = async () =>
      (await app.ctx.db.selectFrom('auditLog').select('detail').where('action', '=', 'sign_in_failed').orderBy('id').execute()).slice(
        before,
      );
    const before = (await app.ctx.db.selectFrom('auditLog').select('id').where('action', '=', 'sign_in_failed').execute()).length;
    for (let n = 0; n < 45; n++) await guess(base, { username: `made.up.${n}`, password: 'x', from: `198.51.101.${n + 1}` });
    const flood = await refusals();
    expect(flood.length).toBeGreaterThanOrEqual(30);
    expect(flood.length).toBeLessThan(40);
    app.advance(MINUTE_MS);
    await guess(base, { username: 'made.up.again', password: 'x', from: '198.51.102.1' });
    const rows = await refusals();
    expect(rows.at(-1)?.detail).toMatchObject({ username: 'made.up.again' });
    const told = rows.map(({ detail }) => 1 + ((detail as { leftOut?: number }).leftOut ?? 0)); // as: written by the sign-in
    expect(told.reduce((sum, count) => sum + count)).toBe(46);
  });
});

describe('a stolen session that guesses (F14)', () => {
  const wrong = { password: 'Wrong-One-77', otp: '000000' };
  const ways: Record<string, (token: string, id: string) => Promise<Told>> = {
    'the password at the step-up': (token) => prove(base, token, wrong),
    'the password at enrolment': (token) =>
      send(base, '/auth/second-factor', { method: 'POST', token, json: { password: wrong.password } }),
    'the password at its change': (token, id) =>
      send(base, `/manager/user/${id}/password`, {
        method: 'PUT',
        token,
        json: { oldPassword: wrong.password, newPassword: 'Brand-New-77' },
      }),
  };
  test.each(Object.entries(ways))('ends after five wrong answers: %s', async (_, guessAgain) => {
    const victim = await person(['ADMIN']);
    const told: Told[] = [];
    for (let n = 0; n < 5; n++) {
      told.push(await guessAgain(victim.token, victim.id));
      // Its limits by time are tested elsewhere.
      app.advance(31_000);
    }
    expect(codesOf(told)).toEqual([...Array<string>(4).fill('OLD_PASSWORD_WRONG'), 'TOKEN_INVALID']);
    expect(await isStanding(victim.token)).toBe(false);
    const actions = await auditOf(victim.id);
    expect(actions.at(-1)).toBe('session_ended_by_proofs');
    expect(actions.filter((action) => /refused/.test(action))).toHaveLength(5);
  });

  test('is judged five times at most when all come at once, and ends', async () => {
    const victim = await person(['ADMIN']);
    const told = await Promise.all(
      Array.from({ length: 10 }, () =>
        send(base, '/auth/second-factor', { method: 'POST', token: victim.token, json: { password: 'Wrong-One-77' } }),
      ),
    );
    expect(codesOf(told).filter((code) => code === 'OLD_PASSWORD_WRONG').length).toBeLessThanOrEqual(4);
    expect(await isStanding(victim.token)).toBe(false);
  });

  test('ends after five wrong codes of a second factor, at its enrolment and after it', async () => {
    const victim = await person(['ADMIN']);
    const begun = await send(base, '/auth/second-factor', { method: 'POST', token: victim.token, json: { password: PASSWORD } });
    const phone = authenticator(String(begun.body['uri']), app.ctx.clock);
    const confirm = (otp: string) => send(base, '/auth/second-factor', { method: 'PUT', token: victim.token, json: { otp } });
    expect((await confirm(phone.wrong())).code).toBe('OTP_WRONG');
    expect((await confirm(phone.code())).status).toBe(200);
    // A right one begins the count again.
    const stepUp = () => prove(base, victim.token, { otp: phone.wrong() });
    const told = [];
    for (let n = 0; n < 5; n++) told.push(await stepUp());
    expect(codesOf(told)).toEqual([...Array<string>(4).fill('OTP_WRONG'), 'TOKEN_INVALID']);
    expect(await isStanding(victim.token)).toBe(false);
    expect((await auditOf(victim.id)).filter((action) => action === 'proof_refused')).toHaveLength(1);
  });
});

describe('forwarded addresses (F17)', () => {
  test('are believed of a trusted proxy alone, and only if they are addresses', async () => {
    const { username, id } = await person();
    const strict = await testApp();
    await strict.fastify.listen({ host: '127.0.0.1', port: 0 });
    const direct = `http://127.0.0.1:${(strict.fastify.server.address() as AddressInfo).port}`; // as: it listens on TCP
    await guess(direct, { username: 'admin', password: 'Wrong-One-77', from: '203.0.113.99' });
    const row = await strict.ctx.db.selectFrom('auditLog').select('ip').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
    expect(row.ip).toBe('127.0.0.1');
    await strict.close();
    for (const from of ['203.0.113.98', 'not-an-ip', '<script>alert(1)</script>', '::ffff:203.0.113.97'])
      await guess(base, { username, password: 'Wrong-One-77', from });
    const rows = await app.ctx.db.selectFrom('auditLog').where('entityId', '=', id).select('ip').orderBy('id').execute();
    expect(rows.map(({ ip }) => ip)).toEqual(['203.0.113.98', '127.0.0.1', '127.0.0.1', '203.0.113.97']);
  });
});

describe('sessions', () => {
  test('of a user are listed and ended by the user, and by no other', async () => {
    const { username, id } = await person();
    const [here, there, third] = await Promise.all(
      ['192.0.2.31', '192.0.2.32', '192.0.2.33'].map((from) => guess(base, { username, password: PASSWORD, from })),
    );
    const tokenOf = (told: Told | undefined) => String(told?.body['access_token']);
    const list = async (token: string) =>
      (await send(base, '/auth/session', { token })).body['items'] as { id: string; ip: string; isCurrent: boolean }[]; // as: the route's answer
    const mine = await list(tokenOf(here));
    expect(mine.filter(({ isCurrent }) => isCurrent)).toMatchObject([{ ip: '192.0.2.31' }]);
    const target = mine.find(({ ip }) => ip === '192.0.2.32')?.id ?? '';
    const stranger = await person(['ADMIN']);
    const end = (token: string) => send(base, `/auth/session/${target}`, { method: 'DELETE', token });
    expect((await end(stranger.token)).status).toBe(404);
    expect(await isStanding(tokenOf(there))).toBe(true);
    // A stolen token alone ends nothing.
    expect((await end(tokenOf(here))).code).toBe('PROOF_REQUIRED');
    expect((await send(base, '/auth/session', { method: 'DELETE', token: tokenOf(here) })).code).toBe('PROOF_REQUIRED');
    expect(await isStanding(tokenOf(there))).toBe(true);
    expect((await prove(base, tokenOf(here), { password: PASSWORD })).status).toBe(200);
    expect((await end(tokenOf(here))).status).toBe(204);
    expect(await isStanding(tokenOf(there))).toBe(false);
    const others = await send(base, '/auth/session', { method: 'DELETE', token: tokenOf(here) });
    expect([others.status, await isStanding(tokenOf(third)), await isStanding(tokenOf(here))]).toEqual([200, false, true]);
    expect((await auditOf(id)).filter((action) => action === 'session_ended_by_user')).toHaveLength(2);
  });

  test('are not ended by a made-up secret (F26)', async () => {
    const { username } = await person();
    const told = await guess(base, { username, password: PASSWORD });
    const sessionId = /hes_refresh=([0-9a-f-]{36})/.exec(told.cookies)?.[1] ?? '';
    const forged = `hes_refresh=${sessionId}.${randomBytes(32).toString('base64url')}`;
    const refresh = (cookies: string) =>
      send(base, '/auth/oauth2/token', {
        method: 'POST',
        cookies,
        headers: { authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}` },
        form: { grant_type: 'refresh_token' },
      });
    expect((await refresh(forged)).code).toBe('INVALID_GRANT');
    await send(base, '/auth/oauth2/revoke', { method: 'POST', cookies: forged });
    expect(await isStanding(String(told.body['access_token']))).toBe(true);
    expect((await refresh(told.cookies)).status).toBe(200);
  });
});

describe('information without a session', () => {
  test('holds neither version nor interface', async () => {
    for (const path of ['/health', '/white/list/api']) expect(JSON.stringify((await send(base, path)).body)).not.toMatch(/version/i);
    expect((await send(base, '/openapi.json')).code).toBe('TOKEN_INVALID');
    const { token } = await person();
    expect((await send(base, '/openapi.json', { token })).status).toBe(200);
    expect((await send(base, '/manager/user/me', { token })).body['headEndVersion']).toBe('0.0.0');
  });

  test('two Host headers are refused', async () => {
    expect(await sendRaw(base, '/api/health', [['host', 'hes.example']])).toBe(200);
    expect(
      await sendRaw(base, '/api/health', [
        ['host', 'hes.example'],
        ['Host', 'evil.example'],
      ]),
    ).toBe(400);
  });
});

test('a JSON route takes no form, and a form route no JSON (F26)', async () => {
  const { token, id } = await person();
  const change = { method: 'PUT', token };
  expect((await send(base, '/manager/user/me', { ...change, form: { name: 'By a form' } })).code).toBe('VALIDATION');
  expect((await send(base, '/manager/user/me', { ...change, json: { name: 'By JSON' } })).status).toBe(200);
  expect((await send(base, '/auth/oauth2/token', { method: 'POST', json: { grant_type: 'password' } })).code).toBe('VALIDATION');
  const { name } = await app.ctx.db.selectFrom('appUser').where('id', '=', id).select('name').executeTakeFirstOrThrow();
  expect(name).toBe('By JSON');
});

test('refused questions are on record once an hour, user and page (V16.3.2)', async () => {
  const { token, id } = await person([]);
  const ask = () => send(base, '/action/relay?page=1', { token });
  const rows = async () =>
    (
      await app.ctx.db.selectFrom('auditLog').where('userId', '=', id).where('action', '=', 'call_refused').select('entityId').execute()
    ).map(({ entityId }) => entityId);
  for (let n = 0; n < 3; n++) expect((await ask()).status).toBe(403);
  expect(await rows()).toEqual(['GET /action/relay']);
});

test('another phone number or e-mail address takes the own proof, a name does not (V7.5.1)', async () => {
  const { username } = await person();
  const token = String((await guess(base, { username, password: PASSWORD })).body['access_token']);
  const change = (json: object) => send(base, '/manager/user/me', { method: 'PUT', token, json });
  expect((await change({ name: 'New Name', phone: null, email: null })).status).toBe(200);
  expect((await change({ phone: '13800138000' })).code).toBe('PROOF_REQUIRED');
  expect((await change({ email: 'me@evil.example' })).code).toBe('PROOF_REQUIRED');
  expect((await prove(base, token, { password: PASSWORD })).status).toBe(200);
  expect((await change({ email: 'me@hes.example' })).status).toBe(200);
});

test('a preference is judged by its depth and by what the database makes of it (F26)', async () => {
  const { token } = await person();
  const save = (value: unknown) => send(base, '/manager/preference', { method: 'PUT', token, json: { key: 'columns:/assets/dcu', value } });
  let nested: unknown = 1;
  for (let n = 0; n < 2600; n++) nested = { a: nested };
  expect((await save(nested)).status).toBe(400);
  expect((await save(Array.from({ length: 7900 }, () => 1))).status).toBe(400);
  expect((await save({ columns: ['sn', { key: 'name', width: 120 }] })).status).toBe(204);
});
