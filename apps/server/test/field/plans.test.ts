import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { windowAt } from '../../src/features/collection/schedule/plan-window.ts';
import { runDuePlans } from '../../src/features/collection/schedule/plans.ts';
import { retryAfter, retryRuleOf } from '../../src/tasks/retry.ts';
import { fieldBench, type Bench } from './field-bench.ts';

const HOUR_MS = 3_600_000;

let bench: Bench;
beforeAll(async () => {
  bench = await fieldBench();
  await bench.register('PLANDCU001', 3);
  await bench.database.pool.query('update collect_plan set enabled = true');
});
afterAll(() => bench.close());

const tasks = async () =>
  (await bench.database.pool.query("select kind, total, params->'profiles' as profiles from task order by id")).rows;

test('plans that have never run are run at once, together, with one item per meter', async () => {
  await runDuePlans(bench.ctx);
  expect(await tasks()).toEqual([{ kind: 'collect', total: 3, profiles: ['daily', 'lpa', 'energy'] }]);
});

test('the next run is in the future, and equal for plans with the same schedule', async () => {
  const { rows } = await bench.database.pool.query(
    'select count(distinct next_run_at)::int as moments, min(next_run_at) > now() as later from collect_plan',
  );
  expect(rows).toEqual([{ moments: 1, later: true }]);
  await runDuePlans(bench.ctx);
  expect(await tasks()).toHaveLength(1);
});

test('a meter that still waits from the previous run is not queued twice', async () => {
  // One of the three meters of the DCU has ended.
  await bench.database.pool.query(`
    with parted as (update task_item set meter_ids = meter_ids[2:] returning *)
    insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_ids, state)
      select task_id, kind, priority, device_kind, dcu_id, (select i.meter_ids[:1] from task_item i where i.id = parted.id), 'read_success' from parted;
    update collect_plan set next_run_at = now() - interval '1 second'`);
  await runDuePlans(bench.ctx);
  expect((await tasks()).map(({ total }) => total)).toEqual([3, 1]);
});

test('a plan with an unreadable schedule is disabled, and the others continue', async () => {
  await bench.database.pool.query(`
    update task_item set state = 'read_success';
    update collect_plan set next_run_at = now() - interval '1 second', schedule = case when type = 'daily' then 'whenever' else schedule end`);
  await runDuePlans(bench.ctx);
  const { rows } = await bench.database.pool.query('select type, enabled from collect_plan order by type');
  expect(rows).toEqual([
    { type: 'daily', enabled: false },
    { type: 'energy', enabled: true },
    { type: 'lpa', enabled: true },
  ]);
});

describe('a plan with a window', () => {
  const insert = (change: string) =>
    bench.database.pool.query(`
      update task_item set state = 'read_success';
      update collect_plan set enabled = false;
      insert into collect_plan (name, type, schedule, window_from, window_to, retry_count, retry_interval_min ${change}`);
  const items = async () =>
    (
      await bench.database.pool.query(
        'select i.not_before, t.expires_at, t.created_at, t.params from task_item i join task t on t.id = i.task_id order by i.id desc limit 1',
      )
    ).rows[0];

  test('queues its items for the begin of the window, and cancels items that have not begun at its end', async () => {
    const now = Date.parse('2026-11-21T20:00:00+08:00');
    await insert(") values ('Night', 'daily', '0 0 20 * * ? *', '23:30', '04:00', 2, 30)");
    await runDuePlans({ ...bench.ctx, clock: { ...systemClock, now: () => now } });
    const { not_before: begins, expires_at: ends, created_at: created, params } = await items();
    // The window begins three and a half hours after the run, by whatever clock.
    expect([begins - created, ends - created]).toEqual([3.5 * HOUR_MS, 8 * HOUR_MS]);
    expect(params).toMatchObject({ profiles: ['daily'], retry: { count: 2, intervalMinutes: 30 } });
  });

  test('begins at once while the window is open, also past midnight', () => {
    const at = (text: string) => windowAt(Date.parse(text), '23:30', '04:00', 'Asia/Shanghai');
    const inside = Date.parse('2026-11-22T01:00:00+08:00');
    expect(at('2026-11-22T01:00:00+08:00')).toEqual({ opensAt: inside, closesAt: Date.parse('2026-11-22T04:00:00+08:00') });
    expect(at('2026-11-21T23:30:00+08:00').opensAt).toBe(Date.parse('2026-11-21T23:30:00+08:00'));
    expect(at('2026-11-22T04:00:00+08:00').opensAt).toBe(Date.parse('2026-11-22T23:30:00+08:00'));
  });
});

test('a plan that ran while the clock was ahead runs again at the next time of its schedule, and not an hour later', async () => {
  const { pool } = bench.database;
  const runAt = (now: number) => runDuePlans({ ...bench.ctx, clock: { ...systemClock, now: () => now } });
  const ahead = Date.parse('2026-11-21T17:36:00+08:00');
  await pool.query(`
    update collect_plan set enabled = false;
    insert into collect_plan (name, type, schedule) values ('Each minute', 'events', '0 0/1 * * * ? *')`);
  const nextRun = async () =>
    (await pool.query("select next_run_at from collect_plan where name = 'Each minute'")).rows[0]?.next_run_at.getTime();
  await runAt(ahead);
  expect(await nextRun()).toBeGreaterThanOrEqual(ahead + 60_000);
  const setBack = ahead - 3_600_000 + 15_000;
  await runAt(setBack);
  expect(await nextRun()).toBeLessThan(setBack + 60_000);
});

describe('a run is skipped and logged', () => {
  test('while every meter still waits from the previous run', async () => {
    const { pool } = bench.database;
    await pool.query(
      "update collect_plan set enabled = name = 'Night', next_run_at = null; update task_item set state = 'waiting' where id = (select max(id) from task_item)",
    );
    await pool.query("update task_item set state = 'waiting' where task_id = (select max(id) from task)");
    await runDuePlans(bench.ctx);
    const { rows } = await pool.query('select state, reason, queued, still_waiting from plan_run order by id desc limit 1');
    expect(rows).toEqual([{ state: 'skipped', reason: 'still_running', queued: 0, still_waiting: 3 }]);
  });
});

describe('a retry', () => {
  test('follows the plan: number and interval of attempts, and only for temporary reasons', () => {
    const rule = retryRuleOf({ retry: { count: 2, intervalMinutes: 15 } });
    expect([1, 2, 3].map((attempt) => retryAfter('METER_TIMEOUT', attempt, 5, rule))).toEqual([900_000, 900_000, undefined]);
    expect(retryAfter('NO_DATA', 1, 5, rule)).toBe(900_000);
    expect(retryAfter('ACCESS_DENIED', 1, 5, rule)).toBeUndefined();
    expect(retryRuleOf({})).toBeUndefined();
  });
});
