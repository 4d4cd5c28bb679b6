import type { AuditResult } from '@hes/contract/orders/results.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { collectOf, metersOf, type KnownMeter } from './simulated.ts';

const DAY_MS = 86_400_000;
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

let bench: AppBench;
let admin: TestUser;
let meters: KnownMeter[];

beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 }, scale: { dcus: 1, metersPerDcu: 6 } });
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  meters = await metersOf(bench);
}, 60_000);
afterAll(() => bench.close());

async function audit(
  payload: object,
): Promise<{ meterSn: string; state: string; reasonCode: string | null; audit: AuditResult | undefined }[]> {
  const { app } = bench;
  const ordered = await app.call(admin, { method: 'POST', url: '/api/reading/audit', payload });
  expect(ordered.statusCode, ordered.body).toBe(202);
  const { taskId } = ordered.json<{ taskId: string }>();
  await expect
    .poll(async () => (await app.call(admin, { url: `/api/task/${taskId}` })).json<{ finishedAt: string | null }>().finishedAt, {
      timeout: 20_000,
    })
    .not.toBeNull();
  const { items } = (await app.call(admin, { url: `/api/task/${taskId}/items` })).json();
  return items.map((item: { meterSn: string; state: string; reasonCode: string | null; result: { audit?: AuditResult } | null }) => ({
    meterSn: item.meterSn,
    state: item.state,
    reasonCode: item.reasonCode,
    audit: item.result?.audit,
  }));
}

test('stored readings are compared with the buffer of their meter, differences are reported, and nothing is changed', async () => {
  const { pool } = bench.app.ctx;
  const [meter] = meters;
  if (meter === undefined) throw new Error('There are meters');
  await collectOf(bench, [meter], ['daily', 'lpa', 'lpb', 'energy']);
  const span = { meterSn: meter.plan.sn, from: dayText(Date.now() - 2 * DAY_MS), to: dayText(Date.now() + DAY_MS) };
  const [equal] = await audit(span);
  expect(equal?.audit).toMatchObject({ different: 0, absent: 0, differences: [] });
  expect(equal?.audit?.values).toBeGreaterThan(500);

  await pool.query(
    `update reading_profile set e_plus_wh[k] = e_plus_wh[k] + 5
     from (select day, (select min(k) from generate_subscripts(status, 1) k where status[k] is not null) as k from reading_profile
       where meter_id = $1 and profile = 'lpa' order by day limit 1) as first
     where meter_id = $1 and profile = 'lpa' and reading_profile.day = first.day`,
    [meter.id],
  );
  const stored = () =>
    pool.query(
      'select r::text from reading_profile r where meter_id = $1 union all select r::text from reading_daily r where meter_id = $1 order by 1',
      [meter.id],
    );
  const before = await stored();
  const [different] = await audit(span);
  expect(different?.audit).toMatchObject({ different: 1, differences: [{ profile: 'lpa', column: 'e_plus_wh' }] });
  const [difference] = different?.audit?.differences ?? [];
  expect((difference?.stored ?? 0) - (difference?.meter ?? 0)).toBe(5);
  expect((await stored()).rows).toEqual(before.rows);
});

test('one seed draws the same meters twice, and a meter without stored readings is reported as such', async () => {
  const [first, second] = [await audit({ sample: 3, seed: 7 }), await audit({ sample: 3, seed: 7 })];
  expect(first.map(({ meterSn }) => meterSn).toSorted()).toEqual(second.map(({ meterSn }) => meterSn).toSorted());
  expect(first.length).toBe(3);
  expect(first.some(({ reasonCode }) => reasonCode === 'NO_DATA')).toBe(true);
});

test('an audit of no meter, or of too many days, is refused', async () => {
  const refused = async (payload: object) =>
    (await bench.app.call(admin, { method: 'POST', url: '/api/reading/audit', payload })).statusCode;
  expect(await refused({ meterSn: 'NOBODY', from: '2026-01-01', to: '2026-01-02' })).toBe(404);
  expect(await refused({ meterSn: meters[0]?.plan.sn, from: '2026-01-01', to: '2026-03-02' })).toBe(400);
  expect(await refused({ from: '2026-01-01', to: '2026-01-02' })).toBe(400);
});
