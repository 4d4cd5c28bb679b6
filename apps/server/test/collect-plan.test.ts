import { newPlan } from '@hes/contract/reading/plan.ts';
import { defaultSettings, expressionOf } from '@hes/contract/schedule/settings.ts';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { runDuePlans } from '../src/features/collection/schedule/plans.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let engineer: TestUser;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  engineer = await app.addUser({ roles: ['DATA_ENGINEER'] });
});
afterAll(() => app.close());

const base = defaultSettings(2026);
const nightly = {
  ...base,
  second: { ...base.second, mode: 3, specific: [0] },
  minute: { ...base.minute, mode: 3, specific: [30] },
  hour: { ...base.hour, mode: 3, specific: [0] },
};
const fields = {
  name: 'Nightly freeze',
  type: 'daily',
  schedule: expressionOf(nightly),
  scheduleSettings: nightly,
  windowFrom: '00:30',
  windowTo: '06:00',
};
const post = (payload: object, user = engineer) => app.call(user, { method: 'POST', url: '/api/reading/plan', payload });
const idOf = async (sql: string) => (await app.ctx.pool.query<{ id: string }>(sql)).rows[0]?.id ?? '0';
const actions = async () =>
  (await app.ctx.pool.query("select action from audit_log where entity = 'collect_plan' order by id")).rows.map((row) => row.action);

describe('a collect plan', () => {
  let id = '';
  it('S-025 S-408: is kept with the expression and the settings of its schedule, and says when it runs next', async () => {
    const answer = await post(fields);
    expect(answer.statusCode).toBe(201);
    const plan = answer.json();
    id = plan.id;
    expect(plan).toMatchObject({
      schedule: '0 30 0 * * ? *',
      scheduleSettings: nightly,
      meters: 4,
      enabled: true,
      retryCount: 3,
      lastRun: null,
    });
    expect(new Date(plan.nextRunAt).getTime()).toBeGreaterThan(app.ctx.clock.now());
    expect(await actions()).toEqual(['plan_created']);
  });

  test('has a unique name', async () => {
    const answer = await post(fields);
    expect([answer.statusCode, answer.json().code, answer.json().issues[0].field]).toEqual([409, 'DUPLICATE', 'name']);
  });

  test('is changed only from what it is now', async () => {
    const change = { ...fields, lookBackDays: 5, version: 1 };
    const url = `/api/reading/plan/${id}`;
    const first = await app.call(engineer, { method: 'PUT', url, payload: change });
    expect(first.json()).toMatchObject({ lookBackDays: 5, version: 2 });
    const second = await app.call(engineer, { method: 'PUT', url, payload: change });
    expect([second.statusCode, second.json().code]).toEqual([409, 'STALE']);
    expect(second.json().current).toMatchObject({ name: fields.name, lookBackDays: 5, version: 2 });
  });

  test('runs now, once: during that run, another is rejected and logged', async () => {
    const run = () => app.call(engineer, { method: 'POST', url: `/api/reading/plan/${id}/run` });
    expect((await run()).statusCode).toBe(202);
    const again = await run();
    expect([again.statusCode, again.json().code]).toEqual([409, 'PLAN_RUNNING']);
    const runs = (await app.call(engineer, { url: `/api/reading/plan/${id}/runs` })).json().items;
    expect(runs).toMatchObject([
      { state: 'skipped', reason: 'still_running', stillWaiting: 4, taskId: null },
      { state: 'started', queued: 4, trigger: 'user', taskState: 'waiting', total: 4 },
    ]);
  });

  test('is switched off and on, and has a next run only while it is on', async () => {
    const enable = (enabled: boolean) =>
      app.call(engineer, { method: 'PUT', url: `/api/reading/plan/${id}/enabled`, payload: { enabled } });
    expect((await enable(false)).json()).toMatchObject({ enabled: false, nextRunAt: null });
    expect((await enable(true)).json().nextRunAt).not.toBeNull();
  });

  test('is deleted; one that came with the head-end is not', async () => {
    expect((await app.call(engineer, { method: 'DELETE', url: `/api/reading/plan/${id}` })).statusCode).toBe(204);
    const builtin = await idOf('select id from collect_plan where is_builtin limit 1');
    const refused = await app.call(engineer, { method: 'DELETE', url: `/api/reading/plan/${builtin}` });
    expect(refused.json().code).toBe('BUILT_IN_ENTRY');
    expect(await actions()).toEqual([
      'plan_created',
      'plan_changed',
      'plan_run_ordered',
      'plan_run_ordered',
      'plan_disabled',
      'plan_enabled',
      'plan_deleted',
    ]);
  });
});

