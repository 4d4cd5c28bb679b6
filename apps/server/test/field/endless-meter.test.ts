import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import type { Simulation } from '@hes/simulator/simulation.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { commitChanges, devicesChanged } from '../../src/db/changes.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { collectOf, eventsOf, metersOf, orderOf, type KnownMeter } from './simulated.ts';

/** Longer than any of these tests takes on a busy machine. */
const LONG_MS = 120_000;
const timeoutLimits = { longestMs: 5_000, shortestReadMs: LONG_MS, longestReadMs: LONG_MS };

let bench: AppBench;
let simulation: Simulation;
let meters: KnownMeter[];

beforeAll(async () => {
  bench = await appBench({ timeoutLimits, scale: { dcus: 1, metersPerDcu: 12 } });
  ({ simulation } = bench);
  await metersOf(bench);
  // One meter at a time: the limit of this DCU.
  await bench.app.ctx.pool.query('update dcu_type set parallel_meters = 1');
  simulation.dcus[0]?.disconnect();
  meters = await metersOf(bench);
}, 60_000);
afterEach(() => simulation.faults.clear());
afterAll(() => bench.close());

const meterAt = (place: number): KnownMeter => {
  const meter = meters[place];
  if (meter === undefined) throw new Error('There is no such meter');
  return meter;
};

const readRegister = (meter: KnownMeter) => orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });

test('a meter with an endless response delays no other meter, neither in collection nor in orders', async () => {
  const [endless, ...others] = [0, 1, 2, 3].map(meterAt);
  if (endless === undefined) throw new Error('There are meters');
  // Blocks of this size reach no limit within minutes.
  simulation.faults.add({ target: endless.plan.sn, kind: 'endless_blocks', octets: 100 });
  simulation.faults.add({ target: endless.plan.sn, kind: 'slow', delayMs: 20 });
  let isEnded = false;
  const reading = readRegister(endless).finally(() => (isEnded = true));
  // The next orders are placed after the DCU has claimed all earlier items.
  await vi.waitFor(async () => {
    const { rows } = await bench.app.ctx.pool.query("select meter_id from task_item where state = 'reading'");
    expect(rows).toEqual([{ meter_id: endless.id }]);
  });
  const [collected, ordered] = await Promise.all([
    collectOf(bench, others.slice(0, 2), ['lpa', 'daily']),
    orderOf(bench, others.slice(2), { kind: 'registers', params: { items: ['E_PLUS'] } }),
  ]);
  expect([...collected, ...ordered].map(({ state }) => state)).toEqual(['read_success', 'read_success', 'read_success']);
  expect(isEnded).toBe(false);
  // The following blocks have the maximum size and reach the limit of octets.
  simulation.faults.clear();
  expect((await reading).map(({ state, reason }) => [state, reason])).toEqual([['read_fail', 'ANSWER_TOO_LONG']]);
});

test('further orders for a meter with an endless response wait for it, and not in the place of other meters', async () => {
  const [endless, other] = [8, 9].map(meterAt);
  if (endless === undefined || other === undefined) throw new Error('There are meters');
  simulation.faults.add({ target: endless.plan.sn, kind: 'endless_blocks', octets: 100 });
  simulation.faults.add({ target: endless.plan.sn, kind: 'slow', delayMs: 20 });
  // More than may be long-running at once.
  const readings = Array.from({ length: 10 }, () => readRegister(endless));
  await vi.waitFor(async () => {
    const { rows } = await bench.app.ctx.pool.query("select meter_id from task_item where meter_id = $1 and state = 'reading'", [
      endless.id,
    ]);
    expect(rows).toHaveLength(10);
  });
  let isEnded = false;
  void Promise.race(readings).finally(() => (isEnded = true));
  expect((await readRegister(other)).map(({ state }) => state)).toEqual(['read_success']);
  expect(isEnded).toBe(false);
  simulation.faults.clear();
  const reasons = (await Promise.all(readings)).flat().map(({ state, reason }) => reason ?? state);
  expect(new Set(reasons)).toEqual(new Set(['ANSWER_TOO_LONG', 'read_success']));
});

