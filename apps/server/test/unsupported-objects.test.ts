import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let admin: TestUser;
let auditor: TestUser;
let typeId = '';
let meters = 0;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  auditor = await app.addUser({ roles: ['AUDITOR'] });
  const found = await app.ctx.pool.query<{ id: string; meters: number }>(
    `select t.id::text as id, count(*)::int as meters from meter_type t join meter m on m.meter_type_id = t.id and m.inventory_state = 'active'
     group by t.id order by count(*) limit 1`,
  );
  ({ id: typeId, meters } = found.rows[0] ?? { id: '', meters: 0 });
});
afterAll(() => app.close());

const FREQUENCY = { classId: 3, obis: '1.0.14.7.0.255', attribute: 2 };
/** This number of meters of the type report the frequency as undefined. */
const say = (count: number) =>
  app.ctx.pool.query(
    `insert into undefined_answer (meter_type_id, class_id, obis, attribute, meter_id)
     select $1, $2, $3, $4, id from meter where meter_type_id = $1 and inventory_state = 'active' order by id limit $5`,
    [typeId, FREQUENCY.classId, FREQUENCY.obis, FREQUENCY.attribute, count],
  );
const ask = (method: 'GET' | 'POST', path: string, payload?: object, user = admin) =>
  app.call(user, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
const ofType = async () => (await ask('GET', `/asset/meter-type/${typeId}/unsupported`)).json().items;
const forOrders = async () => (await ask('GET', '/action/read/unsupported')).json().items;

describe('what a type of meters is known not to have', () => {
  it('is learnt of a small type when all of its meters reported it, shown where readings are ordered, and deleted with an audit row', async () => {
    expect(meters).toBeGreaterThan(1);
    expect(meters).toBeLessThan(4);
    await say(meters - 1);
    expect(await ofType()).toMatchObject([{ key: 'FREQUENCY', object: FREQUENCY, meters: meters - 1, isLearnt: false }]);
    expect(await forOrders()).toEqual([]);
    await app.ctx.pool.query('delete from undefined_answer');
    await say(meters);
    expect(await ofType()).toMatchObject([{ meters, isLearnt: true }]);
    expect(await forOrders()).toMatchObject([{ key: 'FREQUENCY', meterTypeId: typeId, meters }]);

    const [code] = (await ask('GET', '/reading/obis/code?search=FREQUENCY')).json().items;
    expect(code.unsupportedOn).toHaveLength(1);

    const objects = [FREQUENCY];
    const path = `/asset/meter-type/${typeId}/unsupported/forget`;
    expect((await ask('POST', path, { objects }, auditor)).statusCode).toBe(403);
    expect((await ask('POST', path, { objects })).json()).toEqual({ forgotten: meters });
    expect(await ofType()).toEqual([]);
    const [line] = (await ask('GET', '/manager/audit?size=1')).json().items;
    expect(line).toMatchObject({ action: 'meter_type_unsupported_forgotten', entityId: typeId, detail: { objects, forgotten: meters } });
  });

  it('is no longer known when the last answer is older than thirty days', async () => {
    await say(meters);
    await app.ctx.pool.query("update undefined_answer set answered_at = now() - interval '31 days'");
    expect(await ofType()).toEqual([]);
  });
});
