import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LogForwarder } from '../src/composition/log-forwarder.ts';
import { writeAudit } from '../src/db/audit.ts';
import { writeCommands } from '../src/db/command-log.ts';
import { selfSigned } from '../src/platform/certificate.ts';
import { readConfig } from '../src/platform/config.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

const DAY_MS = 86_400_000;
const now = Date.now();
const receiverTls = selfSigned(['localhost'], now, now + DAY_MS);
const otherTls = selfSigned(['localhost'], now, now + DAY_MS);

let app: TestApp;
let admin: TestUser;
let folder: string;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

interface Listening {
  port: number;
  close(): Promise<void>;
}
const listeners: Listening[] = [];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'hes-forward-'))));
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
  rmSync(folder, { recursive: true });
});

async function listen(onSocket: (socket: TLSSocket) => void, allowHalfOpen = false): Promise<number> {
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...receiverTls, allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  listeners.push({
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return port;
}

/** Splits a stream into messages by the length before each. */
function messagesIn(octets: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < octets.length;) {
    const space = octets.indexOf(' ', at);
    const end = space + 1 + Number(octets.toString('latin1', at, space));
    messages.push(octets.toString('utf8', space + 1, end));
    at = end;
  }
  return messages;
}
const receiving = (into: Buffer[]) => (socket: TLSSocket) => {
  socket.on('data', (octets: Buffer) => into.push(octets));
};
const forwarder = (port: number, ca: string | undefined = receiverTls.cert, withinMs = 5_000) =>
  new LogForwarder(app.ctx, { host: 'localhost', port, tls: { ca } }, { dataDir: folder, withinMs });
const write = (times: number) =>
  app.ctx.db.transaction().execute(async (tx) => {
    for (let n = 0; n < times; n++)
      await writeAudit(tx, { userId: admin.id, action: 'sign_out', entity: 'user', entityId: admin.id }, app.ctx.clock.now());
    const command = { userId: null, kind: 'clock_sync', deviceKind: 'meter', deviceId: '1', result: null, taskId: null } as const;
    await writeCommands(tx, [command], app.ctx.clock.now());
  });
const stored = async (table: 'audit_log' | 'command_log') =>
  (await app.owner.query<{ id: string; hash: string }>(`select id::text, encode(hash, 'hex') as hash from ${table} order by ${table}.id`))
    .rows;
const arrived = (octets: readonly Buffer[], chain: string) =>
  messagesIn(Buffer.concat(octets))
    .filter((message) => message.includes(` ${chain} - {`))
    .map((message) => JSON.parse(message.slice(message.indexOf('{'))) as { id: string; hash: string; row: unknown[] }) // as: the sent message
    .map(({ id, hash }) => ({ id, hash }));

test('every row of both logs arrives over TLS, in order and with its hash; a new start continues after it', async () => {
  await write(3);
  const octets: Buffer[] = [];
  const port = await listen(receiving(octets));
  expect(await forwarder(port).forward()).toBeGreaterThanOrEqual(4);
  expect(arrived(octets, 'audit')).toEqual(await stored('audit_log'));
  expect(arrived(octets, 'commands')).toEqual(await stored('command_log'));
  const [first = ''] = messagesIn(Buffer.concat(octets));
  expect(first).toMatch(/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ hes \d+ audit - \{"id":"1",/);

  await write(2);
  octets.length = 0;
  expect(await forwarder(port).forward()).toBe(3);
  expect(arrived(octets, 'audit')).toEqual((await stored('audit_log')).slice(-2));
});

test('what a receiver did not take to the end is sent again, and nothing is lost', async () => {
  await write(2);
  let isBroken = true;
  const octets: Buffer[] = [];
  const port = await listen((socket) => {
    if (isBroken) socket.destroy();
    else receiving(octets)(socket);
  });
  const sending = forwarder(port);
  await expect(sending.forward()).rejects.toThrow();
  await write(1);
  isBroken = false;
  await sending.forward();
  expect(arrived(octets, 'audit')).toEqual(await stored('audit_log'));
});

test('a receiver that never acknowledges is given up after a time, and its rows wait', async () => {
  await write(1);
  const port = await listen((socket) => socket.resume(), true);
  await expect(forwarder(port, receiverTls.cert, 300).forward()).rejects.toThrow(/abort/i);
  const octets: Buffer[] = [];
  await forwarder(await listen(receiving(octets))).forward();
  expect(arrived(octets, 'audit')).toEqual(await stored('audit_log'));
});

test('nothing is sent to a machine whose certificate is not of the authority that is set', async () => {
  await write(1);
  const octets: Buffer[] = [];
  const port = await listen(receiving(octets));
  await expect(forwarder(port, otherTls.cert).forward()).rejects.toThrow(/self-signed certificate/);
  await expect(
    new LogForwarder(app.ctx, { host: '127.0.0.1', port, tls: { ca: receiverTls.cert } }, { dataDir: folder }).forward(),
  ).rejects.toThrow();
  expect(octets).toEqual([]);
});

test('the setting accepts tls:// with an authority, and its errors name the reason', () => {
  const syslog = (env: Record<string, string>) => readConfig(env, '/').auditSyslog;
  expect(syslog({ HES_AUDIT_SYSLOG: 'tls://logs.example:6514' })).toEqual({ host: 'logs.example', port: 6514, tls: { ca: undefined } });
  expect(syslog({ HES_AUDIT_SYSLOG: 'logs.example:514' })).toEqual({ host: 'logs.example', port: 514, tls: undefined });
  expect(() => syslog({ HES_AUDIT_SYSLOG: 'tls://logs.example' })).toThrow('Set it to host:port');
  expect(() => syslog({ HES_AUDIT_SYSLOG: 'tls://logs.example:6514', HES_AUDIT_SYSLOG_CA: '/none.pem' })).toThrow('which cannot be read');
});
