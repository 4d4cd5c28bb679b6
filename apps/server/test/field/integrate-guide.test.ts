import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { sql } from 'kysely';
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

test('the five examples of the guide do what they say', async () => {
  expect(examples).toHaveLength(5);
  await addAccount();
  await collect();
  const printed: unknown[][] = [];
  const program = `return (async () => {\n${examples.join('\n')}\n})();`;
  const run = new Function('process', 'console', program) as (process: object, console: object) => Promise<void>; // as: the text is a function body
  await run({ env: environment }, { log: (...values: unknown[]) => void printed.push(values) });
  const [name, registered, reading, profile, events] = printed;
  expect(name).toEqual(['mdm-import']);
  expect(registered).toEqual(['ZX10000001', true]);
  expect(reading?.slice(0, 2)).toEqual(['finished', 'read_success']);
  expect(JSON.stringify(reading?.[2])).toContain('E_PLUS');
  expect(profile).toEqual([expect.any(Number), expect.any(Number), expect.any(String), expect.any(Number), 'kWh']);
  expect(Number(profile?.[0])).toBeGreaterThanOrEqual(92);
  expect(Number(profile?.[1])).toBeGreaterThanOrEqual(92);
  expect(events?.[0]).toBeGreaterThanOrEqual(2);
}, 90_000);
