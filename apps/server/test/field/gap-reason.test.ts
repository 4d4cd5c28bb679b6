import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findPlannedGaps } from '../../src/features/collection/schedule/refills.ts';
import { fieldBench, type Bench } from './field-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await fieldBench();
  await bench.database.pool.query(
    "update collect_plan set enabled = type = 'lpa', look_back_days = 2, next_run_at = now() + interval '1 day'",
  );
});
afterAll(() => bench.close());

interface GapReason {
  state: string;
  reason: string | null;
  secondsAgo: number | null;
}
const gapsOf = async (meterId: string, profile = 'lpa') =>
  (
    await bench.database.pool.query<GapReason>(
      `select state, reason_code as reason, extract(epoch from now() - tried_at)::float8 as "secondsAgo" from reading_gap where meter_id = $1 and profile = $2 order by day`,
      [meterId, profile],
    )
  ).rows;
const reasonsOf = async (meterId: string) => [...new Set((await gapsOf(meterId)).map(({ reason }) => reason))];
const becomes = (meterId: string, reason: string) =>
  vi.waitFor(
    async () => {
      const gaps = await gapsOf(meterId);
      expect(gaps.length).toBeGreaterThan(0);
      for (const gap of gaps) {
        expect(gap.reason).toBe(reason);
        expect(gap.secondsAgo).toBeLessThan(60);
      }
    },
    { timeout: 10_000, interval: 50 },
  );
const noRetry = { retry: { count: 0, intervalMinutes: 1 } };

/** A connected DCU with a meter that does not answer and whose gaps were found before any attempt. */
async function silentMeter(sn: string) {
  const { dcuId, meters, meterIds } = await bench.register(sn, 1);
  const [meter] = meters;
  if (meter === undefined) throw new Error('No meter');
  meter.silent = true;
  const headEnd = await bench.headEnd();
  headEnd.dial(sn, meters);
  // The scan reads the row, which follows the connection.
  await vi.waitFor(
    async () => {
      const { rows } = await bench.database.pool.query('select online_status as status from dcu where id = $1', [dcuId]);
      expect(rows).toEqual([{ status: 'online' }]);
    },
    { timeout: 10_000 },
  );
  await findPlannedGaps(bench.ctx);
  const [meterId = ''] = meterIds;
  expect(await reasonsOf(meterId)).toEqual([null]);
  const items = [{ deviceKind: 'meter' as const, dcuId, meterId }];
  return { headEnd, dcuId, meterId, meter, items };
}

beforeEach(() => bench.database.owner.query('truncate reading_gap'));

describe('the reason of a gap', () => {
  test('is that of the failed plan, at once and not with the next scan', async () => {
    const { headEnd, meterId, items } = await silentMeter('REASON0001');
    await (
      await headEnd.order({ kind: 'collect', source: 'plan', items, params: { profiles: ['lpa'], lookBackDays: 2, ...noRetry } })
    ).ended;
    await becomes(meterId, 'METER_TIMEOUT');
    // The scan finds it, too: the item is shared by the meters of the DCU.
    await bench.database.owner.query('truncate reading_gap');
    await findPlannedGaps(bench.ctx);
    await becomes(meterId, 'METER_TIMEOUT');
    await headEnd.stop();
  });

  test('is known while the plan waits for its retry', async () => {
    const { headEnd, meterId, items } = await silentMeter('REASON0002');
    const params = { profiles: ['lpa'], lookBackDays: 2, retry: { count: 3, intervalMinutes: 60 } };
    const { id } = await headEnd.order({ kind: 'collect', source: 'plan', items, params });
    await becomes(meterId, 'METER_TIMEOUT');
    const { rows } = await bench.database.pool.query('select state from task_item where task_id = $1', [id]);
    expect(rows).toEqual([{ state: 'waiting' }]);
    await headEnd.stop();
  });

  test('is that of a read of other data by an operator, when the meter does not answer', async () => {
    const { headEnd, meterId, items } = await silentMeter('REASON0003');
    await (
      await headEnd.order({ kind: 'registers', items, params: { items: ['E_PLUS'] } })
    ).ended;
    await becomes(meterId, 'METER_TIMEOUT');
    await headEnd.stop();
  });

  test('is found by the scan if the attempt was earlier, and remains after a later success with other data', async () => {
    const { headEnd, meterId, meter, items } = await silentMeter('REASON0004');
    await (
      await headEnd.order({ kind: 'lpa', items, params: { from: '2026-01-01', to: '2026-01-01', store: true, ...noRetry } })
    ).ended;
    await becomes(meterId, 'METER_TIMEOUT');
    meter.silent = false;
    const read = await headEnd.order({ kind: 'registers', items, params: { items: ['E_PLUS'] } });
    expect(await read.ended).toMatchObject([{ state: 'read_success' }]);
    await bench.database.owner.query('truncate reading_gap');
    await findPlannedGaps(bench.ctx);
    await becomes(meterId, 'METER_TIMEOUT');
    await headEnd.stop();
  });

  test('is not that of an attempt at another profile, if its reason does not apply to this one', async () => {
    const { headEnd, meterId, items } = await silentMeter('REASON0005');
    const { pool } = bench.database;
    const { id } = await headEnd.order({ kind: 'collect', source: 'plan', items, params: { profiles: ['daily'], ...noRetry } });
    await pool.query(
      "update task_item set state = 'read_fail', reason_code = 'OBJECT_UNDEFINED', finished_at = now(), lease_owner = null where task_id = $1",
      [id],
    );
    await headEnd.stop();
    await pool.query('update reading_gap set reason_code = null, tried_at = null');
    await findPlannedGaps(bench.ctx);
    expect(await reasonsOf(meterId)).not.toContain('OBJECT_UNDEFINED');
  });

  test('is that the DCU is offline if there was no attempt, and no longer when it is online', async () => {
    const { meterIds, dcuId } = await bench.register('REASON0006', 1);
    const [meterId = ''] = meterIds;
    const { pool } = bench.database;
    await findPlannedGaps(bench.ctx);
    expect(await reasonsOf(meterId)).toEqual(['DCU_OFFLINE']);
    await pool.query("update dcu set online_status = 'online' where id = $1", [dcuId]);
    await findPlannedGaps(bench.ctx);
    expect(await reasonsOf(meterId)).toEqual([null]);
  });
});
