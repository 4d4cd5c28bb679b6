import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Action } from '@hes/contract/core/route.ts';
import type { SenderRow } from '@hes/contract/delivery/sender.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createPartitions } from '../src/db/partitions.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { clearSenders, startDeliveries } from '../src/features/deliveries/port.ts';
import { findSender, insertDeadLetter, purposeOf, storeProgress } from '../src/features/deliveries/senders/queries.ts';
import { mayReach } from '../src/platform/guarded-network.ts';
import { EventWriter } from '../src/storage/events/event-writer.ts';
import type { PeriodicJob } from '../src/platform/periodic-job.ts';
import { createTask } from '../src/tasks/create-task.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const SECRET = 'a secret of the receiver that is long enough';
const WITHIN_MS = 15_000;

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  events: { id: string; source: string; type: string; subject?: string; data: { customerNo: string | null } }[];
}

/** A receiver of webhooks on a real port, whose answers the test decides. */
class Receiver {
  readonly received: Received[] = [];
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.end('ok');
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const received = { headers: request.headers, body, events: JSON.parse(body) };
      this.received.push(received);
      this.answer(response, received);
    });
  });

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`; // as: a TCP server
  }

  /** Customer numbers of the delivered changes, in the order of their arrival. */
  get customers() {
    return this.received.flatMap(({ events }) => events.map(({ data }) => data.customerNo));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const NOTHING: Received = { headers: {}, body: '', events: [] };
let app: TestApp;
let admin: TestUser;
let receiver: Receiver;
let url: string;
let engine: PeriodicJob | undefined;
const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(name) ?? 'nothing of this name';
beforeAll(async () => {
  app = await testApp({ deliveryNetworks: ['127.0.0.1'] });
  await importCommissioning(app.ctx, smallTown());
  await createPartitions(app.ctx.pool, Date.now());
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  for (const row of await app.ctx.db.selectFrom('networkLevel').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());
beforeEach(async () => {
  receiver = new Receiver();
  url = await receiver.listen();
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  await receiver.close();
  await app.ctx.pool.query('delete from sender');
});

const startEngine = (networks = ['127.0.0.1']) =>
  (engine = startDeliveries(app.ctx, { takeTurn: () => Promise.resolve(true) }, { networks, folder: undefined }));
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, user = admin) =>
  app.call(user, { method, url: `/api/manager/sender${path}`, ...(payload === undefined ? {} : { payload }) });

const webhookTo = (to: string, secret = SECRET) => ({ kind: 'webhook', settings: { url: to }, secrets: { secret } });
async function addSender(fields: object = {}): Promise<SenderRow> {
  const answer = await call('POST', '', { name: 'MDM', ...webhookTo(url), contents: ['assets'], ...fields });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}
const rowOf = async (id: string): Promise<SenderRow> => (await call('GET', `/${id}`)).json();
const change = (sn: string, customerNo: string) => app.ctx.db.updateTable('meter').set({ customerNo }).where('id', '=', idOf(sn)).execute();
const signatureOf = (key: string | Buffer, headers: IncomingHttpHeaders, body: string) =>
  `v1,${createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`).digest('base64')}`;
const until = (condition: () => unknown) => vi.waitFor(condition, { timeout: WITHIN_MS, interval: 50 });

test('what is stored leaves as a signed batch of CloudEvents, in order', async () => {
  await addSender();
  for (const customerNo of ['C-1', 'C-2', 'C-3']) await change('MN0001', customerNo);
  startEngine();
  await until(() => expect(receiver.customers).toHaveLength(3));
  const [{ headers, body, events } = NOTHING] = receiver.received;
  expect(headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8');
  expect(headers['webhook-signature']).toBe(signatureOf(SECRET, headers, body));
  expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  expect(events[0]).toMatchObject({ specversion: '1.0', type: 'org.hes.asset.changed', source: '/api/v1/feed/assets', subject: 'MN0001' });
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
});

test('a receiver that fails, hangs up or is away gets everything when it is back, with the same ids', async () => {
  const { id } = await addSender();
  const seen: string[] = [];
  receiver.answer = (response, { events }) => {
    seen.push(...events.map((event) => event.id));
    if (receiver.received.length === 1) response.writeHead(503).end();
    else if (receiver.received.length === 2) response.socket?.destroy();
    else response.end();
  };
  await change('MN0001', 'D-1');
  startEngine();
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'failing', failure: 'status', failureDetail: '503' }));
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'running', failure: null, sent: 1, waiting: 0 }));
  expect(seen).toHaveLength(3);
  expect(new Set(seen).size).toBe(1);
  const port = Number(new URL(url).port);
  await receiver.close();
  await change('MN0001', 'D-2');
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'failing', failure: 'unreachable', waiting: 1 }));
  receiver = new Receiver();
  await receiver.listen(port);
  await until(() => expect(receiver.customers).toEqual(['D-2']));
});

