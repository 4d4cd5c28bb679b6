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

test('a user who does not see the meter enters nothing', async () => {
  const district = (await app.ctx.pool.query("select id from network_level where code = 'DS'")).rows[0]?.id;
  const stranger = await app.addUser({ scope: [district] });
  expect((await enter({ date: '2026-03-09', ePlus: 4 }, stranger)).json().code).toBe('METER_NOT_FOUND');
});

test('freezes that are missing stand in their place with the reason; month ends are listed and counted by the year, and entered as well', async () => {
  const { pool } = app.ctx;
  const rows = async (filter: string) => {
    const items: Record<string, unknown>[] = (await app.call(engineer, { url: `/api/reading/daily?meterId=${meterId}&${filter}` })).json()
      .items;
    return items.map((row) => [row['freezeDate'], row['reading'], row['quality'], row['gap'], row['reasonCode']]);
  };
  const gap = (profile: string, day: string, state: string, reason: string) =>
    pool.query(
      `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at, state, reason_code)
       select $1, $2, day, 1, at, at, now(), $4, $5 from (select $3::date as day, $3::timestamp at time zone $6 as at) as t`,
      [meterId, profile, day, state, reason, app.ctx.settings.timeZone],
    );
  await gap('daily', '2026-03-04', 'open', 'METER_TIMEOUT');
  await gap('monthly', '2026-03-01', 'open', 'DCU_OFFLINE');
  await gap('monthly', '2026-04-01', 'lost', 'BUFFER_PASSED');
  expect((await enter({ date: '2026-02-01', ePlus: 100 })).statusCode).toBe(204);

  const days = 'from=2026-03-02&to=2026-03-05';
  const missing = ['2026-03-04', 'read_fail', 'missing', 'open', 'METER_TIMEOUT'];
  expect((await rows(days)).map(([day]) => day)).toEqual(['2026-03-04', '2026-03-03', '2026-03-02']);
  expect(await rows(`${days}&quality=missing`)).toEqual([missing]);
  expect(await rows(`${days}&reading=read_fail`)).toEqual([missing]);
  expect((await rows(`${days}&reading=read_success`)).map(([day]) => day)).toEqual(['2026-03-03', '2026-03-02']);

  const year = 'profile=monthly&from=2026-01-01&to=2026-04-30';
  expect(await rows(year)).toEqual([
    ['2026-04-01', 'read_fail', 'missing', 'lost', 'BUFFER_PASSED'],
    ['2026-03-01', 'read_fail', 'missing', 'open', 'DCU_OFFLINE'],
    ['2026-02-01', 'read_success', 'manual', null, null],
  ]);
  const get = async (path: string) => (await app.call(engineer, { url: `/api/reading/${path}&${year}` })).json();
  const ends = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'];
  const dcu = await pool.query<{ id: string }>('select dcu_id::text as id from meter where id = $1', [meterId]);
  const node = `node=dcu:${dcu.rows[0]?.id}`;
  expect((await get(`completeness?meterId=${meterId}`)).items).toEqual(
    ends.map((day, at) => ({ day, expected: 1, got: at === 1 ? 1 : 0 })),
  );
  expect((await get(`completeness?${node}`)).items).toEqual(ends.map((day, at) => ({ day, expected: 2, got: at === 1 ? 1 : 0 })));
  expect((await get(`completeness/dcus?${node}`)).items).toMatchObject([{ meters: 2, expected: 8, got: 1 }]);
  expect(await get(`completeness/meters?meterId=${meterId}`)).toMatchObject({
    days: ends.map((day) => ({ day, expected: 1 })),
    items: [
      {
        got: [0, 1, 0, 0],
        missing: [null, null, { gap: 'open', reasonCode: 'DCU_OFFLINE' }, { gap: 'lost', reasonCode: 'BUFFER_PASSED' }],
      },
    ],
  });
  expect((await app.call(engineer, { url: '/api/reading/daily?profile=monthly&from=2025-01-01&to=2026-04-30' })).json().code).toBe(
    'VALIDATION',
  );

  expect((await enter({ date: '2026-03-01', ePlus: 110 })).statusCode).toBe(204);
  expect((await pool.query("select state from reading_gap where profile = 'monthly' and day = '2026-03-01'")).rows).toEqual([
    { state: 'filled' },
  ]);
});
