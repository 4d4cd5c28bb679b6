import { randomUUID } from 'node:crypto';
import { everyRoute } from '@hes/contract/every-route.ts';
import { GUARDS } from '@hes/contract/core/guard.ts';
import type { Route } from '@hes/contract/core/route.ts';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../src/platform/passwords.ts';
import { authenticator } from './authenticator.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';

const LONG = 'Owl-And-Lamp-77';
const SHORT = 'Owl-77x';
const declared = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
const urlOf = ({ path }: Route) => `/api${path.replaceAll(/\{\w+\}/g, '1')}`;

/** Calls an app as a user. */
const callerOf =
  (app: TestApp, user: TestUser) => async (method: NonNullable<InjectOptions['method']>, path: string, payload?: object | string) => {
    const answer = await app.call(user, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  };

async function withPassword(app: TestApp, user: TestUser): Promise<TestUser> {
  await app.ctx.db
    .updateTable('appUser')
    .set({ passwordHash: await hashPassword(LONG) })
    .where('id', '=', user.id)
    .execute();
  await sealAll(app.ctx);
  return user;
}

describe('an installation that asks for twelve characters', () => {
  let app: TestApp;
  let roleId: string;
  beforeAll(async () => {
    app = await testApp({ rules: { passwordMin: 12 } });
    roleId = (await app.ctx.db.selectFrom('role').where('code', '=', 'AUDITOR').select('id').executeTakeFirstOrThrow()).id;
  });
  afterAll(() => app.close());

  test('refuses shorter passwords of new users, at a reset, and at a change, and says how long they must be', async () => {
    const admin = callerOf(app, await withPassword(app, await app.addUser({ roles: ['ADMIN'] })));
    const fields = { username: 'night.reader', name: 'Nora', roleIds: [roleId] };
    const refused = await admin('POST', '/manager/user', { ...fields, password: SHORT });
    const sentence = 'At Least 12 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces';
    expect(refused.body).toMatchObject({ status: 400, code: 'PASSWORD_SHORT', issues: [{ field: 'password', message: sentence }] });
    const made = await admin('POST', '/manager/user', { ...fields, password: LONG });
    expect(made.status).toBe(201);
    const reset = (newPassword: string) => admin('PUT', `/manager/user/${made.body.id}/reset-password`, { newPassword, mustChange: true });
    expect([(await reset(SHORT)).body.code, (await reset(`${LONG}x`)).status]).toEqual(['PASSWORD_SHORT', 204]);
    const me = (await admin('GET', '/manager/user/me')).body;
    expect(me.passwordMin).toBe(12);
    const change = { oldPassword: LONG, newPassword: SHORT };
    expect((await admin('PUT', `/manager/user/${me.id}/password`, change)).body.code).toBe('PASSWORD_SHORT');
  });

  test('refuses them in an imported list', async () => {
    const admin = await app.addUser({ roles: ['ADMIN'] });
    const list = `User name,Name,Roles,Password\nimported.one,One,AUDITOR,${SHORT}\nimported.two,Two,AUDITOR,${LONG}\n`;
    const preview = await app.call(admin, {
      method: 'POST',
      url: '/api/import/user?name=people.csv',
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.from(list),
    });
    expect(preview.json()).toMatchObject({ errors: 1, new: 1 });
    expect(preview.body).toContain('At Least 12 Characters');
  });
});

describe('a server that other machines reach, and that is no demonstration', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ rules: { isExposed: true } });
  });
  afterAll(() => app.close());

  const guarded = declared.filter(({ endangers }) => GUARDS[endangers ?? 'nothing'].asksFactor);
  /** The value of the body that asks for own proof. */
  const bodyOf = ({ proofOnlyIf }: Route) => ({ ...proofOnlyIf });

  test('requires a second factor for dangerous orders and approvals, unless the setting is changed', async () => {
    const user = await withPassword(app, await app.addUser({ roles: ['ADMIN'] }));
    const call = callerOf(app, user);
    expect((await call('GET', '/manager/setting/secondFactor')).body).toMatchObject({ value: { requiredFor: 'orders' }, isDefault: true });
    expect((await call('GET', '/manager/user/me')).body).toMatchObject({ mustEnrol: false });
    const decide = () => call('PUT', '/action/approval/1', { decision: 'approve' });
    expect((await decide()).body.code).toBe('SECOND_FACTOR_REQUIRED');
    // A rejection and the emergency stop are never blocked.
    expect((await call('PUT', '/action/approval/1', { decision: 'reject', comment: 'No' })).body?.code).not.toBe('SECOND_FACTOR_REQUIRED');
    const order = { requestId: randomUUID(), meterIds: ['1'], operation: 'disconnect', reason: 'Arrears', workOrder: 'A1' };
    expect((await call('POST', '/action/relay', order)).body.code).toBe('SECOND_FACTOR_REQUIRED');
    const phone = authenticator((await call('POST', '/auth/second-factor', { password: LONG })).body.uri, app.ctx.clock);
    expect((await call('PUT', '/auth/second-factor', { otp: phone.code() })).status).toBe(200);
    expect((await decide()).body.code).not.toBe('SECOND_FACTOR_REQUIRED');

    // The proof by the former means has lapsed with the enrolment; a code is used once.
    app.advance(31_000);
    expect((await call('POST', '/auth/proof', { otp: phone.code() })).status).toBe(200);
    const other = callerOf(app, await app.addUser({ roles: ['ADMIN'] }));
    const kept = { value: { requiredFor: 'nobody' }, version: 0 };
    expect((await call('PUT', '/manager/setting/secondFactor', kept)).status).toBe(200);
    expect((await other('PUT', '/action/approval/1', { decision: 'approve' })).body.code).not.toBe('SECOND_FACTOR_REQUIRED');
    await app.ctx.db.deleteFrom('setting').where('key', '=', 'secondFactor').execute();
  });

  test.each(guarded)('$method $path asks for it', async (route) => {
    const user = await app.addUser({ roles: ['ADMIN', 'OPERATOR', 'COMM_ENGINEER', 'FW_ENGINEER'] });
    const { query } = route;
    const answer = await app.call(user, {
      method: route.method,
      url: urlOf(route),
      ...(query === undefined ? {} : { query: {} }),
      payload: bodyOf(route),
    });
    // A call that violates the contract reaches no guard.
    expect(['SECOND_FACTOR_REQUIRED', 'VALIDATION']).toContain(answer.json().code);
  });
});

describe('an installation without debug pages', () => {
  let app: TestApp;
  let admin: TestUser;
  beforeAll(async () => {
    app = await testApp({ rules: { hasDebugPages: false } });
    admin = await app.addUser({ roles: ['ADMIN'] });
  });
  afterAll(() => app.close());

  const isDebug = ({ allow }: Route) => typeof allow === 'object' && allow.page.startsWith('/system/debug/');

  test.each(declared.filter(isDebug))('refuses $method $path even to an administrator', async (route) => {
    const answer = await app.call(admin, { method: route.method, url: urlOf(route) });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'FORBIDDEN']);
  });

  test('has them in neither menu nor rights', async () => {
    const call = callerOf(app, admin);
    expect(JSON.stringify((await call('GET', '/manager/module/tree')).body)).not.toContain('/system/debug');
    expect(Object.keys((await call('GET', '/manager/user/me')).body.actions).filter((path) => path.startsWith('/system/debug'))).toEqual(
      [],
    );
    expect((await call('GET', '/asset/dcu')).status).toBe(200);
  });
});
