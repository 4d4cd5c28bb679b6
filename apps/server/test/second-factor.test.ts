import { argon2Sync, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { strengthenRecoveryCodes } from '../src/features/people/second-factor/recovery.ts';
import { commitChanges, noticeOf } from '../src/db/changes.ts';
import { hashPassword } from '../src/platform/passwords.ts';
import { authenticator, type Authenticator } from './authenticator.ts';
import { openLive } from './live-socket.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;
const PASSWORD = 'Two-Of-A-Kind-7';
const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

interface Person extends TestUser {
  username: string;
  app: Authenticator;
  recoveryCodes: string[];
}

let app: TestApp;
let hash: string;
beforeAll(async () => {
  app = await testApp({ isClockStill: true });
  await importCommissioning(app.ctx, smallTown());
  hash = await hashPassword(PASSWORD);
  await app.fastify.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());
beforeEach(async () => {
  app.advance(20 * MINUTE_MS);
  await app.ctx.db.deleteFrom('setting').where('key', '=', 'secondFactor').execute();
});

async function ask(user: TestUser, method: NonNullable<InjectOptions['method']>, path: string, payload?: object) {
  const answer = await app.call(user, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

/** A user with a password, signed in. */
async function newPerson(roles = ['ADMIN']): Promise<TestUser & { username: string }> {
  const user = await app.addUser({ roles, isProved: false });
  const { username } = await app.ctx.db
    .updateTable('appUser')
    .set({ passwordHash: hash })
    .where('id', '=', user.id)
    .returning('username')
    .executeTakeFirstOrThrow();
  await sealAll(app.ctx);
  return { ...user, username };
}

/** A user with an enrolled second factor, in an interval after that of the enrolment, so that a new code is accepted. */
async function enrolled(roles?: string[]): Promise<Person> {
  const user = await newPerson(roles);
  const phone = authenticator((await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body.uri, app.ctx.clock);
  const { recoveryCodes } = (await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() })).body;
  app.advance(STEP_MS);
  return { ...user, app: phone, recoveryCodes };
}

/** Gives own proof; answers why it does not count, or `proved`. */
const prove = async (user: TestUser, proof: object): Promise<string> =>
  (await ask(user, 'POST', '/auth/proof', proof)).body.code ?? 'proved';

async function token(fields: Record<string, string>) {
  const answer = await app.fastify.inject({
    method: 'POST',
    url: '/api/auth/oauth2/token',
    headers: { authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', ...fields }).toString(),
  });
  return { status: answer.statusCode, body: answer.json(), cookie: answer.headers['set-cookie'] };
}

async function withPassword(username: string, more: Record<string, string> = {}) {
  const { slider } = (await app.fastify.inject({ url: '/api/white/list/api' })).json();
  return token({ username, password: PASSWORD, slider: slider.nonce, ...more });
}
const ticketOf = async (person: Person): Promise<string> => (await withPassword(person.username)).body.ticket;
const withCode = async (person: Person, otp: string) => token({ ticket: await ticketOf(person), otp });

const auditOf = (userId: string) =>
  app.ctx.db.selectFrom('auditLog').where('entityId', '=', userId).selectAll().orderBy('id', 'desc').execute();
const lastAudit = async (userId: string) => (await auditOf(userId))[0];

describe('setting up', () => {
  test('takes the password, then a code of the new secret, and hands out ten recovery codes', async () => {
    const user = await newPerson();
    expect((await ask(user, 'POST', '/auth/second-factor', { password: 'Wrong-One-77' })).body.code).toBe('OLD_PASSWORD_WRONG');
    expect((await ask(user, 'PUT', '/auth/second-factor', { otp: '123456' })).body.code).toBe('NOTHING_TO_DO');
    const first = authenticator((await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body.uri, app.ctx.clock);
    const begun = (await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body;
    const phone = authenticator(begun.uri, app.ctx.clock);
    expect(begun.uri).toContain(`otpauth://totp/HES:${user.username}?secret=${begun.secret}&`);
    expect(phone.secret).not.toEqual(first.secret);
    expect((await ask(user, 'PUT', '/auth/second-factor', { otp: phone.wrong() })).body).toMatchObject({ status: 400, code: 'OTP_WRONG' });
    // Begun is not on: the password alone still opens.
    expect((await withPassword(user.username)).status).toBe(200);
    expect((await ask(user, 'GET', '/auth/second-factor')).body).toEqual({ isOn: false, since: null, recoveryLeft: 0, provedUntil: null });

    const { status, body } = await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() });
    expect(status).toBe(200);
    expect(new Set(body.recoveryCodes).size).toBe(10);
    for (const code of body.recoveryCodes) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/);
    expect((await ask(user, 'GET', '/auth/second-factor')).body).toMatchObject({ isOn: true, recoveryLeft: 10, provedUntil: null });
    expect((await ask(user, 'GET', '/manager/user/me')).body).toMatchObject({ hasSecondFactor: true, mustEnrol: false });
    expect(await lastAudit(user.id)).toMatchObject({ action: 'second_factor_enrolled', userId: user.id });
    // An existing second factor must be removed first, so that an unlocked screen does not allow replacing it.
    expect((await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body.code).toBe('NOTHING_TO_DO');
  });

  test('ends what the same person has open elsewhere', async () => {
    const user = await newPerson();
    const other = (await withPassword(user.username)).body.access_token;
    const phone = authenticator((await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body.uri, app.ctx.clock);
    await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() });
    expect((await ask({ ...user, token: other }, 'GET', '/manager/user/me')).status).toBe(401);
    expect((await ask(user, 'GET', '/manager/user/me')).status).toBe(200);
  });

  test('is tried some times, then slowly', async () => {
    const user = await newPerson();
    const codes = [];
    for (let i = 0; i < 11; i++) codes.push((await ask(user, 'PUT', '/auth/second-factor', { otp: '000000' })).body.code);
    expect(codes.at(-1)).toBe('RATE_LIMIT');
  });

  test('leaves neither secret nor codes readable in the database', async () => {
    const person = await enrolled();
    const { rows } = await app.ctx.pool.query(
      `select encode(secret, 'hex') as text from second_factor where user_id = $1 union all select encode(hash, 'hex') from recovery_code where user_id = $1
       union all select detail::text from audit_log where user_id = $1`,
      [person.id],
    );
    const stored = rows.map((row: { text: string }) => row.text.toLowerCase()).join(' ');
    expect(rows.length).toBeGreaterThan(11);
    const hex = (text: string) => Buffer.from(text).toString('hex');
    const plain = person.recoveryCodes.flatMap((code) => [code.toLowerCase(), hex(code), hex(code.replaceAll('-', ''))]);
    for (const secret of [person.app.secret.toString('hex'), ...plain]) expect(stored).not.toContain(secret);
    // A secret sealed for one user cannot be opened for another.
    const { secret } = await app.ctx.db.selectFrom('secondFactor').where('userId', '=', person.id).selectAll().executeTakeFirstOrThrow();
    expect(app.ctx.secrets.open(secret, `user/${person.id}/totp`)).toEqual(person.app.secret);
    expect(() => app.ctx.secrets.open(secret, `user/1/totp`)).toThrow();
  });
});

describe('signing in with a second factor', () => {
  test('asks for the code once the password is right, and continues with a ticket in its place', async () => {
    const person = await enrolled();
    const asked = await withPassword(person.username);
    expect(asked).toMatchObject({ status: 400, body: { code: 'MFA_REQUIRED', error: 'mfa_required' }, cookie: undefined });
    const { ticket } = asked.body;
    const opened = await token({ ticket, otp: ` ${person.app.code().slice(0, 3)} ${person.app.code().slice(3)} ` });
    expect(opened).toMatchObject({ status: 200, body: { token_type: 'Bearer', user: { username: person.username } } });
    app.advance(STEP_MS);
    expect((await token({ ticket, otp: person.app.code() })).body).toMatchObject({ code: 'MFA_EXPIRED', error: 'invalid_grant' });
  });

  test('is one call for a program that sends all of it', async () => {
    const person = await enrolled();
    expect((await withPassword(person.username, { otp: person.app.code() })).status).toBe(200);
  });

  test('is not revealed without the password', async () => {
    const person = await enrolled();
    const answer = await withPassword(person.username, { password: 'Wrong-One-77', otp: person.app.code() });
    expect(answer.body).toMatchObject({ code: 'INVALID_GRANT' });
    expect(answer.body.ticket).toBeUndefined();
  });

  test('takes a code once, also when it comes twice at the same moment', async () => {
    const person = await enrolled();
    const tickets = [await ticketOf(person), await ticketOf(person)];
    const answers = await Promise.all(tickets.map((ticket) => token({ ticket, otp: person.app.code() })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.code).toBe('OTP_WRONG');
  });

  test('takes the code before and the one after, and none that is older than one that was taken', async () => {
    const person = await enrolled();
    expect((await withCode(person, person.app.code(1))).status).toBe(200);
    expect((await withCode(person, person.app.code())).body.code).toBe('OTP_WRONG');
    app.advance(3 * STEP_MS);
    expect((await withCode(person, person.app.code(-1))).status).toBe(200);
    app.advance(3 * STEP_MS);
    expect((await withCode(person, person.app.code(-2))).body.code).toBe('OTP_WRONG');
  });

  test('continues after a wrong code without the password, until wrong codes lock like wrong passwords', async () => {
    const person = await enrolled();
    let { ticket } = (await withPassword(person.username)).body;
    const codes = [];
    for (let i = 0; i < 5; i++) {
      const { body } = await token({ ticket, otp: person.app.wrong() });
      codes.push(body.code);
      ticket = body.ticket;
    }
    expect(codes).toEqual(['OTP_WRONG', 'OTP_WRONG_TRIES', 'OTP_WRONG_TRIES', 'OTP_WRONG_TRIES', 'LOCKED']);
    expect(ticket).toBeUndefined();
    const failed = (await auditOf(person.id)).filter(({ action }) => action === 'second_factor_failed');
    expect(failed).toHaveLength(5);
    expect(failed[0]?.detail).toEqual({ for: 'sign-in', failures: 5, names: { user: expect.anything() } });
    expect((await withPassword(person.username, { otp: person.app.code() })).status).toBe(423);
    app.advance(16 * MINUTE_MS);
    expect((await withCode(person, person.app.code())).status).toBe(200);
  });

  test('counts wrong passwords and wrong codes together, and a right password alone forgets none of them', async () => {
    const person = await enrolled();
    for (let i = 0; i < 3; i++) await withPassword(person.username, { password: 'Wrong-One-77' });
    await withCode(person, person.app.wrong());
    expect((await withCode(person, person.app.wrong())).body.code).toBe('LOCKED');
  });

  test('is throttled by address and name, and keeps the ticket', async () => {
    const person = await enrolled();
    let { ticket } = (await withPassword(person.username)).body;
    await app.ctx.db.deleteFrom('secondFactor').where('userId', '=', person.id).execute();
    await sealAll(app.ctx);
    let last = { status: 0, body: { ticket, code: '' } };
    for (let i = 0; i < 10; i++) {
      await app.ctx.db.updateTable('appUser').set({ failedCount: 0 }).where('id', '=', person.id).execute();
      last = await token({ ticket, otp: '000000' });
      ticket = last.body.ticket;
    }
    expect(last).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT' } });
    expect(ticket).toMatch(/^[\w-]{40,}$/);
  });

  test.each<[string, (person: Person) => unknown]>([
    ['five minutes have passed', () => app.advance(5 * MINUTE_MS + 1)],
    [
      'the password was changed',
      (person) => app.ctx.db.updateTable('appUser').set({ passwordHash: 'x' }).where('id', '=', person.id).execute(),
    ],
    ['the user was locked', (person) => app.ctx.db.updateTable('appUser').set({ lock: true }).where('id', '=', person.id).execute()],
  ])('starts again when %s', async (_, happens) => {
    const person = await enrolled();
    const ticket = await ticketOf(person);
    await happens(person);
    expect((await token({ ticket, otp: person.app.code() })).body.code).toBe('MFA_EXPIRED');
  });

  test('takes each recovery code once, as people type it, and says in the log how many are left', async () => {
    const person = await enrolled();
    const [code = '', other = ''] = person.recoveryCodes;
    expect((await withCode(person, code.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
    const used = (await auditOf(person.id)).find(({ action }) => action === 'recovery_code_used');
    expect(used).toMatchObject({ userId: person.id, detail: { for: 'sign-in', left: 9 } });
    expect((await withCode(person, code)).body.code).toBe('OTP_WRONG');
    const stranger = await enrolled();
    expect((await withCode(stranger, other)).body.code).toBe('OTP_WRONG');
    expect((await withCode(person, other)).status).toBe(200);
    expect((await ask(person, 'GET', '/auth/second-factor')).body.recoveryLeft).toBe(8);
  });

  test('keeps recovery codes as salted Argon2id, and gives those of older versions a password hash without changing the codes', async () => {
    const person = await enrolled();
    const hashesOf = async () =>
      (await app.ctx.db.selectFrom('recoveryCode').where('userId', '=', person.id).select('hash').execute()).map((row) => row.hash);
    const hashes = await hashesOf();
    const salts = new Set(hashes.map((stored) => stored.subarray(1, 17).toString('hex')));
    expect([hashes.map(({ length }) => length), salts.size]).toEqual([Array(10).fill(49), 1]);
    const [code = '', other = ''] = person.recoveryCodes;
    const keyedOf = (plain: string) =>
      createHmac('sha256', app.ctx.secrets.derive('recovery codes'))
        .update(`${person.id}/${plain.replaceAll('-', '')}`)
        .digest();
    const [salt = ''] = salts;
    const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
    const tag = argon2Sync('argon2id', { message: keyedOf(code), nonce: Buffer.from(salt, 'hex'), ...cost });
    expect(hashes.map((stored) => stored.subarray(17).toString('hex'))).toContain(tag.toString('hex'));

    await app.ctx.db.deleteFrom('recoveryCode').where('userId', '=', person.id).execute();
    await app.ctx.db
      .insertInto('recoveryCode')
      .values([code, other].map((plain) => ({ userId: person.id, hash: keyedOf(plain) })))
      .execute();
    await sealAll(app.ctx);
    expect((await withCode(person, code)).body.code).toBe('OTP_WRONG');
    await strengthenRecoveryCodes(app.ctx);
    expect((await hashesOf()).map(({ length }) => length)).toEqual([49, 49]);
    expect((await withCode(person, code)).status).toBe(200);
    expect((await withCode(person, code)).body.code).toBe('OTP_WRONG');
    expect((await withCode(person, other)).status).toBe(200);
  });

  test('counts wrong recovery codes like wrong passwords', async () => {
    const person = await enrolled();
    for (let n = 0; n < 5; n++) expect((await withCode(person, 'AAAA-BBBB-CCCC')).status).not.toBe(200);
    expect((await auditOf(person.id)).filter(({ action }) => action === 'second_factor_failed')).toHaveLength(5);
    app.advance(MINUTE_MS);
    expect((await withPassword(person.username)).body.code).toBe('LOCKED');
  });

  test('leaves a refresh as it is', async () => {
    const person = await enrolled();
    const { cookie } = await withCode(person, person.app.code());
    const answer = await app.fastify.inject({
      method: 'POST',
      url: '/api/auth/oauth2/token',
      headers: { authorization: CLIENT, 'content-type': 'application/x-www-form-urlencoded', cookie: String(cookie).split(';')[0] ?? '' },
      payload: 'grant_type=refresh_token',
    });
    expect(answer.statusCode).toBe(200);
  });
});

describe('taking it away', () => {
  test('by oneself takes the password and a code', async () => {
    const person = await enrolled();
    const remove = (password: string, otp: string) => ask(person, 'POST', '/auth/second-factor/remove', { password, otp });
    expect((await remove('Wrong-One-77', person.app.code())).body.code).toBe('OLD_PASSWORD_WRONG');
    expect((await remove(PASSWORD, person.app.wrong())).body.code).toBe('OTP_WRONG');
    expect((await remove(PASSWORD, person.app.code())).status).toBe(204);
    expect(await lastAudit(person.id)).toMatchObject({ action: 'second_factor_removed', userId: person.id });
    expect((await withPassword(person.username)).status).toBe(200);
    expect((await remove(PASSWORD, person.app.code())).body.code).toBe('NOTHING_TO_DO');
    expect(await app.ctx.db.selectFrom('recoveryCode').where('userId', '=', person.id).selectAll().execute()).toEqual([]);
  });

  test('by an administrator takes a reason and the own proof, ends the sessions, and is not for oneself', async () => {
    const [boss, person] = [await enrolled(), await enrolled(['OPERATOR'])];
    const path = (id: string) => `/manager/user/${id}/reset-second-factor`;
    expect((await ask(boss, 'GET', `/manager/user?username=${person.username}&hasSecondFactor=true`)).body.total).toBe(1);
    expect((await ask(boss, 'PUT', path(person.id), {})).body.issues).toMatchObject([{ field: 'reason' }]);
    expect((await ask(boss, 'PUT', path(person.id), { reason: 'lost' })).body).toMatchObject({ code: 'PROOF_REQUIRED', proof: 'code' });
    expect(await prove(boss, { otp: boss.app.code() })).toBe('proved');
    expect((await ask(boss, 'PUT', path(boss.id), { reason: 'lost' })).body.code).toBe('SELF');
    expect((await ask(boss, 'PUT', path(person.id), { reason: 'Phone stolen' })).status).toBe(204);
    expect(await lastAudit(person.id)).toMatchObject({
      action: 'second_factor_reset',
      userId: boss.id,
      detail: { username: person.username, reason: 'Phone stolen' },
    });
    expect((await ask(person, 'GET', '/manager/user/me')).status).toBe(401);
    expect((await ask(boss, 'GET', `/manager/user/${person.id}`)).body.hasSecondFactor).toBe(false);
    expect((await withPassword(person.username)).status).toBe(200);
    expect((await ask(boss, 'PUT', path(person.id), { reason: 'again' })).body.code).toBe('NOTHING_TO_DO');
  });

  test('of a user with more rights is rejected', async () => {
    const { rows } = await app.ctx.pool.query<{ id: string }>(
      `with r as (insert into role (code, name, sees_whole_network) values ('CLERK', 'Clerk', true) returning id),
         m as (select id from module where path = '/system/system-management/user-management'),
         a as (insert into role_module select r.id, m.id from r, m), b as (insert into role_action select r.id, m.id, unnest(array['view', 'edit']) from r, m)
       select id from r`,
    );
    expect(rows).toHaveLength(1);
    const [clerk, boss] = [await newPerson(['CLERK']), await enrolled()];
    await prove(clerk, { password: PASSWORD });
    const answer = await ask(clerk, 'PUT', `/manager/user/${boss.id}/reset-second-factor`, { reason: 'x' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'BEYOND_OWN_RIGHTS' } });
  });
});

describe('dangerous actions', () => {
  const order = async (user: TestUser) => {
    const { id } = await app.ctx.db.selectFrom('meter').where('sn', '=', 'MN0001').select('id').executeTakeFirstOrThrow();
    const payload = { requestId: randomUUID(), meterIds: [id], operation: 'disconnect', reason: 'Unpaid', workOrder: 'W1' };
    return (await ask(user, 'POST', '/action/relay', payload)).body.code ?? 'ordered';
  };

  test('takes a code in place of the password, which holds for five minutes of that session', async () => {
    const person = await enrolled();
    expect(await order(person)).toBe('PROOF_REQUIRED');
    expect(await prove(person, { password: PASSWORD })).toBe('OTP_REQUIRED');
    expect(await prove(person, { otp: person.app.wrong() })).toBe('OTP_WRONG');
    expect((await lastAudit(person.id))?.detail).toMatchObject({ for: 'proof' });
    const otp = person.app.code();
    expect(await prove(person, { otp })).toBe('proved');
    const first = await order(person);
    expect(first).not.toBe('PROOF_REQUIRED');
    expect((await ask(person, 'GET', '/auth/second-factor')).body.provedUntil).toBe(
      new Date(app.ctx.clock.now() + 5 * MINUTE_MS).toISOString(),
    );
    expect(await prove(person, { otp })).toBe('OTP_WRONG');
    app.advance(4 * MINUTE_MS);
    expect(await order(person)).toBe(first);
    // Another session of the same person gave no code.
    const desk = (await withCode(person, person.app.code())).body.access_token;
    expect(await order({ ...person, token: desk })).toBe('PROOF_REQUIRED');
    app.advance(MINUTE_MS);
    expect(await order(person)).toBe('PROOF_REQUIRED');
  });

  test.each([
    ['PUT', '/action/approval/1', { decision: 'approve' }],
    ['POST', '/action/relay/limits/approval', { id: '1' }],
  ] as const)('%s %s asks the same of who has a second factor', async (method, path, body) => {
    const person = await enrolled();
    const id = path.includes('approval') ? await waitingOrder() : '1';
    const url = path.replace(/\/1$/, `/${id}`);
    expect((await ask(person, method, url, body)).body).toMatchObject({ code: 'PROOF_REQUIRED', proof: 'code' });
    expect(await prove(person, { otp: person.app.code() })).toBe('proved');
    expect((await ask(person, method, url, body)).body.code ?? 'decided').not.toBe('PROOF_REQUIRED');
  });

  test('takes the password of who has none; a wrong one is on record', async () => {
    const user = await newPerson();
    expect(await order(user)).toBe('PROOF_REQUIRED');
    expect(await prove(user, { otp: '123456' })).toBe('OLD_PASSWORD_WRONG');
    expect(await lastAudit(user.id)).toMatchObject({ action: 'call_refused', userId: user.id, detail: { why: 'OLD_PASSWORD_WRONG' } });
    expect(await order(user)).toBe('PROOF_REQUIRED');
    expect(await prove(user, { password: PASSWORD })).toBe('proved');
    expect(await order(user)).not.toBe('PROOF_REQUIRED');
  });
});

/** An order to a relay that waits for a second person. */
async function waitingOrder(): Promise<string> {
  const { rows } = await app.ctx.pool.query<{ id: string }>(
    `with t as (insert into task (kind, source, title, priority, state) values ('relay', 'user', 'x', 3, 'waiting_approval') returning id),
       o as (insert into relay_order (task_id, request_id, operation, requested_by, reason, work_order, needs_approval, meters, power_w)
         select id, gen_random_uuid(), 'disconnect', 0, 'x', 'x', true, 1, 1000 from t returning task_id)
     insert into approval (task_id, requested_by, expires_at) select task_id, 0, now() + interval '1 day' from o returning id`,
  );
  return rows[0]?.id ?? '';
}

describe('the setting', () => {
  const require = async (requiredFor: string) => {
    const boss = await enrolled();
    await prove(boss, { otp: boss.app.code() });
    const answer = await ask(boss, 'PUT', '/manager/setting/secondFactor', { value: { requiredFor }, version: 0 });
    expect(answer).toMatchObject({ status: 200, body: { value: { requiredFor } } });
  };

  test('requires nothing until it is set', async () => {
    const user = await newPerson();
    expect((await ask(user, 'GET', '/manager/setting/secondFactor')).body).toMatchObject({
      value: { requiredFor: 'nobody' },
      isDefault: true,
    });
    expect((await ask(user, 'GET', '/manager/user/me')).body).toMatchObject({ hasSecondFactor: false, mustEnrol: false });
    expect((await ask(user, 'GET', '/asset/dcu')).status).toBe(200);
    await prove(user, { password: PASSWORD });
    expect((await ask(user, 'PUT', '/manager/setting/secondFactor', { value: { requiredFor: 'some' }, version: 0 })).body.code).toBe(
      'VALIDATION',
    );
  });

  test('leads who must have one and has none to it, and to nothing else before', async () => {
    const user = await newPerson(['OPERATOR']);
    expect((await ask(user, 'GET', '/asset/dcu')).status).toBe(200);
    await require('critical');
    // Also who is signed in already.
    expect((await ask(user, 'GET', '/asset/dcu')).body).toMatchObject({ status: 403, code: 'SECOND_FACTOR_REQUIRED' });
    expect((await ask(user, 'PUT', '/manager/user/me', { name: 'x' })).status).toBe(200);
    expect((await ask(user, 'POST', '/action/relay', {})).body.code).toBe('SECOND_FACTOR_REQUIRED');
    expect((await ask(user, 'GET', '/manager/user/me')).body).toMatchObject({ mustEnrol: true });
    const phone = authenticator((await ask(user, 'POST', '/auth/second-factor', { password: PASSWORD })).body.uri, app.ctx.clock);
    expect((await ask(user, 'PUT', '/auth/second-factor', { otp: phone.code() })).status).toBe(200);
    expect((await ask(user, 'GET', '/asset/dcu')).status).toBe(200);
    // A new phone: the old one is removed, and every call requires the new one.
    app.advance(STEP_MS);
    await ask(user, 'POST', '/auth/second-factor/remove', { password: PASSWORD, otp: phone.code() });
    expect((await ask(user, 'GET', '/asset/dcu')).body.code).toBe('SECOND_FACTOR_REQUIRED');
  });

  test.each([
    ['critical', { ADMIN: true, OPERATOR: true, FW_ENGINEER: false, ASSET_CLERK: false, AUDITOR: false }],
    ['everybody', { ADMIN: true, OPERATOR: true, FW_ENGINEER: true, ASSET_CLERK: true, AUDITOR: true }],
  ])('%s means these roles', async (requiredFor, expected) => {
    await require(requiredFor);
    const found = [];
    for (const role of Object.keys(expected))
      found.push([role, (await ask(await newPerson([role]), 'GET', '/manager/user/me')).body.mustEnrol]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test('keeps live messages from a user who must enrol', async () => {
    await require('everybody');
    const sockets = await Promise.all([await newPerson(), await enrolled()].map(follow));
    const status = {
      type: 'dcu.status',
      ts: new Date().toISOString(),
      id: '1',
      data: { sn: 'X', onlineStatus: 'online', lastCommAt: null },
    } as const;
    app.ctx.bus.publish('dcu', status);
    await commitChanges(
      app.ctx,
      () => Promise.resolve(),
      () => [noticeOf('settings')],
    );
    await expect.poll(() => sockets.map(({ heard }) => heard.at(-1))).toEqual(['notice', 'notice']);
    expect(sockets.map(({ heard }) => heard)).toEqual([['notice'], ['dcu.status', 'notice']]);
    for (const { socket } of sockets) socket.close();
  });
});

/** A live socket that follows DCUs, and the kinds of what it hears once that was judged. */
async function follow({ token: bearer }: TestUser) {
  const { port } = app.fastify.server.address() as AddressInfo; // as: it listens on TCP
  const socket = await openLive(`127.0.0.1:${port}`, bearer);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'subscribe', topics: ['dcu'] }));
  socket.send('ping');
  await once(socket, 'message');
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()).type));
  return { socket, heard };
}
