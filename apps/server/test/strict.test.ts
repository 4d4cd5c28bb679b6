import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/platform/config.ts';
import { testApp } from './test-app.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hes-strict-'));
  for (const name of ['a.crt', 'a.key', 'ca.crt']) writeFileSync(join(folder, name), 'PEM');
});
afterAll(() => rmSync(folder, { recursive: true }));

const DLMS = { HES_DLMS_TLS: 'required', HES_DLMS_TLS_CERT: 'a.crt', HES_DLMS_TLS_KEY: 'a.key', HES_DLMS_TLS_CA: 'ca.crt' };
const SAFE = { HES_STRICT: 'on', HES_TLS: 'self-signed', ...DLMS };
const read = (env: Record<string, string>) => readConfig(env, folder);

test('strict: no start with a connection that is not encrypted, and each is named', () => {
  expect(read(SAFE).strict).toBe(true);
  expect(() => read({ HES_STRICT: 'on', HES_AUDIT_SYSLOG: 'logs.example:514', HES_AUDIT_WEBHOOK: 'http://logs.example/' })).toThrow(
    'HES_STRICT is on and needs: HES_TLS_CERT and HES_TLS_KEY, or HES_SECURE_COOKIES and a proxy on this machine; HES_DLMS_TLS=required; tls:// in HES_AUDIT_SYSLOG; https:// in HES_AUDIT_WEBHOOK.',
  );
  expect(() => read({ ...SAFE, HES_DLMS_TLS: 'offered' })).toThrow('HES_DLMS_TLS=required');
  const { HES_TLS: _, ...behind } = SAFE;
  expect(read({ ...behind, HES_SECURE_COOKIES: 'on' }).strict).toBe(true);
  expect(() => read({ ...behind, HES_SECURE_COOKIES: 'on', HES_HOST: '10.0.0.1' })).toThrow('a proxy on this machine');
  const database = (url: string) => read({ ...SAFE, DATABASE_URL: url }).databaseUrl;
  expect(database('postgres://hes@127.0.0.1/hes')).toBeDefined();
  expect(database('postgres://hes@[::1]/hes')).toBeDefined();
  expect(database('postgres:///hes?host=/run/postgresql')).toBeDefined();
  expect(database('postgres://hes@db.example/hes?sslmode=verify-full')).toBeDefined();
  for (const url of ['postgres://hes@db.example/hes', 'postgres://hes@db.example/hes?sslmode=require', 'postgres:///hes?host=db.example'])
    expect(() => database(url)).toThrow('sslmode=verify-full in DATABASE_URL');
});

test('strict: a user without a second factor reaches nothing but the enrolment', async () => {
  const app = await testApp();
  const user = await app.addUser({ roles: ['ADMIN'] });
  const status = async (url: string) => (await app.call(user, { url })).statusCode;
  expect(await status('/api/manager/user')).toBe(200);
  app.ctx.settings.rules.isStrict = true;
  const other = await app.addUser({ roles: ['ADMIN'] });
  const refused = await app.call(other, { url: '/api/manager/user' });
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
  expect((await app.call(other, { url: '/api/manager/user/me' })).json()).toMatchObject({ mustEnrol: true });
  await app.close();
});
