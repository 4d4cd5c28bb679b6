import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskIdOf } from '../../src/features/collection/dcu-tasks.ts';
import { runDuePlans } from '../../src/features/collection/schedule/plans.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 4;
const PLAN = 'By the DCUs themselves';
/** A task of an installer in the DCU. */
const FOREIGN = 7;

let town: ArchiveBench;
let planId = '';
beforeAll(async () => {
  town = await archiveBench({ dcus: 2, metersPerDcu: METERS });
  await query('update collect_plan set enabled = false');
  const [plan] = await query<{ id: string }>(
    `insert into collect_plan (name, type, schedule, look_back_days, execution, retry_count, retry_interval_min) values ($1, 'daily', '0 0 3 * * ? *', 2, 'dcu_task', 0, 1)
     returning id::text as id`,
    [PLAN],
  );
  planId = plan?.id ?? '';
});
afterAll(() => town.close());

const query = <T extends object>(text: string, values: unknown[] = []): Promise<T[]> => town.query<T>(text, values);

/** Runs the plan; returns the outcomes of the last items of a kind by DCU. */
async function run(): Promise<
  { kind: string; place: number; state: string; reason: string | null; counts: Record<string, number> | null }[]
> {
  await query('delete from task');
  await query('update collect_plan set next_run_at = null where id = $1', [planId]);
  await runDuePlans(town.bench.ctx);
  await town.allEnded();
  return query(
    `select i.kind, array_position($1::bigint[], i.dcu_id) - 1 as place, i.state, i.reason_code as reason, i.result->'counts' as counts
     from task_item i order by i.kind, place, i.id`,
    [town.dcuIds],
  );
}
const tasksOf = (place: number) => town.simulation.dcus[place]?.tasks.entries().map(({ taskId, depth }) => ({ taskId, depth }));
const ofTasks = async () => (await run()).filter(({ kind }) => kind === 'dcu_tasks');

test('a plan is written into a DCU that can run it; a DCU without own keys reports that it has no cache', async () => {
  town.simulation.dcus[0]?.tasks.insert(0, {
    taskId: FOREIGN,
    start: fromEpochMs(Date.now(), 0),
    periodSeconds: 3600,
    objects: [{ classId: 7, instance: WELL_KNOWN.LPA.instance, attributeId: 2, dataIndex: 0 }],
    depth: 1,
    priority: 9,
    enabled: false,
  });
  expect(await ofTasks()).toMatchObject([
    { place: 0, state: 'read_success', counts: { inserted: 1, updated: 0, removed: 0 } },
    { place: 1, state: 'read_fail', reason: 'OBJECT_UNDEFINED' },
  ]);
  expect(tasksOf(0)).toEqual([
    { taskId: FOREIGN, depth: 1 },
    { taskId: taskIdOf(planId), depth: 2 },
  ]);
  expect(tasksOf(1)).toEqual([]);
  expect(await query("select result from command_log where kind = 'dcu_tasks' and result is not null order by id")).toHaveLength(2);
});

test('its freezes are read from the cache of the DCU, and meters are not asked for missing ones', async () => {
  // A head-end writes metadata and watermarks some seconds later, at the latest when it stops.
  await town.restart();
  await query('delete from reading_daily');
  await query("update meter set marks = '{}'");
  const collected = (await run()).filter(({ kind }) => kind === 'collect');
  expect(collected.filter(({ place }) => place === 1).every(({ reason }) => reason === 'DCU_NOT_READ')).toBe(true);
  expect(collected.some(({ place, state }) => place === 0 && state === 'read_success')).toBe(true);
  expect(await query('select distinct source from reading_daily')).toEqual([{ source: 'cache' }]);
});

test('an unchanged task is not written again, a changed one is, and an obsolete one is removed, but no task of other clients', async () => {
  const counts = async () => (await ofTasks()).find(({ place }) => place === 0)?.counts;
  expect(await counts()).toEqual({ inserted: 0, updated: 0, removed: 0 });
  await query('update collect_plan set look_back_days = 5 where id = $1', [planId]);
  expect(await counts()).toEqual({ inserted: 0, updated: 1, removed: 0 });
  expect(tasksOf(0)).toEqual([
    { taskId: FOREIGN, depth: 1 },
    { taskId: taskIdOf(planId), depth: 5 },
  ]);
  await query('update collect_plan set enabled = false where id = $1', [planId]);
  const [dcuId = ''] = town.dcuIds;
  expect(await town.order(dcuId, 'dcu_tasks')).toMatchObject({ state: 'read_success' });
  expect(tasksOf(0)).toEqual([{ taskId: FOREIGN, depth: 1 }]);
});

test('a DCU that refuses changes keeps its tasks, and the order reports the refusal', async () => {
  const [dcu] = town.simulation.dcus;
  const [dcuId = ''] = town.dcuIds;
  await query('update collect_plan set enabled = true where id = $1', [planId]);
  town.simulation.faults.add({ target: dcu?.plan.sn ?? '', kind: 'refuse_archive' });
  expect((await town.order(dcuId, 'dcu_tasks')).state).toBe('read_fail');
  expect(tasksOf(0)).toEqual([{ taskId: FOREIGN, depth: 1 }]);
  town.simulation.faults.clear();
});