const ANSWERS: [string, Receiver['answer'], string][] = [
  ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'redirected'],
  ['refuses the signature', (response) => void response.writeHead(401).end(), 'status'],
];
test.each(ANSWERS)('a receiver that %s is a failure, and nothing is lost', async (_, answer, failure) => {
  const { id } = await addSender();
  receiver.answer = answer;
  await change('MN0001', `E-${failure}`);
  startEngine();
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'failing', failure, waiting: 1 }));
  receiver.answer = (response) => void response.end();
  expect((await call('POST', `/${id}/resume`)).statusCode).toBe(204);
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'running', waiting: 0, deadLetters: 0 }));
});

test('the status decides, however long the answer is', async () => {
  const { id } = await addSender();
  receiver.answer = (response, { events }) => {
    response.writeHead(events.some(({ data }) => data.customerNo === 'LONG') ? 400 : 200);
    response.write('x'.repeat(200_000));
  };
  await change('MN0001', 'LONG');
  await change('MN0002', 'E-1');
  startEngine();
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'running', waiting: 0, deadLetters: 1, sent: 1 }));
});

const isBad = ({ events }: Received) => events.some(({ data }) => data.customerNo?.startsWith('BAD'));
const isOf = (kind: string, { events }: Received) => events.some(({ source }) => source.endsWith(kind));

test('a message that the receiver refuses twice by itself is put aside without a wait, and all others arrive', async () => {
  const { id } = await addSender();
  receiver.answer = (response, received) => void response.writeHead(isBad(received) ? 422 : 200).end();
  for (const customerNo of ['F-1', 'F-2', 'BAD', 'F-3']) await change(customerNo === 'BAD' ? 'MN0002' : 'MN0001', customerNo);
  startEngine();
  const began = Date.now();
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'running', waiting: 0, deadLetters: 1, sent: 3 }));
  // Less than the sum of four back-offs.
  expect(Date.now() - began).toBeLessThan(8000);
  const { items } = (await call('GET', `/${id}/dead-letter`)).json();
  expect(items).toMatchObject([{ kind: 'assets', reason: 'refused 422', content: { subject: 'MN0002', data: { customerNo: 'BAD' } } }]);
  const refused = receiver.received.filter(({ events }) => events.length === 1 && events[0]?.data.customerNo === 'BAD');
  expect(refused).toHaveLength(2);
});

test('a receiver that refuses everything does not get all of it put aside at once', async () => {
  const { id } = await addSender();
  receiver.answer = (response) => void response.writeHead(400).end();
  for (let n = 0; n < 20; n++) await change('MN0001', `K-${n}`);
  startEngine();
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'failing', failure: 'refused', failureDetail: '400' }));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect((await rowOf(id)).deadLetters).toBeLessThan(6);
});

/** Stores an event of a meter again and again, so that its kind always has something to send. */
function keepEventsBusy(): () => void {
  const events = new EventWriter(app.ctx);
  let code = 0;
  const device = { deviceKind: 'meter' as const, meterId: idOf('MN0001'), dcuId: idOf('DCUN0001'), source: 'pull' as const, traceId: null };
  const timer = setInterval(() => {
    code = (code + 1) % 200;
    const event = { log: 'fraud' as const, code, occurAt: Date.now() - 60_000, message: 'cover', raw: Uint8Array.of(1, 2) };
    void events.store({ ...device, events: [event] });
  }, 50);
  return () => clearInterval(timer);
}

