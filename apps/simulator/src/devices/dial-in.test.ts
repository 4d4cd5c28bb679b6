import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startSimulation } from '../simulation.ts';
import type { DialPace } from './context.ts';

const SPREAD_MS = 600;

/** Times of connections to a head-end that ends each at once. Milliseconds. */
async function dialsOf(dcus: number, dialPace: DialPace, isEnough: (times: readonly number[]) => boolean): Promise<number[]> {
  const times: number[] = [];
  const server = createServer((socket) => {
    times.push(performance.now());
    socket.on('error', () => undefined).destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const scale = { dcus, metersPerDcu: 1 };
  const simulation = await startSimulation({ scale, channel: 'fast', headEnd: { host: '127.0.0.1', port }, dialPace });
  await vi.waitUntil(() => isEnough(times), { timeout: 20_000, interval: 10 });
  await simulation.stop();
  server.close();
  return times;
}

test('a fleet begins to dial over the given time, and not all at once', async () => {
  const times = await dialsOf(20, { startSpreadMs: SPREAD_MS, longestWaitMs: 60_000 }, (each) => each.length >= 20);
  expect((times.at(19) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(SPREAD_MS / 4);
});

test('a device waits up to the given time before it dials again', async () => {
  // It waits 40, 80, 160, 320 and 640 ms, each a fifth more or less; the longest wait of a fast channel would be 300 ms.
  const times = await dialsOf(1, { longestWaitMs: 5_000 }, (each) => each.length >= 6);
  expect((times[5] ?? 0) - (times[4] ?? 0)).toBeGreaterThan(500);
});
