import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markLostGaps } from '../../src/storage/gaps.ts';
import { ReadingWriter } from '../../src/storage/writer.ts';
import { queueDueRefills } from '../../src/features/collection/schedule/refill-queries.ts';
import { findPlannedGaps } from '../../src/features/collection/schedule/refills.ts';
import { fieldBench, type Bench } from './field-bench.ts';
import { truth } from './tiny-dcu.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 4 * QUARTER_MS;

let bench: Bench;
beforeAll(async () => {
  bench = await fieldBench();
  await bench.database.pool.query(
    "update collect_plan set enabled = type = 'lpa', look_back_days = 3, next_run_at = now() + interval '1 day'",
  );
});
afterAll(() => bench.close());

const order = (kind: TaskKind, dcuId: string, meterIds: string[], params: Record<string, unknown>) => ({
  kind,
  source: 'plan' as const,
  priority: 5,
  params,
  items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
});

const gapsOf = async (meterId: string) =>
  (
    await bench.database.pool.query<{
      id: string;
      missing: number;
      state: string;
      reason_code: string | null;
      attempts: number;
      from_at: Date;
      to_at: Date;
    }>(
      "select id, missing, state, reason_code, attempts, from_at, to_at from reading_gap where meter_id = $1 and profile = 'lpa' order by day",
      [meterId],
    )
  ).rows;

/** Removes three slots at noon of the day before yesterday from the row of a meter. */
async function tearHole(meterId: string): Promise<number> {
  const day = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000).toISOString().slice(0, 10);
  await bench.database.pool.query(
    "update reading_profile set status[49:51] = '{null,null,null}'::int[], present = present - 3 where meter_id = $1 and profile = 'lpa' and day = $2",
    [meterId, day],
  );
  return Date.parse(`${day}T12:00:00Z`);
}

