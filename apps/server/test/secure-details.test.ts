import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generatePassword, hashPassword, isPassword } from '../src/platform/passwords.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';

const PASSWORD = ' Stone-Harbour-41 ';

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp({ isSecure: true });
  admin = await app.addUser({ roles: ['ADMIN'] });
  await app.ctx.db
    .updateTable('appUser')
    .set({ passwordHash: await hashPassword(PASSWORD), username: 'li.wei' })
    .where('id', '=', admin.id)
    .execute();
  await sealAll(app.ctx);
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

async function signIn(password: string) {
  const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
  return app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: {
      authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ grant_type: 'password', username: 'li.wei', password, slider: slider.nonce }).toString(),
  });
}

test('over TLS every cookie is Secure and has the prefix of its host, whose rules it keeps', async () => {
  const answer = await signIn(PASSWORD);
  expect(answer.body).toContain('access_token');
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  expect(cookies).toHaveLength(2);
  for (const cookie of cookies) expect(cookie).toMatch(/^__Host-hes_\w+=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
});

test('a password counts as it was typed: with its spaces, its case and its last letter', async () => {
  expect((await signIn(PASSWORD)).statusCode).toBe(200);
  for (const other of [PASSWORD.trim(), PASSWORD.toLowerCase(), PASSWORD.slice(0, -1)])
    expect((await signIn(other)).json().code).toMatch(/^INVALID_GRANT/);
  const long = `${'aB3-'.repeat(63)}aB3x`;
  const stored = await hashPassword(long);
  expect([await isPassword(long, stored, 'signed-in'), await isPassword(`${long.slice(0, -1)}y`, stored, 'signed-in')]).toEqual([
    true,
    false,
  ]);
});

test('a generated password has 128 random bits at least', () => {
  const made = Array.from({ length: 200 }, generatePassword);
  const letters = new Set(made.join(''));
  const [length = 0] = made.map((password) => password.length);
  // The four kinds are drawn first, from separate sets.
  const bits = (length - 4) * Math.log2(letters.size) + Math.log2(24 * 24 * 8 * 6);
  expect(bits).toBeGreaterThanOrEqual(128);
  expect(new Set(made).size).toBe(made.length);
});

test('a parameter that is given twice is refused, in the query and in a form', async () => {
  const refused = async (url: string) => (await app.call(admin, { url })).json();
  expect(await refused('/api/manager/user?page=1&page=2')).toMatchObject({ status: 400, code: 'VALIDATION', issues: [{ field: 'page' }] });
  expect(await refused('/api/manager/user?username=a&username=b')).toMatchObject({
    status: 400,
    code: 'VALIDATION',
    issues: [{ field: 'username' }],
  });
});

test('a body cannot reach the prototype of objects', async () => {
  for (const key of ['__proto__', 'constructor']) {
    const payload = `{"name":"Li Wei","${key}":{"prototype":{"isAdmin":true},"isAdmin":true}}`;
    const headers = { 'content-type': 'application/json', origin: 'https://localhost', host: 'localhost' };
    const answer = await app.call(admin, { method: 'PUT', url: '/api/manager/user/me', headers, payload });
    expect(answer.statusCode).toBe(400);
  }
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});

test.each(['TRACE', 'TRACK', 'DEBUG'])('%s is no method of the server', async (method) => {
  const socket = connect((app.fastify.server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
  let told = '';
  socket.on('data', (octets) => (told += String(octets)));
  socket.end(`${method} /api/health HTTP/1.1\r\nhost: a\r\nx-echo: never-come-back\r\nconnection: close\r\n\r\n`);
  await once(socket, 'close');
  expect(told).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(told).not.toContain('never-come-back');
});