test('a refused message of one kind is put aside while another kind is busy', async () => {
  const { id } = await addSender({ contents: ['events', 'assets'] });
  receiver.answer = (response, received) => void response.writeHead(isBad(received) ? 422 : 200).end();
  await change('MN0002', 'BAD-L');
  await change('MN0001', 'L-1');
  const stop = keepEventsBusy();
  startEngine();
  try {
    await until(async () => expect(await rowOf(id)).toMatchObject({ deadLetters: 1 }));
    await until(() => expect(receiver.customers).toContain('L-1'));
    expect(receiver.received.filter((one) => isOf('events', one)).length).toBeGreaterThan(0);
  } finally {
    stop();
  }
});

test('a kind that fails does not stop another kind, and is the failure that is shown', async () => {
  const { id } = await addSender({ contents: ['assets', 'events'] });
  receiver.answer = (response, received) => void response.writeHead(isOf('assets', received) ? 500 : 200).end();
  await change('MN0001', 'M-1');
  const stop = keepEventsBusy();
  startEngine();
  try {
    await until(() => expect(receiver.received.filter((one) => isOf('events', one)).length).toBeGreaterThan(5));
    expect(await rowOf(id)).toMatchObject({ state: 'failing', failure: 'status', failureDetail: '500', deadLetters: 0 });
  } finally {
    stop();
  }
  expect(receiver.received.filter((one) => isOf('assets', one)).length).toBeLessThan(8);
});

test('a batch that is too much for the receiver becomes smaller', async () => {
  const { id } = await addSender();
  receiver.answer = (response, { events }) => void response.writeHead(events.length > 3 ? 503 : 200).end();
  for (let n = 0; n < 8; n++) await change('MN0001', `N-${n}`);
  startEngine();
  await until(async () => expect(await rowOf(id)).toMatchObject({ state: 'running', waiting: 0, sent: 8, deadLetters: 0 }));
});

test('a paused sender sends nothing, and continues where it was; a replay sends again with the same ids', async () => {
  const began = new Date().toISOString();
  const { id } = await addSender();
  startEngine();
  await change('MN0001', 'G-1');
  await until(() => expect(receiver.customers).toEqual(['G-1']));
  expect((await call('POST', `/${id}/pause`)).statusCode).toBe(204);
  await change('MN0001', 'G-2');
  await engine?.runNow();
  await engine?.runNow();
  expect(await rowOf(id)).toMatchObject({ state: 'paused', waiting: 1 });
  expect(receiver.received).toHaveLength(1);
  await call('POST', `/${id}/resume`);
  await until(() => expect(receiver.received).toHaveLength(2));
  const first = receiver.received.flatMap(({ events }) => events.map((event) => event.id));
  await app.ctx.pool.query(`update outbox_kind set began_at = '-infinity', cleared_before = '-infinity'`);
  expect((await call('POST', `/${id}/replay`, { since: began })).statusCode).toBe(204);
  await until(() => expect(receiver.received.slice(2).flatMap(({ events }) => events.map((event) => event.id))).toEqual(first));
});

test('a sender of a district delivers its district only, and does not read the others again', async () => {
  const { id } = await addSender({ levelIds: [idOf('DN')] });
  await change('MS0001', 'H-1');
  await change('MN0001', 'H-2');
  startEngine();
  await until(() => expect(receiver.customers).toEqual(['H-2']));
  await change('MS0001', 'H-3');
  await until(async () => expect(await rowOf(id)).toMatchObject({ waiting: 0 }));
  expect(receiver.customers).toEqual(['H-2']);
});

