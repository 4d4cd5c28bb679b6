import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { evenOut, surplusOf } from '../../src/composition/even-out.ts';
import { createLog } from '../../src/platform/log.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

let bench: Bench;
let nodes: HeadEnd[] = [];
beforeAll(async () => void (bench = await fieldBench()));
afterAll(() => bench.close());
afterEach(async () => {
  for (const node of nodes) await node.stop();
  nodes = [];
});

const heldBy = async ({ field }: HeadEnd): Promise<number> =>
  (await bench.database.pool.query('select from endpoint where node_id = $1', [field.node.id])).rowCount ?? 0;

test('the surplus is what a node holds above the mean, if it is worth reconnections', () => {
  expect(surplusOf(30, [30, 30, 0])).toBe(10);
  expect(surplusOf(0, [30, 30, 0])).toBe(0);
  expect(surplusOf(21, [21, 20, 19])).toBe(0);
  expect(surplusOf(1_090, [1_090, 910])).toBe(0);
  expect(surplusOf(1_200, [1_200, 800])).toBe(200);
});

test('a node that holds more devices than another one lets idle ones go, as many as it holds above the mean', async () => {
  const one = await bench.headEnd();
  const two = await bench.headEnd();
  nodes = [one, two];
  await one.field.node.beat();
  for (let index = 1; index <= 4; index++) {
    const { meters } = await bench.register(`EVEN00${index}`, 1);
    one.dial(`EVEN00${index}`, meters);
  }
  await vi.waitFor(async () => expect(await heldBy(one)).toBe(4), { timeout: 10_000, interval: 50 });
  const isBusy = vi.fn(() => false);
  const parts = { pool: bench.database.pool, field: one.field, dispatcher: { isBusy }, log: createLog('silent'), leastSurplus: 2 };
  isBusy.mockReturnValueOnce(true);
  expect(await evenOut(parts)).toBe(2);
  expect(isBusy).toHaveBeenCalledTimes(3);
  await vi.waitFor(async () => expect(await heldBy(one)).toBe(2), { timeout: 10_000, interval: 50 });
  const { rows } = await bench.database.pool.query('select close_reason as reason from dcu_session where close_reason is not null');
  expect(rows).toEqual([{ reason: 'handed_over' }, { reason: 'handed_over' }]);
  // The other one does not take them: both hold what they may.
  expect(await evenOut({ ...parts, field: two.field })).toBe(0);
});
