import { randomUUID } from 'node:crypto';
import { ok } from '@hes/contract/core/outcome.ts';
import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDuePlans } from '../../src/features/collection/schedule/plans.ts';
import type { User } from '../../src/db/context.ts';
import { findDueDcus } from '../../src/features/topology/poll-queries.ts';
import { findTargets, issuesOf } from '../../src/features/upgrade/job/target-queries.ts';
import { refuseLacking } from '../../src/southbound/refuse-lacking.ts';
import type { WorkItem } from '../../src/tasks/operation.ts';
import { createTask } from '../../src/tasks/create-task.ts';
import { sampleParams } from '../sample-params.ts';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { metersOf, orderOf, type KnownMeter } from './simulated.ts';

const METERS = 10;
let bench: AppBench;
let admin: TestUser;
let meters: KnownMeter[];
let dcuId: string;

beforeAll(async () => {
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: METERS }, dcuModel: { isPlainGateway: true } });
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  await query("update dcu set dcu_type_id = (select id from dcu_type where builtin_key = 'gateway')");
  meters = await metersOf(bench);
  dcuId = meters[0]?.dcuId ?? '';
}, 60_000);
afterAll(() => bench.close());

const query = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await bench.app.ctx.pool.query<T>(text, values)).rows;
const send = (method: 'POST' | 'DELETE', url: string, payload: object) => bench.app.call(admin, { method, url: `/api${url}`, payload });
const get = async (url: string) => (await bench.app.call(admin, { url: `/api${url}` })).json();
/** Objects that the gateway was asked for and does not have. */
const absent = () => [...bench.simulation.tally.absent];

async function ended(taskId: string): Promise<{ state: string; reasonCode: string | null }[]> {
  await vi.waitFor(
    async () => {
      if ((await get(`/task/${taskId}`)).finishedAt === null) throw new Error('Still running');
    },
    { timeout: 20_000 },
  );
  return (await get(`/task/${taskId}/items`)).items;
}

async function succeeded(answer: { statusCode: number; body: string; json(): { taskId: string } }) {
  expect(answer.statusCode, answer.body).toBe(202);
  const items = await ended(answer.json().taskId);
  expect(items.map(({ state, reasonCode }) => ({ state, reasonCode }))).toEqual(
    items.map(() => ({ state: 'read_success', reasonCode: null })),
  );
  return items;
}

/** Queues an order for the DCU itself past the API, as an order that was placed before the type changed. */
async function orderItself(kind: TaskKind): Promise<{ state: string; reason: string | null; traceId: string | null }> {
  const { id } = await createTask(bench.app.ctx.db, {
    kind,
    source: 'user',
    title: kind,
    params: sampleParams(kind),
    priority: 3,
    createdBy: null,
    items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
  });
  await ended(id);
  const [item] = await query<{ state: string; reason: string | null; traceId: string | null }>(
    'select state, reason_code as reason, trace_id as "traceId" from task_item where task_id = $1',
    [id],
  );
  if (item === undefined) throw new Error('The order has no item');
  return item;
}

describe('ten meters behind a plain gateway', () => {
  it('are collected by the plans of the head-end, whose rows come from the meters', async () => {
    await query("update collect_plan set enabled = true, look_back_days = 1 where type in ('daily', 'lpa')");
    await runDuePlans(bench.app.ctx);
    const [task] = await query<{ id: string; total: number }>("select id, total from task where kind = 'collect'");
    expect(task?.total).toBe(METERS);
    const items = await ended(task?.id ?? '');
    expect(items.map(({ state }) => state)).toEqual(items.map(() => 'read_success'));
    const [stored] = await query(
      "select count(distinct meter_id)::int as meters, bool_or(source = 'cache') as cached from reading_profile",
    );
    expect(stored).toEqual({ meters: METERS, cached: false });
    await query('update collect_plan set enabled = false');
  });

  it('are read on demand', async () => {
    const order = { kind: 'registers', meterIds: meters.map(({ id }) => id), items: ['E_PLUS'] };
    expect(await succeeded(await send('POST', '/action/read/on-demand', order))).toHaveLength(METERS);
  });

  it('deliver their events', async () => {
    const items = await orderOf(bench, meters, { kind: 'events', params: { last: 5 } });
    expect(items.map(({ state, reason }) => ({ state, reason }))).toEqual(items.map(() => ({ state: 'read_success', reason: null })));
  });

  it('are disconnected and connected', async () => {
    const one = meters.find(({ plan }) => plan.kind !== 'master' && relayOf(plan.sn)?.mode === 'mode4');
    const order = (operation: string) =>
      send('POST', '/action/relay', { requestId: randomUUID(), meterIds: [one?.id], operation, reason: 'Unpaid', workOrder: 'WO-1' });
    await succeeded(await order('disconnect'));
    expect(relayOf(one?.plan.sn ?? '')).toMatchObject({ state: 'disconnected', orders: 1 });
    await succeeded(await order('connect'));
    expect(relayOf(one?.plan.sn ?? '')).toMatchObject({ state: 'connected', orders: 2 });
  });

  it('are bound and unbound in the archive of the head-end, which is the only one', async () => {
    const { id = '' } = meters.at(-1) ?? {};
    const recordOf = async () =>
      (await get(`/asset/archive?dcuId=${dcuId}&page=1&size=50`)).items.find((row: { meterId: string }) => row.meterId === id);
    const unbound = await send('POST', '/asset/archive/unbind', { recordIds: [(await recordOf()).id] });
    expect(unbound.statusCode, unbound.body).toBe(200);
    expect(await recordOf()).toMatchObject({ bindState: 'not_bound', dispatchState: 'not_distributed', diffKind: null });
    const bound = await send('POST', '/asset/archive/bind', { dcuId, meterIds: [id] });
    expect(bound.statusCode, bound.body).toBe(200);
    expect(await recordOf()).toMatchObject({ bindState: 'bound', dispatchState: 'distributed', diffKind: 'same' });
    expect((await get('/asset/archive/summary?page=1&size=10')).items[0]).toMatchObject({
      bound: METERS,
      pending: 0,
      surplus: 0,
      lacks: 'DCU_NO_ARCHIVE',
    });
  });
});