test('a level to which a sender is limited is not deleted', async () => {
  const asset = (method: 'POST' | 'DELETE', path: string, payload?: object) =>
    app.call(admin, { method, url: `/api/asset/level${path}`, ...(payload === undefined ? {} : { payload }) });
  const level = (await asset('POST', '', { name: 'Harbour', code: 'HARBOUR', type: 'company', parentId: null })).json();
  const { id } = await addSender({ levelIds: [level.id] });
  expect((await asset('DELETE', `/${level.id}`)).json()).toMatchObject({
    code: 'NOT_EMPTY',
    detail: 'Level is not empty: senders limited to it: 1.',
  });
  expect((await call('DELETE', `/${id}`)).statusCode).toBe(204);
  expect((await asset('DELETE', `/${level.id}`)).statusCode).toBe(204);
});

test('addresses of internal networks are refused unless they are permitted, by name as well', async () => {
  const { id } = await addSender();
  await change('MN0001', 'I-1');
  startEngine([]);
  await until(async () => expect(await rowOf(id)).toMatchObject({ failure: 'address_refused', failureDetail: '127.0.0.1' }));
  await engine?.stop();
  const byName = await addSender({ name: 'by name', ...webhookTo(`https://localhost:${new URL(url).port}/`) });
  await change('MN0001', 'I-2');
  startEngine([]);
  await until(async () => expect((await rowOf(byName.id)).failure).toBe('address_refused'));
  expect(receiver.received).toEqual([]);
});

test('two nodes that deliver at once do not set the position back', async () => {
  const { id } = await addSender();
  const stale = await findSender(app.ctx.db, id);
  await change('MN0001', 'J-1');
  startEngine();
  await until(async () => expect(await rowOf(id)).toMatchObject({ sent: 1 }));
  const progress = { positions: {}, attempts: {}, delivered: 0, failure: undefined };
  expect(stale && (await storeProgress(app.ctx.db, stale, progress))).toBeUndefined();
});

test('the test button sends one message and says what the receiver did', async () => {
  const { id } = await addSender();
  expect((await call('POST', `/${id}/test`)).json()).toEqual({ isDelivered: true, failure: null, detail: null });
  expect(receiver.received[0]?.events).toMatchObject([{ type: 'org.hes.test' }]);
  receiver.answer = (response) => void response.writeHead(500).end();
  expect((await call('POST', `/${id}/test`)).json()).toEqual({ isDelivered: false, failure: 'status', detail: '500' });
});

test('a secret with the prefix of Standard Webhooks signs with its octets, and is refused unless it is base64 of 24 to 64 octets', async () => {
  const key = randomBytes(24);
  const { id } = await addSender(webhookTo(url, `whsec_${key.toString('base64')}`));
  await call('POST', `/${id}/test`);
  const [first = NOTHING] = receiver.received;
  expect(first.headers['webhook-signature']).toBe(signatureOf(key, first.headers, first.body));
  for (const wrong of ['!'.repeat(40), randomBytes(23).toString('base64'), randomBytes(65).toString('base64'), ''])
    expect((await call('POST', '', { name: 'z', ...webhookTo(url, `whsec_${wrong}`), contents: ['assets'] })).statusCode, wrong).toBe(400);
  const sealed = app.ctx.secrets.seal(Buffer.from(`whsec_${'!'.repeat(40)}`), purposeOf((await findSender(app.ctx.db, id)) ?? { ref: '' }));
  await app.ctx.pool.query('update sender set secret = $1 where id = $2', [sealed, id]);
  expect((await call('POST', `/${id}/test`)).json()).toMatchObject({ isDelivered: false, failure: 'internal' });
  expect(receiver.received).toHaveLength(1);
});

test.each([
  'fec0::1',
  '::ffff:0:10.0.0.1',
  'fd00::1',
  '::ffff:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '::ffff:a00:1',
  '10.0.0.1',
  '127.0.0.1',
  '169.254.169.254',
])('the address %s is one of an internal network', (address) => {
  expect(mayReach(address, [])).toBe(false);
});

test.each(['2606:4700:4700::1111', '203.0.113.1', '::ffff:203.0.113.1'])('the address %s of the Internet may be reached', (address) => {
  expect(mayReach(address, [])).toBe(true);
});

