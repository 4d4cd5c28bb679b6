import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { natsTitle, natsVersion, startNats, type Nats } from '../nats.ts';
import type { TestUser } from '../test-app.ts';
import { serverBench, type Console, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 20_000, interval: 50 };
const installed = natsVersion();

describe.skipIf(installed === undefined)(`two head-ends whose bus is ${natsTitle(installed)}`, () => {
  let bench: ServerBench;
  let nats: Nats;
  let servers: [Server, Server];
  let user: TestUser;
  let listener: PoolClient;
  /** Notifications of the bus of PostgreSQL. */
  let notified = 0;
  beforeAll(async () => {
    bench = await serverBench();
    nats = await startNats();
    user = await bench.app.addUser({ roles: ['ADMIN'] });
    listener = await bench.database.owner.connect();
    listener.on('notification', () => notified++);
    await listener.query('listen hes_bus');
    const env = { HES_BUS_URL: nats.url, HES_BUS_CA: nats.caFile };
    servers = [await bench.server('nats-1', env), await bench.server('nats-2', env)];
  }, 120_000);
  afterAll(async () => {
    listener.release(true);
    await bench.close();
    await nats.stop();
  });
  const typesOf = ({ messages }: Console, type: LiveMessage['type']) => messages.filter((message) => message.type === type);

  /** Connects and loses devices until a console at the other node sees one. */
  async function isSeen(seen: Console, prefix: string): Promise<void> {
    const before = typesOf(seen, 'dcu.status').length;
    for (let at = 0; typesOf(seen, 'dcu.status').length === before; at++) {
      if (at === 20) throw new Error('No console saw a device');
      const { meters } = await bench.register(`${prefix}${String(at).padStart(2, '0')}`, 1);
      servers[0].dial(`${prefix}${String(at).padStart(2, '0')}`, meters);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  test('a console sees what happens at the other one, and PostgreSQL carries none of it', async () => {
    const seen = await servers[1].console(user);
    await seen.follow('dcu');
    await isSeen(seen, 'NATSONE');
    expect(notified).toBe(0);
  }, 60_000);

  test('while the bus is away, orders are executed and the end of a session is not missed; afterwards consoles see again', async () => {
    const seen = await servers[1].console(user);
    await seen.follow('dcu');
    await nats.kill();
    const leaving = await bench.app.addUser({ roles: ['ADMIN'] });
    const { socket } = await servers[1].console(leaving);
    const closed = vi.fn<(code: number) => void>();
    socket.on('close', closed);
    expect((await servers[0].call(leaving, 'DELETE', `/auth/session/${leaving.sessionId}`)).status).toBe(204);
    await vi.waitFor(() => expect(closed.mock.calls[0]?.[0]).toBe(4401), SOON);
    const { meters, meterIds } = await bench.register('NATSAWAY', 3);
    servers[0].dial('NATSAWAY', meters);
    const ordered = await servers[1].call(user, 'POST', '/action/read/on-demand', { meterIds, items: ['E_PLUS'] });
    const { taskId } = ordered.body as { taskId: string }; // as: the contract's answer
    await vi.waitFor(async () => {
      const { rows } = await bench.database.pool.query('select state from task_item where task_id = $1', [taskId]);
      expect(rows).toEqual(meterIds.map(() => ({ state: 'read_success' })));
    }, SOON);
    await nats.restart();
    await isSeen(seen, 'NATSTWO');
  }, 90_000);

  test('a head-end starts although the bus is not reached', async () => {
    await nats.kill();
    const late = await bench.server('nats-3', { HES_BUS_URL: nats.url, HES_BUS_CA: nats.caFile });
    expect((await fetch(`http://${late.base}/readyz`)).status).toBe(200);
    await late.stop();
    await nats.restart();
  }, 60_000);
});