const PROFILE_COLUMNS =
  'status e_plus_wh e_minus_wh p_avg_plus_w p_avg_minus_w s_avg_plus_va s_avg_minus_va u1_mv u2_mv u3_mv i1_ma i2_ma i3_ma i0_ma pf_milli pf1_milli pf2_milli pf3_milli';

interface Slot {
  /** Key of meter, profile and time. */
  key: string;
  source: string;
  values: string;
}
const slots = () =>
  query<Slot>(
    `select concat_ws('/', m.sn, r.profile, r.day, k) as key, r.source, concat_ws(' ', r.period_s, ${PROFILE_COLUMNS.split(' ')
      .map((column) => `coalesce(${column}[k]::text, '-')`)
      .join(', ')}) as values
     from reading_profile r join meter m on m.id = r.meter_id cross join generate_subscripts(r.status, 1) k where r.status[k] is not null order by 1`,
  );

test('interval profiles are read by the DCU itself and equal those of its meters; no meter is asked', async () => {
  const profiles = ['lpa', 'lpb', 'energy'];
  await query('update collect_plan set enabled = false');
  await query(
    `insert into collect_plan (name, type, schedule, look_back_days, execution, retry_count, retry_interval_min)
     select 'By the DCU ' || type, type, '0 0 * * * ? *', 2, 'dcu_task', 2, 1 from unnest($1::text[]) as t (type) on conflict (name) do nothing`,
    [profiles],
  );
  const both = async () => {
    await query("update collect_plan set next_run_at = null where name like 'By the DCU %'");
    return run();
  };
  const [brought] = (await both()).filter(({ kind, place }) => kind === 'dcu_tasks' && place === 0);
  expect(brought).toMatchObject({ state: 'read_success', counts: { inserted: 3, updated: 0, removed: 0 } });
  const own = tasksOf(0)?.filter(({ taskId }) => taskId !== FOREIGN) ?? [];
  expect(own.map(({ depth }) => depth).toSorted((a, b) => a - b)).toEqual([48, 192, 192]);

  await town.restart();
  await query('delete from reading_profile');
  // Rows of the cache have fixed units, so a changed scaler of the meters does not affect them.
  await query("update meter set marks = jsonb_build_object('rescaled:3/1.0.1.8.0.255', extract(epoch from now()) * 1000)");
  const collected = (await both()).filter(({ kind }) => kind === 'collect');
  expect(collected.some(({ place, state }) => place === 0 && state === 'read_success')).toBe(true);
  expect(collected.filter(({ place }) => place === 1).every(({ reason }) => reason === 'DCU_NOT_READ')).toBe(true);
  const cached = await slots();
  expect(new Set(cached.map(({ source }) => source))).toEqual(new Set(['cache']));
  expect(new Set(cached.map(({ key }) => key.split('/')[1]))).toEqual(new Set(profiles));

  await town.restart();
  await query('delete from reading_profile');
  await query("update meter set marks = '{}'");
  await query("update collect_plan set execution = 'hes_pull' where name like 'By the DCU %'");
  await both();
  const said = new Map((await slots()).map(({ key, values }) => [key, values]));
  expect(cached.length).toBeGreaterThan(METERS * 96);
  expect(cached.map(({ key, values }) => [key, values])).toEqual(cached.map(({ key }) => [key, said.get(key)]));
}, 120_000);

test('the end of a month is read from the cached freezes of the DCU, by a separate task', async () => {
  await query('update collect_plan set enabled = false');
  await query(
    `insert into collect_plan (name, type, schedule, look_back_days, execution, retry_count, retry_interval_min)
     values ('Month ends', 'monthly', '0 0 3 * * ? *', 2, 'dcu_task', 0, 1) on conflict (name) do nothing`,
  );
  const monthly = async () => {
    await query("update collect_plan set next_run_at = null where name = 'Month ends'");
    return run();
  };
  const [brought] = (await monthly()).filter(({ kind, place }) => kind === 'dcu_tasks' && place === 0);
  expect(brought).toMatchObject({ state: 'read_success', counts: { inserted: 1 } });
  expect(tasksOf(0)?.map(({ depth }) => depth)).toEqual([1, 2]);
  await town.restart();
  await query('delete from reading_daily');
  await query("update meter set marks = '{}'");
  const collected = (await monthly()).filter(({ kind }) => kind === 'collect');
  expect(collected.some(({ place, state }) => place === 0 && state === 'read_success')).toBe(true);
  expect(collected.filter(({ place }) => place === 1).every(({ reason }) => reason === 'DCU_NOT_READ')).toBe(true);
  expect(await query('select distinct source, extract(day from freeze_date)::int as day from reading_daily')).toEqual([
    { source: 'cache', day: 1 },
  ]);
});
