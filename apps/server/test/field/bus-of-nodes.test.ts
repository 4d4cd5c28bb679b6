import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestUser } from '../test-app.ts';
import { serverBench, type Console, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 15_000, interval: 20 };

interface Envelope {
  from: string;
  topics?: string[];
  events?: [string, LiveMessage][];
  row?: number;
}

let bench: ServerBench;
let user: TestUser;
/** Every notification of the bus. */
const sent: Envelope[] = [];
let listener: PoolClient;
const servers: Server[] = [];
beforeAll(async () => {
  bench = await serverBench();
  user = await bench.app.addUser({ roles: ['ADMIN'] });
  listener = await bench.database.owner.connect();
  listener.on('notification', ({ payload }) => sent.push(JSON.parse(payload ?? '') as Envelope)); // as: the bus writes nothing else
  await listener.query('listen hes_bus');
});
afterAll(async () => {
  listener.release(true);
  await bench.close();
});

const typesOf = ({ messages }: Console, type: LiveMessage['type']) => messages.filter((message) => message.type === type);
const serverOf = async (index: 0 | 1) => (servers[index] ??= await bench.server(`bus-${index}`));
/** A console at the second node, whose topics are known to the first one. */
async function consoleAtSecond(...topics: string[]): Promise<Console> {
  await serverOf(0);
  const opened = await (await serverOf(1)).console(user);
  await opened.follow(...topics);
  const ownerOf = async (index: 0 | 1) =>
    (await bench.database.pool.query<{ owner: string }>('select owner from node where name = $1', [(await serverOf(index)).name])).rows[0]
      ?.owner;
  const [first, second] = [await ownerOf(0), await ownerOf(1)];
  await vi.waitFor(() => {
    // The first node listens before it sends anything.
    const listens = sent.findIndex(({ from }) => from === first);
    expect(listens).toBeGreaterThanOrEqual(0);
    const announced = sent.slice(listens).findLast((envelope) => envelope.from === second && envelope.topics !== undefined);
    expect(announced?.topics).toEqual(expect.arrayContaining(topics));
  }, SOON);
  return opened;
}
test('a node without others has no connection for the bus and sends nothing', async () => {
  const alone = await serverOf(0);
  const { meters } = await bench.register('BUSES000', 1);
  const opened = await alone.console(user);
  await opened.follow('dcu');
  const dcu = alone.dial('BUSES000', meters);
  await vi.waitFor(() => expect(typesOf(opened, 'dcu.status')).toHaveLength(1), SOON);
  const { rows } = await bench.database.owner.query(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'hes-nodes'",
  );
  expect([sent, rows]).toEqual([[], []]);
  dcu.close();
  opened.socket.close();
}, 60_000);

test('a console at one node sees what happens at the other, as the one that is connected to the devices', async () => {
  const seen = await consoleAtSecond('dcu');
  const [first, second] = [await serverOf(0), await serverOf(1)];
  const { dcuId, meters, meterIds } = await bench.register('BUSES001', 12);
  const dcu = first.dial('BUSES001', meters);
  dcu.latencyMs = 100;
  await vi.waitFor(() => expect(typesOf(seen, 'dcu.status').map(({ id }) => id)).toContain(dcuId), SOON);
  const ordered = await second.call(user, 'POST', '/action/read/on-demand', { meterIds, items: ['E_PLUS'] });
  const { taskId } = ordered.body as { taskId: string }; // as: the route's answer
  await seen.follow(`task:${taskId}`);
  await vi.waitFor(() => {
    const ended = typesOf(seen, 'task.item').flatMap((message) => (message.type === 'task.item' ? message.data.items : []));
    expect(new Set(ended.map(({ meterId }) => meterId)).size).toBeGreaterThan(6);
    expect(typesOf(seen, 'task.progress').at(-1)).toMatchObject({ id: taskId, data: { state: 'finished', ok: 12 } });
  }, SOON);
}, 60_000);
