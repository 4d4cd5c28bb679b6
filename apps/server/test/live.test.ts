import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { UpgradeJobRow } from '@hes/contract/upgrade/job.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket as Socket, type WebSocket } from 'ws';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { commitChanges, sessionsEnded, type Change } from '../src/db/changes.ts';
import type { LossyMessage } from '../src/platform/bus.ts';
import { liveTicket, openLive, socketWith } from './live-socket.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let base: string;
const open: WebSocket[] = [];

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  await app.fastify.listen({ port: 0, host: '127.0.0.1' });
  base = `127.0.0.1:${(app.fastify.server.address() as AddressInfo).port}`; // as: it listens on TCP
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate();
});
afterAll(() => app.close());

async function connect(token: string, origin?: string): Promise<WebSocket> {
  const socket = await openLive(base, token, origin);
  open.push(socket);
  return socket;
}

async function text(socket: WebSocket): Promise<string> {
  const [data] = await once(socket, 'message');
  return String(data);
}

/** Connected, and everything sent so far has been judged. */
async function follow(user: TestUser, topics: string[]): Promise<WebSocket> {
  const socket = await connect(user.token);
  await once(socket, 'open');
  const pong = text(socket);
  socket.send(JSON.stringify({ type: 'subscribe', topics }));
  socket.send('ping');
  expect(await pong).toBe('pong');
  return socket;
}

const announce = (changes: Change[]) =>
  commitChanges(
    app.ctx,
    () => Promise.resolve(),
    () => [changes],
  );
const dcuStatus = (id: string, sn: string): LossyMessage => ({
  type: 'dcu.status',
  ts: new Date().toISOString(),
  id,
  data: { sn, onlineStatus: 'online', lastCommAt: null },
});

