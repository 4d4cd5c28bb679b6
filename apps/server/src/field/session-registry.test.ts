import type { CloseReason } from '@hes/contract/states/device.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createBus, type LocalBus } from '#platform/bus.ts';
import { monotonicNow, systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import type { Node } from '#nodes/node.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import type { DeviceStateWriter } from './device-state-writer.ts';
import type { EndpointSession } from './endpoint-session.ts';
import { closeSessionRow, findEndpointsBySn, openSessionRow, type EndpointRow } from './queries.ts';
import { SessionRegistry } from './session-registry.ts';

const HEARD_AT = Date.UTC(2026, 0, 1);
const [NODE, OTHER_NODE] = ['101', '102'];

let database: TestDatabase;
let endpoint: EndpointRow;
let registry: SessionRegistry;
let bus: LocalBus;
let published: unknown[];
let isDatabaseDown: boolean;
let loseNode: () => void;
let alive: string[];
let hasMetOthers: boolean;
beforeAll(async () => {
  database = await cloneDatabase();
  await insertDeviceTypes(database.pool);
  await database.pool.query(`
    update dcu_type set heartbeat_s = 60 where code = 'P';
    insert into dcu (sn, name, dcu_type_id) select 'HELD01', 'D', id from dcu_type where code = 'P'`);
});
afterAll(() => database.drop());

beforeEach(async () => {
  [published, isDatabaseDown, alive, hasMetOthers] = [[], false, [NODE, OTHER_NODE], true];
  await database.pool.query(
    "delete from dcu_session; update endpoint set online_status = 'offline', node_id = null, last_session_id = null",
  );
  const [found] = await findEndpointsBySn(database.pool, ['HELD01']);
  endpoint = found as EndpointRow; // as: inserted above
  bus = createBus();
  bus.subscribe(({ topic, message }) => topic === 'dcu' && published.push(message.type === 'dcu.status' && message.data));
  const query = (...args: unknown[]): unknown =>
    isDatabaseDown ? Promise.reject(new Error('no database')) : Reflect.apply(database.pool.query, database.pool, args);
  const pool = { query } as unknown as typeof database.pool; // as: nothing else is called
  const node = {
    id: NODE,
    get alive() {
      return alive;
    },
    get hasMetOthers() {
      return hasMetOthers;
    },
    msSinceDeath: 0,
    onLoss: (listener: () => void) => (loseNode = listener),
  } as unknown as Node; // as: nothing else is read
  const ctx = { db: database.db, pool, bus, clock: systemClock, log: createLog('silent') };
  registry = new SessionRegistry(ctx, node, { recordDcuContact: () => undefined } as unknown as DeviceStateWriter); // as: likewise
});
afterEach(() => registry.stop());

/** The device connects to the other node. */
const elsewhere = () =>
  ({ dcuId: endpoint.id, claimedName: 'HELD01', direction: 'dial_in', remote: '10.0.0.1:4060', openMs: 0, nodeId: OTHER_NODE }) as const;

/** Waits for the queries of the registry; timers are those of the test. */
async function untilClosed(session: Pick<EndpointSession, 'closed'>): Promise<void> {
  while (session.closed === undefined) await new Promise((resolve) => setImmediate(resolve));
}

/** A session without a connection, with the members that the registry uses. */
function sessionOf({ meterId = null, direction = 'dial_in' }: { meterId?: string | null; direction?: 'dial_in' | 'dial_out' } = {}) {
  const session = {
    endpoint: { ...endpoint, meterId },
    direction,
    opened: monotonicNow(),
    rowId: null,
    lastHeardAt: HEARD_AT,
    idleMs: 0,
    maxIdleMs: 150_000,
    connection: { remote: '10.0.0.1:4059', bytesIn: 12, bytesOut: 34 },
    closed: undefined as EndpointSession['closed'],
    isAdmitted: false,
    admit: () => void (session.isAdmitted = true),
    close: (reason: CloseReason, detail: string | null = null) => {
      if (session.closed !== undefined) return;
      session.closed = { reason, detail, at: monotonicNow() };
      registry.remove(session as unknown as EndpointSession); // as: see above
    },
  };
  return session as unknown as EndpointSession & { idleMs: number }; // as: nothing else is read
}
async function adopted(options?: Parameters<typeof sessionOf>[0]) {
  const session = sessionOf(options);
  await registry.adopt(session);
  return session;
}
const rows = async () =>
  (
    await database.pool.query<Record<string, unknown>>(
      'select id, node_id as node, direction, close_reason as reason, close_detail as detail, bytes_in::int as received, bytes_out::int as sent, closed_at is not null as closed from dcu_session order by id',
    )
  ).rows;
const stateOf = async () =>
  (
    await database.pool.query('select online_status as status, node_id as node, last_session_id as session from endpoint where sn = $1', [
      'HELD01',
    ])
  ).rows[0] as unknown;
const status = (onlineStatus: string) => ({ sn: 'HELD01', onlineStatus, lastCommAt: new Date(HEARD_AT).toISOString() });

test('an adopted DCU is online at this node, and its session is admitted before its listeners hear of it', async () => {
  const reached: unknown[] = [];
  const first = sessionOf();
  const stopListening = registry.onReachable((id) => reached.push([id, first.isAdmitted]));
  expect([registry.size, registry.get(endpoint.id), registry.epochOf(endpoint.id)]).toEqual([0, undefined, undefined]);
  await registry.adopt(first);
  expect(reached).toEqual([[endpoint.id, true]]);
  expect([registry.size, registry.get(endpoint.id), registry.ids]).toEqual([1, first, [endpoint.id]]);
  expect(registry.epochOf(endpoint.id)).toBe(first.rowId);
  expect(await rows()).toMatchObject([{ id: first.rowId, node: NODE, direction: 'dial_in', closed: false }]);
  expect(await stateOf()).toEqual({ status: 'online', node: NODE, session: first.rowId });
  expect(published).toEqual([status('online')]);
  stopListening();
  await adopted();
  expect(reached).toHaveLength(1);
});

test('a device that connects again replaces its session and stays online', async () => {
  const first = await adopted();
  const second = await adopted();
  await registry.settle();
  expect(first.closed).toMatchObject({ reason: 'replaced' });
  expect(registry.get(endpoint.id)).toBe(second);
  expect(await rows()).toMatchObject([{ reason: 'replaced', closed: true, received: 12, sent: 34 }, { closed: false }]);
  expect(await stateOf()).toMatchObject({ status: 'online', session: second.rowId });
  expect(published).toEqual([status('online'), status('online')]);
});

test('the end of a session is no end of the device when another node has a newer one', async () => {
  const session = await adopted();
  const newer = await openSessionRow(database.pool, elsewhere());
  session.close('peer_closed');
  await registry.settle();
  expect(await rows()).toMatchObject([{ reason: 'peer_closed', closed: true }, { closed: false }]);
  expect(await stateOf()).toEqual({ status: 'online', node: OTHER_NODE, session: newer });
  expect(published).toEqual([status('online')]);
});

test.each<[CloseReason, string, unknown[]]>([
  ['peer_closed', 'offline', [status('offline')]],
  ['heartbeat_lost', 'offline', [status('offline')]],
  ['server_stopped', 'unknown', []],
  ['handed_over', 'unknown', []],
])('after %s a DCU is %s, and consoles see it offline only when it is', async (reason, onlineStatus, messages) => {
  const session = await adopted();
  published = [];
  session.close(reason, 'detail');
  await registry.settle();
  expect([registry.size, registry.epochOf(endpoint.id)]).toEqual([0, undefined]);
  expect(await rows()).toMatchObject([{ reason, detail: 'detail', closed: true }]);
  expect(await stateOf()).toMatchObject({ status: onlineStatus, node: null });
  expect(published).toEqual(messages);
});

test('the status of a direct meter is not published as that of a DCU', async () => {
  const session = await adopted({ meterId: '7' });
  expect([registry.endpointsOf(['7', '8']), registry.endpointsOf(['8'])]).toEqual([[endpoint.id], []]);
  session.close('peer_closed');
  await registry.settle();
  expect(await stateOf()).toMatchObject({ status: 'offline' });
  expect(published).toEqual([]);
});

test('a connection that ends while its row is inserted is not admitted, and its row ends', async () => {
  const session = sessionOf();
  registry.onReachable(() => expect.unreachable());
  const adopting = registry.adopt(session);
  session.close('peer_closed');
  await adopting;
  await registry.settle();
  expect([session.isAdmitted, registry.size]).toEqual([false, 0]);
  expect(await rows()).toMatchObject([{ reason: 'peer_closed', closed: true }]);
  expect(published).toEqual([status('offline')]);
});

test('a session that was never adopted leaves no row', async () => {
  sessionOf().close('unproved');
  await registry.settle();
  expect(await rows()).toEqual([]);
});

test('the end of a session that could not be written is written later', async () => {
  const session = await adopted();
  isDatabaseDown = true;
  session.close('peer_closed');
  await registry.settle();
  expect(await stateOf()).toMatchObject({ status: 'online' });
  isDatabaseDown = false;
  await registry.settle();
  expect(await stateOf()).toMatchObject({ status: 'offline' });
  expect(await rows()).toMatchObject([{ reason: 'peer_closed' }]);
});

test('a node that was declared dead, and one that stops, close all sessions', async () => {
  registry.start();
  const first = await adopted();
  loseNode();
  expect(first.closed).toMatchObject({ reason: 'server_stopped' });
  const second = await adopted();
  await registry.stop();
  expect(second.closed).toMatchObject({ reason: 'server_stopped' });
  expect((await rows()).every(({ closed }) => closed)).toBe(true);
});

test('a newer session at another node closes the one here, and an older one does not', async () => {
  registry.start();
  const session = await adopted();
  const move = (sessionId: bigint) => ({
    type: 'endpoint.moved' as const,
    ts: '',
    id: endpoint.id,
    data: { sessionId: String(sessionId) },
  });
  const own = BigInt(session.rowId ?? 0);
  bus.deliver('devices', move(own));
  bus.apply({ topic: 'devices', message: move(own + 1n) });
  expect(session.closed).toBeUndefined();
  bus.deliver('devices', move(own + 1n));
  expect(session.closed).toMatchObject({ reason: 'replaced' });
});

test('the node that held a device before is told that it has moved, if it is alive', async () => {
  const told: unknown[] = [];
  bus.subscribe(({ message }) => message.type === 'endpoint.moved' && told.push([message.id, message.data.sessionId]));
  for (const nodeId of [null, NODE, '103']) {
    endpoint = { ...endpoint, nodeId };
    await adopted();
  }
  expect(told).toEqual([]);
  endpoint = { ...endpoint, nodeId: OTHER_NODE };
  const session = await adopted();
  expect(told).toEqual([[endpoint.id, session.rowId]]);
});

test('a session is closed when its device is held by another node, even without a message', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  registry.start();
  const session = await adopted();
  vi.advanceTimersByTime(5_000);
  await registry.settle();
  expect(session.closed, 'it is the newest one').toBeUndefined();
  await openSessionRow(database.pool, elsewhere());
  hasMetOthers = false;
  vi.advanceTimersByTime(5_000);
  await registry.settle();
  expect(session.closed, 'a node that was always alone does not ask').toBeUndefined();
  // The other one may have died since.
  [alive, hasMetOthers] = [[NODE], true];
  vi.advanceTimersByTime(5_000);
  await untilClosed(session);
  expect(session.closed).toMatchObject({ reason: 'replaced' });
});