test('the secret is stored sealed and returned nowhere, and a change without a secret keeps it', async () => {
  const { id, version } = await addSender();
  const { rows } = await app.ctx.pool.query<{ secret: Buffer }>('select secret from sender where id = $1', [id]);
  expect(rows[0]?.secret.includes(Buffer.from(SECRET))).toBe(false);
  const changed = await call('PUT', `/${id}`, {
    name: 'Billing',
    settings: { url },
    contents: ['assets', 'events'],
    levelIds: [],
    secrets: { secret: '' },
    version,
  });
  expect(changed.json()).toMatchObject({ name: 'Billing', contents: ['assets', 'events'] });
  expect(changed.body).not.toContain(SECRET);
  await call('POST', `/${id}/test`);
  const [{ headers, body } = NOTHING] = receiver.received;
  expect(headers['webhook-signature']).toBe(signatureOf(SECRET, headers, body));
  expect((await call('PUT', `/${id}`, { name: 'x', settings: { url }, contents: ['assets'], levelIds: [], version })).json()).toMatchObject(
    {
      code: 'STALE',
    },
  );
  expect((await call('POST', '', { name: 'BILLING', ...webhookTo(url), contents: ['assets'] })).json()).toMatchObject({
    code: 'DUPLICATE',
  });
  for (const wrong of ['ftp://example.com/', 'https://user:word@example.com/', 'no address'])
    expect((await call('POST', '', { name: 'y', ...webhookTo(wrong), contents: ['assets'] })).statusCode).toBe(400);
});

test('the audit log says who replaced a secret, and never its value', async () => {
  const { id, version } = await addSender();
  const fields = { name: 'Keys', settings: { url }, contents: ['assets'], levelIds: [] };
  const other = 'another secret of the receiver that is long enough';
  const changed = await call('PUT', `/${id}`, { ...fields, secrets: { secret: '' }, version });
  await call('PUT', `/${id}`, { ...fields, secrets: { secret: other }, version: changed.json().version });
  const { rows } = await app.ctx.pool.query<{ detail: Record<string, unknown>; userId: string }>(
    `select detail, user_id as "userId" from audit_log where action = 'sender_changed' and entity_id = $1 order by id`,
    [id],
  );
  expect(rows.map(({ detail, userId }) => [detail['newSecrets'], userId])).toEqual([
    [undefined, admin.id],
    [['secret'], admin.id],
  ]);
  expect(JSON.stringify(rows)).not.toContain(other);
});

test('a sender from before there were several kinds keeps its secret', async () => {
  const { id } = await addSender();
  const sealed = app.ctx.secrets.seal(
    Buffer.from('the former secret of the receiver'),
    purposeOf((await findSender(app.ctx.db, id)) ?? { ref: '' }),
  );
  await app.ctx.pool.query('update sender set secret = $1 where id = $2', [sealed, id]);
  await call('POST', `/${id}/test`);
  const [{ headers, body } = NOTHING] = receiver.received;
  expect(headers['webhook-signature']).toBe(signatureOf('the former secret of the receiver', headers, body));
});

test('the secret of one receiver is not sent to another one by a change of the address', async () => {
  const { id, version } = await addSender();
  const fields = { name: 'MDM', contents: ['assets'], levelIds: [], version };
  const elsewhere = { ...fields, settings: { url: 'https://elsewhere.example/hook' } };
  expect((await call('PUT', `/${id}`, elsewhere)).json()).toMatchObject({ code: 'SECRETS_OF_RECEIVER', issues: [{ field: 'secret' }] });
  expect((await call('PUT', `/${id}`, { ...elsewhere, secrets: { secret: SECRET } })).statusCode).toBe(200);
});

test('a sender that is deleted ends the announcements of its kinds', async () => {
  await app.ctx.pool.query('delete from outbox_reader');
  const { id } = await addSender({ contents: ['assets', 'events'] });
  const readers = async () => {
    const { rows } = await app.ctx.pool.query<{ kind: string }>('select kind from outbox_reader order by kind');
    return rows.map(({ kind }) => kind);
  };
  expect(await readers()).toEqual(['assets', 'events']);
  expect((await call('DELETE', `/${id}`)).statusCode).toBe(204);
  expect(await readers()).toEqual([]);
});

