import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let engineer: TestUser;
let meterId = '';
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  engineer = await app.addUser({ roles: ['DATA_ENGINEER'] });
  meterId = (await app.ctx.pool.query("select id from meter where sn = 'MN0001'")).rows[0].id;
});
afterAll(() => app.close());

const enter = (change: object, user = engineer) =>
  app.call(user, {
    method: 'POST',
    url: '/api/reading/manual',
    payload: { meterId, date: '2026-03-02', ePlus: 120.5, reason: 'Handheld', ...change },
  });
const faultOf = async (change: object) => {
  const answer = (await enter(change)).json();
  return [answer.code, answer.issues?.[0]?.field];
};

test('a reading that a person typed is kept as manual, with who did it and why', async () => {
  expect((await enter({})).statusCode).toBe(204);
  const listed = await app.call(engineer, { url: `/api/reading/daily?meterId=${meterId}&from=2026-03-01&to=2026-03-03` });
  expect(listed.json().items).toMatchObject([{ freezeDate: '2026-03-02', ePlus: 120.5, source: 'manual', quality: 'manual' }]);
  const { rows } = await app.ctx.pool.query("select user_id, entity_id, detail from audit_log where action = 'reading_entered'");
  expect(rows).toMatchObject([
    { user_id: engineer.id, entity_id: meterId, detail: { date: '2026-03-02', reason: 'Handheld', ePlus: 120.5 } },
  ]);
});

test('daily readings are found by quality, by a part of the number and by how the meter talks', async () => {
  const found = async (filter: string) =>
    (await app.call(engineer, { url: `/api/reading/daily?from=2026-03-01&to=2026-03-03&${filter}` })).json().items.length;
  expect(await found('quality=manual')).toBe(1);
  expect(await found('quality=read,refilled')).toBe(0);
  expect(await found('search=n0001')).toBe(1);
  expect(await found('search=n0002')).toBe(0);
  const { rows } = await app.ctx.pool.query('select communication_mode as mode from meter where id = $1', [meterId]);
  expect(await found(`mode=${rows[0].mode}`)).toBe(1);
  expect(await found(`mode=${rows[0].mode === 'plc' ? 'rf' : 'plc'}`)).toBe(0);
});

test('it may not run backwards unless the register rolled over, and stands between its neighbours', async () => {
  expect(await faultOf({ date: '2026-03-03', ePlus: 120.4 })).toEqual(['READING_LESS', 'ePlus']);
  expect(await faultOf({ date: '2026-03-01', ePlus: 121 })).toEqual(['READING_MORE', 'ePlus']);
  expect((await enter({ date: '2026-03-03', ePlus: 3, rollover: true })).statusCode).toBe(204);
});

test('it never replaces what the meter gave, needs a reason, and a day that has been', async () => {
  await app.ctx.pool.query("update reading_daily set source = 'meter' where meter_id = $1 and freeze_date = '2026-03-02'", [meterId]);
  expect(await faultOf({ ePlus: 120.6, rollover: true })).toEqual(['READING_KNOWN', 'date']);
  expect(await faultOf({ reason: ' ' })).toEqual(['VALIDATION', 'reason']);
  expect(await faultOf({ date: '2999-01-01', rollover: true })).toEqual(['DAY_NOT_YET', 'date']);
});

test('who does not see the meter enters nothing', async () => {
  const district = (await app.ctx.pool.query("select id from network_level where code = 'DS'")).rows[0]?.id;
  const stranger = await app.addUser({ scope: [district] });
  expect((await enter({ date: '2026-03-09', ePlus: 4 }, stranger)).json().code).toBe('METER_NOT_FOUND');
});
