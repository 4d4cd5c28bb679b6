import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Drain } from '../../src/composition/drain.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { createLog } from '../../src/platform/log.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { namedDcu, TinyDcu, type TinyMeter } from './tiny-dcu.ts';

let bench: Bench;
let [first, second]: (HeadEnd | undefined)[] = [];
const drains: Drain[] = [];
beforeAll(async () => void (bench = await fieldBench()));
afterAll(() => bench.close());
afterEach(async () => {
  for (const drain of drains.splice(0)) drain.stop();
  await first?.stop();
  await second?.stop();
});

async function twoNodes(limitMs = 10_000) {
  const one = (first = await bench.headEnd());
  const two = (second = await bench.headEnd());
  const [drain, other] = [one, two].map(({ field, dispatcher }) => new Drain({ field, dispatcher, log: createLog('silent'), limitMs }));
  if (drain === undefined || other === undefined) throw new Error('There are two nodes');
  drains.push(drain, other);
  await one.field.node.beat();
  return { one, two, drain, other };
}

const rowOf = async <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
  (await bench.database.pool.query<Row>(text, values)).rows;
const holderOf = async (dcuId: string) =>
  (await rowOf<{ nodeId: string | null }>('select node_id as "nodeId" from endpoint where id = $1', [dcuId]))[0]?.nodeId;
const eventsOf = ({ field }: HeadEnd) =>
  rowOf<{ kind: string; devices: number }>('select kind, devices from node_event where node_id = $1 order by id', [field.node.id]);
const settled = (assertion: () => Promise<void>) => vi.waitFor(assertion, { timeout: 10_000, interval: 50 });

/** Connects a DCU to a node, and to the next one whenever its connection is closed, as behind a balancer. */
async function roaming(sn: string, meters: TinyMeter[], nodes: HeadEnd[]): Promise<void> {
  const [node, ...next] = nodes;
  if (node === undefined) return;
  const dcu = node.dial(sn, meters);
  dcu.latencyMs = 40;
  const { field } = node;
  dcu.socket.once('close', () => void roaming(sn, meters, next));
  await vi.waitFor(() => expect(field.connected.ids).not.toEqual([]), { timeout: 5_000, interval: 20 });
}

const reading = (dcuId: string, meterIds: readonly string[]) => ({
  kind: 'registers' as const,
  params: { items: ['E_PLUS'] },
  items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
});

test('a node that drains finishes what is on the line, and no order fails by it: another node executes the rest', async () => {
  const { one, two, drain } = await twoNodes();
  const { dcuId, meters, meterIds } = await bench.register('DRAIN001', 16);
  await roaming('DRAIN001', meters, [one, two]);
  await settled(async () => expect(await holderOf(dcuId)).toBe(one.field.node.id));
  const { id, ended } = await two.order(reading(dcuId, meterIds));
  await settled(async () =>
    expect(await rowOf("select from task_item where task_id = $1 and state = 'read_success'", [id])).not.toEqual([]),
  );
  await drain.beforeStop();
  expect(await ended).toEqual(meterIds.map(() => ({ state: 'read_success', reason: null, attempts: 1 })));
  expect(await holderOf(dcuId)).toBe(two.field.node.id);
  expect(await rowOf('select from task_item where lease_owner = $1', [one.field.node.owner])).toEqual([]);
  const ends = await rowOf('select close_reason as reason from dcu_session where dcu_id = $1 order by id', [dcuId]);
  expect(ends).toEqual([{ reason: 'handed_over' }, { reason: null }]);
  expect((await eventsOf(one)).map(({ kind }) => kind)).toEqual(['born', 'drain_began', 'drained']);
  expect((await eventsOf(one))[2]?.devices).toBe(1);
  // Each exchange happened once: no meter saw a counter again, and none was read twice.
  expect(meters.map(({ opened }) => opened)).toEqual(meters.map(() => 1));
});

test('an exchange that takes longer than the limit returns to the queue, and its failed line is not its result', async () => {
  const { one, two, drain } = await twoNodes(100);
  const { dcuId, meters, meterIds } = await bench.register('DRAIN002', 4);
  await roaming('DRAIN002', meters, [one, two]);
  await settled(async () => expect(await holderOf(dcuId)).toBe(one.field.node.id));
  const { ended } = await two.order(reading(dcuId, meterIds));
  await settled(async () => expect(one.dispatcher.inFlight).toBeGreaterThan(0));
  await drain.beforeStop();
  expect((await ended).map(({ state }) => state)).toEqual(meterIds.map(() => 'read_success'));
});

test('a node that an operator drains accepts no device, keeps running, and takes work again when it is resumed', async () => {
  const { one } = await twoNodes();
  const { dcuId, meters, meterIds } = await bench.register('DRAIN003', 2);
  await bench.database.pool.query('update node set draining_at = now() where id = $1', [one.field.node.id]);
  await one.field.node.beat();
  await settled(async () => expect((await eventsOf(one)).map(({ kind }) => kind)).toContain('drained'));
  const caller = connect(one.field.port, '127.0.0.1');
  expect(
    await Promise.race([once(caller, 'connect').then(() => 'connected'), once(caller, 'error').then(() => 'refused')]).catch(
      () => 'refused',
    ),
  ).toBe('refused');
  expect([one.field.isListening, one.field.node.isDraining]).toEqual([false, true]);
  expect(one.field.node.isGuardianOf(dcuId)).toBe(false);
  await bench.database.pool.query('update node set draining_at = null, drained_at = null where id = $1', [one.field.node.id]);
  await one.field.node.beat();
  await vi.waitFor(() => expect(one.field.isListening).toBe(true));
  one.dial('DRAIN003', meters);
  await settled(async () => expect(await holderOf(dcuId)).toBe(one.field.node.id));
  const { ended } = await one.order(reading(dcuId, meterIds));
  expect((await ended).map(({ state }) => state)).toEqual(['read_success', 'read_success']);
});

test('a dialled device is dialled by another node once it is handed over', async () => {
  const device = namedDcu('DRAIN004', 4);
  const server = createServer((socket) => void new TinyDcu(socket, device.sn, [], device)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  const { dcuId } = await bench.register(device.sn, 1);
  const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'dcu', device.sn, device.keys);
  await bench.database.pool.query(
    "update dcu set ek_secret = $2, ak_secret = $3, connection_type = 'dial_out', host = '127.0.0.1', port = $4 where id = $1",
    [dcuId, ekSecret, akSecret, port],
  );
  const { one, two, drain, other } = await twoNodes();
  await settled(async () => expect(await holderOf(dcuId)).toBeTruthy());
  const isFirst = (await holderOf(dcuId)) === one.field.node.id;
  await (isFirst ? drain : other).beforeStop();
  await settled(async () => expect(await holderOf(dcuId)).toBe((isFirst ? two : one).field.node.id));
  server.close();
});

test('the only node that takes work does not wait before it stops', async () => {
  const { one, two, drain } = await twoNodes();
  await two.stop();
  await one.field.node.beat();
  await drain.beforeStop();
  expect(one.field.node.isDraining).toBe(false);
});
