import { generateKeyPairSync } from 'node:crypto';
import { GUARDS } from '@hes/contract/core/guard.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { everyRoute } from '@hes/contract/every-route.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { hidePage, tokenAlone, type Send } from './attack/steps.ts';
import { createTask } from '../src/tasks/create-task.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
const target = { dcuId: '', dcuSn: 'DCUN0001', meterId: '', supplierId: '' };

const sendAs =
  (user: TestUser): Send =>
  async (method, path, body) => {
    const answer = await app.call(user, { method, url: `/api${path}`, ...(body === undefined ? {} : { payload: body }) });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  };

beforeAll(async () => {
  app = await testApp({ hasSilenceLimit: true });
  await importCommissioning(app.ctx, smallTown());
  const { db } = app.ctx;
  target.dcuId = (await db.selectFrom('dcu').where('sn', '=', target.dcuSn).select('id').executeTakeFirstOrThrow()).id;
  target.meterId = (await db.selectFrom('meter').where('sn', '=', 'MN0002').select('id').executeTakeFirstOrThrow()).id;
  target.supplierId = (await db.selectFrom('supplier').select('id').executeTakeFirstOrThrow()).id;
});
afterAll(() => app.close());

describe('a stolen token alone', () => {
  test.each(Object.keys(tokenAlone(target)) as (keyof ReturnType<typeof tokenAlone>)[])(
    'does no %s: own proof is asked for',
    async (step) => {
      const send = sendAs(await app.addUser({ roles: ['ADMIN'], isProved: false }));
      expect(await tokenAlone(target)[step](send)).toMatchObject({ status: 403, body: { code: 'PROOF_REQUIRED', proof: 'password' } });
    },
  );
});

test('sending the items of a dangerous task again takes the same as ordering it', async () => {
  const items = [{ deviceKind: 'dcu' as const, dcuId: target.dcuId, meterId: null }];
  const base = { kind: 'dcu_factory', source: 'user', params: {}, priority: 3, createdBy: null } as const;
  const { id } = await app.ctx.db.transaction().execute((tx) => createTask(tx, { ...base, items }));
  const thief = sendAs(await app.addUser({ roles: ['ADMIN'], isProved: false }));
  const young = sendAs(await app.addUser({ roles: ['ADMIN'], isRested: false }));
  for (const verb of ['retry', 'resume']) {
    expect((await thief('POST', `/task/${id}/${verb}`)).body.code).toBe('PROOF_REQUIRED');
    expect((await young('POST', `/task/${id}/${verb}`)).body.code).toBe('RIGHT_TOO_NEW');
  }
  expect((await thief('POST', `/task/${id}/pause`)).body.code ?? 'paused').not.toBe('PROOF_REQUIRED');
});

describe('the emergency stop', () => {
  const orders = [
    'restart',
    'restartFromAssets',
    'factoryReset',
    'clearArchive',
    'linkParameters',
    'meterKeys',
    'dcuKeys',
    'disconnection',
  ] as const;

  test('takes one click with the right alone, and stops every dangerous order', async () => {
    const send = sendAs(await app.addUser({ roles: ['ADMIN'], isProved: false }));
    expect((await send('POST', '/action/relay/stop', { reason: 'Break-in' })).status).toBe(200);
    for (const step of orders)
      expect(await tokenAlone(target)[step](send), step).toMatchObject({ status: 409, body: { code: 'RELAY_STOPPED' } });
    await app.ctx.db.updateTable('relayStop').set({ releasedAt: new Date() }).execute();
  });
});

