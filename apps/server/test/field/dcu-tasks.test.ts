import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskIdOf } from '../../src/field/operations/dcu-tasks.ts';
import { runDuePlans } from '../../src/tasks/plans.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 4;
const PLAN = 'By the DCUs themselves';
/** A task that an installer gave it. */
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

/** Runs the plan, and answers how the last items of a kind ended, by DCU. */
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

test('a plan is written into the DCU that can run it; one without keys of its own says that it has no cache', async () => {
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

test('its freezes are fetched from the DCU, and meters are not asked for what it has not read', async () => {
  // What a head-end has learnt of a meter it writes a little later, at the latest when it stops.
  await town.restart();
  await query('delete from reading_daily');
  await query("delete from device_memory where key like 'through:%'");
  const collected = (await run()).filter(({ kind }) => kind === 'collect');
  expect(collected.filter(({ place }) => place === 1).every(({ reason }) => reason === 'DCU_NOT_READ')).toBe(true);
  expect(collected.some(({ place, state }) => place === 0 && state === 'read_success')).toBe(true);
  expect(await query('select distinct source from reading_daily')).toEqual([{ source: 'cache' }]);
});

test('the same is not written twice; what has changed is, and what nobody wants any more is removed, but nothing of others', async () => {
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

test('a DCU that takes no change keeps what it has, and the order says so', async () => {
  const [dcu] = town.simulation.dcus;
  const [dcuId = ''] = town.dcuIds;
  await query('update collect_plan set enabled = true where id = $1', [planId]);
  town.simulation.faults.add({ target: dcu?.plan.sn ?? '', kind: 'refuse_archive' });
  expect((await town.order(dcuId, 'dcu_tasks')).state).toBe('read_fail');
  expect(tasksOf(0)).toEqual([{ taskId: FOREIGN, depth: 1 }]);
  town.simulation.faults.clear();
});
