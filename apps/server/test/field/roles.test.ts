import type { NodeRow } from '@hes/contract/manager/node.ts';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestUser } from '../test-app.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 20_000, interval: 50 };

let bench: ServerBench;
let user: TestUser;
let [web, field]: Server[] = [];
beforeAll(async () => {
  bench = await serverBench();
  user = await bench.app.addUser({ roles: ['ADMIN'] });
  web = await bench.server('web-1', { HES_ROLES: 'web' });
  field = await bench.server('field-1', { HES_ROLES: 'field' });
}, 120_000);
afterAll(() => bench.close());
const both = () => ({ web: web as Server, field: field as Server }); // as: made before the first test

const probe = async ({ base }: Server, path: string) => {
  const answer = await fetch(`http://${base}${path}`);
  return { status: answer.status, body: await answer.json().catch(() => undefined) };
};
const nodesAt = async (server: Server) => ((await server.call(user, 'GET', '/manager/node')).body as { items: NodeRow[] }).items; // as: the contract's answer
const unfilledAt = async (server: Server) => ((await probe(server, '/readyz')).body as { unfilledRoles?: string[] }).unfilledRoles; // as: the contract's answer

test('a node without the role web answers probes only', async () => {
  const { field: there } = both();
  expect((await probe(there, '/livez')).body).toEqual({ status: 'ok' });
  for (const path of ['/readyz', '/api/readyz', '/api/health']) expect((await probe(there, path)).status).toBe(200);
  for (const path of ['/', '/hes/', '/api/manager/node', '/api/openapi.json', '/api/docs', '/auth/oauth2/token'])
    expect((await probe(there, path)).status).toBe(404);
});

const orderAt = async (server: Server, meterIds: string[]) => {
  const ordered = await server.call(user, 'POST', '/action/read/on-demand', { meterIds, items: ['E_PLUS'] });
  expect(ordered).toMatchObject({ status: 202 });
  return (ordered.body as { taskId: string }).taskId; // as: the contract's answer
};
const itemsOf = async (taskId: string) =>
  (await bench.database.pool.query('select state, reason_code as reason from task_item where task_id = $1', [taskId])).rows;

test('a node without the role field opens no port for devices and guards none: the other one ends orders as offline', async () => {
  const { web: here, field: there } = both();
  expect(here.dlmsPort).toBe(0);
  expect(there.dlmsPort).toBeGreaterThan(0);
  const unreached = await Promise.all(Array.from({ length: 8 }, (_, at) => bench.register(`ROLES10${at}`, 1)));
  const taskId = await orderAt(
    here,
    unreached.flatMap(({ meterIds }) => meterIds),
  );
  await vi.waitFor(
    async () => expect(await itemsOf(taskId)).toEqual(unreached.map(() => ({ state: 'read_fail', reason: 'DCU_OFFLINE' }))),
    SOON,
  );
});

test('an order that is placed at the web node is executed by the node that holds the device, and its console sees it', async () => {
  const { web: here, field: there } = both();
  const { dcuId, meters, meterIds } = await bench.register('ROLES002', 3);
  const listener = await bench.database.owner.connect();
  const isAnnounced = new Promise<void>((resolve) =>
    listener.on('notification', ({ payload }) => {
      if (payload?.includes('"dcu"') === true) resolve();
    }),
  );
  await listener.query('listen hes_bus');
  const console = await here.console(user);
  await console.follow('dcu');
  // The node with the devices sends only what others follow.
  await isAnnounced;
  listener.release(true);
  there.dial('ROLES002', meters);
  await vi.waitFor(() => expect(console.messages.map(({ type }) => type)).toContain('dcu.status'), SOON);
  const taskId = await orderAt(here, meterIds);
  await vi.waitFor(async () => expect(await itemsOf(taskId)).toEqual(meterIds.map(() => ({ state: 'read_success', reason: null }))), SOON);
  const { rows } = await bench.database.pool.query('select n.name from endpoint e join node n on n.id = e.node_id where e.id = $1', [
    dcuId,
  ]);
  expect(rows).toEqual([{ name: there.name }]);
});