test('a user of a part of the network neither sees nor changes senders', async () => {
  const { id } = await addSender();
  const ofNorth = await app.addUser({ scope: [idOf('DN')] });
  for (const answer of [await call('GET', '', undefined, ofNorth), await call('POST', `/${id}/pause`, undefined, ofNorth)])
    expect(answer.json()).toMatchObject({ code: 'WHOLE_NETWORK_ONLY' });
});

/** A role for the whole network with all rights of some pages. */
async function addRole(code: string, pages: readonly string[]): Promise<string> {
  const { db } = app.ctx;
  const actions: Action[] = ['view', 'add', 'edit'];
  await db.insertInto('role').values({ code, name: code, seesWholeNetwork: true }).execute();
  await sql`insert into role_module select r.id, m.id from role r, module m where r.code = ${code} and m.path = any(${[...pages]}::text[])`.execute(
    db,
  );
  await sql`insert into role_action select r.id, m.id, unnest(${actions}::text[]) from role r, module m
    where r.code = ${code} and m.path = any(${[...pages]}::text[])`.execute(db);
  return code;
}
const putAside = (id: string, kind: string, age = '0 days') =>
  app.ctx.pool.query(
    `insert into sender_dead_letter (sender_id, at, message_id, kind, reason, content) values ($1, now() - $3::interval, '1-0', $2, 'refused 422', '{}')`,
    [id, kind, age],
  );

test('only a user who may see a content in the whole network lets it leave, sends it again or sees it put aside', async () => {
  const { DELIVERIES_ONLY, WITH_READINGS } = {
    DELIVERIES_ONLY: await addRole('DELIVERIES_ONLY', [PAGE_PATH.deliveries]),
    WITH_READINGS: await addRole('WITH_READINGS', [PAGE_PATH.deliveries, PAGE_PATH.readings]),
  };
  const operator = await app.addUser({ roles: [DELIVERIES_ONLY] });
  const body = { name: 'Copy', ...webhookTo(url) };
  const create = async (user: TestUser, contents: string[]) => (await call('POST', '', { ...body, contents }, user)).json();
  for (const kind of ['readings', 'events', 'assets']) expect(await create(operator, [kind])).toMatchObject({ code: 'FORBIDDEN' });
  // The right exists for the north only.
  const ofNorth = await app.addUser({ roles: [DELIVERIES_ONLY], scope: [idOf('DN')] });
  expect(await create(ofNorth, ['readings'])).toMatchObject({ code: 'WHOLE_NETWORK_ONLY' });

  const { id, version } = await addSender({ contents: ['readings'] });
  await putAside(id, 'readings');
  for (const answer of [
    await call('PUT', `/${id}`, { ...body, contents: ['readings'], version }, operator),
    await call('POST', `/${id}/replay`, { since: new Date().toISOString() }, operator),
    await call('GET', `/${id}/dead-letter`, undefined, operator),
  ])
    expect(answer.json()).toMatchObject({ code: 'FORBIDDEN' });

  const clerk = await app.addUser({ roles: [WITH_READINGS] });
  expect((await call('GET', `/${id}/dead-letter`, undefined, clerk)).json().items).toHaveLength(1);
  const views = await app.ctx.pool.query<{ detail: object }>(
    `select detail from audit_log where action = 'readings_viewed' and user_id = $1`,
    [clerk.id],
  );
  expect(views.rows).toMatchObject([{ detail: { filter: { sender: 'MDM' } } }]);
  expect(await create(clerk, ['assets'])).toMatchObject({ code: 'FORBIDDEN' });
  expect(await create(clerk, ['readings'])).toMatchObject({ contents: ['readings'] });
});

