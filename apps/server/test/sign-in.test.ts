import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkChain } from '../src/db/check-chain.ts';
import { ADMIN_PASSWORD } from './global-setup.ts';
import { testApp, type TestApp } from './test-app.ts';

const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const MINUTE_MS = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  // Ends locks and throttling of the previous test.
  app.advance(20 * MINUTE_MS);
  await app.ctx.db.updateTable('appUser').set({ failedCount: 0, failedSince: null }).execute();
});

const nonce = async (): Promise<string> => (await app.fastify.inject({ url: '/api/white/list/api' })).json().slider.nonce;

const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: { authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

const signIn = async (password = ADMIN_PASSWORD, username = 'admin') =>
  post({ grant_type: 'password', username, password, slider: await nonce() });

const cookieOf = (answer: Awaited<ReturnType<typeof post>>) => String(answer.headers['set-cookie']).split(';')[0] ?? '';
const refresh = (cookie: string) => post({ grant_type: 'refresh_token' }, { cookie });

describe('a password', () => {
  test('that is right opens a session with a short token and a cookie no script can read', async () => {
    const answer = await signIn();
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ token_type: 'Bearer', expires_in: 900, user: { username: 'admin', mustChangePassword: false } });
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies)
      expect(cookie).toMatch(/^hes_(?:refresh|browser)=[\w.-]+; Path=\/api\/auth; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(answer.headers['cache-control']).toBe('no-store');
    const me = await app.fastify.inject({
      url: '/api/manager/user/me',
      headers: { authorization: `Bearer ${answer.json().access_token}` },
    });
    expect(me.json()).toMatchObject({ username: 'admin', roles: [{ code: 'ADMIN' }], scope: { kind: 'whole' } });
  });

  test('is found regardless of the case of the user name', async () => {
    expect((await signIn(ADMIN_PASSWORD, 'ADMIN')).statusCode).toBe(200);
  });

  test('that is wrong is an invalid grant, then counted, then locks for a quarter of an hour', async () => {
    const codes = [];
    for (let i = 0; i < 5; i++) codes.push((await signIn('wrong')).json());
    expect(codes.map((body) => body.code)).toEqual([
      'INVALID_GRANT',
      'INVALID_GRANT_TRIES',
      'INVALID_GRANT_TRIES',
      'INVALID_GRANT_TRIES',
      'LOCKED',
    ]);
    expect(codes[0]).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(codes[3].detail).toContain('after 1 more failed attempts');
    const locked = await signIn();
    expect([locked.statusCode, locked.json().detail]).toEqual([
      423,
      'This account is locked: too many wrong passwords or codes; try again in 15 min',
    ]);
    app.advance(16 * MINUTE_MS);
    expect((await signIn()).statusCode).toBe(200);
  });

  test('S-218 S-219: that locks is counted however many come at once, seen by administrators, and unlocked by them', async () => {
    const [{ id }, admin] = [await app.addUser(), await app.addUser({ roles: ['ADMIN'] })];
    const { username } = await app.ctx.db.selectFrom('appUser').where('id', '=', id).select('username').executeTakeFirstOrThrow();
    await Promise.all(Array.from({ length: 5 }, () => signIn('wrong', username)));
    expect((await signIn('wrong', username)).json().code).toBe('LOCKED');
    const listed = async (lock: boolean): Promise<{ id: string }[]> =>
      (await app.call(admin, { url: `/api/manager/user?size=500&lock=${lock}` })).json().items;
    expect(await listed(true)).toMatchObject([{ id, lock: true, lockReason: null, lockedUntil: expect.stringContaining('T') }]);
    expect((await listed(false)).map((row) => row.id)).not.toContain(id);
    await app.call(admin, { method: 'PUT', url: `/api/manager/user/${id}/lock`, payload: { lock: false } });
    expect(await listed(true)).toEqual([]);
    expect((await signIn('wrong', username)).json().code).toBe('INVALID_GRANT');
  });

  test('of an unknown name is answered like a wrong one, up to the lock', async () => {
    const codes = [];
    for (let i = 0; i < 6; i++) codes.push((await signIn('wrong', 'nobody')).json().code);
    expect(codes).toEqual(['INVALID_GRANT', 'INVALID_GRANT_TRIES', 'INVALID_GRANT_TRIES', 'INVALID_GRANT_TRIES', 'LOCKED', 'LOCKED']);
  });

  test('of a user an administrator locked is answered with the reason', async () => {
    await app.ctx.db.updateTable('appUser').set({ lock: true, lockReason: 'left the company' }).where('username', '=', 'admin').execute();
    const answer = await signIn();
    await app.ctx.db.updateTable('appUser').set({ lock: false }).where('username', '=', 'admin').execute();
    expect([answer.statusCode, answer.json().detail]).toEqual([423, 'This account is locked: left the company']);
  });

  test('is throttled by address and name', async () => {
    const statuses = [];
    for (let i = 0; i < 11; i++)
      statuses.push((await post({ grant_type: 'password', username: 'hurry', password: 'x', slider: 'none' })).statusCode);
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn()).statusCode).toBe(200);
  });
});

