import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { guardedFetch } from './guarded-fetch.ts';
import { GuardedHttp } from './guarded-http.ts';

const NETWORKS = ['127.0.0.1'];
let server: Server | undefined;
let http: GuardedHttp | undefined;
afterEach(async () => {
  http?.close();
  await new Promise((resolve) => server?.close(resolve));
});

/** Address of a server that answers each request with these octets, whatever they are. */
async function answering(octets: string): Promise<string> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(octets));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // as: a TCP server
}

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';

test('a server that switches protocols is unreachable, and holds no sender', async () => {
  http = new GuardedHttp();
  const answer = http.post({ url: await answering(SWITCHING), headers: {}, body: '{}', networks: NETWORKS, timeoutMs: 2000 });
  expect(await answer).toEqual({ failure: 'unreachable', detail: 'The connection was closed without an answer' });
});

test('a provider that switches protocols is unreachable, and holds no sign-in', async () => {
  const reading = guardedFetch({ ca: '', networks: NETWORKS })(await answering(SWITCHING));
  await expect(reading).rejects.toMatchObject({ failure: 'unreachable' });
});

test('informational answers are passed over, and the status of the answer counts', async () => {
  http = new GuardedHttp();
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
  const url = await answering(`${hints.repeat(50)}HTTP/1.1 204 No Content\r\n\r\n`);
  expect(await http.post({ url, headers: {}, body: '{}', networks: NETWORKS, timeoutMs: 2000 })).toEqual({ status: 204 });
});
