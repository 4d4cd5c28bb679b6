import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { silentLog } from '#platform/log.ts';
import { DEFAULT_LIMITS, Listener, type ListenerLimits } from './listener.ts';
import type { RefusedCallers } from './refused-callers.ts';

let listener: Listener;
let port: number;
const open = new Set<Socket>();
/** Reasons of the refused connections. */
let refused: string[];

async function listen(limits: Partial<ListenerLimits>): Promise<void> {
  refused = [];
  const recordConnection = ({ reason }: { reason: string }) => {
    refused.push(reason);
    return false;
  };
  listener = new Listener(
    { pool: {} as Pool, clock: systemClock, log: silentLog }, // as: no caller says its name
    {
      limits: { ...DEFAULT_LIMITS, ...limits },
      refused: { recordConnection } as unknown as RefusedCallers, // as: only this is called
      isDelayed: () => false,
      askName: () => Promise.resolve(undefined),
      isPushLine: () => false,
      onIdentified: () => Promise.resolve(),
    },
  );
  port = await listener.listen(0, '127.0.0.1');
}
afterEach(async () => {
  for (const socket of open) socket.destroy();
  open.clear();
  await listener.stop();
});

/** In a wrapper frame. */
const GET_REQUEST = Buffer.from('000100010001000dc001c100080000010000ff0200', 'hex');
/** A connection, as soon as the listener has received it or refused another one for it. */
async function call(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  open.add(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
const closed = (socket: Socket) => vi.waitFor(() => expect(socket.destroyed || socket.readableEnded).toBe(true));

test('an address has as many connections as its limit, and another one when one of them ends', async () => {
  await listen({ perAddress: 2 });
  const [first, second] = [await call(), await call()];
  const third = await call();
  await Promise.all([once(third.resume(), 'close'), closed(third)]);
  expect([refused, first.destroyed, second.destroyed]).toEqual([['too_many_connections'], false, false]);
  first.destroy();
  await vi.waitFor(() => expect(refused).toEqual(['too_many_connections', 'peer_closed']));
  await call();
  const fifth = await call();
  await once(fifth.resume(), 'close');
  expect(refused).toEqual(['too_many_connections', 'peer_closed', 'too_many_connections']);
});

test('all addresses together have as many connections as the limit', async () => {
  await listen({ connections: 1 });
  const first = await call();
  const second = await call();
  await once(second.resume(), 'close');
  expect([refused, first.destroyed]).toEqual([['too_many_connections'], false]);
});

test('above the limit of connections without identification the oldest one is closed', async () => {
  await listen({ unidentifiedPerAddress: 2 });
  const [first, second] = [await call(), await call()];
  // Both are received before the third one, which closes the first one.
  const end = once(first.resume(), 'close');
  const third = await call();
  await end;
  expect([refused, second.destroyed, third.destroyed]).toEqual([['too_many_connections'], false, false]);
});

test('a caller that does not identify itself is closed after the limit', async () => {
  await listen({ identificationMs: 50 });
  await once((await call()).resume(), 'close');
  expect(refused).toEqual(['identification_timeout']);
});

test('a message that is neither an identification nor a push ends the connection', async () => {
  await listen({});
  const socket = await call();
  socket.write(GET_REQUEST);
  await once(socket.resume(), 'close');
  expect(refused).toEqual(['not_dlms']);
});

test('a message may arrive in parts while others come and go', async () => {
  await listen({});
  const socket = await call();
  socket.write(GET_REQUEST.subarray(0, 4));
  for (let others = 1; others <= 3; others++) {
    const other = await call();
    other.write(GET_REQUEST);
    await once(other.resume(), 'close');
  }
  expect([refused, socket.destroyed]).toEqual([['not_dlms', 'not_dlms', 'not_dlms'], false]);
  socket.write(GET_REQUEST.subarray(4));
  await once(socket.resume(), 'close');
  expect(refused.at(-1)).toBe('not_dlms');
});

test('a message that stays incomplete ends the connection', async () => {
  await listen({ frameMs: 50 });
  const socket = await call();
  socket.write(Buffer.from('00010001', 'hex'));
  await once(socket.resume(), 'close');
  await vi.waitFor(() => expect(refused).toEqual(['frame_timeout']));
});

test('a closed port refuses those that have not identified themselves, and opens again', async () => {
  await listen({});
  const first = await call();
  await vi.waitFor(() => expect(listener.isListening).toBe(true));
  const second = await call();
  await new Promise(setImmediate);
  listener.closePort();
  await Promise.all([first, second].map((socket) => closed(socket.resume())));
  expect(listener.isListening).toBe(false);
  port = await listener.listen(0, '127.0.0.1');
  expect([listener.isListening, (await call()).destroyed]).toEqual([true, false]);
});

/** `ss` tells the lengths of accept queues. */
const hasSs = spawnSync('ss', ['-V']).status === 0;

test.skipIf(!hasSs)('the system accepts the connections of a fleet that dials at once before the listener does', async () => {
  await listen({});
  // State, connections in the queue, length of the queue.
  const [, , length] = spawnSync('ss', ['-Hltn', `sport = :${port}`], { encoding: 'utf8' }).stdout.split(/\s+/);
  const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  expect(Number(length)).toBe(Math.min(4_096, most));
});