describe('the call', () => {
  test('needs a slider that is fresh and unused', async () => {
    const slider = await nonce();
    const wrong = await post({ grant_type: 'password', username: 'admin', password: 'wrong', slider });
    const again = await post({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD, slider });
    expect([wrong.json().code, again.json().code]).toEqual(['INVALID_GRANT', 'SLIDER_INVALID']);
    const old = await nonce();
    app.advance(2 * MINUTE_MS + 1);
    expect((await post({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD, slider: old })).json().code).toBe(
      'SLIDER_INVALID',
    );
  });

  test('refuses another client and another grant', async () => {
    const stranger = await post({ grant_type: 'password' }, { authorization: `Basic ${Buffer.from('other:').toString('base64')}` });
    expect([stranger.statusCode, stranger.json().error]).toEqual([400, 'invalid_client']);
    expect((await post({ grant_type: 'authorization_code' })).json().error).toBe('unsupported_grant_type');
  });
});

describe('a refresh token', () => {
  test('is replaced at every use', async () => {
    const first = cookieOf(await signIn());
    const answer = await refresh(first);
    expect(answer.statusCode).toBe(200);
    expect(cookieOf(answer)).not.toBe(first);
    expect((await refresh(cookieOf(answer))).statusCode).toBe(200);
  });

  test('that was replaced a moment ago serves a second tab', async () => {
    const first = cookieOf(await signIn());
    const [one, two] = await Promise.all([refresh(first), refresh(first)]);
    expect([one?.statusCode, two?.statusCode]).toEqual([200, 200]);
  });

  test('that comes back later was stolen: the session ends for both', async () => {
    const first = cookieOf(await signIn());
    const second = cookieOf(await refresh(first));
    app.advance(MINUTE_MS);
    expect((await refresh(first)).json().error).toBe('invalid_grant');
    expect((await refresh(second)).json().error).toBe('invalid_grant');
  });

  test('ends when its browser signs in again, and not when a sign-in fails', async () => {
    const first = await signIn();
    const again = (password: string) =>
      nonce().then((slider) => post({ grant_type: 'password', username: 'admin', password, slider }, { cookie: cookieOf(first) }));
    const isStanding = async () =>
      (await app.fastify.inject({ url: '/api/manager/user/me', headers: { authorization: `Bearer ${first.json().access_token}` } }))
        .statusCode === 200;
    expect([(await again('wrong')).statusCode, await isStanding()]).toEqual([400, true]);
    expect([(await again(ADMIN_PASSWORD)).statusCode, await isStanding()]).toEqual([200, false]);
    expect((await refresh(cookieOf(first))).statusCode).toBe(400);
  });

  test('ends with the session, and after twelve idle hours', async () => {
    const cookie = cookieOf(await signIn());
    await app.fastify.inject({ method: 'POST', url: '/api/auth/oauth2/revoke', headers: { cookie } });
    expect((await refresh(cookie)).statusCode).toBe(400);
    const quiet = cookieOf(await signIn());
    app.advance(12 * 60 * MINUTE_MS + 1);
    expect((await refresh(quiet)).statusCode).toBe(400);
    expect((await refresh('hes_refresh=nonsense')).statusCode).toBe(400);
  });
});

