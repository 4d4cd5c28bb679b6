import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { findTaskRows } from '../src/tasks/queries.ts';
import { createTask, type NewTask } from '../src/tasks/create-task.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';
import { sampleParams } from './sample-params.ts';

let app: TestApp;
let admin: TestUser;
let auditor: TestUser;
let items: NewTask['items'] = [];
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  auditor = await app.addUser({ roles: ['AUDITOR'] });
  const found = await app.ctx.pool.query<{ dcuId: string; meterId: string }>(
    'select dcu_id::text as "dcuId", id::text as "meterId" from meter where dcu_id is not null order by sn limit 3',
  );
  items = found.rows.map((row) => ({ deviceKind: 'meter', ...row }));
});
afterAll(() => app.close());

const PARAMS = { items: ['E_PLUS', 'U1'], store: true, askAnyway: true };

/** A task that has ended: its first device gave something, the others did not. */
async function ended(order: Partial<NewTask> = {}): Promise<string> {
  const task = {
    kind: 'registers',
    source: 'user',
    title: 'On-demand reading',
    params: PARAMS,
    priority: 5,
    createdBy: admin.id,
    items,
  } as const;
  const { id } = await createTask(app.ctx.db, { ...task, ...order });
  await app.ctx.pool.query(
    "update task_item set state = case when meter_id = $2 then 'read_success' else 'read_fail' end where task_id = $1",
    [id, items[0]?.meterId],
  );
  await app.ctx.pool.query(
    "update task set state = 'partly_failed', finished_at = now(), done = total, ok = 1, failed = total - 1 where id = $1",
    [id],
  );
  return id;
}
const rerun = (id: string, only?: 'all' | 'failed', user = admin) =>
  app.call(user, { method: 'POST', url: `/api/task/${id}/rerun`, payload: only === undefined ? {} : { only } });
const get = async (path: string) => (await app.call(admin, { method: 'GET', url: `/api${path}` })).json();
const metersOf = async (id: string) =>
  (await get(`/task/${id}/items`)).items.map(({ meterId, state }: { meterId: string; state: string }) => [meterId, state]);

it('is found among the runs of some kinds', async () => {
  const id = await ended();
  const idsOf = async (kinds: string) => (await get(`/task?kinds=${kinds}`)).items.map((row: { id: string }) => row.id);
  expect(await idsOf('lpa,registers')).toContain(id);
  expect(await idsOf('lpa,lpb')).not.toContain(id);
});

describe('a reading from the history', () => {
  it('is ordered once more with the same devices and items, names its origin, and is audited', async () => {
    const origin = await ended();
    const answer = await rerun(origin);
    expect(answer.statusCode).toBe(202);
    const { taskId } = answer.json();
    expect(await get(`/task/${taskId}`)).toMatchObject({
      kind: 'registers',
      params: PARAMS,
      priority: 5,
      originId: origin,
      state: 'waiting',
      total: 3,
    });
    // The live message contains the origin as well, because it replaces the response of the request.
    expect(await findTaskRows(app.ctx.pool, [origin])).toMatchObject([{ originId: null }]);
    expect(await findTaskRows(app.ctx.pool, [taskId])).toMatchObject([{ originId: origin }]);
    expect(await metersOf(taskId)).toEqual(items.map(({ meterId }) => [meterId, 'waiting']));
    expect(await get(`/task/${origin}`)).toMatchObject({ originId: null, state: 'partly_failed' });
    const [line] = (await get('/manager/audit?size=1')).items;
    expect(line).toMatchObject({ action: 'task_rerun', entityId: taskId, detail: { originId: origin, only: 'all', devices: 3 } });
  });

  it('is ordered of those alone that gave nothing', async () => {
    const { taskId } = (await rerun(await ended(), 'failed')).json();
    expect((await metersOf(taskId)).map(([meterId]: string[]) => meterId)).toEqual(items.slice(1).map(({ meterId }) => meterId));
  });

  it('is refused while it runs, without the right of the first order, and where it would change a device', async () => {
    const { id: running } = await createTask(app.ctx.db, {
      kind: 'registers',
      source: 'user',
      title: 'On-demand reading',
      params: PARAMS,
      priority: 3,
      createdBy: admin.id,
      items,
    });
    expect((await rerun(running)).json().code).toBe('NOTHING_TO_DO');
    expect((await rerun(await ended(), 'all', auditor)).statusCode).toBe(403);
    for (const kind of ['relay_disconnect', 'clock_sync', 'dcu_config_write', 'upgrade'] as const)
      expect((await rerun(await ended({ kind, params: sampleParams(kind) }))).json().code).toBe('RERUN_REFUSED');
    expect((await rerun(await ended({ source: 'plan' }))).json().code).toBe('RERUN_REFUSED');
  });
});