test('a session is closed when its device was adopted by another node since, which has lost it again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  registry.start();
  const session = await adopted();
  const later = await openSessionRow(database.pool, elsewhere());
  const ended = { reason: 'peer_closed', detail: null, bytesIn: 0, bytesOut: 0, closedForMs: 0, onlineStatus: 'offline' } as const;
  await closeSessionRow(database.pool, { id: later, dcuId: endpoint.id, ...ended });
  expect(await stateOf(), 'no node would serve it').toEqual({ status: 'offline', node: null, session: later });
  vi.advanceTimersByTime(5_000);
  await untilClosed(session);
  expect(session.closed).toMatchObject({ reason: 'replaced' });
});

test('an idle device is lost, a dialled one is probed before, and a suspended process judges neither', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const probed: EndpointSession[] = [];
  registry.probeIdle = (session) => probed.push(session);
  registry.start();
  const session = await adopted({ direction: 'dial_out' });
  const checkAfter = (idleMs: number, ms = 5_000) => {
    session.idleMs = idleMs;
    vi.advanceTimersByTime(ms);
    return [probed.length, session.closed?.reason];
  };
  expect(checkAfter(60_000)).toEqual([0, undefined]);
  expect(checkAfter(60_001)).toEqual([1, undefined]);
  expect(checkAfter(150_000)).toEqual([2, undefined]);
  const now = performance.now();
  const stalled = vi.spyOn(performance, 'now').mockImplementation(() => now + 15_001);
  expect(checkAfter(150_001), 'the heartbeats are still unread').toEqual([2, undefined]);
  stalled.mockRestore();
  vi.advanceTimersByTime(5_000);
  expect([probed.length, session.closed?.reason]).toEqual([2, 'heartbeat_lost']);

  const caller = await adopted();
  caller.idleMs = 60_001;
  vi.advanceTimersByTime(5_000);
  expect([probed.length, caller.closed]).toEqual([2, undefined]);
});
