import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChainAnchors } from '../../src/db/chain-anchors.ts';
import { createApp, type App } from '../../src/http/app.ts';
import { implementedRoutes } from '../../src/features/implemented-routes.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { createLog } from '../../src/platform/log.ts';
import { Nonces } from '../../src/db/nonces.ts';

import { hashPassword } from '../../src/platform/passwords.ts';
import { fieldBench, type Bench } from './field-bench.ts';
import { sealAll } from '../test-app.ts';

const PASSWORD = 'Nobody-Reads-This-2026';
const NEXT_PASSWORD = 'Nor-This-One-2026';
const TYPED = {
  password: 'meter-word-4711',
  ek: 'a17f03d46be2581890c3f4265d1e8b97',
  ak: '3d90e26b14f8a75c06d1497be8320fca',
  masterKey: 'c0ffee11c0ffee22c0ffee33c0ffee44',
};
/** Imported as a file. */
const BROUGHT = {
  ek: '5c1f08e2b7943a6dd0417f9b28ce6530',
  ak: '92e4b60d7f13ca58460bd1ef3895a27c',
  masterKey: 'e80b5da71c3f924660d27b15a9fc384e',
  password: 'meter-word-4712',
};
const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const MASTER = Buffer.alloc(32, 7);

let bench: Bench;
let app: App;
const lines: string[] = [];
beforeAll(async () => {
  bench = await fieldBench();
  bench.ctx.log = createLog('debug', (line) => lines.push(line));
  const liveTickets = new Nonces(bench.ctx, { purpose: 'live socket', minutes: 1 });
  app = await createApp(bench.ctx, {
    modules: implementedRoutes(bench.ctx, {
      version: '0.0.0',
      isReady: () => true,
      hasSecureCookies: false,
      warnings: [],
      liveTickets,
      anchors: new ChainAnchors(undefined, bench.ctx.secrets),
    }),
    liveTickets,
    consoleRoot: join(tmpdir(), 'no-such-console'),
    version: '0.0.0',
    checksAnswers: true,
    callLimit: { burst: 1e6, perSecond: 1e6 },
  });
});
afterAll(async () => {
  await app.fastify.close();
  await bench.close();
});

/** Every row of every table, octets in hex. */
async function everythingStored(): Promise<string> {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(bench.ctx.db);
  const tables = await Promise.all(
    rows.map(({ name }) => sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(bench.ctx.db)),
  );
  return tables.flatMap((table) => table.rows.map(({ row }) => row)).join('\n');
}

/** Notations of a secret. */
const formsOf = (secret: Uint8Array): string[] => {
  const octets = Buffer.from(secret);
  return [octets.toString('hex'), octets.toString('base64').replace(/=+$/, ''), [...octets].join(',')];
};

test('no log line and no row contains keys or passwords, for all actions of devices and operators', async () => {
  const { dcuId, meters, meterIds } = await bench.register('SECRET0001', 3);
  const [, other] = meters;
  const wrong = { ek: new Uint8Array(16).fill(0x5a), ak: new Uint8Array(16).fill(0xa5) };
  const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'meter', other?.sn ?? '', wrong);
  await bench.ctx.db
    .updateTable('meter')
    .set({ ekSecret, akSecret })
    .where('id', '=', meterIds[1] ?? '')
    .execute();
  const headEnd = await bench.headEnd();
  headEnd.dial('SECRET0001', meters);
  const items = meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
  const ended = await (await headEnd.order({ kind: 'collect', params: { profiles: ['lpa'], lookBackDays: 1 }, items })).ended;
  expect(ended.map(({ state }) => state)).toEqual(['read_success', 'read_fail', 'read_success']);

  const { db } = bench.ctx;
  const passwordHash = await hashPassword(PASSWORD);
  const { id } = await db
    .insertInto('appUser')
    .values({ username: 'keeper', name: 'Keeper', passwordHash })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`insert into user_role (user_id, role_id, granted_at) select ${id}, id, '2000-01-01' from role where code = 'ADMIN'`.execute(db);
  await sealAll({ db });
  const role = await db.selectFrom('role').where('code', '=', 'AUDITOR').select('id').executeTakeFirstOrThrow();
  const tokens: string[] = [];
  const signIn = async (password: string) => {
    const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
    const answer = await app.fastify.inject({
      method: 'POST',
      url: '/api/auth/oauth2/token',
      headers: { authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: 'password', username: 'keeper', password, slider: slider.nonce }).toString(),
    });
    const token: string = answer.json().access_token ?? '';
    if (token !== '') tokens.push(token, ...answer.cookies.map(({ value }) => value));
    return token;
  };
  expect(await signIn(`${PASSWORD}!`)).toBe('');
  const token = await signIn(PASSWORD);
  const call = (method: 'PUT' | 'POST', path: string, payload: object) =>
    app.fastify.inject({ method, url: `/api${path}`, payload, headers: { authorization: `Bearer ${token}` } });
  expect((await call('POST', '/auth/proof', { password: PASSWORD })).statusCode).toBe(200);
  const statuses = [
    await call('PUT', `/asset/meter/${meterIds[0]}/keys`, { ...TYPED, masterKey: undefined }),
    await call('PUT', `/asset/meter/${meterIds[0]}/keys`, TYPED),
    await call('PUT', `/asset/meter/${meterIds[0]}/keys`, { ek: 'not hex', password: TYPED.password }),
    await call('POST', '/manager/user', { username: 'second', name: 'Second', password: NEXT_PASSWORD, roleIds: [role.id] }),
    await call('PUT', `/manager/user/${id}/password`, { oldPassword: PASSWORD, newPassword: NEXT_PASSWORD }),
  ].map(({ statusCode }) => statusCode);
  expect(statuses).toEqual([200, 400, 400, 201, 204]);
  const { ek, ak, masterKey, password } = BROUGHT;
  const file = `sn,ek,ak,masterKey,password\n${meters[2]?.sn},${ek},${ak},,${password}\n${meters[1]?.sn},,,${masterKey},\nNOBODY01,${ek},${ak},,\n`;
  const upload = await app.fastify.inject({
    method: 'POST',
    url: '/api/import/meter-key?name=keys.csv',
    payload: file,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
  });
  const done = await call('POST', `/import/meter-key/${upload.json().id}/commit`, {});
  expect(done.json()).toMatchObject({ isDone: true, update: 1, errors: 2 });
  await headEnd.stop();

  const keys = [...meters.map((meter) => meter.keys), wrong].flatMap(({ ek, ak }) => [ek, ak]);
  const given = [TYPED, BROUGHT];
  const typed = given.flatMap((keysOf) => [keysOf.ek, keysOf.ak, keysOf.masterKey]).map((hex) => Buffer.from(hex, 'hex'));
  const words = [PASSWORD, NEXT_PASSWORD, ...given.map((keysOf) => keysOf.password)];
  const secrets = [...[...keys, ...typed, MASTER, ...words.map((word) => Buffer.from(word))].flatMap(formsOf), ...words, ...tokens];
  const told = [lines.join(''), await everythingStored(), upload.body, done.body].join('\n');
  expect(lines.length).toBeGreaterThan(0);
  expect(told).toContain('SECRET0001');
  expect(secrets.filter((secret) => told.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});
