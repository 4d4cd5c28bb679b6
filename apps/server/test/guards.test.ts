import { GUARDS } from '@hes/contract/core/guard.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { everyRoute } from '@hes/contract/every-route.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { tokenAlone, type Send } from './attack/steps.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
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
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { db } = app.ctx;
  target.dcuId = (await db.selectFrom('dcu').where('sn', '=', target.dcuSn).select('id').executeTakeFirstOrThrow()).id;
  target.meterId = (await db.selectFrom('meter').where('sn', '=', 'MN0001').select('id').executeTakeFirstOrThrow()).id;
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
