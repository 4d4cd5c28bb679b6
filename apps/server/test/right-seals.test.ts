import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OAUTH_CLIENT } from '@hes/contract/auth/token.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RightsCheck } from '../src/composition/rights-watch.ts';
import { sealExistingRights } from '../src/db/initial-sealing.ts';
import { handleKeys } from '../src/db/handle-keys.ts';
import { openDb } from '../src/db/pool.ts';
import { recoverAdministrator } from '../src/db/administrator-recovery.ts';
import { findBroken, noteSealNumbers } from '../src/db/right-seals.ts';
import { findUserOfSession } from '../src/http/access/queries.ts';
import type { User } from '../src/db/context.ts';
import { hashPassword } from '../src/platform/passwords.ts';
import { chainKeyOf } from '../src/platform/secrets.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';

const RELAYS = '/action/relay-control';
const PASSWORD = 'Stone-Harbour-41';

let app: TestApp;
let admin: TestUser;
let operator: TestUser;
let check: RightsCheck;

beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());
beforeEach(async () => {
  operator = await app.addUser({ roles: ['OPERATOR'] });
  check = new RightsCheck(app.ctx);
  await noteSealNumbers(app.ctx.db);
});

const asOwner = (statement: string, values: unknown[] = []) => app.owner.query(statement, values);
/** As the server judges a request that changes something. */
const userOf = ({ sessionId }: TestUser): Promise<User | undefined> => findUserOfSession(app.ctx, sessionId, new Date(app.ctx.clock.now()));
const mayOf = async (user: TestUser, action: 'view' | 'approve') => (await userOf(user))?.actions.get(RELAYS)?.has(action) ?? false;
const auditsOf = async (action: string, id: string) =>
  (await app.owner.query('select from audit_log where action = $1 and entity_id = $2', [action, id])).rowCount;
const alarms = async (text: string) =>
  (await app.owner.query("select from event where device_kind = 'head_end' and code = 60040 and message like $1", [`%${text}%`])).rowCount;
const nameOf = async ({ id }: TestUser) =>
  (await app.owner.query('select username from app_user where id = $1', [id])).rows[0].username as string;

/** Both, once each, however often the check looks. */
async function expectReported(kind: 'user' | 'role', id: string, name: string): Promise<void> {
  const before = await auditsOf(`${kind}_changed_outside`, id);
  await check.look();
  await check.look();
  expect(await auditsOf(`${kind}_changed_outside`, id)).toBe((before ?? 0) + 1);
  expect(await alarms(name)).toBeGreaterThan(0);
}

