import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { importCommissioning } from '#db/seed/import-commissioning.ts';
import { SwitchLedger } from '#platform/switch-ledger.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { adopted } from '../../../test/adopted.ts';
import { testApp, type TestApp, type TestUser } from '../../../test/test-app.ts';
import { smallTown } from '../../../test/town.ts';
import { BUILT_IN_LIMITS, insertLimits } from './limit-queries.ts';
import { refuseCommand } from './refusal.ts';
import { reserveSwitch, type RelayCommand } from './store.ts';
import { RelayWatch, type WatchTools } from './watch.ts';
import { spreadItems } from './list-queries.ts';

const LOW = { ...BUILT_IN_LIMITS, maxMetersPerHour: 20, maxKwPerHour: 500, soloLimitPerHour: 5 };

let app: TestApp;
let admin: TestUser;
let events: EventWriter;
let tools: WatchTools;
let watch: RelayWatch;
let nowMs = 0;

beforeAll(async () => {
  app = await testApp({ isClockStill: true });
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

beforeEach(() => {
  // Fakes only the timers of the job; the database uses the real clock.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  events = new EventWriter(app.ctx);
  nowMs = app.ctx.clock.now();
  tools = {
    turns: { takeTurn: () => Promise.resolve(true) },
    ctx: { ...app.ctx, clock: { ...systemClock, now: () => nowMs } },
    events,
    relayAlarms: new Map(),
  };
  watch = new RelayWatch(tools);
  watch.start();
});
afterEach(async () => {
  await watch.stop();
  vi.useRealTimers();
});

/** Advances the clock of the job. */
async function secondsPass(seconds: number): Promise<void> {
  nowMs += seconds * 1000;
  vi.advanceTimersByTime(seconds * 1000);
  await watch.stop();
}

const get = async (url: string) => (await app.call(admin, { method: 'GET', url: `/api${url}` })).json();
const query = (text: string, values: unknown[] = []) => app.ctx.pool.query(text, values);
const blocked = async (reason: string) =>
  (await query("select entity_id, detail from audit_log where action = 'relay_blocked' and detail->>'reason' = $1", [reason])).rows;

it('limits that are written directly to the table have no effect, are audited, and raise one alarm within ten seconds', async () => {
  await insertLimits(app.ctx.db, app.ctx.secrets, { ...LOW, maxMetersPerHour: 10_000 }, { changedBy: null });
  await insertLimits(app.ctx.db, app.ctx.secrets, LOW, { changedBy: null });
  await query('insert into relay_limit (max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s) values (10000, 300000, 10, 0)');
  // A copy of a sealed row is invalid.
  await query(`insert into relay_limit (max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s, effective_at, seal)
    select max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s, effective_at, seal from relay_limit where seal is not null order by id limit 1`);
  expect(await get('/action/relay/limits')).toMatchObject({ ...LOW, pendingLimits: null });

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

it('no row of limits can be changed or deleted', async () => {
  await expect(query('delete from relay_limit')).rejects.toThrow();
  await expect(query('update relay_limit set max_meters_per_hour = 10000')).rejects.toThrow();
});

it('the built-in limits apply when no row has a valid seal', async () => {
  await app.owner.query(
    `alter table relay_limit disable trigger all;
     delete from relay_limit where seal is not null and id = (select min(id) from relay_limit);
     update relay_limit set seal = '\\x00';
     alter table relay_limit enable trigger all`,
  );
  expect(await get('/action/relay/limits')).toMatchObject({ maxMetersPerHour: 50, maxKwPerHour: 1000, soloLimitPerHour: 10 });
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

it('a limit that blocks a command raises an alarm at once', async () => {
  const { rows } = await query('select id as "meterId", dcu_id as "dcuId" from meter where sn = \'MN0002\'');
  await refuseCommand(
    tools,
    { id: '1', taskId: '1', kind: 'relay_disconnect', deviceKind: 'meter', ...rows[0] },
    undefined,
    'RELAY_CEILING',
  );
  const [alarm] = (await get('/event?codes=dcu:60001')).items;
  expect(alarm).toMatchObject({ dcuSn: 'DCUN0001', abnormalLevel: 'serious', occurAt: new Date(nowMs).toISOString() });
  expect(await blocked('RELAY_CEILING')).toHaveLength(1);
});

it('pending looser limits are reported once within ten seconds', async () => {
  await app.call(admin, { method: 'PUT', url: '/api/action/relay/limits', payload: { ...LOW, maxMetersPerHour: 9_999 } });
  const askedAt = nowMs;
  await secondsPass(5);
  await new Promise(setImmediate);
  await watch.look();
  const alarms = (await get('/event?codes=dcu:60004')).items;
  expect(alarms).toMatchObject([{ deviceKind: 'head_end', abnormalLevel: 'serious' }]);
  expect(alarms[0].message).toContain('9999 /h');
  expect(Date.parse(alarms[0].occurAt) - askedAt).toBeLessThanOrEqual(10_000);
});

/** A batch of `total` commands of which the first were sent with these results. */
async function batch(total: number, sent: readonly ('done' | 'unknown')[]): Promise<{ taskId: string; next: RelayCommand }> {
  const task = await query(
    "insert into task (kind, source, title, params, total, priority, created_by, expires_at) values ('relay_disconnect', 'user', 'x', '{}', $1, 1, $2, now() + interval '1 day') returning id",
    [total, admin.id],
  );
  const taskId: string = task.rows[0].id;
  const { rows } = await query(
    `insert into relay_command (task_id, meter_id, operation, requested_by, needs_approval, seal)
     select $1, n, 'disconnect', $2, true, '\\x00' from generate_series(1000, 1000 + $3::int - 1) n returning id`,
    [taskId, admin.id, total],
  );
  await query(
    "insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id) select $1, 'relay_disconnect', 1, 'meter', 1, meter_id from relay_command where task_id = $1",
    [taskId],
  );
  for (const [at, state] of sent.entries()) {
    await query("insert into relay_sent (command_id, meter_id, operation, power_w) values ($1, 1000, 'disconnect', 1)", [rows[at].id]);
    await query('update relay_command set state = $2 where id = $1', [rows[at].id, state]);
  }
  // as: reserveSwitch reads nothing else
  const next = {
    id: rows.at(-1).id,
    taskId,
    meterId: '1000',
    operation: 'disconnect',
    needsApproval: true,
    nonce: randomUUID(),
    validUntil: new Date(Date.now() + 3_600_000),
  } as RelayCommand;
  return { taskId, next };
}
const switches = new SwitchLedger(undefined, Date.now());
const reserve = async (next: RelayCommand) => {
  const dcuId = '1';
  return reserveSwitch(app.ctx, next, { powerW: 1, hour: 12, switches, holder: { dcuId, epoch: await adopted(app.ctx.pool, dcuId) } });
};

it('a large batch begins with one in a hundred, and the others a minute later', async () => {
  const { taskId } = await batch(120, []);
  await app.ctx.db.transaction().execute((tx) => spreadItems(tx, taskId, { meters: 120, spreadS: 0 }));
  const { rows } = await query(
    'select count(*)::int as n, not_before > now() + interval \'50 seconds\' as "isLater" from task_item where task_id = $1 group by 2 order by 1',
    [taskId],
  );
  expect(rows).toEqual([
    { n: 2, isLater: false },
    { n: 118, isLater: true },
  ]);
  await query('delete from task_item where task_id = $1', [taskId]);
});

it('a large batch halts when too many of its first lack their proof, and a small one does not', async () => {
  await insertLimits(app.ctx.db, app.ctx.secrets, BUILT_IN_LIMITS, { changedBy: null });
  expect(await reserve((await batch(20, ['unknown'])).next)).toBe('halted');
  expect(await reserve((await batch(20, ['done', 'done', 'done', 'done', 'unknown'])).next)).toBe('reserved');
  expect(await reserve((await batch(19, ['unknown'])).next)).toBe('reserved');
});
