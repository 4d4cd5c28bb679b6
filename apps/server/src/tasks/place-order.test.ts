import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tx } from '#db/context.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { systemClock } from '#platform/clock.ts';
import { createTask } from './create-task.ts';
import type { OrderedDevice } from './operation.ts';
import { placeOrder, refuseWithoutPart } from './place-order.ts';

let database: TestDatabase;
/** A DCU whose profile has every part, and one whose profile has none. */
let dcus: { able: string; unable: string };
let userId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  const { rows } = await database.pool.query<{ id: string }>(`
    with s as (insert into supplier (code, name) values ('P', 'P') returning id),
      p as (insert into southbound_profile (key, name, device_kind, body, parts) values
        ('able', 'A', 'dcu', '{}', '{restart,factory_reset,parameters,tasks,archive,event_log}'), ('unable', 'U', 'dcu', '{}', '{}') returning id, key),
      dt as (insert into dcu_type (code, name, supplier_id, profile_id) select p.key, p.key, s.id, p.id from s, p returning id, code)
    insert into dcu (sn, name, dcu_type_id) select case code when 'able' then 'DCUABLE' else 'DCUUNABLE' end, 'D', id from dt order by code returning id`);
  dcus = { able: rows[0]?.id ?? '', unable: rows[1]?.id ?? '' };
  userId = (await database.pool.query<{ id: string }>('select id from app_user limit 1')).rows[0]?.id ?? '';
});
afterAll(() => database.drop());

const dcu = (dcuId: string): OrderedDevice => ({ deviceKind: 'dcu', dcuId, meterId: null });
const meterOf = (dcuId: string): OrderedDevice => ({ deviceKind: 'meter', dcuId, meterId: null });
const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work);
const refusal = { code: 'DCU_LACKS', params: expect.objectContaining({ sn: 'DCUUNABLE' }) };

test('an order is refused when all of its DCUs lack the part, or any of them if so asked', async () => {
  const refuse = (items: OrderedDevice[], which: 'all' | 'any') =>
    inTransaction((tx) => refuseWithoutPart(tx, 'dcu_restart', items, which));
  const [able, unable] = [dcu(dcus.able), dcu(dcus.unable)];
  await expect(refuse([unable], 'all')).rejects.toMatchObject(refusal);
  await expect(refuse([unable], 'any')).rejects.toMatchObject(refusal);
  await expect(refuse([able, unable], 'any')).rejects.toMatchObject(refusal);
  await expect(refuse([able, unable], 'all')).resolves.toBeUndefined();
  await expect(refuse([able], 'any')).resolves.toBeUndefined();
  await expect(refuse([unable, meterOf(dcus.unable)], 'all')).resolves.toBeUndefined();
});

test('an order that needs no part, and one for meters, ask the database nothing', async () => {
  const unavailable = {} as Tx; // as: any use of it fails
  await expect(refuseWithoutPart(unavailable, 'clock_read', [dcu(dcus.unable)], 'any')).resolves.toBeUndefined();
  await expect(refuseWithoutPart(unavailable, 'dcu_restart', [meterOf(dcus.unable)], 'any')).resolves.toBeUndefined();
  await expect(refuseWithoutPart(unavailable, 'dcu_restart', [], 'any')).resolves.toBeUndefined();
});

const countOf = async (table: 'audit_log' | 'command_log') =>
  Number((await database.pool.query(`select count(*) as n from ${table}`)).rows[0].n);

test('an order of the server itself leaves no audit row, and is not refused', async () => {
  const before = await countOf('audit_log');
  const { taskId } = await inTransaction((tx) =>
    placeOrder(tx, { clock: systemClock }, null, 'dcu_restart', { params: {}, items: [dcu(dcus.unable)] }),
  );
  expect(await countOf('audit_log')).toBe(before);
  const { rows } = await database.pool.query('select source, created_by from task where id = $1', [taskId]);
  expect(rows).toEqual([{ source: 'system', created_by: null }]);
  const commands = await database.pool.query(
    'select user_id, reason, work_order, request, device_kind, device_id from command_log where task_id = $1',
    [taskId],
  );
  expect(commands.rows).toEqual([
    { user_id: null, reason: null, work_order: null, request: {}, device_kind: 'dcu', device_id: dcus.unable },
  ]);
});

