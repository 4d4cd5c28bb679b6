import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { PLAN_TYPES, type PlanType } from '@hes/contract/states/plan.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPlannedGaps } from '../../src/features/collection/schedule/refills.ts';
import { runDuePlans } from '../../src/features/collection/schedule/plans.ts';
import { createTask } from '../../src/tasks/create-task.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 4;
let town: ArchiveBench;
beforeAll(async () => {
  town = await archiveBench({ dcus: 1, metersPerDcu: METERS });
  await query('update collect_plan set enabled = false');
  await query(
    `insert into collect_plan (name, type, schedule, look_back_days, retry_count, retry_interval_min)
     select type, type, '0 0 3 * * ? *', 2, 1, 1 from unnest($1::text[]) as t (type)`,
    [PLAN_TYPES],
  );
  await query(
    "insert into collect_plan_item (plan_id, obis_id, sort) select p.id, o.id, 1 from collect_plan p, obis_code o where p.name = 'registers' and o.key = 'U1'",
  );
  await runDuePlans(town.bench.ctx);
  await town.allEnded();
});
afterAll(() => town.close());

const query = <T extends object>(text: string, values: unknown[] = []): Promise<T[]> => town.query<T>(text, values);

const count = async (from: string): Promise<number> => (await query<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;

test('a plan of every type runs to its end, with meters or DCUs as targets', async () => {
  const runs = await query<{ name: PlanType; state: string; kind: string; total: number; ok: number }>(
    `select p.name, t.state, t.kind, t.total, t.ok from collect_plan p join plan_run r on r.plan_id = p.id join task t on t.id = r.task_id order by p.id`,
  );
  expect(runs.map((run) => run.name).toSorted()).toEqual([...PLAN_TYPES].toSorted());
  const ofDcus = runs.filter((run) => ['archive_compare', 'topology', 'modules'].includes(run.kind));
  expect(ofDcus.map(({ total, ok, state }) => [total, ok, state])).toEqual([1, 2, 3].map(() => [1, 1, 'finished']));
  const ofMeters = runs.filter((run) => !ofDcus.includes(run));
  expect(ofMeters.every(({ total, ok, state }) => total >= METERS && ok === total && state === 'finished')).toBe(true);
});

test('the plans store events, clock deviations, the comparison of the archive, the network and its modules', async () => {
  expect(await count('device_clock where deviation_ms is not null')).toBeGreaterThanOrEqual(METERS);
  expect(await count('archive_snapshot')).toBeGreaterThan(0);
  expect(await count('topology_snapshot')).toBeGreaterThan(0);
  expect(await count('plc_module')).toBeGreaterThan(0);
});

test('the end of a month is the freeze of its last midnight', async () => {
  const monthly = await query<{ day: string; meters: number }>(
    `select freeze_date::text as day, count(*)::int as meters from reading_daily where extract(day from freeze_date) = 1 group by 1`,
  );
  // In the first days of a month the range of the daily plan contains it, too.
  expect(monthly.length).toBeGreaterThan(0);
  for (const { meters } of monthly) expect(meters).toBeGreaterThanOrEqual(METERS);
});

test('a missing end of a month is a gap, and a refill reads exactly this freeze from the meter', async () => {
  const [meter] = await query<{ id: string; dcuId: string }>(
    'select id, dcu_id as "dcuId" from meter where dcu_id is not null order by id limit 1',
  );
  const { id: meterId = '', dcuId = '' } = meter ?? {};
  const freezes = () =>
    query<{ day: string; row: string; quality: string }>(
      `select freeze_date::text as day, concat_ws(' ', e_plus, e_minus, e_plus_t1, e_minus_t4) as row, quality from reading_daily
       where meter_id = $1 and extract(day from freeze_date) = 1 order by freeze_date desc`,
      [meterId],
    );
  const gaps = () =>
    query<{ day: string; state: string; missing: number }>(
      "select day::text as day, state, missing from reading_gap where meter_id = $1 and profile = 'monthly' order by day",
      [meterId],
    );
  const [held, ...others] = await freezes();
  await query('delete from reading_daily where meter_id = $1 and freeze_date = $2::date', [meterId, held?.day]);
  await query("update collect_plan set enabled = name = 'monthly'");
  await findPlannedGaps(town.bench.ctx);
  expect(await gaps()).toEqual([{ day: held?.day, state: 'open', missing: 1 }]);
  const items = [{ deviceKind: 'meter' as const, dcuId, meterId }];
  await createTask(town.bench.ctx.db, {
    kind: 'refill' as const,
    source: 'system',
    priority: 3,
    createdBy: null,
    title: 'refill',
    params: {},
    items,
  });
  await town.allEnded();
  expect(await gaps()).toEqual([{ day: held?.day, state: 'filled', missing: 0 }]);
  expect(await freezes()).toEqual([{ ...held, quality: 'refilled' }, ...others]);
});

test('cached freezes of the DCU equal those of its meters, and one response has those of all meters', async () => {
  const daily = () =>
    query<{ source: string; trace: string | null; row: string }>(
      `select d.source, d.trace_id as trace, concat_ws(' ', m.sn, d.freeze_date, d.status_word, e_plus, e_minus, e_plus_t1, e_plus_t2, e_plus_t3, e_plus_t4, e_minus_t1, e_minus_t4) as row
       from reading_daily d join meter m on m.id = d.meter_id order by m.sn, d.freeze_date`,
    );
  await runDaily('hes_pull');
  const fromMeters = await daily();
  await runDaily('cache_then_hes');
  const fromCache = await daily();
  expect(fromCache.map(({ row }) => row)).toEqual(fromMeters.map(({ row }) => row));
  expect(new Set(fromMeters.map(({ source }) => source))).toEqual(new Set(['meter']));
  const cached = fromCache.filter(({ source }) => source === 'cache');
  expect(cached.length).toBeGreaterThan(fromCache.length / 2);
  expect(new Set(cached.map(({ trace }) => trace)).size).toBe(1);
});

test('an order reads the cache of the DCU, and a refill uses the cache before it asks meters', async () => {
  const meters = await query<{ id: string; dcuId: string }>('select id, dcu_id as "dcuId" from meter where dcu_id is not null');
  const day =
    (await query<{ day: string }>("select (now() at time zone 'Asia/Shanghai' - interval '3 days')::date::text as day"))[0]?.day ?? '';
  const order = async (kind: TaskKind) => {
    await query('delete from reading_daily');
    const items = meters.map(({ id, dcuId }) => ({ deviceKind: 'meter' as const, dcuId, meterId: id }));
    const task = { source: 'user' as const, priority: 3, createdBy: null, title: kind, kind, items };
    const { id } = await createTask(town.bench.ctx.db, { ...task, params: { profile: 'daily', from: day, to: day, source: 'cache' } });
    await town.allEnded();
    return id;
  };
  const sources = async () =>
    (await query<{ source: string }>('select distinct source from reading_daily order by source')).map(({ source }) => source);
  const asked = await order('daily');
  expect(await sources()).toEqual(['cache']);
  const [ends] = await query<{ ok: number; failed: number }>('select ok, failed from task where id = $1', [asked]);
  const held = await count('reading_daily');
  expect([ends?.ok, (ends?.ok ?? 0) + (ends?.failed ?? 0)]).toEqual([held, meters.length]);

  await query('delete from reading_gap');
  await query(
    `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at, found_at, changed_at)
     select id, 'daily', $1::date, 1, $1::date::timestamp at time zone 'Asia/Shanghai', $1::date::timestamp at time zone 'Asia/Shanghai', now(), now(), now()
     from meter where dcu_id is not null`,
    [day],
  );
  await order('refill');
  expect(await count('reading_daily')).toBe(meters.length);
  expect(await count("reading_daily where source = 'cache'")).toBe(held);
  expect(await count("reading_gap where state = 'filled'")).toBe(meters.length);
});

/** Reads eight days of all meters by a head-end without watermarks and readings. */
async function runDaily(execution: string): Promise<void> {
  await town.restart();
  await query("update meter set marks = '{}'");
  await query('delete from reading_daily');
  const plan = 'Eight days';
  await query(
    `insert into collect_plan (name, type, schedule, look_back_days, execution) values ($2, 'daily', '0 0 3 * * ? *', 8, $1)
     on conflict (name) do update set execution = $1, next_run_at = null`,
    [execution, plan],
  );
  await query('update collect_plan set enabled = name = $1', [plan]);
  await runDuePlans(town.bench.ctx);
  await town.allEnded();
}