describe('gaps', () => {
  test('a hole is found slot by slot, filled by a read of exactly these slots, and has the measured values', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0001', 1);
    const [meterId = ''] = meterIds;
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0001', meters);
    await (
      await headEnd.order(order('collect', dcuId, meterIds, { profiles: ['lpa'], lookBackDays: 3 }))
    ).ended;
    const at = await tearHole(meterId);
    await findPlannedGaps(bench.ctx);
    const [gap] = await gapsOf(meterId);
    expect(gap).toMatchObject({ missing: 3, state: 'open', attempts: 0 });
    expect([gap?.from_at.getTime(), gap?.to_at.getTime()]).toEqual([at, at + 2 * QUARTER_MS]);
    // Not before a quarter of an hour, because the plan may still read it.
    expect(await queueDueRefills(bench.ctx)).toBe(0);

    const refill = await headEnd.order(order('refill', dcuId, meterIds, {}));
    expect(await refill.ended).toEqual([{ state: 'read_success', reason: null, attempts: 1 }]);
    expect(await gapsOf(meterId)).toMatchObject([{ missing: 0, state: 'filled' }]);
    const { rows } = await bench.database.pool.query<{ e: string }>(
      "select unnest(e_plus_wh[49:51]) as e from reading_profile where meter_id = $1 and profile = 'lpa' and day = $2::date",
      [meterId, new Date(at)],
    );
    expect(rows.map(({ e }) => Number(e))).toEqual([0, 1, 2].map((k) => truth.ePlus(at + k * QUARTER_MS)));
    await headEnd.stop();
  });

  test('in a gap of which one capture comes, the others stay missing', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0009', 1);
    const [meterId = ''] = meterIds;
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0009', meters);
    await (
      await headEnd.order(order('collect', dcuId, meterIds, { profiles: ['lpa'], lookBackDays: 3 }))
    ).ended;
    const at = await tearHole(meterId);
    await findPlannedGaps(bench.ctx);
    expect(await gapsOf(meterId)).toMatchObject([{ missing: 3, state: 'open' }]);
    const writer = new ReadingWriter(bench.ctx);
    const stored = { meterId, dcuId, profile: 'lpa', periodSeconds: QUARTER_MS / 1000, readAt: Date.now(), source: 'push' } as const;
    await writer.storeProfile({ ...stored, stamps: Float64Array.of(at), status: undefined, channels: [], traceId: undefined }, true);
    await writer.stop();
    const [gap] = await gapsOf(meterId);
    expect(gap).toMatchObject({ missing: 2, state: 'open' });
    expect([gap?.from_at.getTime(), gap?.to_at.getTime()]).toEqual([at + QUARTER_MS, at + 2 * QUARTER_MS]);
    await headEnd.stop();
  });

  test('a gap of an unreachable meter stays open with its reason and a later attempt; no value is invented', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0002', 1);
    const [meterId = ''] = meterIds;
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0002', meters);
    await (
      await headEnd.order(order('collect', dcuId, meterIds, { profiles: ['lpa'], lookBackDays: 3 }))
    ).ended;
    await tearHole(meterId);
    await findPlannedGaps(bench.ctx);
    const [meter] = meters;
    if (meter) meter.silent = true;
    const refill = await headEnd.order(order('refill', dcuId, meterIds, { retry: { count: 0, intervalMinutes: 1 } }));
    const [end] = await refill.ended;
    expect(end?.state).toBe('read_fail');
    const [gap] = await gapsOf(meterId);
    expect(gap).toMatchObject({ missing: 3, state: 'open', reason_code: end?.reason });
    expect(gap?.attempts).toBeGreaterThan(0);
    await headEnd.stop();
  });

  test('a gap that was found before the first read has its reason after the meter has not answered', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0003', 1);
    const [meterId = ''] = meterIds;
    const [meter] = meters;
    if (meter) meter.silent = true;
    await bench.database.pool.query("update dcu set online_status = 'online' where id = $1", [dcuId]);
    await findPlannedGaps(bench.ctx);
    const before = await gapsOf(meterId);
    expect(before.length).toBeGreaterThan(0);
    expect(before.every((gap) => gap.reason_code === null)).toBe(true);
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0003', meters);
    const params = { profiles: ['lpa'], lookBackDays: 3, retry: { count: 0, intervalMinutes: 1 } };
    const [end] = await (await headEnd.order(order('collect', dcuId, meterIds, params))).ended;
    expect(end?.state).toBe('read_fail');
    await findPlannedGaps(bench.ctx);
    expect(new Set((await gapsOf(meterId)).map((gap) => gap.reason_code))).toEqual(new Set([end?.reason]));
    await headEnd.stop();
  });

  test('due gaps of a reachable DCU are placed once as one task of the lowest priority', async () => {
    await bench.database.pool.query("update reading_gap set next_try_at = now() - interval '1 minute' where state = 'open'");
    await bench.database.pool.query("update task set created_at = created_at - interval '1 hour'");
    await bench.database.pool.query("update dcu set online_status = 'online' where sn = 'GAPDCU0002'");
    expect(await queueDueRefills(bench.ctx)).toBe(1);
    expect(await queueDueRefills(bench.ctx)).toBe(0);
    const { rows } = await bench.database.pool.query(
      "select priority, source, total from task where kind = 'refill' and source = 'system'",
    );
    expect(rows).toEqual([{ priority: 9, source: 'system', total: 1 }]);
  });

  test('a gap ends when its meter no longer holds it, by the capacity of the meter, else of its profile, else by the default', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0004', 2);
    const [told, untold] = meterIds as [string, string];
    const [teller] = meters;
    // 96 quarters of an hour: the gap of the day before yesterday is not among them.
    if (teller) teller.entries = 96;
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0004', meters);
    await (
      await headEnd.order(order('collect', dcuId, meterIds, { profiles: ['lpa'], lookBackDays: 3 }))
    ).ended;
    // A head-end writes metadata at the latest when it stops.
    await headEnd.stop();
    const missing = async (meterId: string, hoursAgo: number) => {
      const at = new Date(Math.floor((Date.now() - hoursAgo * HOUR_MS) / QUARTER_MS) * QUARTER_MS);
      await bench.database.pool.query('delete from reading_gap where meter_id = $1', [meterId]);
      await bench.database.pool.query(
        `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, reason_code, next_try_at)
         values ($1, 'lpa', ($2::timestamptz at time zone 'UTC')::date, 1, $2, $2, 'METER_TIMEOUT', now())`,
        [meterId, at],
      );
      await markLostGaps(bench.database.pool, Date.now());
      return (await gapsOf(meterId)).map(({ state, reason_code: reason }) => [state, reason]);
    };
    const OPEN = [['open', 'METER_TIMEOUT']];
    const LOST = [['lost', 'BUFFER_PASSED']];
    expect(await missing(told, 23)).toEqual(OPEN);
    expect(await missing(told, 26)).toEqual(LOST);
    expect(await missing(untold, 26)).toEqual(OPEN);
    const declare = (body: string) => bench.database.pool.query("update southbound_profile set body = $1 where key = 'tiny'", [body]);
    await declare('{"objects": {"LPA": {"entries": 192}}}');
    expect([await missing(told, 26), await missing(untold, 47), await missing(untold, 50)]).toEqual([LOST, OPEN, LOST]);
    await declare('{}');
    expect([await missing(untold, 59 * 24), await missing(untold, 61 * 24)]).toEqual([OPEN, LOST]);
  });

  test('a gap older than the buffer has the reason BUFFER_PASSED, and a gap that the meter never held has no data', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0005', 1);
    const [meterId = ''] = meterIds;
    const [meter] = meters;
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0005', meters);
    if (meter) {
      meter.entries = 2 * 96;
      meter.beginsAt = Date.now() - 30 * HOUR_MS;
    }
    // On two days, because a day has one gap.
    for (const hoursAgo of [64, 40])
      await bench.database.pool.query(
        `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at)
         select $1, 'lpa', (at at time zone 'UTC')::date, 1, at, at, now() from (select date_trunc('hour', now()) - $2 * interval '1 hour' as at) as t`,
        [meterId, hoursAgo],
      );
    await (
      await headEnd.order(order('refill', dcuId, meterIds, {}))
    ).ended;
    await headEnd.stop();
    expect((await gapsOf(meterId)).map(({ state, reason_code: reason }) => [state, reason])).toEqual([
      ['lost', 'BUFFER_PASSED'],
      ['no_data', 'NO_DATA'],
    ]);
  });

  test('a gap of a meter with a wrong clock has that reason and is retried', async () => {
    const { dcuId, meters, meterIds } = await bench.register('GAPDCU0006', 1);
    const [meterId = ''] = meterIds;
    const headEnd = await bench.headEnd();
    headEnd.dial('GAPDCU0006', meters);
    for (const meter of meters) {
      meter.beginsAt = Date.now();
      meter.clockAheadMs = -40 * 24 * HOUR_MS;
    }
    await bench.database.pool.query(
      `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at)
       select $1, 'lpa', (at at time zone 'UTC')::date, 1, at, at, now() from (select date_trunc('hour', now()) - interval '40 hours' as at) as t`,
      [meterId],
    );
    const params = { retry: { count: 0, intervalMinutes: 1 } };
    expect(await (await headEnd.order(order('refill', dcuId, meterIds, params))).ended).toMatchObject([
      { state: 'read_fail', reason: 'CLOCK_INVALID' },
    ]);
    expect(await gapsOf(meterId)).toMatchObject([{ state: 'open', reason_code: 'CLOCK_INVALID' }]);
    // The deviation is stored with the clocks; after a correction an empty response of the meter is final.
    const { rows } = await bench.database.pool.query(
      "select deviation_ms from device_clock where device_kind = 'meter' and device_id = $1",
      [meterId],
    );
    expect(Math.round(Number(rows[0]?.deviation_ms) / HOUR_MS)).toBe(-40 * 24);
    for (const meter of meters) meter.clockAheadMs = 0;
    await (
      await headEnd.order(order('refill', dcuId, meterIds, {}))
    ).ended;
    expect(await gapsOf(meterId)).toMatchObject([{ state: 'no_data', reason_code: 'NO_DATA' }]);
    await headEnd.stop();
  });
});
