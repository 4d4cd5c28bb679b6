import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { insertLimits } from '../src/db/relay-limits.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { block } from '../src/field/operations/relay-refusal.ts';
import { RelayWatch, type WatchTools } from '../src/field/relay-watch.ts';
import { EventWriter } from '../src/storage/events/event-writer.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const LOW = { maxMetersPerHour: 20, maxKwPerHour: 500, aloneUpTo: 5, spreadS: 0 };

let app: TestApp;
let admin: TestUser;
let events: EventWriter;
let tools: WatchTools;
let watch: RelayWatch;
let nowMs = 0;

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

beforeEach(() => {
  // Its turns alone are made here: the database goes on by the real clock.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  events = new EventWriter(app.ctx);
  nowMs = app.ctx.clock.now();
  tools = { ctx: { ...app.ctx, clock: { now: () => nowMs } }, events, relayAlarms: new Map() };
  watch = new RelayWatch(tools);
  watch.start();
});
afterEach(async () => {
  await watch.stop();
  vi.useRealTimers();
});

/** On the clock of the watch, which stands still meanwhile. */
async function secondsPass(seconds: number): Promise<void> {
  nowMs += seconds * 1000;
  vi.advanceTimersByTime(seconds * 1000);
  await watch.stop();
}

const get = async (url: string) => (await app.call(admin, { method: 'GET', url: `/api${url}` })).json();
const query = (text: string, values: unknown[] = []) => app.ctx.pool.query(text, values);
const blocked = async (reason: string) =>
  (await query("select entity_id, detail from audit_log where action = 'relay_blocked' and detail->>'reason' = $1", [reason])).rows;

it('a ceiling that is put straight into the table counts for nothing, is on record, and calls for help within ten seconds, once', async () => {
  await insertLimits(app.ctx.db, app.ctx.secrets, { ...LOW, maxMetersPerHour: 10_000 }, { changedBy: null });
  await insertLimits(app.ctx.db, app.ctx.secrets, LOW, { changedBy: null });
  await query('insert into relay_limit (max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s) values (10000, 300000, 10, 0)');
  // What was in force once is sealed, and worth nothing a second time.
  await query(`insert into relay_limit (max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s, effective_at, seal)
    select max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s, effective_at, seal from relay_limit where seal is not null order by id limit 1`);
  expect(await get('/action/relay/guard')).toMatchObject({ ...LOW, coming: null });

  const insertedAt = nowMs;
  await secondsPass(5);
  const [alarm, ...others] = (await get('/event?codes=dcu:60003')).items;
  expect(alarm).toMatchObject({ abnormalLevel: 'serious', deviceKind: 'head_end', dcuId: null, dcuSn: 'HES' });
  expect(Date.parse(alarm.occurAt) - insertedAt).toBeLessThanOrEqual(10_000);
  expect(await blocked('RELAY_LIMIT_FORGED')).toHaveLength(2);
  await new RelayWatch(tools).look();
  expect((await get('/event?codes=dcu:60003')).items).toHaveLength(others.length + 1);
  expect((await app.call(admin, { method: 'GET', url: `/api/event/${alarm.id}` })).statusCode).toBe(200);
});

it('no line of ceilings is changed or taken away', async () => {
  await expect(query('delete from relay_limit')).rejects.toThrow();
  await expect(query('update relay_limit set max_meters_per_hour = 10000')).rejects.toThrow();
});

it('the built-in ceiling stands where no line can be believed', async () => {
  await query('alter table relay_limit disable trigger all');
  await query('delete from relay_limit where seal is not null and id = (select min(id) from relay_limit)');
  await query("update relay_limit set seal = '\\x00'");
  await query('alter table relay_limit enable trigger all');
  expect(await get('/action/relay/guard')).toMatchObject({ maxMetersPerHour: 50, maxKwPerHour: 1000, aloneUpTo: 10 });
});

it('a command that is put straight into the queue is refused, on record, and calls for help within ten seconds, though its DCU is away', async () => {
  const task = await query(
    "insert into task (kind, source, title, params, total, priority, created_by, expires_at) values ('relay_disconnect', 'plan', 'x', '{}', 2, 1, $1, now() + interval '1 day') returning id",
    [admin.id],
  );
  const taskId = task.rows[0].id;
  await query(
    `insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id)
     select $1, 'relay_disconnect', 1, 'meter', dcu_id, id from meter where not is_master`,
    [taskId],
  );
  await query(
    `insert into relay_command (task_id, meter_id, operation, requested_by, needs_approval, seal)
     select $1, id, 'disconnect', $2, false, '\\x00' from meter where not is_master order by id limit 1`,
    [taskId, admin.id],
  );
  const insertedAt = nowMs;
  await secondsPass(5);
  const items = (await get(`/task/${taskId}/items`)).items;
  expect(items.map((item: { state: string; reasonCode: string }) => [item.state, item.reasonCode])).toEqual([
    ['read_fail', 'RELAY_NOT_ORDERED'],
    ['read_fail', 'RELAY_NOT_ORDERED'],
  ]);
  expect((await get(`/task/${taskId}`)).state).toBe('failed');
  expect(await blocked('RELAY_NOT_ORDERED')).toHaveLength(2);
  const alarms = (await get('/event?codes=dcu:60002')).items;
  expect(alarms).toHaveLength(2);
  for (const { occurAt } of alarms) expect(Date.parse(occurAt) - insertedAt).toBeLessThanOrEqual(10_000);
});

it('a ceiling that holds calls for help in the same moment', async () => {
  const { rows } = await query('select id as "meterId", dcu_id as "dcuId" from meter where sn = \'MN0002\'');
  await block(tools, { id: '1', taskId: '1', kind: 'relay_disconnect', deviceKind: 'meter', ...rows[0] }, undefined, 'RELAY_CEILING');
  const [alarm] = (await get('/event?codes=dcu:60001')).items;
  expect(alarm).toMatchObject({ dcuSn: 'DCUN0001', abnormalLevel: 'serious', occurAt: new Date(nowMs).toISOString() });
  expect(await blocked('RELAY_CEILING')).toHaveLength(1);
});