describe('a user who was changed by SQL', () => {
  const changes: [string, string][] = [
    ['has another password', "update app_user set password_hash = 'x' where id = $1"],
    ['was unlocked or locked', 'update app_user set lock = false, must_change_password = not must_change_password where id = $1'],
    ['holds another role', "insert into user_role (user_id, role_id) select $1, id from role where code = 'ADMIN'"],
    ['holds a right that looks older', "update user_role set granted_at = '1999-01-01' where user_id = $1"],
    ['has a reset of the password that is hidden', "update app_user set credentials_reset_at = '1999-01-01' where id = $1"],
    ['lost the seal', "delete from right_seal where kind = 'user' and subject_id = $1"],
  ];
  test.each(changes)('%s: the session gives nothing, an alarm and an audit row say so', async (_, statement) => {
    expect(await mayOf(operator, 'view')).toBe(true);
    await asOwner(statement, [operator.id]);
    expect(await userOf(operator)).toBeUndefined();
    await expectReported('user', operator.id, await nameOf(operator));
    const list = (await app.call(admin, { method: 'GET', url: `/api/manager/user/${operator.id}` })).json();
    expect(list).toMatchObject({ isSealed: false, sessions: [] });
  });

  test('a user inserted with a password cannot sign in', async () => {
    const hash = await hashPassword(PASSWORD);
    const { rows } = await asOwner("insert into app_user (username, name, password_hash) values ('intruder', 'x', $1) returning id", [
      hash,
    ]);
    await asOwner("insert into user_role (user_id, role_id, granted_at) select $1, id, '2000-01-01' from role where code = 'ADMIN'", [
      rows[0].id,
    ]);
    const { slider } = (await app.call(undefined, { method: 'GET', url: '/api/white/list/api' })).json();
    const answer = await app.call(undefined, {
      method: 'POST',
      url: '/api/auth/oauth2/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${OAUTH_CLIENT}:`).toString('base64')}`,
      },
      payload: new URLSearchParams({ grant_type: 'password', username: 'intruder', password: PASSWORD, slider: slider.nonce }).toString(),
    });
    expect({ status: answer.statusCode, text: answer.body }).toMatchObject({
      status: 423,
      text: expect.stringContaining('outside the product'),
    });
    await expectReported('user', rows[0].id, 'intruder');
    await asOwner('delete from user_role where user_id = $1', [rows[0].id]);
    await sealAll(app.ctx);
  });

  test('lost or got a second factor: the session gives nothing', async () => {
    await asOwner("insert into second_factor (user_id, secret, created_at, confirmed_at) values ($1, '\\x00', now(), now())", [
      operator.id,
    ]);
    expect(await userOf(operator)).toBeUndefined();
    await sealAll(app.ctx);
    expect(await userOf(operator)).toBeDefined();
    await asOwner('delete from second_factor where user_id = $1', [operator.id]);
    expect(await userOf(operator)).toBeUndefined();
    await expectReported('user', operator.id, await nameOf(operator));
  });

  test('is put back together with the old seal: the number is too small', async () => {
    const old = (await asOwner("select * from right_seal where kind = 'user' and subject_id = $1", [operator.id])).rows[0];
    const { version } = (await app.call(admin, { method: 'GET', url: `/api/manager/user/${operator.id}` })).json();
    const auditor = (await asOwner("select id from role where code = 'AUDITOR'")).rows[0].id;
    const changed = await app.call(admin, {
      method: 'PUT',
      url: `/api/manager/user/${operator.id}`,
      payload: { name: 'x', roleIds: [auditor], version },
    });
    expect(changed.statusCode).toBe(200);
    const back = await app.addUser();
    await asOwner('delete from user_role where user_id = $1', [operator.id]);
    await asOwner("insert into user_role (user_id, role_id, granted_at) select $1, id, '2000-01-01' from role where code = 'OPERATOR'", [
      operator.id,
    ]);
    await asOwner("update right_seal set number = $2, digest = $3, seal = $4 where kind = 'user' and subject_id = $1", [
      operator.id,
      old.number,
      old.digest,
      old.seal,
    ]);
    const broken = (await findBroken(app.ctx.db)).find(({ subject }) => subject.kind === 'user' && subject.id === operator.id);
    expect(broken).toMatchObject({ number: old.number, found: old.digest.toString('hex'), digest: old.digest.toString('hex') });
    expect(back.id).not.toBe(operator.id);
    await expectReported('user', operator.id, await nameOf(operator));
  });

  test('is not sealed by the next change that a person makes', async () => {
    await asOwner("insert into user_role (user_id, role_id) select $1, id from role where code = 'ADMIN'", [operator.id]);
    const answer = await app.call(admin, {
      method: 'PUT',
      url: `/api/manager/user/${operator.id}/lock`,
      payload: { lock: true, lockReason: 'x' },
    });
    expect(answer.json()).toMatchObject({ code: 'CHANGED_OUTSIDE' });
    expect(await userOf(operator)).toBeUndefined();
  });

  test('signs in again once an administrator has sealed it, and its rights rest for a day', async () => {
    await asOwner("update user_role set granted_at = '1999-01-01' where user_id = $1", [operator.id]);
    const sealing = {
      method: 'POST',
      url: `/api/manager/user/${operator.id}/seal`,
      payload: { reason: 'restored from a backup' },
    } as const;
    expect((await app.call(admin, sealing)).json()).toMatchObject({ isSealed: true });
    expect(await auditsOf('user_sealed', operator.id)).toBe(1);
    expect((await app.call(admin, sealing)).json()).toMatchObject({ code: 'NOTHING_TO_DO' });
    const { rows } = await asOwner("select credentials_reset_at > now() - interval '1 minute' as rests from app_user where id = $1", [
      operator.id,
    ]);
    expect(rows[0].rests).toBe(true);
  });
});