describe('a plan is refused', () => {
  it.each([
    ['where it would never run', { schedule: '0 0 0 30 2 ? *', scheduleSettings: null }, 'SCHEDULE_INVALID', 'schedule'],
    ['where it runs more than once a minute', { schedule: '* * * * * ? *', scheduleSettings: null }, 'SCHEDULE_INVALID', 'schedule'],
    ['where its settings mean another schedule', { schedule: '0 0 0 * * ? *' }, 'SCHEDULE_INVALID', 'schedule'],
    ['where no DCU could do it', { type: 'events', execution: 'dcu_task' }, 'EXECUTION_UNAVAILABLE', 'execution'],
    [
      'where a DCU would have to rest at night',
      { execution: 'dcu_task', schedule: '0 0 5-23 * * ? *', scheduleSettings: null },
      'SCHEDULE_INVALID',
      'schedule',
    ],
    [
      'where a DCU would have to repeat it every ten minutes',
      { type: 'lpa', execution: 'dcu_task', schedule: '0 0/10 * * * ? *', scheduleSettings: null },
      'SCHEDULE_INVALID',
      'schedule',
    ],
    ['without a target', { targetKind: 'dcu' }, 'VALIDATION', 'targetIds'],
    ['for a target that does not exist', { targetKind: 'dcu', targetIds: ['999999'] }, 'UNKNOWN_REFERENCE', 'targetIds'],
    ['without items where it reads items', { type: 'registers' }, 'VALIDATION', 'items'],
    ['for an unknown item', { type: 'registers', items: ['NO_SUCH'] }, 'UNKNOWN_ITEM', 'items'],
    ['with half a window', { windowTo: null }, 'VALIDATION', 'windowFrom'],
  ])('%s', async (_why, change, code, field) => {
    const answer = await post({ ...fields, name: 'Refused', ...change });
    expect([answer.json().code, answer.json().issues?.[0]?.field]).toEqual([code, field]);
  });

  test('for the whole network when the caller sees a part of it', async () => {
    const district = await idOf("select id from network_level where code = 'DN'");
    const limited = await app.addUser({ scope: [district] });
    expect((await post({ ...fields, name: 'All' }, limited)).json().code).toBe('BEYOND_OWN_RIGHTS');
    const foreign = await idOf("select id from dcu where sn = 'DCUS0001'");
    expect((await post({ ...fields, name: 'Foreign', targetKind: 'dcu', targetIds: [foreign] }, limited)).json().code).toBe(
      'UNKNOWN_REFERENCE',
    );
    const own = await post({ ...fields, name: 'Own', targetKind: 'level', targetIds: [district] }, limited);
    expect(own.json()).toMatchObject({ meters: 2, targetNames: ['District N'] });
  });
});

