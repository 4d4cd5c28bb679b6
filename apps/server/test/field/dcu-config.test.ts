import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ringsOf } from '../../src/features/parameters/service.ts';
import type { TestApp, TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

let bench: AppBench;
let app: TestApp;
let admin: TestUser;

beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 } });
  ({ app } = bench);
  admin = await app.addUser({ roles: ['ADMIN'] });
}, 60_000);
afterAll(() => bench.close());

const get = async (url: string) => (await app.call(admin, { method: 'GET', url: `/api${url}` })).json();
const post = (url: string, payload: object) => app.call(admin, { method: 'POST', url: `/api${url}`, payload });

/** Online DCUs with dial-in. */
const dcus = (count: number) =>
  vi.waitFor(
    async () => {
      const { rows } = await app.ctx.pool.query<{ id: string; sn: string }>(
        "select id, sn from dcu where online_status = 'online' and connection_type = 'dial_in' order by sn",
      );
      if (rows.length < count) throw new Error('Not online yet');
      return rows.slice(0, count);
    },
    { timeout: 20_000 },
  );

async function done(url: string, payload: object, timeout = 20_000) {
  const answer = await post(url, payload);
  expect(answer.statusCode, answer.body).toBe(202);
  const { taskId } = answer.json();
  await vi.waitFor(
    async () => {
      if ((await get(`/task/${taskId}`)).finishedAt === null) throw new Error('Still running');
    },
    { timeout },
  );
  return (await get(`/task/${taskId}/items`)).items;
}

const parametersOf = async (id: string): Promise<Record<string, { actual: string; desired: string; state: string }>> =>
  Object.fromEntries((await get(`/action/dcu-config/${id}`)).items.map((row: { key: string }) => [row.key, row]));

/** The DCU with the given name, because the order in which DCUs connect varies. */
let named = { id: '', sn: '' };