test('an order of a user has its reason, work order and request in the command log, and its own or another audit row', async () => {
  const who = { user: { id: userId } as never, ip: '192.0.2.7' }; // as: only the id is read
  const { taskId } = await inTransaction((tx) =>
    placeOrder(tx, { clock: systemClock }, who, 'dcu_restart', {
      params: {},
      reason: 'Hangs',
      workOrder: 'W7',
      request: { asked: 1 },
      record: { entity: 'dcu', entityId: dcus.able },
      items: [dcu(dcus.able)],
    }),
  );
  const commands = await database.pool.query('select user_id, reason, work_order, request from command_log where task_id = $1', [taskId]);
  expect(commands.rows).toEqual([{ user_id: userId, reason: 'Hangs', work_order: 'W7', request: { asked: 1 } }]);
  const audit = async () =>
    (await database.pool.query('select entity, entity_id, user_id, ip from audit_log order by id desc limit 1')).rows[0];
  expect(await audit()).toMatchObject({ entity: 'dcu', entity_id: dcus.able, user_id: userId, ip: '192.0.2.7' });
});

test('an order that only reads is in no command log', async () => {
  const who = { user: { id: userId } as never, ip: '192.0.2.7' }; // as: only the id is read
  const before = await countOf('command_log');
  await inTransaction((tx) => placeOrder(tx, { clock: systemClock }, who, 'clock_read', { params: {}, items: [dcu(dcus.able)] }));
  expect(await countOf('command_log')).toBe(before);
});

test('a task has the declared priority and the name of its order, and expires after a day, unless it says otherwise', async () => {
  const rowOf = async (id: string) =>
    (
      await database.pool.query(
        `select kind, source, plan_id, origin_id, title, params, reason, total, priority, created_by, waits_for_device, round(extract(epoch from expires_at - created_at) / 3600)::int as hours
         from task where id = $1`,
        [id],
      )
    ).rows[0];
  const usual = await createTask(database.db, { kind: 'clock_read', source: 'plan', params: {}, createdBy: null, items: [] });
  expect(await rowOf(usual.id)).toEqual({
    kind: 'clock_read',
    source: 'plan',
    plan_id: null,
    origin_id: null,
    title: 'Clock reading',
    params: {},
    reason: null,
    total: 0,
    priority: 3,
    created_by: null,
    waits_for_device: true,
    hours: 24,
  });
  const own = await createTask(database.db, {
    kind: 'clock_read',
    source: 'user',
    title: 'Own',
    params: {},
    priority: 6,
    createdBy: userId,
    originId: usual.id,
    reason: 'Asked for',
    expiresAt: new Date(Date.now() + 7_200_000),
    items: [meterOf(dcus.unable), dcu(dcus.able)],
  });
  expect(await rowOf(own.id)).toMatchObject({
    title: 'Own',
    origin_id: usual.id,
    reason: 'Asked for',
    total: 2,
    priority: 6,
    created_by: userId,
    waits_for_device: false,
    hours: 2,
  });
  const items = await database.pool.query('select kind, priority, device_kind, dcu_id from task_item where task_id = $1 order by id', [
    own.id,
  ]);
  expect(items.rows).toEqual([
    { kind: 'clock_read', priority: 6, device_kind: 'meter', dcu_id: dcus.unable },
    { kind: 'clock_read', priority: 6, device_kind: 'dcu', dcu_id: dcus.able },
  ]);
});

test.each([
  ['plan', true],
  ['system', true],
  ['user', false],
  ['api', false],
] as const)('a reading that a task of source %s orders waits for an offline DCU: %s', async (source, waits) => {
  const params = { from: '2026-01-01', to: '2026-01-01' };
  const { id } = await createTask(database.db, { kind: 'lpa', source, params, createdBy: null, items: [] });
  const { rows } = await database.pool.query('select waits_for_device as waits from task where id = $1', [id]);
  expect(rows).toEqual([{ waits }]);
});