describe('the own password', () => {
  const change = async (oldPassword: string, newPassword: string, id?: string) => {
    const { access_token: token, user } = (await signIn()).json();
    return app.fastify.inject({
      method: 'PUT',
      url: `/api/manager/user/${id ?? user.id}/password`,
      headers: { authorization: `Bearer ${token}` },
      payload: { oldPassword, newPassword },
    });
  };

  test.each([
    ['Wrong-Old-1', 'Brand-New-77', 'OLD_PASSWORD_WRONG'],
    [ADMIN_PASSWORD, 'With Space 1!', 'PASSWORD_WEAK'],
    [ADMIN_PASSWORD, ADMIN_PASSWORD, 'PASSWORD_SAME'],
    [ADMIN_PASSWORD, 'P@ssw0rd2024!', 'PASSWORD_COMMON'],
    [ADMIN_PASSWORD, 'The-Admin-77', 'PASSWORD_COMMON'],
  ])('changed from %s to %s is refused: %s', async (oldPassword, newPassword, code) => {
    expect((await change(oldPassword, newPassword)).json().code).toBe(code);
  });

  test.each([
    ['S-421', 'a small letter', 'QUIET-LANTERN-8'],
    ['S-422', 'a capital letter', 'quiet-lantern-8'],
    ['S-423', 'a digit', 'Quiet-Lantern-X'],
    ['S-424', 'a special character', 'QuietLantern88'],
    ['S-426 S-527', 'seven characters', 'Qu-le8'],
  ])('%s: without %s is rejected by the server too, regardless of the browser', async (_statement, _lacks, newPassword) => {
    expect((await change(ADMIN_PASSWORD, newPassword)).json()).toMatchObject({ code: 'PASSWORD_WEAK', issues: [{ field: 'newPassword' }] });
  });

  test('of another user cannot be changed', async () => {
    expect((await change(ADMIN_PASSWORD, 'Brand-New-77', '999')).statusCode).toBe(403);
  });

  test('once changed ends all other sessions', async () => {
    const other = cookieOf(await signIn());
    expect((await change(ADMIN_PASSWORD, 'Brand-New-77')).statusCode).toBe(204);
    expect((await refresh(other)).statusCode).toBe(400);
    expect((await signIn(ADMIN_PASSWORD)).statusCode).toBe(400);
    expect((await signIn('Brand-New-77')).statusCode).toBe(200);
  });
});

test('every sign-in, failure and change stands in the audit chain, and the chain notices a changed row', async () => {
  const actions = (await app.ctx.db.selectFrom('auditLog').select('action').distinct().execute()).map((row) => row.action);
  expect(actions).toEqual(
    expect.arrayContaining([
      'sign_in',
      'sign_in_failed',
      'sign_out',
      'password_changed',
      'password_change_refused',
      'refresh_token_reused',
    ]),
  );
  const { db } = app.ctx;
  expect(await checkChain(db, 'audit', { limit: 1000 })).toMatchObject({ brokenId: null, isEnd: true });
  const row = await db.selectFrom('auditLog').select('id').where('action', '=', 'sign_in_failed').orderBy('id').executeTakeFirstOrThrow();
  // The owner of the tables can switch triggers off and rewrite a row; the chain shows it.
  await app.owner.query(`set local session_replication_role = replica; update audit_log set action = 'sign_in' where id = ${row.id}`);
  expect(await checkChain(db, 'audit', { limit: 1000 })).toMatchObject({ brokenId: row.id, brokenBy: 'changed' });
});
