import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

let bench: ServerBench;
beforeAll(async () => void (bench = await serverBench()));
afterAll(() => bench.close());

/** Begins a request whose body needs some time, and returns its status. */
async function slowCall({ base }: Server, token: string, ms: number): Promise<number> {
  const [hostname, port] = base.split(':');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': '2' };
  const sent = request({ hostname, port, path: '/api/manager/node/999999/drain', method: 'POST', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>; // as: the event of a response
  sent.write('{');
  await wait(ms);
  sent.end('}');
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode ?? 0;
}
const readiness = async ({ base }: Server) => (await fetch(`http://${base}/readyz`)).status;

test('a head-end that stops beside another one is unready first, waits for balancers, and answers what has begun', async () => {
  const env = { HES_ROLES: 'web', HES_DRAIN_NOTICE_S: '1' };
  const [leaving, staying] = [await bench.server('leaves', env), await bench.server('stays', env)];
  // A node learns of one that was born later by its next sign of life.
  await wait(2_500);
  const { token } = await bench.app.addUser({ roles: ['ADMIN'] });
  const slow = slowCall(leaving, token, 2_000);
  const began = performance.now();
  const stopped = leaving.stop({ drains: true });
  await vi.waitFor(async () => expect(await readiness(leaving)).toBe(503), { timeout: 900, interval: 20 });
  expect(await slow).toBe(404);
  await stopped;
  expect(performance.now() - began).toBeGreaterThan(1_900);
  // The last one for callers need not wait: nothing could take them over.
  const alone = performance.now();
  await staying.stop({ drains: true });
  expect(performance.now() - alone).toBeLessThan(1_000);
}, 30_000);

/** Begins a request whose body needs 300 ms. `begun` tells that the server has read its head; undefined: it was not begun. */
async function begin({ base }: Server, token: string): Promise<'answered' | 'cut off' | undefined> {
  const [hostname, port] = base.split(':');
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': '2',
    // The server says that it has read the head.
    expect: '100-continue',
  };
  const sent = request({ hostname, port, path: '/api/manager/node/999999/drain', method: 'POST', headers, agent: false });
  return new Promise((resolve) => {
    let hasBegun = false;
    sent.once('error', () => resolve(hasBegun ? 'cut off' : undefined));
    sent.once('response', (answer) => {
      answer.resume();
      answer.once('end', () => resolve('answered'));
      answer.once('error', () => resolve('cut off'));
    });
    sent.once('continue', () => {
      hasBegun = true;
      sent.write('{');
      setTimeout(() => sent.end('}'), 300);
    });
    sent.flushHeaders();
  });
}

test('a head-end that stops beside another one answers each request that it has begun, until it accepts none', async () => {
  const env = { HES_DRAIN_NOTICE_S: '1' };
  const run = randomUUID().slice(0, 8);
  const [leaving, staying] = [await bench.server(`leaves-${run}`, env), await bench.server(`stays-${run}`, env)];
  await wait(2_500);
  const { token } = await bench.app.addUser({ roles: ['ADMIN'] });
  const stopped = leaving.stop({ drains: true });
  let hasStopped = false;
  void stopped.then(() => (hasStopped = true));
  const calls: ReturnType<typeof begin>[] = [];
  // A caller that notices late, as a balancer with a longer interval.
  while (!hasStopped) {
    calls.push(begin(leaving, token));
    await wait(20);
  }
  const ends = await Promise.all(calls);
  expect(ends).toContain('answered');
  expect(ends.filter((end) => end === 'cut off')).toEqual([]);
  await staying.stop();
}, 60_000);
