import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { OpenAPIClientAxios, type OpenAPIClient, type UnknownParamsObject } from 'openapi-client-axios';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

const GUIDE = path.resolve(import.meta.dirname, '../../../../docs/integrate.md');
const examples = [...readFileSync(GUIDE, 'utf8').matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code);

let bench: AppBench;
let admin: TestUser;
const environment: Record<string, string> = {};
beforeAll(async () => {
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: 2 } });
  const { fastify } = bench.app;
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  environment['HES_URL'] = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`; // as: a TCP server
  environment['HES_CLIENT'] = 'mdm-import';
}, 60_000);
afterAll(() => bench.close());

const post = async (url: string, payload: object) => {
  const answer = await bench.app.call(admin, { method: 'POST', url: `/api${url}`, payload });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json();
};

/** A service account as the guide demands it: whole network, with the rights of a data engineer and an asset clerk. */
async function addAccount(): Promise<void> {
  const { db } = bench.app.ctx;
  await sql`update role set sees_whole_network = true where code in ('DATA_ENGINEER', 'ASSET_CLERK')`.execute(db);
  await bench.app.addUser();
  const roles = await db.selectFrom('role').where('code', 'in', ['DATA_ENGINEER', 'ASSET_CLERK']).select('id').execute();
  const account = await post('/manager/program', { username: 'mdm-import', name: 'MDM', roleIds: roles.map(({ id }) => id) });
  environment['HES_TOKEN'] = (await post(`/manager/program/${account.id}/token`, { name: 'first' })).token;
}

/** The profile of yesterday, which a plan would have collected, and two events. */
async function collect(): Promise<void> {
  const { db } = bench.app.ctx;
  const meters = await db.selectFrom('meter').select('id').execute();
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { taskId } = await post('/action/read/on-demand', { meterIds: meters.map(({ id }) => id), kind: 'lpa', from: day, to: day });
  await expect
    .poll(async () => (await bench.app.call(admin, { url: `/api/task/${taskId}` })).json().state, { timeout: 30_000 })
    .toBe('finished');
  await sql`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, received_at, direction, raw, source, dedup_hash)
    select 'meter', m.id, m.dcu_id, 'fraud', 40, now() - interval '1 hour', now() - interval '1 minute', 'occur', '', 'push', decode(md5(m.sn), 'hex')
    from meter m`.execute(db);
}

test('the examples of the guide do what they say', async () => {
  expect(examples).toHaveLength(7);
  await addAccount();
  await collect();
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'hes-guide-')), 'guide.mjs');
  writeFileSync(file, examples.join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { ...process.env, ...environment } });
  rmSync(path.dirname(file), { recursive: true });
  const lines = stdout.trim().split('\n');
  expect(lines.slice(0, 2)).toEqual(['mdm-import', 'ZX10000001 true']);
  expect(lines[2]).toMatch(/^finished read_success \{/);
  expect(stdout).toContain('E_PLUS');
  // Slots of the day, those with values, the first one and its register.
  expect(lines.at(-4)).toMatch(/^(9[2-9]|100) (9[2-9]|100) \d{4}-\d\d-\d\dT\S+ \d+(\.\d+)? kWh$/);
  expect(lines.at(-3)).toMatch(/^[1-9]\d* \d+\.\d{13}$/);
  expect(Number(lines.at(-2)?.split(' ')[0])).toBeGreaterThanOrEqual(2);
  expect(lines.at(-1)).toBe('0 false');
}, 90_000);

/** A client with a method for each operation of the document that the head-end serves. */
async function generatedClient(): Promise<OpenAPIClient> {
  const base = `${environment['HES_URL']}/api/v1`;
  const api = new OpenAPIClientAxios({
    definition: `${base}/openapi.json`,
    axiosConfigDefaults: { baseURL: base, headers: { authorization: `Bearer ${environment['HES_TOKEN']}` } },
  });
  return api.init();
}

test('a client generated from the OpenAPI document registers a meter, orders a reading and waits for it', async () => {
  const client = await generatedClient();
  const call = async (operation: string, parameters: UnknownParamsObject | undefined, body?: object) =>
    (await client[operation]?.(parameters, body))?.data;
  const { types } = await call('meter.options', undefined);
  const meter = { sn: 'ZX20000001', meterTypeId: types[0].id, communicationMode: 'plc' };
  expect(await call('meter.put', undefined, meter)).toMatchObject({ sn: 'ZX20000001', isNew: true });
  expect(await call('meter.put', undefined, meter)).toMatchObject({ sn: 'ZX20000001', isNew: false });
  const { items: bound } = await call('meter.assets', { bound: 'true', inventoryState: 'active', size: 1 });
  const order = { meterIds: [bound[0].id], kind: 'registers', items: ['E_PLUS'] };
  const { taskId } = await call('read.onDemand', undefined, order);
  await expect.poll(async () => (await call('task.get', { id: taskId })).state, { timeout: 30_000 }).toBe('finished');
  const { items } = await call('task.items', { id: taskId });
  expect(items).toMatchObject([{ state: 'read_success' }]);
  expect(JSON.stringify(items[0].result)).toContain('E_PLUS');
}, 60_000);
