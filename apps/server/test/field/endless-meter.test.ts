import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import type { Simulation } from '@hes/simulator/simulation.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { announceDevices } from '../../src/platform/device-changes.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { collectOf, eventsOf, metersOf, orderOf, type KnownMeter } from './simulated.ts';

const waits = { longestMs: 2000, shortestReadMs: 1_500, longestReadMs: 6_000 };

let bench: AppBench;
let simulation: Simulation;
let meters: KnownMeter[];

beforeAll(async () => {
  bench = await appBench({ waits, scale: { dcus: 1, metersPerDcu: 12 } });
  ({ simulation } = bench);
  await metersOf(bench);
  // One meter at a time: the line of this DCU carries no more.
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

const finishedAtOf = async ({ id }: KnownMeter): Promise<number> => {
  const { rows } = await bench.app.ctx.pool.query<{ at: Date }>('select max(finished_at) as at from task_item where meter_id = $1', [id]);
  return rows[0]?.at.getTime() ?? Number.NaN;
};

const readRegister = (meter: KnownMeter) => orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });

test('a GET in blocks of one octet without end ends with that reason, and keeps none of its neighbours waiting', async () => {
  const [endless, ...others] = [0, 1, 2, 3].map(meterAt);
  if (endless === undefined) throw new Error('There are meters');
  simulation.faults.add({ target: endless.plan.sn, kind: 'endless_blocks', octets: 1 });
  simulation.faults.add({ target: endless.plan.sn, kind: 'slow', delayMs: 60 });
  const [asked, collected, ordered] = await Promise.all([
    readRegister(endless),
    collectOf(bench, others.slice(0, 2), ['lpa', 'daily']),
    orderOf(bench, others.slice(2), { kind: 'registers', params: { items: ['E_PLUS'] } }),
  ]);
  expect(asked.map(({ state, reason }) => [state, reason])).toEqual([['read_fail', 'ANSWER_TOO_LONG']]);
  expect([...collected, ...ordered].map(({ state }) => state)).toEqual(['read_success', 'read_success', 'read_success']);
  const endedAt = await finishedAtOf(endless);
  for (const other of others) expect(await finishedAtOf(other)).toBeLessThan(endedAt);
});

test('a GET in large blocks without end is stopped by its octets', async () => {
  const meter = meterAt(4);
  simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks' });
  const [item] = await readRegister(meter);
  expect([item?.state, item?.reason]).toEqual(['read_fail', 'ANSWER_TOO_LONG']);
  expect((await eventsOf(bench, meter))[0]?.message).toContain('octets');
});

test('a GET whose blocks take too long for this line is stopped by its time', async () => {
  const meter = meterAt(5);
  simulation.faults.add({ target: meter.plan.sn, kind: 'endless_blocks', octets: 100 });
  simulation.faults.add({ target: meter.plan.sn, kind: 'slow', delayMs: 300 });
  const [item] = await readRegister(meter);
  expect([item?.state, item?.reason]).toEqual(['read_fail', 'ANSWER_TOO_LONG']);
  expect((await eventsOf(bench, meter))[0]?.message).toMatch(/No end after \d+ ms on the line/);
});

test('a meter whose answers have no end is set aside, and comes back', async () => {
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
  // A person may ask all the same, which does not end it.
  expect((await readRegister(meter)).map(({ state }) => state)).toEqual(['read_success']);
  expect((await collectOf(bench, [meter], ['lpa'])).map(({ reason }) => reason)).toEqual(['SET_ASIDE']);
  await app.ctx.pool.query("update meter set set_aside_until = now() - interval '1 second' where id = $1", [meter.id]);
  announceDevices(app.ctx, 'meter', [meter.id]);
  expect((await collectOf(bench, [meter], ['lpa'])).map(({ state }) => state)).toEqual(['read_success']);
  const after = await app.ctx.pool.query('select set_aside_times, set_aside_until, set_aside_why from meter where id = $1', [meter.id]);
  expect(after.rows).toEqual([{ set_aside_times: 0, set_aside_until: null, set_aside_why: null }]);
  expect((await eventsOf(bench, meter)).map(({ code }) => code)).toEqual([FIELD_EVENT.setAside, FIELD_EVENT.readAgain]);
});
