import { ORDERS, type TaskKind } from '@hes/contract/orders/every-order.ts';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { placeOrder } from '../src/tasks/place-order.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let admin: TestUser;
const ids = new Map<string, string>();
const idOf = (sn: string): string => ids.get(sn) ?? '';

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
});
afterAll(() => app.close());

async function place(url: string, payload: object | undefined): Promise<string> {
  const order: InjectOptions = payload === undefined ? { method: 'DELETE' } : { method: 'POST', payload };
  const answer = await app.call(admin, { ...order, url: `/api${url}` });
  expect(answer.statusCode, answer.body).toBe(202);
  return answer.json().taskId;
}

/** Orders that change devices, as an operator places them. */
const PLACED: readonly (readonly [kind: TaskKind, url: () => string, body: () => object | undefined])[] = [
  ['dcu_restart', () => `/asset/dcu/${idOf('DCUN0001')}/restart`, () => ({ reason: 'Hangs' })],
  ['dcu_restart', () => `/action/dcu-config/${idOf('DCUN0001')}/restart`, () => ({ reason: 'Hangs' })],
  ['dcu_factory', () => `/action/dcu-config/${idOf('DCUN0001')}/factory`, () => ({ reason: 'Worn out', sn: 'DCUN0001' })],
  [
    'dcu_config_write',
    () => '/action/dcu-config-order/write',
    () => ({ dcuIds: [idOf('DCUN0001')], values: { heartbeat_s: '120' }, reason: 'Quieter', waitHours: 8 }),
  ],
  [
    'clock_sync',
    () => '/action/clock',
    () => ({ devices: [{ kind: 'meter', id: idOf('MN0001') }], operation: 'sync', reason: 'Ahead', waitHours: 8 }),
  ],
  ['archive_dispatch', () => '/asset/archive/clear', () => ({ dcuId: idOf('DCUS0001'), confirmSn: 'DCUS0001' })],
  ['discovery', () => '/asset/discovery', () => ({ dcuIds: [idOf('DCUN0001')], mode: 'plc', minutes: 10 })],
  ['discovery_clear', () => `/asset/discovery/meter?dcuId=${idOf('DCUS0001')}`, () => undefined],
  ['topology_switch', () => '/debug/topology-switch', () => ({ dcuId: idOf('DCUS0001'), operation: 'report_on', reason: 'Trial' })],
];

describe('an order that changes a device', () => {
  test.each(PLACED)('of kind %s is in the command log under its user, and is an order of a user', async (kind, url, body) => {
    const taskId = await place(url(), body());
    const { rows: tasks } = await app.ctx.pool.query('select kind, source, created_by, priority from task where id = $1', [taskId]);
    expect(tasks).toEqual([{ kind, source: 'user', created_by: admin.id, priority: ORDERS[kind].priority }]);
    const { rows: commands } = await app.ctx.pool.query('select kind, user_id, result from command_log where task_id = $1', [taskId]);
    expect(commands).toEqual([{ kind, user_id: admin.id, result: null }]);
    const { rows: audit } = await app.ctx.pool.query('select user_id from audit_log order by id desc limit 1');
    expect(audit).toEqual([{ user_id: admin.id }]);
    await app.ctx.pool.query("update task_item set state = 'cancelled', finished_at = now() where task_id = $1", [taskId]);
  });
});

test('an order waits for a DCU that is offline when it is declared to, when the operator chooses it, or when the server places it', async () => {
  const items = [{ deviceKind: 'meter' as const, dcuId: idOf('DCUN0001'), meterId: idOf('MN0001') }];
  const who = { user: admin as never, ip: '127.0.0.1' }; // as: only its id is read
  const waits = async (place: (tx: never) => Promise<{ taskId: string }>) => {
    const { taskId } = await app.ctx.db.transaction().execute((tx) => place(tx as never));
    const { rows } = await app.ctx.pool.query('select waits_for_device from task where id = $1', [taskId]);
    return rows[0].waits_for_device;
  };
  const days = { from: '2026-01-01', to: '2026-01-01' };
  expect(await waits((tx) => placeOrder(tx, app.ctx, who, 'lpa', { params: days, items }))).toBe(false);
  expect(await waits((tx) => placeOrder(tx, app.ctx, who, 'lpa', { params: days, items, waitsForDevice: true }))).toBe(false);
  expect(await waits((tx) => placeOrder(tx, app.ctx, who, 'clock_read', { params: {}, items }))).toBe(false);
  expect(await waits((tx) => placeOrder(tx, app.ctx, who, 'clock_read', { params: {}, items, waitsForDevice: true }))).toBe(true);
  expect(await waits((tx) => placeOrder(tx, app.ctx, who, 'refill', { params: {}, items }))).toBe(true);
  expect(await waits((tx) => placeOrder(tx, app.ctx, null, 'lpa', { params: days, items }))).toBe(true);
});