describe('devices taken out of reach', () => {
  test('are ten an hour by one person; more wait for a second one, whose approval runs the call', async () => {
    const [requester, approver, operator] = [
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['OPERATOR'] }),
    ];
    const [one, two, other] = [requester, approver, operator].map(sendAs) as [Send, Send, Send]; // as: three users
    const steps = tokenAlone(target);
    const codes = [];
    for (let i = 0; i < 12; i++) codes.push((await (i % 2 === 0 ? steps.restart : steps.restartFromAssets)(one)).body.code ?? 'ordered');
    expect(codes).toEqual([...Array.from({ length: 10 }, () => 'ordered'), 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED']);
    expect(await steps.factoryReset(one)).toMatchObject({ status: 202, body: { code: 'APPROVAL_REQUIRED' } });
    await steps.factoryReset(one);
    expect((await steps.restart(two)).status).toBe(202);

    const factory = 'POST /action/dcu-config/{id}/factory';
    const waiting = async (send: Send) =>
      (await send('GET', '/action/held-call')).body.items.filter((row: { route: string }) => row.route === factory);
    expect(await waiting(other)).toEqual([]);
    expect(await waiting(one)).toMatchObject([{ state: 'pending', mayDecide: false, reason: 'x' }]);
    const [held] = await waiting(two);
    expect(held).toMatchObject({ state: 'pending', mayDecide: true, requestedBy: requester.id });
    const decide = (send: Send, decision = 'approve') => send('PUT', `/action/held-call/${held.id}`, { decision });
    expect((await decide(one)).body.code).toBe('SAME_USER');
    expect((await decide(other)).body.code).toBe('NOT_FOUND');
    const tasks = () =>
      app.ctx.db.selectFrom('task').where('kind', '=', 'dcu_factory').where('createdBy', '=', requester.id).select('id').execute();
    expect(await tasks()).toEqual([]);
    expect((await decide(two)).status).toBe(204);
    expect(await tasks()).toHaveLength(1);
    expect((await decide(two)).body.code).toBe('NOTHING_TO_DO');
    expect(await waiting(one)).toMatchObject([{ state: 'approved' }]);
  });

  test('parameters of the link count by their DCUs, and the giver of a right decides nothing', async () => {
    const [requester, approver] = [await app.addUser({ roles: ['ADMIN'] }), await app.addUser({ roles: ['ADMIN'] })];
    const dcuIds = (await app.ctx.db.selectFrom('dcu').select('id').execute()).map(({ id }) => id);
    for (let i = dcuIds.length; i <= 10; i += dcuIds.length)
      await sendAs(requester)('POST', '/action/dcu-config-order/write', { dcuIds, values: { band: '0' }, reason: 'x' });
    const answer = await sendAs(requester)('POST', '/action/dcu-config-order/write', { dcuIds, values: { band: '1' }, reason: 'x' });
    expect(answer.body.code).toBe('APPROVAL_REQUIRED');
    await app.ctx.db.updateTable('userRole').set({ grantedBy: requester.id }).where('userId', '=', approver.id).execute();
    await sealAll(app.ctx);
    const [held] = (await sendAs(approver)('GET', '/action/held-call')).body.items;
    expect(held).toMatchObject({ devices: dcuIds.length, requestedBy: requester.id });
    expect((await sendAs(approver)('PUT', `/action/held-call/${held.id}`, { decision: 'approve' })).body.code).toBe('RIGHT_GIVER');
    expect((await sendAs(approver)('PUT', `/action/held-call/${held.id}`, { decision: 'reject' })).status).toBe(204);
  });
});

