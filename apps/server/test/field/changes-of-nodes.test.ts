import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toHex } from '@hes/dlms/codec/hex.ts';
import type { TestUser } from '../test-app.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 10_000, interval: 20 };
const A_SECOND = { timeout: 1_000, interval: 10 };
const TEST_MS = 60_000;

let bench: ServerBench;
let [first, second]: Server[] = [];
let user: TestUser;
beforeAll(async () => {
  bench = await serverBench();
  user = await bench.app.addUser({ roles: ['ADMIN'] });
  first = await bench.server('first');
  second = await bench.server('second');
  await vi.waitFor(async () => {
    const { rows } = await bench.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'hes-nodes' and state = 'idle'",
    );
    expect(rows).toHaveLength(2);
  }, SOON);
}, TEST_MS);
afterAll(() => bench.close());

const servers = (): { first: Server; second: Server } => {
  if (first === undefined || second === undefined) throw new Error('The servers did not start');
  return { first, second };
};
const heldBy = (dcuId: string, name: string) =>
  vi.waitFor(async () => {
    const { rows } = await bench.database.pool.query('select n.name from endpoint e join node n on n.id = e.node_id where e.id = $1', [
      dcuId,
    ]);
    expect(rows).toEqual([{ name }]);
  }, SOON);
/** Reads all meters by an order at a server, and returns the states. */
async function read(at: Server, meterIds: string[]): Promise<string[]> {
  const ordered = await at.call(user, 'POST', '/action/read/on-demand', { meterIds, items: ['E_PLUS'] });
  const { taskId } = ordered.body as { taskId: string }; // as: the route's answer
  return vi.waitFor(async () => {
    const { rows } = await bench.database.pool.query<{ state: string; end: Date | null }>(
      'select i.state, t.finished_at as "end" from task_item i join task t on t.id = i.task_id where t.id = $1',
      [taskId],
    );
    expect(rows[0]?.end).toBeInstanceOf(Date);
    return rows.map(({ state }) => state);
  }, SOON);
}

test(
  'the end of a session at one node closes its live socket at the other within a second',
  async () => {
    const { first: a, second: b } = servers();
    const leaving = await bench.app.addUser({ roles: ['ADMIN'] });
    const { socket } = await b.console(leaving);
    const closed = vi.fn<(code: number) => void>();
    socket.on('close', closed);
    expect((await a.call(leaving, 'DELETE', `/auth/session/${leaving.sessionId}`)).status).toBe(204);
    await vi.waitFor(() => expect(closed.mock.calls[0]?.[0]).toBe(4401), A_SECOND);
    expect((await b.call(leaving, 'GET', '/auth/session')).status).toBe(401);
  },
  TEST_MS,
);

test(
  'keys that are changed at one node are used by the other, which is connected to the meter',
  async () => {
    const { first: a, second: b } = servers();
    const { dcuId, meters, meterIds } = await bench.register('CHANGES001', 1);
    a.dial('CHANGES001', meters);
    await heldBy(dcuId, a.name);
    expect(await read(b, meterIds)).toEqual(['read_success']);
    const keys = { ek: new Uint8Array(randomBytes(16)), ak: new Uint8Array(randomBytes(16)) };
    for (const meter of meters) {
      meter.keys.ek.set(keys.ek);
      meter.keys.ak.set(keys.ak);
    }
    const changed = await b.call(user, 'PUT', `/asset/meter/${meterIds[0]}/keys`, { ek: toHex(keys.ek), ak: toHex(keys.ak) });
    expect(changed.status).toBe(200);
    expect(await read(b, meterIds)).toEqual(['read_success']);
  },
  TEST_MS,
);

test(
  'a DCU that is deleted at one node loses its connection to the other',
  async () => {
    const { first: a, second: b } = servers();
    const { dcuId } = await bench.register('CHANGES002', 0);
    const dcu = a.dial('CHANGES002', []);
    await heldBy(dcuId, a.name);
    expect((await b.call(user, 'DELETE', `/asset/dcu/${dcuId}`)).status).toBe(204);
    await vi.waitFor(() => expect(dcu.socket.closed).toBe(true), A_SECOND);
  },
  TEST_MS,
);

test(
  'a capture that is switched on at one node begins at the other, and its frames reach the console',
  async () => {
    const { first: a, second: b } = servers();
    const { dcuId, meters, meterIds } = await bench.register('CHANGES003', 1);
    a.dial('CHANGES003', meters);
    await heldBy(dcuId, a.name);
    const seen = await b.console(user);
    await seen.follow(`dculog:${dcuId}`);
    expect((await b.call(user, 'PUT', '/debug/dcu-log/capture', { dcuIds: [dcuId], level: 'all' })).status).toBe(200);
    await vi.waitFor(async () => {
      expect(await read(b, meterIds)).toEqual(['read_success']);
      expect(seen.messages.some(({ type, id }) => type === 'dculog.frame' && id === dcuId)).toBe(true);
    }, SOON);
  },
  TEST_MS,
);

test(
  'a node that has lost a DCU to another one closes its own connection at once',
  async () => {
    const { first: a, second: b } = servers();
    const { dcuId, meters } = await bench.register('CHANGES004', 1);
    const before = a.dial('CHANGES004', meters);
    await heldBy(dcuId, a.name);
    b.dial('CHANGES004', meters);
    await heldBy(dcuId, b.name);
    await vi.waitFor(() => expect(before.socket.closed).toBe(true), A_SECOND);
  },
  TEST_MS,
);

test(
  'a notice of changed settings reaches the consoles of all nodes',
  async () => {
    const { first: a, second: b } = servers();
    const seen = await b.console(user);
    expect((await a.call(user, 'POST', '/action/relay/stop', { reason: 'A drill of the operators' })).status).toBe(200);
    await vi.waitFor(() => expect(seen.messages.map(({ type }) => type)).toContain('notice'), A_SECOND);
  },
  TEST_MS,
);

test(
  'a periodic job of the whole installation runs at one node, and at the other one when that stops',
  async () => {
    const { first: a, second: b } = servers();
    const holders = async () =>
      (
        await bench.database.pool.query<{ name: string }>(
          "select n.name from turn t join node n on n.id = t.node_id where t.name = 'relays'",
        )
      ).rows;
    const [holder] = await vi.waitUntil(async () => {
      const found = await holders();
      return found.length > 0 ? found : undefined;
    }, SOON);
    const [leaving, staying] = holder?.name === a.name ? [a, b] : [b, a];
    await leaving.stop();
    await vi.waitFor(async () => expect(await holders()).toEqual([{ name: staying.name }]), SOON);
  },
  TEST_MS,
);