test('a GET in blocks of one octet without end ends with that reason', async () => {
  const meter = meterAt(7);
  simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks', octets: 1 });
  const [item] = await readRegister(meter);
  expect([item?.state, item?.reason]).toEqual(['read_fail', 'ANSWER_TOO_LONG']);
  expect((await eventsOf(bench, meter))[0]?.message).toContain('blocks');
});

test('a GET in large blocks without end is stopped by its octets', async () => {
  const meter = meterAt(4);
  simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks' });
  const [item] = await readRegister(meter);
  expect([item?.state, item?.reason]).toEqual(['read_fail', 'ANSWER_TOO_LONG']);
  expect((await eventsOf(bench, meter))[0]?.message).toContain('octets');
});

test('a GET whose blocks take too long for this line is stopped by its time', async () => {
  const hasty = await appBench({
    timeoutLimits: { ...timeoutLimits, shortestReadMs: 500, longestReadMs: 1_500 },
    scale: { dcus: 1, metersPerDcu: 1 },
  });
  try {
    const [meter] = await metersOf(hasty);
    if (meter === undefined) throw new Error('There is a meter');
    hasty.simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks', octets: 100 });
    hasty.simulation.faults.add({ target: meter.plan.sn, kind: 'slow', delayMs: 200 });
    const [item] = await orderOf(hasty, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });
    expect([item?.state, item?.reason]).toEqual(['read_fail', 'ANSWER_TOO_LONG']);
    expect((await eventsOf(hasty, meter))[0]?.message).toMatch(/not complete after \d+ ms/);
  } finally {
    await hasty.close();
  }
  // The test starts a separate field engine, and the response may take as long as the usual limit of a test.
}, 60_000);

test('a meter with endless responses is set aside, and collected again after the pause', async () => {
  const { app } = bench;
  const meter = meterAt(6);
  simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks', octets: 1 });
  expect((await collectOf(bench, [meter], ['lpa'])).map(({ reason }) => reason)).toEqual(['ANSWER_TOO_LONG']);
  const before = await app.ctx.pool.query(
    'select set_aside_times, set_aside_until > now() as is_set_aside, set_aside_why from meter where id = $1',
    [meter.id],
  );
  expect(before.rows).toEqual([{ set_aside_times: 1, is_set_aside: true, set_aside_why: expect.stringContaining('blocks') }]);
  simulation.faults.clear();
  expect((await collectOf(bench, [meter], ['lpa'])).map(({ reason }) => reason)).toEqual(['SET_ASIDE']);
  // An operator may read the meter during the pause, which does not end it.
  expect((await readRegister(meter)).map(({ state }) => state)).toEqual(['read_success']);
  expect((await collectOf(bench, [meter], ['lpa'])).map(({ reason }) => reason)).toEqual(['SET_ASIDE']);
  await app.ctx.pool.query("update meter set set_aside_until = now() - interval '1 second' where id = $1", [meter.id]);
  await commitChanges(
    app.ctx,
    () => Promise.resolve(),
    () => [devicesChanged('meter', [meter.id])],
  );
  expect((await collectOf(bench, [meter], ['lpa'])).map(({ state }) => state)).toEqual(['read_success']);
  const after = await app.ctx.pool.query('select set_aside_times, set_aside_until, set_aside_why from meter where id = $1', [meter.id]);
  expect(after.rows).toEqual([{ set_aside_times: 0, set_aside_until: null, set_aside_why: null }]);
  expect((await eventsOf(bench, meter)).map(({ code }) => code)).toEqual([FIELD_EVENT.setAside, FIELD_EVENT.readAgain]);
});

test('orders of an operator during a pause do not lengthen it', async () => {
  const meter = meterAt(7);
  simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks', octets: 1 });
  const pause = async () =>
    (await bench.app.ctx.pool.query('select set_aside_times, set_aside_until from meter where id = $1', [meter.id])).rows[0];
  await readRegister(meter);
  const first = await pause();
  expect(first).toMatchObject({ set_aside_times: 1, set_aside_until: expect.any(Date) });
  for (let again = 0; again < 3; again++) expect((await readRegister(meter)).map(({ reason }) => reason)).toEqual(['ANSWER_TOO_LONG']);
  expect(await pause()).toEqual(first);
  expect((await eventsOf(bench, meter)).map(({ code }) => code)).toEqual([FIELD_EVENT.setAside]);
  simulation.faults.clear();
});
