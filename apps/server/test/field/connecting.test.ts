import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

const WITHIN = { timeout: 30_000, interval: 50 };

let bench: AppBench;
let admin: TestUser;
let direct: { id: string; sn: string };
let behind: { id: string; sn: string; dcuId: string };

beforeAll(async () => {
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: 2 }, directMeters: { count: 1 } });
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  const { rows } = await bench.app.ctx.pool.query<{ id: string; sn: string; dcuId: string; isDirect: boolean }>(
    `select id, sn, dcu_id as "dcuId", communication_mode = 'direct' as "isDirect" from meter order by sn`,
  );
  const found = { direct: rows.find(({ isDirect }) => isDirect), behind: rows.find(({ isDirect }) => !isDirect) };
  if (found.direct === undefined || found.behind === undefined) throw new Error('The fleet has both kinds of meters');
  ({ direct, behind } = { direct: found.direct, behind: found.behind });
  await vi.waitFor(async () => {
    const away = await bench.app.ctx.pool.query("select from endpoint where online_status <> 'online'");
    expect(away.rowCount).toBe(0);
  }, WITHIN);
}, 60_000);
afterAll(() => bench.close());

async function ask(method: 'GET' | 'POST', path: string, payload?: object, as = admin) {
  const answer = await bench.app.call(as, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
  return answer.json();
}

async function ended(taskId: string) {
  await vi.waitFor(async () => expect((await ask('GET', `/task/${taskId}`)).finishedAt).not.toBeNull(), WITHIN);
  return (await ask('GET', `/task/${taskId}/items`)).items[0];
}

test.each(['direct', 'behind'] as const)('the link test of a meter (%s) tells its name and what was negotiated', async (which) => {
  const meter = which === 'direct' ? direct : behind;
  const { taskId } = await ask('POST', `/asset/meter/${meter.id}/test`);
  const item = await ended(taskId);
  expect(item).toMatchObject({ state: 'read_success', meterSn: meter.sn });
  expect(item.result.steps.map(({ key, ok }: { key: string; ok: boolean }) => [key, ok])).toEqual([
    ['connect', true],
    ['associate', true],
    ['read_name', true],
  ]);
  expect(item.result.steps[2].detail).toContain(meter.sn);
  expect(item.result.link).toMatchObject({ authenticationType: 'hls_gmac', suite: 0 });
});

test('the guide lists devices without a reading, and follows the orders of one of them', async () => {
  const { door, unfinished, demonstration } = await ask('GET', '/asset/connecting');
  expect(door).toEqual({ addresses: [], port: 4059, tls: 'none' });
  expect(demonstration).toBeNull();
  expect(unfinished.map(({ kind, sn }: { kind: string; sn: string }) => [kind, sn])).toContainEqual(['meter', direct.sn]);

  const { taskId } = await ask('POST', '/action/read/real-time', { meterIds: [direct.id], groups: ['energy'], store: true });
  await ended(taskId);
  const progress = await ask('GET', `/asset/connecting/${direct.id}?kind=meter`);
  expect(progress).toMatchObject({ sn: direct.sn, onlineStatus: 'online', hasKeys: true, meters: 1, active: 1, meter: { sn: direct.sn } });
  expect(progress.orders).toMatchObject({ test: { state: 'finished' }, check: null, value: { taskId, state: 'finished' } });

  const after = await ask('GET', '/asset/connecting');
  expect(after.unfinished.map(({ sn }: { sn: string }) => sn)).not.toContain(direct.sn);
});

test('the progress of a DCU counts its meters, and says which connections failed and why', async () => {
  await bench.app.ctx.pool.query(
    `insert into dcu_session (dcu_id, claimed_name, direction, remote, opened_at, closed_at, close_reason, close_detail)
     select null, sn, 'dial_in', '198.51.100.7:1', now() + interval '1 s', now() + interval '2 s', 'unproved', 'wrong key' from dcu`,
  );
  const progress = await ask('GET', `/asset/connecting/${behind.dcuId}?kind=dcu`);
  expect(progress).toMatchObject({ kind: 'dcu', meters: 2, active: 2, found: 0 });
  // Its meter was tested above, and not the DCU itself.
  expect(progress.orders.test).toBeNull();
  expect(progress.attempts[0]).toMatchObject({ remote: '198.51.100.7:1', closeReason: 'unproved', closeDetail: 'wrong key' });
});

test('a device outside of the area of a user is not found', async () => {
  const { rows } = await bench.app.ctx.pool.query<{ id: string }>(
    "insert into network_level (code, name, type, path) values ('AWAY', 'Away', 'district', '{}') returning id",
  );
  const stranger = await bench.app.addUser({ scope: rows.map(({ id }) => id) });
  expect(await ask('GET', `/asset/connecting/${direct.id}?kind=meter`, undefined, stranger)).toMatchObject({ code: 'NOT_FOUND' });
  expect((await ask('GET', '/asset/connecting', undefined, stranger)).unfinished).toEqual([]);
});
