import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { implementedRoutes } from '../src/features/implemented-routes.ts';
import { Nonces } from '../src/db/nonces.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

const declared = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
const guarded = declared.filter((route) => route.allow !== 'public');
const urlOf = (route: Route) => `/api${route.path.replaceAll(/\{\w+\}/g, '1')}`;

let app: TestApp;
let powerless: TestUser;
let lastAdmin: TestUser;
beforeAll(async () => {
  app = await testApp();
  powerless = await app.addUser();
  lastAdmin = await app.addUser({ roles: ['ADMIN'] });
});

/** An administrator whose session lives: some of the routes end it. */
async function livingAdmin(): Promise<TestUser> {
  const isAlive = (await app.call(lastAdmin, { url: '/api/manager/user/me' })).statusCode === 200;
  if (!isAlive) lastAdmin = await app.addUser({ roles: ['ADMIN'] });
  return lastAdmin;
}

afterAll(() => app.close());

describe('every route', () => {
  test('has exactly one handler', () => {
    const modules = implementedRoutes(app.ctx, {
      version: '0',
      isReady: () => true,
      hasSecureCookies: false,
      warnings: [],
      anchors: app.anchors,
      liveTickets: new Nonces(app.ctx, { purpose: 'live socket', minutes: 1 }),
    });
    const key = (route: Route) => `${route.method} ${route.path}`;
    expect(modules.map(({ route }) => key(route)).toSorted()).toEqual(declared.map(key).toSorted());
  });

  test.each(guarded)('$method $path refuses a caller without token', async (route) => {
    const answer = await app.fastify.inject({ method: route.method, url: urlOf(route) });
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'TOKEN_INVALID']);
  });

  test.each(guarded.filter((route) => typeof route.allow === 'object'))(
    '$method $path refuses a user without the action',
    async (route) => {
      const answer = await app.call(powerless, { method: route.method, url: urlOf(route) });
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'FORBIDDEN']);
    },
  );

  test.each(guarded)('$method $path never fails in the server for any input', async (route) => {
    const admin = await livingAdmin();
    for (const body of [{}, { meterIds: ['x'], items: 7 }, 'nonsense']) {
      const answer = await app.call(admin, {
        method: route.method,
        url: `${urlOf(route)}?page=0&size=x&from=never&node=5&id=%00`,
        ...(route.method === 'GET' ? {} : { payload: body }),
      });
      expect(answer.statusCode).toBeLessThan(500);
    }
  });

  test('answers every request with headers that forbid foreign scripts, frames and sniffing', async () => {
    // Pages lie below assets/ like the parts of the console, which are sent without the rules for pages.
    for (const url of [
      '/api/health',
      '/api/manager/user/me',
      '/hes/login',
      '/hes/assets/network',
      '/hes/assets/network?a=.js',
      '/nothing',
    ]) {
      const { headers } = await app.fastify.inject({ url });
      const rules = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
      );
      // Inline content of the page is allowed by its hash, never by `unsafe-inline`.
      for (const source of rules.get('script-src') ?? ['missing']) expect(source).toMatch(/^'(?:self|sha256-[\w+/=]+)'$/);
      expect([rules.get('frame-ancestors'), rules.get('object-src'), rules.get('default-src')]).toEqual([
        ["'none'"],
        ["'none'"],
        ["'none'"],
      ]);
      // The default forbids everything, and each kind of resource that a page needs has its own list.
      const lists = ['style-src', 'img-src', 'font-src', 'worker-src', 'connect-src', 'manifest-src', 'base-uri', 'form-action'];
      expect(lists.filter((name) => !rules.has(name))).toEqual([]);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
    }
  });

  test('says of a refusal an id of the call, and no stack, no SQL and no path', async () => {
    const refused = await Promise.all(guarded.map((route) => app.fastify.inject({ method: route.method, url: urlOf(route) })));
    const others = await Promise.all(['/api/none', '/api/asset/dcu/%E0%A4%A'].map((url) => app.fastify.inject({ url })));
    const ids = [...refused, ...others].map(({ headers }) => String(headers['x-request-id']));
    expect(ids.length).toBeGreaterThan(200);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { body } of [...refused, ...others])
      expect(body).not.toMatch(/\bat .+\(.+:\d+:\d+\)|node_modules|syntax error at|pg_catalog|relation "|SQLSTATE/i);
  });

  test('over TLS tells browsers to stay with TLS, and never in the open', async () => {
    const secured = await testApp({ isSecure: true });
    const told = async ({ fastify }: typeof app) => {
      const [page, call] = await Promise.all(['/hes/login', '/api/health'].map((url) => fastify.inject({ url })));
      return [page, call].map((answer) => answer?.headers['strict-transport-security']);
    };
    expect([await told(app), await told(secured)]).toEqual([
      [undefined, undefined],
      ['max-age=31536000; includeSubDomains', 'max-age=31536000; includeSubDomains'],
    ]);
    await secured.close();
  });

  test('stands in the OpenAPI document', async () => {
    const document = (await app.call(powerless, { url: '/api/openapi.json' })).json();
    const listed = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.toSorted()).toEqual(declared.map((route) => `${route.method} ${route.path}`).toSorted());
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas).toHaveProperty([name ?? '']);
  });
});

