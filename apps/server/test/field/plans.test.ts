import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDuePlans } from '../../src/tasks/plans.ts';
import { fieldBench, type Bench } from './field-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await fieldBench();
  await bench.register('PLANDCU001', 3);
  await bench.database.pool.query('update collect_plan set enabled = true');
});
afterAll(() => bench.close());

const tasks = async () =>
  (await bench.database.pool.query("select kind, total, params->'profiles' as profiles from task order by id")).rows;

test('plans that were never run are run at once, together, with one item for every meter', async () => {
  await runDuePlans(bench.ctx);
  expect(await tasks()).toEqual([{ kind: 'collect', total: 3, profiles: ['daily', 'lpa'] }]);
});

test('the next run lies in the future, and is the same for plans with the same schedule', async () => {
  const { rows } = await bench.database.pool.query(
    'select count(distinct next_run_at)::int as moments, min(next_run_at) > now() as later from collect_plan',
  );
  expect(rows).toEqual([{ moments: 1, later: true }]);
  await runDuePlans(bench.ctx);
  expect(await tasks()).toHaveLength(1);
});

test('a meter that still waits from the run before is not queued twice', async () => {
  await bench.database.pool.query(`
    update task_item set state = 'read_success' where id = (select min(id) from task_item);
    update collect_plan set next_run_at = now() - interval '1 second'`);
  await runDuePlans(bench.ctx);
  expect((await tasks()).map(({ total }) => total)).toEqual([3, 1]);
});

test('a plan with an unreadable schedule is switched off, the others go on', async () => {
  await bench.database.pool.query(`
    update task_item set state = 'read_success';
    update collect_plan set next_run_at = now() - interval '1 second', schedule = case when type = 'daily' then 'whenever' else schedule end`);
  await runDuePlans(bench.ctx);
  const { rows } = await bench.database.pool.query('select type, enabled from collect_plan order by type');
  expect(rows).toEqual([
    { type: 'daily', enabled: false },
    { type: 'lpa', enabled: true },
  ]);
});