describe('the preview', () => {
  const preview = async (change: object) =>
    (
      await app.call(engineer, { method: 'POST', url: '/api/reading/plan/preview', payload: { ...newPlan.parse(fields), ...change } })
    ).json();

  test('says the next ten runs, the sentence, the air time of each DCU and the plans in the way', async () => {
    const seen = await preview({ lookBackDays: 7 });
    expect(seen).toMatchObject({ isValid: true, fault: null, sentence: 'Every day, at 00:30' });
    expect(seen.next).toHaveLength(10);
    expect(seen.cost).toMatchObject({ meters: 4, dcus: 2, basis: 'estimated' });
    expect(seen.cost.perDcu).toHaveLength(2);
    expect(seen.cost.perDcu[0].seconds).toBeGreaterThan(0);
    // The plans that came with the head-end run every quarter of an hour, at 00:30 too.
    expect(seen.collisions.map((collision: { name: string }) => collision.name)).toEqual(
      expect.arrayContaining(['Daily freeze', 'Load profile A']),
    );
  });

  test('says why a schedule cannot be saved', async () => {
    expect(await preview({ schedule: '0 0 0 31 2 ? *' })).toMatchObject({
      isValid: false,
      fault: { fault: 'noRun', field: 'year' },
      next: [],
    });
  });
});

describe('the preview of a plan that DCUs run themselves', () => {
  const preview = async (change: object) =>
    (
      await app.call(engineer, {
        method: 'POST',
        url: '/api/reading/plan/preview',
        payload: { ...newPlan.parse(fields), type: 'lpa', ...change },
      })
    ).json();

  test('costs what their answers take on their own lines, and no air', async () => {
    const [byMeters, byDcus] = [await preview({ execution: 'hes_pull' }), await preview({ execution: 'dcu_task' })];
    expect(byDcus.cost).toMatchObject({ meters: 4, dcus: 2, basis: 'estimated' });
    expect(byDcus.cost.seconds * 2).toBeLessThan(byMeters.cost.seconds);
    expect(byDcus.cost.bytes).toBeGreaterThan(4 * 96 * 46);
  });

  test('says before it is saved that DCUs cannot repeat such a schedule', async () => {
    const schedule = '0 0 5-23 * * ? *';
    expect(await preview({ schedule, execution: 'dcu_task' })).toMatchObject({
      isValid: false,
      fault: { fault: 'notPeriodic', field: 'day' },
    });
    expect(await preview({ schedule, execution: 'hes_pull' })).toMatchObject({ isValid: true, fault: null });
  });
});

describe('plans of a file', () => {
  const upload = (lines: object[]) =>
    app.call(engineer, {
      method: 'POST',
      url: '/api/import/collect-plan?name=plans.json',
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.from(JSON.stringify(lines)),
    });
  const listed = async (name: string) =>
    (await app.call(engineer, { url: `/api/reading/plan?name=${encodeURIComponent(name)}` })).json().items;

  test('that was exported are the same again, and what a line gets wrong is said at that line', async () => {
    await post({ ...fields, name: 'For a file', targetKind: 'dcu', targetIds: [await idOf("select id from dcu where sn = 'DCUN0001'")] });
    const [before] = await listed('For a file');
    const order = { format: 'json', filter: { name: 'For a file' } };
    const job = (await app.call(engineer, { method: 'POST', url: '/api/export/collect-plan', payload: order })).json();
    const file = await app.call(engineer, { url: `/api/export/${job.id}/file` });
    const [line] = JSON.parse(file.body);
    expect(line).toMatchObject({ Name: 'For a file', Targets: 'DCUN0001', 'Target kind': 'DCUs', 'Time window': '00:30 – 06:00' });

    const wrong = { ...line, Name: 'Nothing to read', Targets: 'DCUN0001, UNKNOWN' };
    const never = { ...line, Name: 'Never', Schedule: '0 0 0 1 1 ? 2018' };
    const preview = (await upload([{ ...line, Priority: 7 }, { ...line, Name: 'Another' }, wrong, never])).json();
    expect(preview).toMatchObject({ total: 4, update: 1, new: 1, errors: 2 });
    const issues = preview.rows.flatMap((row: { issues: { message: string }[] }) => row.issues.map(({ message }) => message));
    expect(issues).toEqual(['There is no target called UNKNOWN', expect.stringContaining('no next run')]);
    const done = await app.call(engineer, { method: 'POST', url: `/api/import/collect-plan/${preview.id}/commit` });
    expect(done.json().isDone).toBe(true);
    const [after] = await listed('For a file');
    const { priority, version, updatedAt, ...same } = after;
    expect([priority, version]).toEqual([7, before.version + 1]);
    expect(updatedAt).not.toBe(before.updatedAt);
    expect(before).toMatchObject(same);
    expect((await listed('Another'))[0]).toMatchObject({ targetNames: ['DCUN0001'], enabled: true, windowTo: '06:00' });
  });
});