describe('a token', () => {
  const me = (token: string) => app.fastify.inject({ url: '/api/manager/user/me', headers: { authorization: `Bearer ${token}` } });
  const claims = () => ({ sub: powerless.sessionId, iss: 'hes', aud: 'hes-api', exp: Math.floor(Date.now() / 1000) + 600 });

  test('that is unsigned, signed with another key, for another user or of another kind is rejected', async () => {
    const key = app.ctx.secrets.derive('access tokens');
    const signed = (payload: object, header: object, with_: Uint8Array) =>
      new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', ...header }).sign(with_);
    const forged = [
      new UnsecuredJWT(claims()).encode(),
      await signed(claims(), {}, Buffer.alloc(32, 1)),
      await signed({ ...claims(), aud: 'other' }, {}, key),
      await signed({ ...claims(), iss: 'other' }, {}, key),
      await signed(claims(), { typ: 'JWT' }, key),
      await signed(claims(), { alg: 'HS512' }, key),
    ];
    for (const token of forged) expect((await me(token)).statusCode).toBe(401);
    expect((await me(await signed(claims(), {}, key))).statusCode).toBe(200);
  });

  test('ends with its fifteen minutes, with its session, and with a lock', async () => {
    const user = await app.addUser();
    expect((await me(user.token)).statusCode).toBe(200);
    await app.ctx.db.updateTable('appUser').set({ lock: true }).where('id', '=', user.id).execute();
    app.advance(4000);
    expect((await me(user.token)).statusCode).toBe(401);
    const other = await app.addUser();
    app.advance(15 * 60_000 + 1000);
    expect((await me(other.token)).statusCode).toBe(401);
  });
});

test('a user who must change the password reaches nothing but the way to do it', async () => {
  const fresh = await app.addUser({ roles: ['ADMIN'], mustChangePassword: true });
  expect((await app.call(fresh, { url: '/api/asset/dcu' })).json().code).toBe('PASSWORD_CHANGE_REQUIRED');
  expect((await app.call(fresh, { url: '/api/manager/user/me' })).statusCode).toBe(200);
});

test('a refusal is said in the language of the caller, field by field', async () => {
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const order = { method: 'POST', url: '/api/action/read/on-demand', payload: { meterIds: ['1'], kind: 'registers' } } as const;
  const chinese = (await app.call(admin, { ...order, headers: { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' } })).json();
  const english = (await app.call(admin, { ...order, headers: { 'accept-language': 'en;q=0.9,zh;q=0.1' } })).json();
  expect(chinese).toMatchObject({
    code: 'VALIDATION',
    detail: '部分输入无效，请修改标记的字段。',
    issues: [{ field: 'items', message: '请选择数据！' }],
  });
  expect(english.issues).toEqual([{ field: 'items', message: 'Please Select Data!' }]);
});

test('a call that would change something and is refused stands in the audit log', async () => {
  const user = await app.addUser({ roles: ['AUDITOR'] });
  await app.call(user, { method: 'POST', url: '/api/manager/user', payload: {} });
  const entry = await app.ctx.db.selectFrom('auditLog').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
  expect(entry).toMatchObject({ userId: user.id, action: 'call_refused', entityId: 'POST /manager/user' });
});

test('a user who calls faster than any page must wait, and other users need not', async () => {
  const small = await testApp({ callLimit: { burst: 3, perSecond: 1 } });
  const [hasty, other] = [await small.addUser(), await small.addUser()];
  const me = async (user: TestUser) => small.call(user, { url: '/api/manager/user/me' });
  const answers = [await me(hasty), await me(hasty), await me(hasty), await me(hasty)];
  expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 429]);
  expect(answers[3]?.headers['retry-after']).toBe('1');
  expect((await me(other)).statusCode).toBe(200);
  small.advance(1000);
  expect((await me(hasty)).statusCode).toBe(200);
  await small.close();
});

test('a page of another origin may not change anything', async () => {
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const change = (origin: string) =>
    app.call(admin, { method: 'PUT', url: '/api/manager/user/me', headers: { origin, host: 'hes.example' }, payload: { theme: 'dark' } });
  expect((await change('https://evil.example')).statusCode).toBe(403);
  expect((await change('https://hes.example')).statusCode).toBe(200);
});

test.each(['/api/asset/dcu?search=%00', '/api/asset/dcu/9999999999999999999', '/api/asset/meter?node=level:9999999999999999999'])(
  '%s is an invalid input, not a fault',
  async (url) => {
    const admin = await app.addUser({ roles: ['ADMIN'] });
    expect((await app.call(admin, { url })).statusCode).toBe(400);
  },
);

test('a body above the limit is refused as too large', async () => {
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const answer = await app.call(admin, { method: 'PUT', url: '/api/manager/user/me', payload: { name: 'x'.repeat(2_000_000) } });
  expect([answer.statusCode, answer.json().code]).toEqual([413, 'FILE_TOO_LARGE']);
});
