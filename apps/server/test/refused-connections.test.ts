import { once } from 'node:events';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selfSigned } from '../src/platform/certificate.ts';
import type { LogFields } from '../src/platform/log.ts';
import { testApp, type TestApp } from './test-app.ts';

const DAY_MS = 86_400_000;
const now = Date.now();
const tls = selfSigned(['localhost'], now, now + DAY_MS);

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await testApp({ tls, isSecure: true });
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
  port = (app.fastify.server.address() as AddressInfo).port; // as: it listens on TCP
});
afterAll(() => app.close());

/** Protocol and cipher suite of a connection, or the code of the refusal. */
async function shakeHands(wish: ConnectionOptions): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: tls.cert, ...wish });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol()} ${socket.getCipher().name}`;
  } catch (error) {
    return String((error as { code?: unknown }).code); // as: errors of a socket have a code
  } finally {
    socket.destroy();
  }
}

describe('TLS of the console', () => {
  test('prefers version 1.3, and takes of 1.2 only suites with forward secrecy and authenticated encryption', async () => {
    expect(await shakeHands({})).toMatch(/^TLSv1\.3 /);
    expect(await shakeHands({ maxVersion: 'TLSv1.2' })).toBe('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384');
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256'])
      expect(await shakeHands({ maxVersion: 'TLSv1.2', ciphers })).toMatch(/HANDSHAKE_FAILURE|ECONNRESET/);
  });

  test('refuses version 1.1', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await shakeHands(old)).toMatch(/PROTOCOL_VERSION|ECONNRESET/);
  });
});

test('failed TLS handshakes are in the log with cause and address: one line for each cause, for any number of them', async () => {
  const lines: { message: string; fields: LogFields }[] = [];
  const watched = await testApp({ tls, isSecure: true });
  watched.ctx.log.warn = (message, fields = {}) => void lines.push({ message, fields });
  await watched.fastify.listen({ host: '127.0.0.1', port: 0 });
  const target = (watched.fastify.server.address() as AddressInfo).port; // as: it listens on TCP
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  for (let n = 0; n < 5; n++) await shakeHands({ ...old, port: target });
  await headOf(watched, 'GET / HTTP/1.1\r\n\r\n');
  const failed = { message: 'A TLS handshake failed', fields: { port: 'console', ip: '127.0.0.1' } };
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  expect(lines).toMatchObject([failed, failed]);
  expect(lines.map(({ fields }) => fields['cause'])).toEqual(['ERR_SSL_UNSUPPORTED_PROTOCOL', 'ERR_SSL_HTTP_REQUEST']);
  await watched.close();
});

/** The head of the answer to octets as they are. */
async function headOf(target: TestApp, text: string): Promise<string> {
  const socket = connectPlain((target.fastify.server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
  let told = '';
  socket.on('data', (octets) => (told += String(octets)));
  socket.write(text);
  await once(socket, 'close');
  return told;
}

describe('an answer that no route gives', () => {
  test('has the headers of every response, and reveals nothing about the server', async () => {
    const open = await testApp({ isSecure: true });
    await open.fastify.listen({ host: '127.0.0.1', port: 0 });
    const upgrade =
      'GET /api/websocket HTTP/1.1\r\nhost: a\r\norigin: https://evil.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const told = {
      400: await headOf(open, 'NONSENSE\r\n\r\n'),
      403: await headOf(open, upgrade),
      431: await headOf(open, `GET / HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`),
    };
    for (const [status, head] of Object.entries(told)) {
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      for (const header of ['x-content-type-options: nosniff', 'strict-transport-security: max-age=31536000', "frame-ancestors 'none'"])
        expect(head).toContain(header);
      expect(head.split('\r\n\r\n')[1]).toBe('');
    }
    await open.close();
  });
});

test('calls that are refused for their form, their number or their origin are in the log, counted by route', async () => {
  const lines: { message: string; fields: LogFields }[] = [];
  const watched = await testApp({ callLimit: { burst: 3, perSecond: 0.001 } });
  watched.ctx.log.info = (message, fields = {}) => void lines.push({ message, fields });
  const user = await watched.addUser({ roles: ['ADMIN'] });
  for (let n = 0; n < 6; n++) await watched.call(user, { url: `/api/manager/user?page=none&secret=${n}` });
  await watched.call(user, { method: 'PUT', url: '/api/manager/user/me', headers: { origin: 'https://evil.example' }, payload: {} });
  const caller = { ip: '127.0.0.1', requestId: expect.any(String) };
  expect(lines).toEqual([
    { message: 'A call was refused', fields: { code: 'VALIDATION', call: 'GET /api/manager/user', ...caller } },
    { message: 'A call was refused', fields: { code: 'RATE_LIMIT', call: 'GET /api/manager/user', ...caller } },
    { message: 'A call was refused', fields: { code: 'FORBIDDEN', call: 'PUT /api/manager/user/me', ...caller } },
  ]);
  await watched.close();
});
