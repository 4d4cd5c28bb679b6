import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { createTask, type NewTask } from '../src/tasks/create-task.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';
import { sampleParams } from './sample-params.ts';

let app: TestApp;
let admin: TestUser;
let meter = { id: '', dcuId: '' };
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  const { rows } = await app.ctx.pool.query<typeof meter>(
    "update meter set inventory_state = 'active' where sn = 'MN0002' returning id, dcu_id as \"dcuId\"",
  );
  if (rows[0]) meter = rows[0];
});
afterAll(() => app.close());

const orderOf = async (url: string) => (await app.call(admin, { url: `/api${url}` })).json().items[0].openOrder;
const order = async (kind: NewTask['kind'], deviceKind: 'dcu' | 'meter') =>
  (
    await createTask(app.ctx.db, {
      kind,
      source: 'user',
      title: kind,
      params: sampleParams(kind),
      priority: 3,
      createdBy: null,
      items: [{ deviceKind, dcuId: meter.dcuId, meterId: deviceKind === 'meter' ? meter.id : null }],
    })
  ).id;
const end = (taskId: string) =>
  app.ctx.pool.query("update task_item set state = 'read_success', finished_at = now() where task_id = $1", [taskId]);

test.each([
  ['relays', 'relay_read', 'meter', '/action/relay?search=MN0002'],
  ['clocks of meters', 'clock_read', 'meter', '/action/clock?search=MN0002'],
  ['clocks of DCUs', 'clock_sync', 'dcu', '/action/clock?search=DCUN0001'],
  ['parameters of DCUs', 'dcu_config_read', 'dcu', '/action/dcu-config?search=DCUN0001'],
] as const)('the list of %s says that a state is from before an order that runs', async (_, kind, deviceKind, url) => {
  expect(await orderOf(url)).toBeNull();
  const other = await order('events', deviceKind);
  expect(await orderOf(url)).toBeNull();
  const taskId = await order(kind, deviceKind);
  expect(await orderOf(url)).toEqual({ taskId, kind });
  await end(taskId);
  expect(await orderOf(url)).toBeNull();
  await end(other);
});
