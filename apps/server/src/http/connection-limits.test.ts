import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { limitConnections, slowRequestOptions } from './connection-limits.ts';

let app: FastifyInstance;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

async function listen(limits: { perAddress: number; requestMs: number }): Promise<number> {
  app = fastify({ ...slowRequestOptions(limits), forceCloseConnections: true });
  limitConnections(app.server, limits);
  app.post('/', () => 'ok');
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port; // as: it listens on TCP
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

test('the request timeout can be an hour, for uploads over slow lines', async () => {
  const port = await listen({ perAddress: 100, requestMs: 3_600_000 });
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).status).toBe(200);
});

test('an incomplete body closes its connection after the timeout', async () => {
  const port = await listen({ perAddress: 100, requestMs: 300 });
  const lines = await Promise.all(Array.from({ length: 30 }, () => open(port)));
  const ends = lines.map(closed);
  for (const line of lines)
    line.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"half":');
  await Promise.all(ends);
});

test('one address cannot exceed its connection limit, and can open new connections after closing some', async () => {
  const port = await listen({ perAddress: 5, requestMs: 30_000 });
  const lines = await Promise.all(Array.from({ length: 5 }, () => open(port)));
  await closed(await open(port));
  expect(lines.map((line) => line.destroyed)).toEqual([false, false, false, false, false]);
  lines[0]?.destroy();
  await expect
    .poll(async () => {
      const line = await open(port);
      line.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
      return (await Promise.race([once(line, 'data'), closed(line)])) !== undefined;
    })
    .toBe(true);
});
