import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../src/platform/passwords.ts';
import { openLive } from './live-socket.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';

const OLD = 'Town-Before-2026';
const NEW = 'Town-After-2026';
/** The guaranteed time; the clock of the head-end stands still, so that nothing expires. */
const PROMISED_MS = 5000;

let app: TestApp;
let admin: TestUser;
let base: string;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
  await app.fastify.listen({ port: 0, host: '127.0.0.1' });
  base = `127.0.0.1:${(app.fastify.server.address() as AddressInfo).port}`; // as: it listens on TCP
});
afterAll(() => app.close());

const put = (user: TestUser, path: string, payload: object) => app.call(user, { method: 'PUT', url: `/api${path}`, payload });
const roleId = async (code: string) =>
  (await app.ctx.db.selectFrom('role').where('code', '=', code).select('id').executeTakeFirstOrThrow()).id;

/** The same user signed in again in another browser. */
async function secondDesk(user: TestUser): Promise<TestUser> {
  const other = await app.addUser();
  await app.ctx.db.updateTable('userSession').set({ userId: user.id }).where('id', '=', other.sessionId).execute();
  await sealAll(app.ctx);
  return { ...other, id: user.id };
}

const CAUSES: Record<string, (user: TestUser) => Promise<{ statusCode: number }>> = {
  'a user is locked': (user) => put(admin, `/manager/user/${user.id}/lock`, { lock: true, lockReason: 'left the company' }),
  'a user gets other roles': async (user) =>
    put(admin, `/manager/user/${user.id}`, { name: 'Moved', roleIds: [await roleId('AUDITOR')], version: 1 }),
  'a user gets another password': (user) => put(admin, `/manager/user/${user.id}/reset-password`, { newPassword: NEW }),
  'a user changes the password in another browser': async (user) =>
    put(await secondDesk(user), `/manager/user/${user.id}/password`, { oldPassword: OLD, newPassword: NEW }),
  'a user is deleted': (user) => app.call(admin, { method: 'DELETE', url: `/api/manager/user/${user.id}` }),
};

test.each(Object.entries(CAUSES))('when %s, the session ends at once, call and socket', async (_, end) => {
  const user = await app.addUser({ roles: ['OPERATOR'] });
  await app.ctx.db
    .updateTable('appUser')
    .set({ passwordHash: await hashPassword(OLD) })
    .where('id', '=', user.id)
    .execute();
  await sealAll(app.ctx);
  const socket = await openLive(base, user.token);
  await once(socket, 'open');
  const me = async () => (await app.call(user, { url: '/api/manager/user/me' })).statusCode;
  expect(await me()).toBe(200);
  const closed = once(socket, 'close');
  expect((await end(user)).statusCode).toBeLessThan(300);
  const from = performance.now();
  expect(await me()).toBe(401);
  expect((await closed)[0]).toBe(4401);
  expect(performance.now() - from).toBeLessThan(PROMISED_MS);
  const again = await openLive(base, user.token);
  expect((await once(again, 'close'))[0]).toBe(4401);
});
