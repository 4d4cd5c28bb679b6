import type { FaultKind } from '@hes/simulator/control/faults.ts';
import { dailyTruth } from '@hes/simulator/control/truth.ts';
import { localDay } from '@hes/simulator/world/calendar.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { appBench, type AppBench } from './app-bench.ts';
import { orderOf } from './simulated.ts';

const WITHIN = { timeout: 20_000, interval: 50 };
/** Code of the event about a push that could not be taken. */
const PUSH_DROPPED = 60_006;
const WAYS = ['mbus_tcp', 'mbus_udp', 'wrapper_udp', 'hdlc_udp'] as const;

let bench: AppBench;
beforeAll(async () => {
  bench = await appBench({
    scale: { dcus: 1, metersPerDcu: 2 },
    directMeters: { count: 2, hdlc: 1, pushing: WAYS.length },
    pushSeconds: 1,
    timeZone: 'Asia/Shanghai',
  });
}, 60_000);
beforeEach(() => bench.simulation.faults.clear());
afterAll(() => bench.close());

const query = async <T extends object>(text: string, values: unknown[] = []) => (await bench.app.ctx.pool.query<T>(text, values)).rows;

const snOf = (way: (typeof WAYS)[number]): string => {
  const meter = bench.simulation.world.plan.meters.find(({ pushes }) => pushes === way);
  if (meter === undefined) throw new Error(`No meter pushes by ${way}`);
  return meter.sn;
};

const receiptsOf = async (sn: string): Promise<number> =>
  (await query('select from push_receipt r join meter m on m.id = r.meter_id where m.sn = $1', [sn])).length;

const untilPushed = async (sn: string, more = 2): Promise<void> => {
  const before = await receiptsOf(sn);
  await vi.waitFor(async () => expect(await receiptsOf(sn)).toBeGreaterThanOrEqual(before + more), WITHIN);
};

/** Stored freezes that no push delivered, or that differ from those of the meter. Energies in kWh. */
async function wrongFreezes(sn: string): Promise<unknown[]> {
  const rows = await query<{ midnight: Date; ePlus: number; source: string }>(
    `select d.freeze_date::timestamp at time zone 'Asia/Shanghai' as midnight, d.e_plus::float as "ePlus", d.source
     from reading_daily d join meter m on m.id = d.meter_id where m.sn = $1`,
    [sn],
  );
  expect(rows).not.toEqual([]);
  const { world } = bench.simulation;
  const meter = world.meterBySn.get(sn);
  if (meter === undefined) throw new Error(`${sn} is simulated`);
  return rows.filter(
    ({ midnight, ePlus, source }) => source !== 'push' || ePlus !== dailyTruth(world, meter, localDay(midnight.getTime())).ePlus / 1000,
  );
}

test('capture lists and scalers, without which no pushed value has a meaning, are read from the dialled meters', async () => {
  await vi.waitFor(async () => expect(await query("select sn from endpoint where online_status <> 'online'")).toEqual([]), WITHIN);
  const meters = await query<{ id: string; dcuId: string }>(`select id, dcu_id as "dcuId" from meter where communication_mode = 'direct'`);
  const items = await orderOf(bench, meters, {
    kind: 'collect',
    source: 'plan',
    priority: 5,
    params: { profiles: ['daily'], lookBackDays: 3 },
  });
  expect(items.map(({ state }) => state)).toEqual(meters.map(() => 'read_success'));
  await query('delete from reading_daily');
});

describe.each(WAYS)('a simulated meter that pushes by %s', (way) => {
  test('is stored on each round of its schedule, with the values of the meter', async () => {
    await untilPushed(snOf(way));
    expect(await wrongFreezes(snOf(way))).toEqual([]);
  });

  test.each<FaultKind>(['line_noise', 'torn', 'twice'])('delivers the next push after %s, and nothing wrong is stored', async (kind) => {
    const sn = snOf(way);
    const { faults } = bench.simulation;
    const strikes = () => faults.strikes().find((one) => one.target === sn && one.kind === kind)?.times ?? 0;
    const before = strikes();
    faults.add({ target: sn, kind, count: 2 });
    await vi.waitFor(() => expect(strikes()).toBe(before + 2), WITHIN);
    await untilPushed(sn);
    expect(await wrongFreezes(sn)).toEqual([]);
  });
});

test('the pushes of a meter with another key are not stored, and raise an event; with its own key they are again', async () => {
  const sn = snOf('mbus_udp');
  await untilPushed(sn, 1);
  bench.simulation.faults.add({ target: sn, kind: 'wrong_key' });
  const events = () => query('select from event where code = $1 and message = $2', [PUSH_DROPPED, `${sn} · NOT_AUTHENTIC`]);
  await vi.waitFor(async () => expect(await events()).not.toEqual([]), WITHIN);
  bench.simulation.faults.clear();
  await untilPushed(sn);
});

test('direct meters with a connection push over it by the same schedule, in the wrapper and in HDLC', async () => {
  const meters = bench.simulation.world.plan.meters.filter(({ isDirect, pushes }) => isDirect === true && pushes === undefined);
  expect(meters.map(({ framing }) => framing)).toEqual(['hdlc', undefined]);
  for (const { sn } of meters) await untilPushed(sn);
});
