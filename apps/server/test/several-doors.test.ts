import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashPassword } from '../src/platform/passwords.ts';
import { guess, send, takeSlider, type Told } from './attack/sign-in.ts';
import { authenticator } from './authenticator.ts';
import { liveTicket, socketWith } from './live-socket.ts';
import { sealAll, testApp, type TestApp } from './test-app.ts';

const PASSWORD = 'Quartz-River-77!x';
const MINUTE_MS = 60_000;

/** Two head-ends on one database, each on a port of its own, as behind a balancer that forgets. */
let [first, second]: TestApp[] = [];
let [here, there]: string[] = [];
let hash: string;
const baseOf = async ({ fastify }: TestApp): Promise<string> => {
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`; // as: it listens on TCP
};
const both = () => ({ first: first as TestApp, second: second as TestApp, here: here ?? '', there: there ?? '' }); // as: made before the first test
beforeAll(async () => {
  first = await testApp({ trustedProxies: ['127.0.0.1'] });
  second = await testApp({ trustedProxies: ['127.0.0.1'], database: first.database });
  [here, there] = [await baseOf(first), await baseOf(second)];
  hash = await hashPassword(PASSWORD);
});
afterAll(async () => {
  await second?.close();
  await first?.close();
});
beforeEach(() => {
  for (const app of [first, second]) app?.advance(20 * MINUTE_MS);
});

async function person() {
  const { first: app } = both();
  const user = await app.addUser({ roles: ['OPERATOR'] });
  const { username } = await app.ctx.db
    .updateTable('appUser')
    .set({ passwordHash: hash })
    .where('id', '=', user.id)
    .returning('username')
    .executeTakeFirstOrThrow();
  await sealAll(app.ctx);
  return { ...user, username };
}

const withTicket = (base: string, ticket: string, otp: string): Promise<Told> =>
  send(base, '/auth/oauth2/token', {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('hes-console:').toString('base64')}` },
    form: { grant_type: 'password', ticket, otp },
  });

test('a slider of one head-end signs in at another, and at only one of them', async () => {
  const { here: a, there: b } = both();
  const { username } = await person();
  const slider = await takeSlider(a);
  const told = await Promise.all([b, a, b].map((base) => guess(base, { username, password: PASSWORD, slider })));
  expect(told.map(({ status, code }) => code ?? String(status)).toSorted()).toEqual(['200', 'SLIDER_INVALID', 'SLIDER_INVALID']);
});

test('a sign-in that one head-end began with the password is finished with the code at another, once', async () => {
  const { here: a, there: b, first: app } = both();
  const { username, token } = await person();
  const begun = await send(a, '/auth/second-factor', { method: 'POST', token, json: { password: PASSWORD } });
  const phone = authenticator(String(begun.body['uri']), app.ctx.clock);
  await send(a, '/auth/second-factor', { method: 'PUT', token, json: { otp: phone.code(-1) } });
  const asked = await guess(a, { username, password: PASSWORD });
  expect(asked.code).toBe('MFA_REQUIRED');
  const ticket = String(asked.body['ticket']);
  const told = [await withTicket(b, ticket, phone.code()), await withTicket(a, ticket, phone.code(1))];
  expect(told.map(({ status, code }) => code ?? status)).toEqual([200, 'MFA_EXPIRED']);
});

test('a ticket of the live socket opens it at another head-end, once', async () => {
  const { here: a, there: b } = both();
  const { token } = await person();
  const ticket = (await liveTicket(new URL(a).host, token)) ?? '';
  const opened = socketWith(new URL(b).host, ticket);
  await once(opened, 'open');
  opened.send('ping');
  const [answer] = (await once(opened, 'message')) as [Buffer]; // as: a text of the live socket
  expect(String(answer)).toBe('pong');
  const again = socketWith(new URL(a).host, ticket);
  expect((await once(again, 'close'))[0]).toBe(4401);
  opened.close();
});

test('failures of a name that no user has are counted over all head-ends, as those of a user are', async () => {
  const { here: a, there: b } = both();
  for (const username of ['nobody.at.all', (await person()).username]) {
    const codes: (string | undefined)[] = [];
    for (const base of [a, b, a, b, a, b]) codes.push((await guess(base, { username, password: 'Wrong-Guess-1!' })).code);
    expect(codes).toEqual(['INVALID_GRANT', 'INVALID_GRANT_TRIES', 'INVALID_GRANT_TRIES', 'INVALID_GRANT_TRIES', 'LOCKED', 'LOCKED']);
  }
  // The name is not stored: a user may have typed a password there.
  const { rows } = await both().first.ctx.pool.query<{ text: string }>('select u::text as text from unknown_sign_in u');
  expect(rows).toHaveLength(1);
  expect(rows[0]?.text).not.toContain('nobody');
});

test('attempts by address and name have one limit over all head-ends', async () => {
  const { here: a, there: b } = both();
  const told: Told[] = [];
  for (let n = 0; n < 14; n++) told.push(await guess(n % 2 === 0 ? a : b, { username: 'hurry', password: 'x', slider: 'none' }));
  // Ten at once, and those that the time of this test refills.
  expect(told.filter(({ code }) => code === 'SLIDER_INVALID').length).toBeLessThanOrEqual(12);
  expect(told.at(-1)?.status).toBe(429);
});