test('the key of a manufacturer that is kept is replaced or taken away by two people', async () => {
  const [one, two] = [sendAs(await app.addUser({ roles: ['ADMIN'] })), sendAs(await app.addUser({ roles: ['ADMIN'] }))];
  const { publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  expect((await one('PUT', `/upgrade/firmware-key/${target.supplierId}`, { publicKey })).status).toBe(204);
  expect((await tokenAlone(target).firmwareKey(one)).body.code).toBe('APPROVAL_REQUIRED');
  const isKept = async () => (await one('GET', '/upgrade/firmware-key')).body.items.length > 0;
  expect(await isKept()).toBe(true);
  const [held] = (await two('GET', '/action/held-call')).body.items;
  expect((await two('PUT', `/action/held-call/${held.id}`, { decision: 'approve' })).status).toBe(204);
  expect(await isKept()).toBe(false);
});

describe('the menu', () => {
  test('keeps the emergency stop available: a regional manager cannot hide the page, and hidden or not the rights stay', async () => {
    const { id: regionId } = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow();
    const { id } = await app.ctx.db.selectFrom('module').where('path', '=', '/action/relay-control').select('id').executeTakeFirstOrThrow();
    const regional = sendAs(await app.addUser({ scope: [regionId] }));
    expect((await hidePage(regional, id)).body.code).toBe('BEYOND_OWN_RIGHTS');
    const admin = sendAs(await app.addUser({ roles: ['ADMIN'] }));
    expect((await hidePage(admin, id)).status).toBe(204);
    const operator = sendAs(await app.addUser({ roles: ['OPERATOR'] }));
    expect((await operator('POST', '/action/relay/stop', { reason: 'Break-in' })).status).toBe(200);
    await app.ctx.db.updateTable('relayStop').set({ releasedAt: new Date() }).execute();
    expect((await admin('POST', '/manager/module/restore')).status).toBe(200);
    expect((await operator('GET', '/action/relay')).status).toBe(200);
  });
});

describe('separation of duties', () => {
  const disconnection = (send: Send) => tokenAlone(target).disconnection(send);
  /** A protected supply: its disconnection waits for a second person. */
  const waitingOrder = async (requester: TestUser): Promise<string> => {
    await app.ctx.pool.query('update meter_type set has_relay = true, relay_mode = 4');
    await app.ctx.pool.query('update meter set protected_supply = true, is_master = false where id = $1', [target.meterId]);
    const { body } = await disconnection(sendAs(requester));
    expect(body).toMatchObject({ requiresApproval: true });
    const { id } = await app.ctx.db.selectFrom('approval').where('taskId', '=', body.taskId).select('id').executeTakeFirstOrThrow();
    return id;
  };
  const approve = async (user: TestUser, id: string) => {
    const { body } = await sendAs(user)('PUT', `/action/approval/${id}`, { decision: 'approve' });
    return body.code ?? body.state;
  };

  test('a right that was given less than a day ago orders and approves nothing dangerous, and may press the stop', async () => {
    // Adding a user with rested rights makes the rights of all users rested, so that the order comes first.
    const order = await waitingOrder(await app.addUser({ roles: ['OPERATOR'] }));
    const young = await app.addUser({ roles: ['ADMIN'], isRested: false });
    const send = sendAs(young);
    for (const step of ['disconnection', 'restart', 'meterKeys', 'newUser', 'requirement'] as const)
      expect(await tokenAlone(target)[step](send), step).toMatchObject({ status: 403, body: { code: 'RIGHT_TOO_NEW' } });
    expect(await approve(young, order)).toBe('RIGHT_TOO_NEW');
    expect((await send('GET', '/action/relay')).status).toBe(200);
    expect((await send('POST', '/action/relay/stop', { reason: 'Break-in' })).status).toBe(200);
    await app.ctx.db.updateTable('relayStop').set({ releasedAt: new Date() }).execute();
  });

  test('a user whom an administrator makes rests for a day, and so does one whose password is reset', async () => {
    const admin = sendAs(await app.addUser({ roles: ['ADMIN'] }));
    const { id: roleId } = await app.ctx.db.selectFrom('role').where('code', '=', 'OPERATOR').select('id').executeTakeFirstOrThrow();
    const made = await tokenAlone(target).newUser(admin, roleId);
    expect(made.status).toBe(201);
    const grant = await app.ctx.db.selectFrom('userRole').where('userId', '=', made.body.id).selectAll().executeTakeFirstOrThrow();
    expect(Date.now() - grant.grantedAt.getTime()).toBeLessThan(60_000);
    expect(grant.grantedBy).not.toBeNull();

    const operator = await app.addUser({ roles: ['OPERATOR'] });
    expect((await disconnection(sendAs(operator))).body.code ?? 'ordered').not.toBe('RIGHT_TOO_NEW');
    const reset = { newPassword: 'Quartz-River-78!x', mustChange: false };
    expect((await admin('PUT', `/manager/user/${operator.id}/reset-password`, reset)).status).toBe(204);
    // The session stands for the next sign-in with the new password.
    await app.ctx.db.updateTable('userSession').set({ revokedAt: null }).where('id', '=', operator.sessionId).execute();
    app.advance(4000);
    expect((await disconnection(sendAs(operator))).body.code).toBe('RIGHT_TOO_NEW');
  });

  test('a right that stays in a role keeps its age, a new one and a wider area start at zero', async () => {
    const admin = sendAs(await app.addUser({ roles: ['ADMIN'] }));
    const { body: role } = await admin('POST', '/manager/role', { code: 'DESK_OF_RELAYS', name: 'Desk' });
    const { id: moduleId } = await app.ctx.db
      .selectFrom('module')
      .where('path', '=', '/action/relay-control')
      .select('id')
      .executeTakeFirstOrThrow();
    const give = (actions: string[], area: object, version: number) =>
      admin('PUT', `/manager/role/${role.id}/permission`, { moduleIds: [moduleId], actions: [{ moduleId, actions }], area, version });
    expect((await give(['view'], { kind: 'whole' }, 1)).status).toBe(200);
    const desk = await app.addUser({ roles: ['DESK_OF_RELAYS'] });
    expect((await give(['view', 'execute'], { kind: 'whole' }, 2)).status).toBe(200);
    app.advance(4000);
    expect((await disconnection(sendAs(desk))).body.code).toBe('RIGHT_TOO_NEW');
    const ages = await app.ctx.db
      .selectFrom('roleAction')
      .where('roleId', '=', role.id)
      .select(['action', 'grantedBy'])
      .orderBy('action')
      .execute();
    expect(ages).toEqual([
      { action: 'execute', grantedBy: expect.any(String) },
      { action: 'view', grantedBy: null },
    ]);
  });

  test('requester, approver and giver of their rights are three people', async () => {
    const [requester, approver, other] = [
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['ADMIN'] }),
      await app.addUser({ roles: ['ADMIN'] }),
    ];
    const given = async (to: TestUser, by: TestUser | null) => {
      await app.ctx.db
        .updateTable('userRole')
        .set({ grantedBy: by?.id ?? null })
        .where('userId', '=', to.id)
        .execute();
      await sealAll(app.ctx);
    };
    const id = await waitingOrder(requester);
    expect(await approve(requester, id)).toBe('SAME_USER');
    await given(approver, requester);
    expect(await approve(approver, id)).toBe('RIGHT_GIVER');
    await given(approver, null);
    await given(requester, approver);
    expect(await approve(approver, id)).toBe('RIGHT_GIVER');
    expect(await approve(other, id)).toBe('approved');
  });

  test('the last holder of the emergency stop cannot be locked, deleted or left without the right', async () => {
    const admin = sendAs(await app.addUser({ roles: ['ADMIN'] }));
    const operator = await app.addUser({ roles: ['OPERATOR'] });
    await app.ctx.pool
      .query(`delete from role_action where action = 'execute' and module_id = (select id from module where path = '/action/relay-control')
      and role_id <> (select id from role where code = 'OPERATOR')`);
    await app.ctx.pool.query("delete from user_role where role_id = (select id from role where code = 'OPERATOR') and user_id <> $1", [
      operator.id,
    ]);
    await sealAll(app.ctx);
    app.advance(4000);
    const { id: clerkId } = await app.ctx.db.selectFrom('role').where('code', '=', 'ASSET_CLERK').select('id').executeTakeFirstOrThrow();
    const { body: user } = await admin('GET', `/manager/user/${operator.id}`);
    const tries = [
      await admin('PUT', `/manager/user/${operator.id}/lock`, { lock: true, lockReason: 'x' }),
      await admin('DELETE', `/manager/user/${operator.id}`),
      await admin('PUT', `/manager/user/${operator.id}`, { name: 'x', roleIds: [clerkId], version: user.version }),
    ];
    expect(tries.map(({ body }) => body?.code)).toEqual(['LAST_STOP', 'LAST_STOP', 'LAST_STOP']);
  });
});

describe('a setting of the whole network', () => {
  test('is not changed by a manager of a district', async () => {
    const { id } = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow();
    const regional = sendAs(await app.addUser({ scope: [id] }));
    expect((await tokenAlone(target).requirement(regional)).body.code).toBe('BEYOND_OWN_RIGHTS');
  });
});

describe('the declaration of a route', () => {
  const routes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));

  test('names what every call that changes something endangers', () => {
    expect(routes.filter(({ method, endangers }) => (method === 'GET') !== (endangers === undefined))).toEqual([]);
  });

  test('keeps the emergency stop within reach of one click', () => {
    const stop: Route = everyRoute.relay.stop;
    expect(GUARDS[stop.endangers ?? 'nothing'].asksProof).toBe(false);
  });
});