describe('the live socket', () => {
  test('is closed with 4401 without a token that stands', async () => {
    const [code] = await once(await connect('nonsense'), 'close');
    expect(code).toBe(4401);
  });

  test('takes a ticket once, for some seconds, and no token in its address', async () => {
    const user = await app.addUser({ roles: ['ADMIN'] });
    const ticket = (await liveTicket(base, user.token)) ?? '';
    const first = socketWith(base, ticket);
    open.push(first);
    await once(first, 'open');
    expect(first.protocol).toBe('hes.live');
    // The specification writes the ticket into the address: programs may, the console does not.
    const inAddress = new Socket(`ws://${base}/api/websocket?access_token=${(await liveTicket(base, user.token)) ?? ''}`);
    open.push(inAddress);
    await once(inAddress, 'open');
    const late = (await liveTicket(base, user.token)) ?? '';
    app.advance(16_000);
    for (const refused of [
      socketWith(base, ticket),
      socketWith(base, late),
      new Socket(`ws://${base}/api/websocket?access_token=${user.token}`),
    ])
      expect((await once(refused, 'close'))[0]).toBe(4401);
  });

  test('tells nothing after the end of its session, and closes', async () => {
    const user = await app.addUser({ roles: ['ADMIN'] });
    const socket = await follow(user, ['dcu']);
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(String(data)));
    const closed = once(socket, 'close');
    app.advance(3_600_001);
    app.ctx.bus.publish('dcu', dcuStatus('1', 'DCUN0001'));
    expect((await closed)[0]).toBe(4401);
    expect(heard).toEqual([]);
  });

  test('refuses a page of another origin', async () => {
    const user = await app.addUser({ roles: ['ADMIN'] });
    const [error] = await once(await connect(user.token, 'https://evil.example'), 'error');
    expect(String(error)).toContain('403');
  });

  test('S-497: answers ping with pong, sends the subscribed topics, and nothing else', async () => {
    const socket = await follow(await app.addUser({ roles: ['ADMIN'] }), ['dcu']);
    const next = text(socket);
    const data = { values: 1, meters: 1, spans: [] };
    app.ctx.bus.publish('reading', { type: 'reading.stored', ts: new Date().toISOString(), id: '0', data });
    app.ctx.bus.publish('dcu', dcuStatus('1', 'DCUN0001'));
    expect(JSON.parse(await next)).toMatchObject({ type: 'dcu.status', data: { sn: 'DCUN0001' } });
  });

  test('tells a user of the end of an own export, without a subscription, and nobody else', async () => {
    const [orderer, other] = [await app.addUser({ roles: ['ADMIN'] }), await app.addUser({ roles: ['ADMIN'] })];
    const [socket, others] = [await follow(orderer, []), await follow(other, ['dcu'])];
    const heard = text(others);
    const told = text(socket);
    const data = {
      id: '1',
      list: 'user',
      fileName: 'users.csv',
      state: 'ready',
      rows: 1,
      octets: 2,
      createdAt: new Date(0).toISOString(),
    } as const;
    app.ctx.bus.publish(`user:${orderer.id}`, { type: 'export.ready', ts: data.createdAt, id: '1', data });
    app.ctx.bus.publish('dcu', dcuStatus('1', 'DCUN0001'));
    expect(JSON.parse(await told)).toMatchObject({ type: 'export.ready', data });
    expect(JSON.parse(await heard)).toMatchObject({ type: 'dcu.status' });
  });

  test('tells every console of a list that a user changed, after the change and without its content', async () => {
    const [admin, reader] = [await app.addUser({ roles: ['ADMIN'] }), await app.addUser()];
    const socket = await follow(reader, ['list']);
    const heard: LiveMessage[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    const lists = () => heard.filter(({ type }) => type === 'list.changed');
    const call = (method: 'PUT' | 'POST', url: string, payload: object) => app.call(admin, { method, url: `/api${url}`, payload });
    // Nothing was changed by a call that fails.
    expect((await call('PUT', '/action/approval/1', { decision: 'reject' })).statusCode).toBe(404);
    expect((await call('POST', '/action/relay/stop', { reason: 'of this test' })).statusCode).toBe(200);
    await expect.poll(() => lists().length).toBe(1);
    expect(lists()[0]).toMatchObject({ id: '0', data: { path: '/action/relay/limits' } });
  });

  test('tells a limited user of the own area only', async () => {
    const dcus = await app.ctx.db.selectFrom('dcu').select(['id', 'sn']).orderBy('sn').execute();
    const level = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DS').select('id').executeTakeFirstOrThrow();
    const socket = await follow(await app.addUser({ scope: [level.id] }), ['dcu']);
    const next = text(socket);
    for (const dcu of dcus) app.ctx.bus.publish('dcu', dcuStatus(dcu.id, dcu.sn));
    expect(JSON.parse(await next).data.sn).toBe('DCUS0001');
  });

  test('tells a user of one transformer of its meters, wherever their DCU is, and of no others', async () => {
    const { db } = app.ctx;
    const idOf = async (table: 'dcu' | 'transformer' | 'meter', key: 'sn' | 'code', name: string) =>
      (await sql<{ id: string }>`select id from ${sql.table(table)} where ${sql.ref(key)} = ${name}`.execute(db)).rows[0]?.id ?? '';
    const [north, south] = [await idOf('transformer', 'code', 'TN'), await idOf('transformer', 'code', 'TS')];
    const [ours, theirs] = [await idOf('dcu', 'sn', 'DCUN0001'), await idOf('dcu', 'sn', 'DCUS0001')];
    // Each DCU serves a meter that was placed at the transformer of the other.
    await sql`update meter set transformer_id = ${south} where sn = 'MN0002'`.execute(db);
    await sql`update meter set transformer_id = ${north} where sn = 'MS0002'`.execute(db);
    const socket = await follow(await app.addUser({ transformers: [north] }), ['event', 'reading', 'device', 'upgrade', 'dcu']);
    const heard: LiveMessage[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    const ts = new Date().toISOString();
    const about = { log: 'standard', code: 1, nameEn: null, nameZh: null, abnormalLevel: 'serious', occurAt: ts } as const;
    const events = [
      [ours, 'MN0001'],
      [ours, 'MN0002'],
      [theirs, 'MS0001'],
      [theirs, 'MS0002'],
      [ours, null],
      [theirs, null],
    ].map(([dcuId, meterSn], index) => ({ ...about, id: String(index), dcuId: dcuId ?? '', dcuSn: '', meterSn: meterSn ?? null }));
    app.ctx.bus.publish('event', { type: 'event.new', ts, id: '0', data: { count: 9, events } });
    app.ctx.bus.publish('reading', { type: 'reading.stored', ts, id: '0', data: { values: 7, meters: 3, spans: [] } });
    app.ctx.bus.apply({ topic: 'device', message: { type: 'device.changed', ts, id: '0', data: { kind: 'meter', ids: ['1', '4'] } } });
    // as: the test asserts that no message arrives
    app.ctx.bus.publish('upgrade', { type: 'upgrade.job', ts, id: '1', data: {} as UpgradeJobRow });
    app.ctx.bus.publish('dcu', dcuStatus(theirs, 'DCUS0001'));
    app.ctx.bus.publish('dcu', dcuStatus(ours, 'DCUN0001'));
    await expect.poll(() => heard.at(-1)?.type).toBe('dcu.status');
    expect(heard.map(({ type, data }) => [type, data])).toMatchObject([
      ['event.new', { count: 3, events: [{ meterSn: 'MN0001' }, { meterSn: 'MS0002' }, { dcuId: ours, meterSn: null }] }],
      ['reading.stored', { values: 0, meters: 0 }],
      ['device.changed', { ids: [] }],
      ['dcu.status', { sn: 'DCUN0001' }],
    ]);
    await sql`update meter set transformer_id = ${north} where sn = 'MN0002'`.execute(db);
    await sql`update meter set transformer_id = ${south} where sn = 'MS0002'`.execute(db);
  });

  test('tells a user without an area of no device', async () => {
    const dcus = await app.ctx.db.selectFrom('dcu').select(['id', 'sn']).execute();
    const user = await app.addUser();
    const socket = await follow(user, ['dcu', 'reading', 'device']);
    const next = text(socket);
    for (const dcu of dcus) app.ctx.bus.publish('dcu', dcuStatus(dcu.id, dcu.sn));
    await announce(sessionsEnded([user.sessionId], 'locked'));
    expect(JSON.parse(await next).type).toBe('session.revoked');
  });

  test('tells of archives, searches, networks and frames only those who may open a page that shows them', async () => {
    const topics = ['archive:1', 'discovery:1', 'topology:1', 'dculog:1', 'event', 'upgrade', 'upgrade:1'];
    const told = async (user: TestUser) => {
      const socket = await follow(user, [...topics, 'dcu']);
      const heard: string[] = [];
      socket.on('message', (data) => heard.push(JSON.parse(String(data)).id));
      for (const [index, topic] of [...topics, 'dcu'].entries()) app.ctx.bus.publish(topic, dcuStatus(String(index), 'X'));
      await expect.poll(() => heard.includes(String(topics.length))).toBe(true);
      return heard.map((index) => [...topics, 'dcu'][Number(index)]);
    };
    const { id } = await app.ctx.db
      .insertInto('role')
      .values({ code: 'NO_PAGES', name: 'x', seesWholeNetwork: true })
      .returning('id')
      .executeTakeFirstOrThrow();
    const user = await app.addUser();
    await app.ctx.db.insertInto('userRole').values({ userId: user.id, roleId: id }).execute();
    await sealAll(app.ctx);
    expect(await told(user)).toEqual(['dcu']);
    expect(await told(await app.addUser({ roles: ['ADMIN'] }))).toEqual([...topics, 'dcu']);
    expect(await told(await app.addUser({ roles: ['LOSS_ANALYST'] }))).toEqual(['archive:1', 'discovery:1', 'topology:1', 'event', 'dcu']);
  });

  test('ignores nonsense and topics that are not for the user', async () => {
    const socket = await follow(await app.addUser({ roles: ['ADMIN'] }), ['task:999999', 'session:other', '*']);
    const pong = text(socket);
    socket.send('{"type":"subscribe","topics":"all"}');
    socket.send('{broken');
    app.ctx.bus.publish('task:999999', dcuStatus('1', 'X'));
    socket.send('ping');
    expect(await pong).toBe('pong');
  });

  test('says why and closes when the session is revoked', async () => {
    const user = await app.addUser({ roles: ['ADMIN'] });
    const socket = await follow(user, []);
    const last = text(socket);
    const closed = once(socket, 'close');
    await announce(sessionsEnded([user.sessionId], 'password_changed'));
    expect(JSON.parse(await last)).toMatchObject({ type: 'session.revoked', data: { reason: 'password_changed' } });
    expect((await closed)[0]).toBe(4401);
  });
});
