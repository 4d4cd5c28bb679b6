import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { Dialler, type DiallerOptions } from './dialler.ts';

/** Long enough for a busy machine. */
const WITHIN = { timeout: 20_000 };
const LOCAL_RULES = { mayReachLocal: true, ownPorts: [], networks: [] };

let database: TestDatabase;
let server: Server;
const sockets = new Set<Socket>();
let calls = 0;
let dcuId = '';
let dialler: Dialler;
beforeAll(async () => {
  database = await cloneDatabase();
  await insertDeviceTypes(database.pool);
});
afterAll(() => database.drop());

beforeEach(async () => {
  calls = 0;
  const port = await listen();
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into dcu (sn, name, dcu_type_id, connection_type, host, port)
     select 'DIALLED01', 'D', id, 'dial_out', '127.0.0.1', $1 from dcu_type where code = 'P' returning id`,
    [port],
  );
  dcuId = rows[0]?.id ?? '';
});
afterEach(async () => {
  await dialler.stop();
  await hangUp();
  await database.pool.query('delete from dcu_session');
  await database.pool.query("delete from dcu where sn = 'DIALLED01'");
  vi.useRealTimers();
});

/** Accepts connections and returns the port. */
async function listen(): Promise<number> {
  server = createServer((socket) => {
    calls++;
    sockets.add(
      socket
        .on('error', () => undefined)
        .on('close', () => sockets.delete(socket))
        .resume(),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // as: a TCP server that listens
}

/** The DCU refuses connections from now on. */
async function hangUp(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
}

/** Only the clock of durations is virtual: sockets and database use the real one. */
const useVirtualClock = () => void vi.useFakeTimers({ toFake: ['performance'] });

async function startDialler(options: Partial<DiallerOptions> = {}): Promise<DlmsConnection[]> {
  const connections: DlmsConnection[] = [];
  const onConnected = (_: unknown, connection: DlmsConnection) => {
    connections.push(connection);
    return Promise.resolve<true>(true);
  };
  const ctx = { pool: database.pool, clock: systemClock, log: createLog('silent') };
  dialler = new Dialler(ctx, { frameMs: 1_000, rules: LOCAL_RULES, isOnline: () => false, mayDial: () => true, onConnected, ...options });
  await dialler.dialDue();
  return connections;
}

const rejectedConnections = async () =>
  (
    await database.pool.query<Record<string, unknown>>(
      'select dcu_id as id, direction, remote, close_reason as reason, close_detail as detail from dcu_session',
    )
  ).rows;

test('a DCU to dial is dialled once, although an order and the periodic job ask for it at the same time', async () => {
  const connections = await startDialler();
  expect(await Promise.all([dialler.dial(dcuId), dialler.dial(dcuId)])).toEqual([true, true]);
  expect(connections).toHaveLength(1);
  expect(calls).toBe(1);
});

test('a connected DCU and one that is not dialled are not called', async () => {
  await startDialler({ isOnline: () => true });
  expect(await dialler.dial(dcuId)).toBe(true);
  await dialler.stop();
  await startDialler();
  await vi.waitFor(() => expect(calls).toBe(1), WITHIN);
  expect(await dialler.dial('999')).toBe(false);
  expect(calls).toBe(1);
});

test('an unreachable DCU is dialled again after 5 s, then after 10 s, up to 300 s, and its outage is recorded once', async () => {
  useVirtualClock();
  await hangUp();
  let attempts = 0;
  await startDialler({
    rules: {
      ...LOCAL_RULES,
      // The rules are read once per attempt.
      get networks() {
        attempts++;
        return [];
      },
    },
  });
  await dialler.dial(dcuId);
  const attemptsAt: number[] = [];
  for (let second = 1; second <= 1_000; second++) {
    vi.advanceTimersByTime(1_000);
    const before = attempts;
    expect(await dialler.dial(dcuId)).toBe(false);
    if (attempts > before) attemptsAt.push(second);
  }
  expect(attemptsAt).toEqual([5, 15, 35, 75, 155, 315, 615, 915]);
  const { port } = await portRow();
  expect(await rejectedConnections()).toEqual([
    {
      id: dcuId,
      direction: 'dial_out',
      remote: `127.0.0.1:${port}`,
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    },
  ]);
});

const portRow = async () =>
  (await database.pool.query<{ port: number }>('select port from dcu where id = $1', [dcuId])).rows[0] ?? { port: 0 };

test('a DCU that fails its probe is recorded with the reason; after a success the back-off begins again', async () => {
  useVirtualClock();
  const outcomes: (true | string)[] = ['METER_TIMEOUT: no answer', true, 'METER_TIMEOUT: again', true];
  const onConnected = () => Promise.resolve(outcomes.shift() ?? true);
  await startDialler({ onConnected });
  expect(await dialler.dial(dcuId)).toBe(false);
  vi.advanceTimersByTime(4_999);
  expect(await dialler.dial(dcuId)).toBe(false);
  expect(outcomes).toHaveLength(3);
  vi.advanceTimersByTime(1);
  expect(await dialler.dial(dcuId)).toBe(true);
  // A new outage: the first wait is 5 s again, and it is recorded, too.
  expect(await dialler.dial(dcuId)).toBe(false);
  vi.advanceTimersByTime(5_000);
  expect(await dialler.dial(dcuId)).toBe(true);
  expect((await rejectedConnections()).map(({ detail }) => detail)).toEqual(['METER_TIMEOUT: no answer', 'METER_TIMEOUT: again']);
});

test('a connection whose session cannot be registered is closed, and the DCU is dialled again later', async () => {
  useVirtualClock();
  let connection: DlmsConnection | undefined;
  await startDialler({
    onConnected: (_, opened) => {
      connection = opened;
      return Promise.reject(new Error('no database'));
    },
  });
  expect(await dialler.dial(dcuId)).toBe(false);
  expect(connection).toBeDefined();
  await vi.waitFor(() => expect(sockets.size).toBe(0), WITHIN);
  expect(await dialler.dial(dcuId)).toBe(false);
  expect(calls).toBe(1);
  expect(await rejectedConnections(), 'the failure is of the head-end, not of the DCU').toEqual([]);
});

test('a changed address is dialled, and a DCU that is no longer dialled is forgotten', async () => {
  await hangUp();
  await startDialler({ isOnline: () => false });
  await dialler.dial(dcuId);
  await database.pool.query("update dcu set connection_type = 'dial_in' where id = $1", [dcuId]);
  await dialler.dialDue();
  const port = await listen();
  await database.pool.query("update dcu set connection_type = 'dial_out', port = $2 where id = $1", [dcuId, port]);
  // The line is a new one, so no back-off delays it.
  await dialler.dialDue();
  expect(await dialler.dial(dcuId)).toBe(true);
});

test('a stopped dialler dials nothing, and closes a connection that is established while it stops', async () => {
  let accepted = 0;
  await startDialler({
    onConnected: () => {
      accepted++;
      return Promise.resolve<true>(true);
    },
  });
  await dialler.stop();
  expect(await dialler.dial(dcuId)).toBe(false);
  expect(accepted).toBe(0);
  await vi.waitFor(() => expect(sockets.size).toBe(0), WITHIN);
});

test('the time limit of an attempt ends with it: neither a connection nor a refusal leaves it running', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const connections = await startDialler();
  expect(await dialler.dial(dcuId)).toBe(true);
  vi.advanceTimersByTime(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(connections.map(({ closed }) => closed)).toEqual([false]);

  await hangUp();
  expect(await dialler.dial(dcuId)).toBe(false);
  vi.advanceTimersByTime(5_000);
  const before = vi.getTimerCount();
  // The second refusal is not recorded, so the database sets no timer.
  expect(await dialler.dial(dcuId)).toBe(false);
  expect(vi.getTimerCount()).toBe(before);
});
