import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

let bench: Bench;
let [first, second]: (HeadEnd | undefined)[] = [];
beforeAll(async () => void (bench = await fieldBench()));
afterAll(() => bench.close());
afterEach(async () => {
  await first?.stop();
  await second?.stop();
});

const endpointOf = async (dcuId: string) =>
  (
    await bench.database.pool.query<{ status: string; nodeId: string | null }>(
      'select online_status as status, node_id as "nodeId" from endpoint where id = $1',
      [dcuId],
    )
  ).rows[0];
const heldBy = (dcuId: string, { field }: HeadEnd) =>
  vi.waitFor(async () => expect(await endpointOf(dcuId)).toEqual({ status: 'online', nodeId: field.node.id }), {
    timeout: 10_000,
    interval: 50,
  });
const endsOf = async (dcuId: string) =>
  (
    await bench.database.pool.query<{ reason: string | null }>(
      'select close_reason as reason from dcu_session where dcu_id = $1 order by id',
      [dcuId],
    )
  ).rows.map(({ reason }) => reason);
const readingOf = (dcuId: string, meterIds: readonly string[]) => ({
  kind: 'registers' as const,
  params: { items: ['E_PLUS'] },
  items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
});

test('the start of a second node leaves the connections of the first one as they are', async () => {
  const { dcuId, meters } = await bench.register('NODES001', 1);
  first = await bench.headEnd();
  first.dial('NODES001', meters);
  await heldBy(dcuId, first);
  second = await bench.headEnd();
  await second.field.node.beat();
  expect(await endpointOf(dcuId)).toEqual({ status: 'online', nodeId: first.field.node.id });
  expect(await endsOf(dcuId)).toEqual([null]);
});

test('a node without the connection neither executes an order nor ends it as offline', async () => {
  const { dcuId, meters, meterIds } = await bench.register('NODES002', 12);
  first = await bench.headEnd();
  second = await bench.headEnd();
  await first.field.node.beat();
  const dcu = first.dial('NODES002', meters);
  await heldBy(dcuId, first);
  // The order lasts longer than the time that an offline DCU is given.
  dcu.latencyMs = 100;
  const { ended } = await second.order(readingOf(dcuId, meterIds));
  expect(await ended).toEqual(meterIds.map(() => ({ state: 'read_success', reason: null, attempts: 1 })));
});

test('a DCU that connects to another node leaves the first one, which claims no more work for it', async () => {
  const { dcuId, meters, meterIds } = await bench.register('NODES003', 2);
  first = await bench.headEnd();
  second = await bench.headEnd();
  await first.field.node.beat();
  first.dial('NODES003', meters);
  await heldBy(dcuId, first);
  second.dial('NODES003', meters);
  await heldBy(dcuId, second);
  const { ended } = await first.order(readingOf(dcuId, meterIds));
  expect((await ended).map(({ state }) => state)).toEqual(['read_success', 'read_success']);
  await vi.waitFor(async () => expect(await endsOf(dcuId)).toEqual(['replaced', null]), { timeout: 10_000, interval: 100 });
  expect(await endpointOf(dcuId)).toEqual({ status: 'online', nodeId: second.field.node.id });
  expect(first.field.reach.isOnline(dcuId)).toBe(false);
});

test('a DCU that moves to and fro never gets a counter that its meters refuse', async () => {
  const { dcuId, meters, meterIds } = await bench.register('NODES004', 3);
  first = await bench.headEnd();
  second = await bench.headEnd();
  await first.field.node.beat();
  for (const holder of [first, second, first, second, first]) {
    const dcu = holder.dial('NODES004', meters);
    await heldBy(dcuId, holder);
    const { ended } = await holder.order(readingOf(dcuId, meterIds));
    expect(await ended).toEqual(meterIds.map(() => ({ state: 'read_success', reason: null, attempts: 1 })));
    dcu.close();
    await vi.waitFor(async () => expect((await endpointOf(dcuId))?.status).toBe('offline'), { timeout: 5_000, interval: 50 });
  }
  for (const { accepted } of meters) expect(accepted).toEqual([...new Set(accepted)].toSorted((a, b) => a - b));
  const jumps = await bench.database.pool.query('select from event where code = $1', [FIELD_EVENT.counterJumped]);
  expect(jumps.rowCount).toBe(0);
});

test('a node that others have declared dead closes its connections and continues under another id', async () => {
  const { dcuId, meters } = await bench.register('NODES005', 1);
  first = await bench.headEnd();
  first.dial('NODES005', meters);
  await heldBy(dcuId, first);
  const before = first.field.node.id;
  await bench.database.pool.query('update node set ended_at = now() where id = $1', [before]);
  await first.field.node.beat();
  expect(first.field.node.id).not.toBe(before);
  await vi.waitFor(async () => expect(await endsOf(dcuId)).toEqual(['server_stopped']), { timeout: 5_000, interval: 50 });
  first.dial('NODES005', meters);
  await heldBy(dcuId, first);
});