describe('a role that was changed by SQL gives nothing', () => {
  const changes: [string, string, string][] = [
    [
      'an action more',
      "insert into role_action (role_id, module_id, action) select r.id, m.id, 'approve' from role r, module m where r.code = 'OPERATOR' and m.path = '/action/relay-control'",
      '',
    ],
    ['an action less', "delete from role_action using role r where r.id = role_id and r.code = 'OPERATOR' and action = 'execute'", ''],
    ['no rows at all', "delete from role_action using role r where r.id = role_id and r.code = 'OPERATOR'", ''],
    ['an older right', "update role_action set granted_at = '1999-01-01' from role r where r.id = role_id and r.code = 'OPERATOR'", ''],
    ['another area', "update role set sees_whole_network = not sees_whole_network where code = 'OPERATOR'", ''],
    ['an older area', "update role set area_widened_at = '1999-01-01' where code = 'OPERATOR'", ''],
    [
      'pages with other paths',
      "update module set path = path || '-x' where path = '/meter/meter-event'",
      "update module set path = '/meter/meter-event' where path = '/meter/meter-event-x'",
    ],
  ];
  test.each(changes)('%s', async (_, statement, undo) => {
    const { id } = (await asOwner("select id from role where code = 'OPERATOR'")).rows[0];
    const kept = await asOwner('select * from role_action where role_id = $1', [id]);
    await asOwner(statement);
    const user = await userOf(operator);
    expect(user?.actions.size).toBe(0);
    expect(user?.scope).toEqual({ kind: 'nodes', levelIds: [], transformerIds: [] });
    await expectReported('role', id, 'OPERATOR');
    if (undo !== '') await asOwner(undo);
    await asOwner('delete from role_action where role_id = $1', [id]);
    for (const row of kept.rows)
      await asOwner('insert into role_action (role_id, module_id, action, granted_at) values ($1, $2, $3, $4)', [
        id,
        row.module_id,
        row.action,
        row.granted_at,
      ]);
    await asOwner("update role set sees_whole_network = true where code = 'OPERATOR'");
    await sealAll(app.ctx);
  });

  test('until an administrator has sealed it again', async () => {
    const { id } = (await asOwner("select id from role where code = 'OPERATOR'")).rows[0];
    await asOwner("update role set area_widened_at = '1999-01-01' where code = 'OPERATOR'");
    expect(await mayOf(operator, 'view')).toBe(false);
    const sealed = await app.call(admin, { method: 'POST', url: `/api/manager/role/${id}/seal`, payload: { reason: 'looked at' } });
    expect(sealed.json()).toMatchObject({ isSealed: true });
    const user = await userOf(operator);
    expect(user?.actions.get(RELAYS)?.has('execute')).toBe(true);
    expect(user?.rested?.get(RELAYS)).toBeUndefined();
  });
});

test('a session that was given to another user ends, and says so', async () => {
  await asOwner('update user_session set user_id = $1 where id = $2', [admin.id, operator.sessionId]);
  const answer = await app.call(operator, { method: 'PUT', url: '/api/manager/user/me', payload: { locale: 'zh-CN' } });
  expect(answer.statusCode).toBe(401);
  await check.look();
  expect(await auditsOf('session_changed_outside', admin.id)).toBe(1);
  expect(await userOf(admin)).toBeDefined();
});

test('a proof that was written by SQL does not count', async () => {
  const plain = await app.addUser({ roles: ['ADMIN'], isProved: false });
  await asOwner("update user_session set proved_at = now() + interval '1 day' where id = $1", [plain.sessionId]);
  expect(await userOf(plain)).toBeUndefined();
});

test('existing rows are sealed once for a data folder, and never again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hes-seals-'));
  try {
    await asOwner('delete from right_seal');
    const start = async () => {
      const db = openDb(app.ctx.pool, handleKeys(chainKeyOf(app.ctx.secrets), folder));
      await sealExistingRights(db, app.ctx.clock.now());
      return db;
    };
    expect(await findBroken(await start())).toEqual([]);
    await asOwner('delete from right_seal');
    expect((await findBroken(await start())).length).toBeGreaterThan(0);
    expect((await asOwner("select from audit_log where action = 'rights_sealed'")).rowCount).toBe(1);
    writeFileSync(join(folder, 'rescue-administrator'), 'admin\n');
    const db = await start();
    const rescued = await recoverAdministrator(db, folder, app.ctx.clock.now());
    expect(rescued?.username).toBe('admin');
    expect(await recoverAdministrator(db, folder, app.ctx.clock.now())).toBeUndefined();
    const intact = await sql<{ id: string }>`select id from app_user where username = 'admin'`.execute(db);
    expect((await findBroken(db)).some(({ subject }) => subject.kind === 'user' && subject.id === intact.rows[0]?.id)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
    await sealAll(app.ctx);
  }
});