const relayOf = (sn: string) => bench.simulation.dcus[0]?.meter(sn)?.relay;

describe('the gateway itself', () => {
  it('shows its name and clock, and is not asked for anything else', async () => {
    const info = await orderItself('dcu_read_info');
    expect(info).toMatchObject({ state: 'read_success', reason: null });
    expect(await orderItself('dcu_test')).toMatchObject({ state: 'read_success' });
    expect(await orderItself('clock_read')).toMatchObject({ state: 'read_success' });
    expect(absent()).toEqual([]);
  });

  it.each([
    ['compare', 'POST', '/asset/archive/compare', () => ({ dcuIds: [dcuId] }), 'This DCU has no archive: the head-end keeps it'],
    [
      'search',
      'POST',
      '/asset/discovery',
      () => ({ dcuIds: [dcuId], mode: 'both', minutes: 10 }),
      'This DCU does not search for meters: add or import them',
    ],
    ['topology', 'POST', '', () => ({}), 'This DCU does not report its network'],
    [
      'parameters',
      'POST',
      '/action/dcu-config-order/read',
      () => ({ dcuIds: [dcuId] }),
      'This DCU has no parameters that the head-end knows',
    ],
    [
      'clock broadcast',
      'POST',
      '/action/clock',
      () => ({ operation: 'broadcast', devices: [{ kind: 'dcu', id: dcuId }], reason: 'Drift' }),
      'This DCU has no clock broadcast: synchronize its meters one by one',
    ],
  ] as const)('an order is refused with its reason before anything is sent: %s', async (_name, method, url, body, why) => {
    const tasks = () => query('select count(*)::int as count from task');
    const before = await tasks();
    const answer = await send(method, url === '' ? `/network/topology/${dcuId}/refresh` : url, body());
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([409, 'DCU_LACKS']);
    expect(answer.json().detail).toContain(why);
    expect(await tasks()).toEqual(before);
    expect(absent()).toEqual([]);
  });

  it.each([
    ['archive_compare', 'DCU_NO_ARCHIVE'],
    ['archive_dispatch', 'DCU_NO_ARCHIVE'],
    ['discovery', 'DCU_NO_DISCOVERY'],
    ['topology', 'DCU_NO_TOPOLOGY'],
    ['topology_switch', 'DCU_NO_NETWORK_CONTROL'],
    ['modules', 'DCU_NO_MODULES'],
    ['station_restart', 'DCU_NO_STATION_RESTART'],
    ['dcu_tasks', 'DCU_NO_TASKS'],
    ['dcu_restart', 'DCU_NO_RESTART'],
    ['dcu_factory', 'DCU_NO_FACTORY_RESET'],
    ['dcu_config_write', 'DCU_NO_PARAMETERS'],
    ['clock_broadcast', 'DCU_NO_CLOCK_BROADCAST'],
    ['events', 'DCU_NO_EVENT_LOG'],
  ] as const)('a queued %s ends with its reason and without a trace', async (kind, reason) => {
    expect(await orderItself(kind)).toEqual({ state: 'read_fail', reason, traceId: null });
    expect(absent()).toEqual([]);
  });

  it('no operation runs for an order that needs a missing part; an order to a meter does', async () => {
    const runs: string[] = [];
    const events = refuseLacking(bench.app.ctx.db)('events', async (item) => {
      runs.push(item.deviceKind);
      return { outcome: ok({}), traceId: undefined };
    });
    const itemOf = (deviceKind: 'dcu' | 'meter') => ({ deviceKind, dcuId }) as WorkItem<'events'>; // as: the wrap reads nothing else
    expect((await events(itemOf('dcu'))).outcome).toEqual({ ok: false, reason: 'DCU_NO_EVENT_LOG' });
    expect((await events(itemOf('meter'))).outcome).toEqual(ok({}));
    expect(runs).toEqual(['meter']);
  });

  it('its network is unknown and says so, and is not read periodically', async () => {
    expect(await get(`/network/topology/${dcuId}`)).toMatchObject({ nodes: [], takenAt: null, lacks: 'DCU_NO_TOPOLOGY' });
    const later = Date.now() + 3 * 3_600_000;
    await query("update task_item set finished_at = now() - interval '1 day' where kind = 'topology'");
    expect(await findDueDcus(bench.app.ctx.pool, later)).toEqual([]);
    await query("update dcu set dcu_type_id = (select id from dcu_type where builtin_key = 'dcu')");
    expect(await findDueDcus(bench.app.ctx.pool, later)).toEqual([dcuId]);
    await query("update dcu set dcu_type_id = (select id from dcu_type where builtin_key = 'gateway')");
  });
});