describe('the window of a plan', () => {
  it('is the night unless something else is said, and none where none is wanted', async () => {
    const { windowFrom: _from, windowTo: _to, ...unsaid } = fields;
    const usual = (await post({ ...unsaid, name: 'Usual window' })).json();
    const none = (await post({ ...unsaid, name: 'No window', windowFrom: null, windowTo: null })).json();
    expect([usual.windowFrom, usual.windowTo, none.windowFrom, none.windowTo]).toEqual(['00:30', '06:00', null, null]);
  });
});

describe('a plan that DCUs run themselves', () => {
  const orders = async () =>
    (
      await app.ctx.pool.query<{ dcus: number; mine: boolean }>(
        "select count(*)::int as dcus, bool_and(t.created_by is not null) as mine from task t join task_item i on i.task_id = t.id where t.kind = 'dcu_tasks' group by t.id order by t.id",
      )
    ).rows;

  it('is ordered into the DCUs it reaches when it is added, moved, switched off and deleted, each with an audit row', async () => {
    const dcus = ['DCUN0001', 'DCUS0001'].map((sn) => idOf(`select id from dcu where sn = '${sn}'`));
    const [north, south] = await Promise.all(dcus);
    const own = { ...fields, name: 'By DCUs', execution: 'dcu_task', targetKind: 'dcu', targetIds: [north] };
    const added = (await post(own)).json();
    expect(added.dcuTasks).toMatchObject({ total: 1, ok: 0, failed: 0 });
    const url = `/api/reading/plan/${added.id}`;
    const moved = (await app.call(engineer, { method: 'PUT', url, payload: { ...own, targetIds: [south], version: 1 } })).json();
    expect(moved.dcuTasks.total).toBe(2);
    await app.call(engineer, { method: 'PUT', url: `${url}/enabled`, payload: { enabled: false } });
    expect((await app.call(engineer, { method: 'DELETE', url })).statusCode).toBe(204);
    expect(await orders()).toEqual([1, 2, 1, 1].map((count) => ({ dcus: count, mine: true })));
    const audited = await app.ctx.pool.query("select from audit_log where action = 'dcu_tasks_ordered'");
    expect(audited.rowCount).toBe(4);
  });
});

// Chaos, seed 6: the clock of the server was ahead, and the items waited for an hour by that of the database.
test('items of a plan are due by the clock of the database, whatever that of the server says', async () => {
  const { pool, clock } = app.ctx;
  // A meter with an open item gets no second one.
  await pool.query('delete from task_item; update collect_plan set enabled = false');
  const answer = await post({ ...fields, name: 'Ahead', windowFrom: null, windowTo: null });
  const { id } = answer.json();
  await pool.query('update collect_plan set next_run_at = now() where id = $1', [id]);
  await runDuePlans({ ...app.ctx, clock: { ...clock, now: () => clock.now() + 3_600_000 } });
  const { rows } = await pool.query(
    `select bool_and(i.not_before <= now()) as "isDue", bool_and(t.expires_at < now() + interval '1 hour' + interval '2 hours') as "expiresInTime", count(*)::int as items
     from task t join task_item_device i on i.task_id = t.id where t.plan_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ isDue: true, expiresInTime: true, items: 4 }]);
});