describe('the parameters of a DCU', () => {
  it('S-023: are read, written where they differ, and confirmed by read-back', async () => {
    const [dcu] = await dcus(1);
    const id = dcu?.id ?? '';
    named = dcu ?? named;
    expect((await parametersOf(id))['apn']).toMatchObject({ actual: null, state: 'unknown' });
    await done('/action/dcu-config-order/read', { dcuIds: [id] });
    expect(await parametersOf(id)).toMatchObject({
      heartbeat_s: { actual: '60', state: 'in_sync' },
      daily_at: { actual: '00:30' },
      clock_broadcast: { actual: 'true' },
      inactivity_s: { actual: '0' },
    });
    const values = {
      heartbeat_s: '120',
      daily_at: '01:15',
      clock_broadcast: 'false',
      log_level: '2',
      name: 'Harbour',
      ntp_server: 'time.example',
    };
    const [item] = await done('/action/dcu-config-order/write', { dcuIds: [id], values, reason: 'Plan' });
    expect(item).toMatchObject({ state: 'read_success' });
    await done('/action/dcu-config-order/read', { dcuIds: [id], keys: Object.keys(values) });
    for (const [key, value] of Object.entries(values))
      expect((await parametersOf(id))[key]).toMatchObject({ actual: value, state: 'in_sync' });
    // Standard objects return the same values.
    const [told] = await done('/asset/dcu/read-info', { ids: [id] });
    expect(told.result.values).toContainEqual(expect.objectContaining({ item: 'NTP', value: 'time.example' }));
  });

  it('are validated before anything is sent', async () => {
    const [dcu] = await dcus(1);
    const write = (values: object) => post('/action/dcu-config-order/write', { dcuIds: [dcu?.id], values, reason: 'x' });
    for (const values of [
      { heartbeat_s: '5' },
      { heartbeat_s: 'x' },
      { daily_at: '25:00' },
      { band: '9' },
      { hardware: 'A' },
      { other: '1' },
    ])
      expect((await write(values)).json()).toMatchObject({ code: 'VALIDATION', issues: [{ field: `values.${Object.keys(values)[0]}` }] });
  });

  it('of the link are on trial: kept when the DCU can be reached over them', async () => {
    const dcu = (await dcus(2))[1];
    const id = dcu?.id ?? '';
    const [item] = await done('/action/dcu-config-order/write', {
      dcuIds: [id],
      values: { apn: 'new.utility', retries: '5' },
      reason: 'Other carrier',
      trialS: 60,
    });
    expect(item, JSON.stringify(item)).toMatchObject({ state: 'read_success' });
    expect(await parametersOf(id)).toMatchObject({ apn: { actual: 'new.utility', state: 'in_sync' }, retries: { actual: '5' } });
  });

  it('of the link are rolled back by a DCU that cannot be reached over them', async () => {
    const dcu = (await dcus(3))[2];
    const id = dcu?.id ?? '';
    const [item] = await done(
      '/action/dcu-config-order/write',
      { dcuIds: [id], values: { server: 'typo.invalid' }, reason: 'Move', trialS: 2 },
      30_000,
    );
    expect(item).toMatchObject({ state: 'read_fail', reasonCode: 'READ_BACK_DIFFERS' });
    expect((await parametersOf(id))['server']).toMatchObject({
      actual: 'headend.utility.example',
      desired: 'typo.invalid',
      state: 'failed',
    });
  }, 40_000);

  it('are reset to the factory settings only after the serial number was typed', async () => {
    await dcus(3);
    const { id, sn } = named;
    // The text to type is returned with the parameters, for any number of DCUs.
    expect((await get(`/action/dcu-config/${id}`)).sn).toBe(sn);
    expect((await post(`/action/dcu-config/${id}/factory`, { sn: 'DCU1', reason: 'x' })).json().code).toBe('WRONG_SN');
    const [item] = await done(`/action/dcu-config/${id}/factory`, { sn, reason: 'Returned' });
    expect(item).toMatchObject({ state: 'read_success' });
    // The entry of the order with user and reason, then the entry of the result.
    const { rows } = await app.ctx.pool.query("select reason, result from command_log where kind = 'dcu_factory' order by id");
    expect(rows).toEqual([
      { reason: 'Returned', result: null },
      { reason: null, result: 'ok' },
    ]);
    await dcus(3);
    await done('/action/dcu-config-order/read', { dcuIds: [id], keys: ['name'] });
    expect((await parametersOf(id))['name']).toMatchObject({ actual: 'HES-DC', state: 'differs' });
    expect((await get(`/action/dcu-config?differs=true&search=${sn}`)).items).toMatchObject([{ sn, differs: 1 }]);
  });

  it('are written to an offline DCU at once or not at all, or after it reconnects, as ordered', async () => {
    // A DCU that never connects: one that is merely late might connect while the order runs.
    const absent = bench.simulation.world.plan.dcus.find(({ isAbsent }) => isAbsent);
    const { rows } = await app.ctx.pool.query('select id from dcu where sn = $1', [absent?.sn]);
    const order = { dcuIds: [rows[0].id], values: { depth_days: '14' }, reason: 'Later' };
    const { taskId } = (await post('/action/dcu-config-order/write', { ...order, waitHours: 8 })).json();
    expect(await done('/action/dcu-config-order/write', order, 30_000)).toMatchObject([{ state: 'read_fail', reasonCode: 'DCU_OFFLINE' }]);
    const waiting = await app.ctx.pool.query(
      "select expires_at > now() + interval '7 hours' as waits, finished_at from task where id = $1",
      [taskId],
    );
    expect(waiting.rows).toEqual([{ waits: true, finished_at: null }]);
    expect((await app.call(admin, { method: 'POST', url: `/api/task/${taskId}/cancel` })).statusCode).toBeLessThan(300);
  });

  it('are stored as a set and written to many DCUs ring by ring; a failure in a ring stops the next one', async () => {
    const chosen = await dcus(3);
    const values = { depth_days: '21' };
    const saved = (await post('/action/dcu-template', { name: 'Rural', values })).json();
    expect((await get('/action/dcu-template')).items).toMatchObject([{ name: 'Rural', values }]);
    const items = await done('/action/dcu-config-order/write', {
      dcuIds: chosen.map(({ id }) => id),
      values: saved.values,
      reason: 'Roll-out',
      canaryS: 1,
    });
    expect(items.every((item: { state: string }) => item.state === 'read_success')).toBe(true);
    const ends = new Map(items.map((item: { dcuId: string; finishedAt: string }) => [item.dcuId, item.finishedAt]));
    const [first, ...others] = chosen.map(({ id }) => String(ends.get(id)));
    // The first DCU was observed for a second before the others began.
    for (const at of others) expect(Date.parse(at) - Date.parse(first ?? '')).toBeGreaterThanOrEqual(1000);
    expect((await app.call(admin, { method: 'DELETE', url: `/api/action/dcu-template/${saved.id}` })).statusCode).toBe(204);
  });
});

it('rings grow four times each', () => {
  expect(ringsOf([1, 2, 3, 4, 5, 6, 7, 8], 1)).toEqual([[1], [2, 3, 4, 5], [6, 7, 8]]);
});
