import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { appBench, type AppBench } from '../../../test/field/app-bench.ts';
import { metersOf, orderOf, type KnownMeter } from '../../../test/field/simulated.ts';

const HOUR_MS = 3_600_000;

let bench: AppBench;
let meters: KnownMeter[];
beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 }, scale: { dcus: 1, metersPerDcu: 8 }, timeZone: 'Asia/Shanghai' });
  meters = await metersOf(bench);
}, 60_000);
afterEach(() => bench.simulation.faults.clear());
afterAll(() => bench.close());

const order = async (kind: TaskKind, meter: KnownMeter | undefined, params = {}) => {
  const [item] = await orderOf(bench, meter === undefined ? [] : [meter], { kind, params });
  return { ...item, facts: Object.fromEntries((item?.result?.values ?? []).map(({ item: name, value }) => [name, value])) };
};

describe('the end of the billing period', () => {
  test('is read with its script, the number of periods and the last end', async () => {
    const { state, facts } = await order('billing_period_read', meters[0]);
    expect(state).toBe('read_success');
    expect(facts).toMatchObject({
      billing_schedule: '*-*-01 00:00',
      billing_script: '0.0.10.0.1.255 #1',
      billing_count: expect.any(Number),
    });
    expect(Date.parse(String(facts['billing_at']))).toBeLessThanOrEqual(Date.now());
  });

  test('is set to a day and an hour of every month, and read back', async () => {
    const before = await order('billing_period_read', meters[0]);
    const { state, facts } = await order('billing_period_set', meters[0], { dayOfMonth: 15, hour: 6 });
    expect(state).toBe('read_success');
    expect(facts).toEqual({ ...before.facts, billing_schedule: '*-*-15 06:00' });
    expect((await order('billing_period_read', meters[0])).facts['billing_schedule']).toBe('*-*-15 06:00');
  });

  test('comes now by a reset, which the counter of the meter confirms, and not twice within an hour', async () => {
    const before = Number((await order('billing_period_read', meters[1])).facts['billing_count']);
    const reset = await order('demand_reset', meters[1]);
    expect(reset).toMatchObject({ state: 'read_success', facts: { billing_count: before + 1 } });
    expect(Math.abs(Date.parse(String(reset.facts['billing_at'])) - Date.now())).toBeLessThan(HOUR_MS);
    const again = await order('demand_reset', meters[1]);
    expect(again).toMatchObject({ state: 'read_success', facts: { billing_count: before + 1 } });
  });

  test('is not confirmed by a meter that refuses, and its neighbours do not notice', async () => {
    const sn = meters[2]?.plan.sn ?? '';
    bench.simulation.faults.add({ target: sn, kind: 'deny' });
    expect(await order('demand_reset', meters[2])).toMatchObject({ state: 'read_fail', facts: {} });
    expect(await order('billing_period_read', meters[3])).toMatchObject({ state: 'read_success' });
  });

  test('is found out by reading when the answer to a reset is lost, and the reset is not sent twice', async () => {
    const before = Number((await order('billing_period_read', meters[4])).facts['billing_count']);
    // Association, four facts and the clock take seven requests; the response to the eighth, the reset, is lost.
    bench.simulation.faults.add({ target: meters[4]?.plan.sn ?? '', kind: 'lost_answer', count: 1, skip: 7 });
    const reset = await order('demand_reset', meters[4]);
    expect(reset).toMatchObject({ state: 'read_success', facts: { billing_count: before + 1 } });
    const { rows } = await bench.app.ctx.pool.query("select attempts from task_item where kind = 'demand_reset' and meter_id = $1", [
      meters[4]?.id,
    ]);
    expect(rows).toEqual([{ attempts: 2 }]);
  });

  test('is neither set nor reset while the emergency stop is pressed, also by orders that wait in the queue', async () => {
    const { pool } = bench.app.ctx;
    const before = await order('billing_period_read', meters[5]);
    await pool.query("insert into relay_stop (stopped_by, reason) select id, 'test' from app_user limit 1");
    expect(await order('billing_period_set', meters[5], { dayOfMonth: 9, hour: 3 })).toMatchObject({
      state: 'read_fail',
      reason: 'RELAY_STOPPED',
    });
    expect(await order('demand_reset', meters[5])).toMatchObject({ state: 'read_fail', reason: 'RELAY_STOPPED' });
    await pool.query('update relay_stop set released_at = now() where released_at is null');
    expect((await order('billing_period_read', meters[5])).facts).toEqual(before.facts);
  });
});