describe('a plain gateway among other DCUs', () => {
  let other = '';
  beforeAll(async () => {
    const [row] = await query<{ id: string }>(
      `insert into dcu (sn, name, dcu_type_id, transformer_id) select 'OTHER1', 'Other', t.id, dcu.transformer_id
       from dcu_type t, dcu where t.builtin_key = 'dcu' and dcu.id = $1 returning id`,
      [dcuId],
    );
    other = row?.id ?? '';
  });

  it('ends with its reason, and the order reaches the others', async () => {
    const answer = await send('POST', '/asset/archive/compare', { dcuIds: [dcuId, other] });
    expect(answer.statusCode, answer.body).toBe(202);
    const items = await ended(answer.json().taskId);
    expect(new Set(items.map(({ reasonCode }) => reasonCode))).toEqual(new Set(['DCU_NO_ARCHIVE', 'DCU_OFFLINE']));
  });

  it('refuses an order that keeps a record for each DCU', async () => {
    const answer = await send('POST', '/asset/discovery', { dcuIds: [dcuId, other], mode: 'both', minutes: 10 });
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([409, 'DCU_LACKS']);
    expect(answer.json().detail).toContain(bench.simulation.dcus[0]?.plan.sn);
    expect(await query("select from discovery_run where state = 'starting'")).toEqual([]);
  });

  it('is refused as the target of a firmware of DCUs, and the others are not', async () => {
    const user = { scope: { kind: 'whole' } } as User; // as: the statement uses the area only
    const [one, two] = await query<{ id: string }>("select id from dcu_type where builtin_key in ('dcu', 'gateway') order by id");
    const wanted = {
      targetKind: 'dcu',
      types: [one ?? { id: '' }, two ?? { id: '' }],
      version: '2',
      fromVersions: [],
      upgradeProtocol: 'dlms_image',
    } as const;
    const selection = { ids: [dcuId, other], sns: [], everywhere: false, typeIds: [], versions: [] };
    const targets = await findTargets(bench.app.ctx.db, user, wanted, selection);
    expect(targets.map((target) => [target.id, issuesOf(target, wanted).includes('no_image')])).toEqual([
      [dcuId, true],
      [other, false],
    ]);
  });

  it('has its archive judged again when its type changes', async () => {
    const states = async () =>
      new Set((await get(`/asset/archive?dcuId=${dcuId}&page=1&size=50`)).items.map((row: { diffKind: string }) => row.diffKind));
    const choose = async (builtin: string) => {
      const [type] = await query<{ id: string }>('select id from dcu_type where builtin_key = $1', [builtin]);
      const detail = await get(`/asset/dcu/${dcuId}`);
      const payload = { ...detail, longitude: detail.ownLongitude, latitude: detail.ownLatitude, dcuTypeId: type?.id };
      const answer = await bench.app.call(admin, { method: 'PUT', url: `/api/asset/dcu/${dcuId}`, payload });
      expect(answer.statusCode, answer.body).toBe(200);
    };
    await choose('dcu');
    expect(await states()).toEqual(new Set(['hes_only']));
    await choose('gateway');
    expect(await states()).toEqual(new Set(['same']));
  });
});