test('a sender of a district delivers the outcomes of all orders for devices of its district', async () => {
  await addSender({ levelIds: [idOf('DN')], contents: ['commands'] });
  for (const sn of ['MS0001', 'MN0001']) {
    const { id, dcuId } = await app.ctx.db.selectFrom('meter').select(['id', 'dcuId']).where('sn', '=', sn).executeTakeFirstOrThrow();
    const items = [{ deviceKind: 'meter' as const, dcuId: dcuId ?? '', meterId: id }];
    const order = {
      kind: 'lpa' as const,
      source: 'user' as const,
      params: { from: '2026-01-01', to: '2026-01-02' },
      createdBy: admin.id,
      items,
    };
    const task = await app.ctx.db.transaction().execute((tx) => createTask(tx, order));
    await app.ctx.db.updateTable('taskItem').set({ state: 'read_success' }).where('taskId', '=', task.id).execute();
  }
  startEngine();
  await until(() => expect(receiver.received).toHaveLength(1));
  expect(receiver.received[0]?.events).toMatchObject([
    { type: 'org.hes.command.ended', subject: 'MN0001', data: { state: 'read_success' } },
  ]);
});

const senderReaders = async () => {
  const { rows } = await app.ctx.pool.query<{ name: string }>(
    `select reader || ' ' || kind as name from outbox_reader where reader like 'sender:%' order by 1`,
  );
  return rows.map(({ name }) => name);
};

test('a sender that was not created leaves no reader', async () => {
  await app.ctx.pool.query('delete from outbox_reader');
  await addSender({ contents: ['assets', 'events'] });
  const before = await senderReaders();
  expect((await call('POST', '', { name: 'mdm', ...webhookTo(url), contents: ['assets', 'events'] })).json()).toMatchObject({
    code: 'DUPLICATE',
  });
  expect(before).toHaveLength(2);
  expect(await senderReaders()).toEqual(before);
});

test('a change that is refused leaves no reader of a kind that it would have added', async () => {
  await app.ctx.pool.query('delete from outbox_reader');
  await addSender();
  const { id, version } = await addSender({ name: 'second' });
  const before = await senderReaders();
  const change = { name: 'MDM', settings: { url }, contents: ['assets', 'events'], levelIds: [], version };
  expect((await call('PUT', `/${id}`, change)).json()).toMatchObject({ code: 'DUPLICATE' });
  expect(await senderReaders()).toEqual(before);
});

test('retention ends readers of a day ago that no sender has, and no others', async () => {
  await app.ctx.pool.query('delete from outbox_reader');
  await addSender();
  const [own = ''] = await senderReaders();
  const [reader = ''] = own.split(' ');
  await app.ctx.pool.query(
    `insert into outbox_reader (kind, reader) values ('events', $1), ('assets', 'sender:none'), ('events', 'sender:new')`,
    [reader],
  );
  await app.ctx.pool.query(`update outbox_reader set asked_at = now() - interval '25 hours' where reader <> 'sender:new'`);
  await clearSenders(app.ctx.db, 7);
  expect(await senderReaders()).toEqual([own, 'sender:new events'].toSorted());
});

test('messages that were put aside are kept as long as announcements, and the newest thousand of a sender', async () => {
  const { id } = await addSender();
  await putAside(id, 'assets', '8 days');
  await putAside(id, 'assets', '6 days');
  await clearSenders(app.ctx.db, 7);
  expect(await rowOf(id)).toMatchObject({ deadLetters: 1 });
  await app.ctx.pool.query(
    `insert into sender_dead_letter (sender_id, message_id, kind, reason, content) select $1, n, 'assets', 'refused 422', '{}' from generate_series(1, 1000) n`,
    [id],
  );
  const letter = { messageId: 'newest', kind: 'assets' as const, reason: 'refused 422', content: {} };
  await app.ctx.db.transaction().execute((tx) => insertDeadLetter(tx, id, letter));
  expect(await rowOf(id)).toMatchObject({ deadLetters: 1000 });
  expect((await call('GET', `/${id}/dead-letter`)).json().items[0]).toMatchObject({ messageId: 'newest' });
});