test('a role that no living node has is said by the probes and its work waits; a node of the role takes it up', async () => {
  const { web: here, field: there } = both();
  expect((await nodesAt(here)).map(({ name, roles }) => [name, roles])).toEqual([
    ['field-1', ['field']],
    ['web-1', ['web']],
  ]);
  await vi.waitFor(async () => expect([await unfilledAt(here), await unfilledAt(there)]).toEqual([['analysis'], ['analysis']]), SOON);
  expect(await here.call(user, 'POST', '/export/dcu', { format: 'csv', filter: {} })).toMatchObject({ body: { state: 'running' } });
  const exportsAt = async () => (await here.call(user, 'GET', '/export')).body;
  const analysis = await bench.server('analysis-1', { HES_ROLES: 'analysis' });
  await vi.waitFor(async () => expect([await unfilledAt(here), await unfilledAt(analysis)]).toEqual([undefined, undefined]), SOON);
  await vi.waitFor(async () => expect(await exportsAt()).toMatchObject({ items: [{ state: 'ready' }] }), SOON);
});

test('a drained analysis node begins no job, and one with all roles takes jobs of others within seconds', async () => {
  const { web: here } = both();
  const orderOf = async (what: 'drain' | 'resume') => {
    const id = (await nodesAt(here)).find(({ name }) => name === 'analysis-1')?.id;
    expect((await here.call(user, 'POST', `/manager/node/${id}/${what}`)).status).toBe(204);
  };
  const stateOf = async () => (await here.call(user, 'GET', '/export')).body as { items: { state: string }[] }; // as: the contract's answer
  const newest = async () => (await stateOf()).items[0]?.state;
  const orderExport = () => here.call(user, 'POST', '/export/dcu', { format: 'csv', filter: {} });
  await orderOf('drain');
  await vi.waitFor(async () => expect((await nodesAt(here)).map(({ state }) => state)).toContain('drained'), SOON);
  await orderExport();
  // Longer than the interval in which it looks for jobs.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(await newest()).toBe('running');
  const whole = await bench.server('whole-1');
  await vi.waitFor(async () => expect(await newest()).toBe('ready'), SOON);
  await orderExport();
  await vi.waitFor(async () => expect(await newest()).toBe('ready'), { timeout: 6_000, interval: 50 });
  await whole.stop();
  await orderExport();
  await orderOf('resume');
  await vi.waitFor(async () => expect(await newest()).toBe('ready'), SOON);
}, 90_000);

test('a web node hands over nothing and is drained at once, and the last node with devices is not', async () => {
  const { web: here, field: there } = both();
  const rowOf = async (name: string) => (await nodesAt(here)).find((row) => row.name === name);
  const orderOf = async (name: string, what: 'drain' | 'resume') =>
    here.call(user, 'POST', `/manager/node/${(await rowOf(name))?.id}/${what}`);
  expect(await orderOf(there.name, 'drain')).toMatchObject({ body: { code: 'LAST_NODE' } });
  expect((await orderOf(here.name, 'drain')).status).toBe(204);
  await vi.waitFor(async () => expect((await rowOf(here.name))?.state).toBe('drained'), SOON);
  expect((await probe(here, '/readyz')).body).toMatchObject({ missing: ['draining'] });
  expect((await orderOf(here.name, 'resume')).status).toBe(204);
  await vi.waitFor(async () => expect((await probe(here, '/readyz')).status).toBe(200), SOON);
});

test('when the only node with devices stops, the web node says so and stays ready', async () => {
  const { web: here, field: there } = both();
  await there.stop();
  await vi.waitFor(async () => expect(await unfilledAt(here)).toEqual(['field']), SOON);
  const socket = connect(there.dlmsPort, '127.0.0.1');
  await new Promise((resolve) => socket.once('error', resolve));
});
