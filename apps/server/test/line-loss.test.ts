import { loss, type LossRow } from '@hes/contract/analysis/loss.ts';
import { causesOf } from '@hes/contract/status/cause.ts';
import { TRANSFORMER_CAUSES } from '@hes/contract/status/transformer-causes.ts';
import { transformerFacts } from '@hes/contract/status/transformer-status.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY = '2026-01-05';
let app: TestApp;
let analyst: TestUser;

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { db } = app.ctx;
  analyst = await app.addUser({ roles: ['LOSS_ANALYST'] });
  await sql`update meter set inventory_state = 'active'`.execute(db);
  await sql`insert into energy_balance (transformer_id, day, supply_kwh, sold_kwh, plus_kwh, minus_kwh, missing_kwh, meters_expected, meters_data)
    select id, ${DAY}, 100, 70, 70, 0, 10, 2, 1 from transformer`.execute(db);
  await sql`insert into anomaly (meter_id, day, type, value_kwh, reference_kwh) select id, ${DAY}, 'sudden_decrease', 1, 6 from meter where sn = 'MN0002'`.execute(
    db,
  );
  await sql`insert into anomaly (meter_id, day, type, value_kwh, reference_kwh, state, reason) select id, ${DAY}, 'sudden_decrease', 1, 9, 'dismissed', 'holidays'
    from meter where sn = 'MS0002'`.execute(db);
  await sql`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash, abnormal_level)
    select 'meter', id, dcu_id, 'fraud', 44, ${`${DAY}T04:00:00Z`}, 'occur', '', 'pull', '\\x01', 'serious' from meter where sn = 'MN0002'`.execute(
    db,
  );
});
afterAll(() => app.close());

async function rows(user: TestUser): Promise<Map<string, LossRow>> {
  const answer = await app.call(user, { url: `/api/analysis/loss?from=${DAY}&to=${DAY}` });
  expect(answer.statusCode).toBe(200);
  return new Map(loss.list.response.parse(answer.json()).items.map((row) => [row.code, row]));
}

test('a loss is split by its evidence, and its parts add up', async () => {
  const found = (await rows(analyst)).get('TN');
  expect(found).toMatchObject({
    loss: 20,
    missing: 10,
    lossPercent: 20,
    suspectedKwh: 5,
    suspectedMeters: 1,
    fraudMeters: 1,
    metersWithoutData: 1,
  });
  expect(found).toMatchObject({ unmeteredKwh: 0, technicalKwh: 7, unexplainedKwh: 8 });
});

test('a dismissed anomaly is no suspicion', async () => {
  expect((await rows(analyst)).get('TS')).toMatchObject({ suspectedKwh: 0, suspectedMeters: 0, fraudMeters: 0 });
});

test('an installed meter that is not in service is unmetered, with the mean consumption as estimate', async () => {
  await sql`update meter set inventory_state = 'installed' where sn = 'MS0002'`.execute(app.ctx.db);
  expect((await rows(analyst)).get('TS')).toMatchObject({ unmeteredDevices: 1, unmeteredKwh: 17, technicalKwh: 3, unexplainedKwh: 0 });
});

test('where the estimate for meters without data decides, the loss and its parts are not known', async () => {
  const unknown = { loss: null, lossPercent: null, class: 'none', technicalKwh: null, unexplainedKwh: null };
  // Much of the supply is estimated.
  await sql`update energy_balance set sold_kwh = 60, missing_kwh = 30`.execute(app.ctx.db);
  expect((await rows(analyst)).get('TS')).toMatchObject({ ...unknown, missing: 30 });
  // Meters without history were given all that was left.
  await sql`update energy_balance set sold_kwh = 90, missing_kwh = 10`.execute(app.ctx.db);
  expect((await rows(analyst)).get('TS')).toMatchObject({ ...unknown, missing: 10 });
  await sql`update energy_balance set sold_kwh = 70, missing_kwh = 10`.execute(app.ctx.db);
  expect((await rows(analyst)).get('TS')).toMatchObject({ loss: 20, missing: 10 });
});

test('days before the first data of the master meter lack nothing', async () => {
  const { db } = app.ctx;
  const days = async () => {
    const answer = await app.call(analyst, { url: '/api/analysis/loss?from=2026-01-02&to=2026-01-08' });
    const row = loss.list.response.parse(answer.json()).items.find(({ code }) => code === 'TN');
    return [row?.daysBalanced, row?.daysWithoutMaster];
  };
  const insert = (...days: string[]) =>
    sql`insert into energy_balance (transformer_id, day, sold_kwh, plus_kwh, minus_kwh, missing_kwh, meters_expected, meters_data)
      select id, unnest(${days}::date[]), 70, 70, 0, 10, 2, 1 from transformer where code = 'TN'`.execute(db);
  await insert('2026-01-03', '2026-01-04');
  expect(await days()).toEqual([1, 0]);
  await insert('2026-01-06');
  expect(await days()).toEqual([1, 1]);
  await sql`delete from energy_balance where supply_kwh is null`.execute(db);
});

test('a user of one transformer sees its loss only', async () => {
  const { id } = await app.ctx.db.selectFrom('transformer').select('id').where('code', '=', 'TN').executeTakeFirstOrThrow();
  expect([...(await rows(await app.addUser({ transformers: [id] }))).keys()]).toEqual(['TN']);
});

test('the status of a transformer names the meters behind each part of its loss', async () => {
  const { db } = app.ctx;
  const { id } = await db.selectFrom('transformer').select('id').where('code', '=', 'TN').executeTakeFirstOrThrow();
  await sql`update energy_balance set day = current_date - 2 where transformer_id = ${id}`.execute(db);
  await sql`update anomaly set day = current_date - 2 where meter_id in (select id from meter where transformer_id = ${id})`.execute(db);
  const answer = await app.call(analyst, { url: `/api/status/transformer/${id}` });
  const facts = transformerFacts.parse(answer.json());
  expect(facts).toMatchObject({
    code: 'TN',
    master: { sn: 'MN0001' },
    loss: { suspectedKwh: 5 },
    suspects: [{ sn: 'MN0002', reference: 6 }],
  });
  expect(causesOf(TRANSFORMER_CAUSES, facts)).toContain('suspected_theft');
});

test('without the right on losses the status of a transformer shows none', async () => {
  const { id } = await app.ctx.db.selectFrom('transformer').select('id').where('code', '=', 'TN').executeTakeFirstOrThrow();
  const answer = await app.call(await app.addUser({ roles: ['FW_ENGINEER'] }), { url: `/api/status/transformer/${id}` });
  expect(transformerFacts.parse(answer.json())).toMatchObject({
    loss: null,
    days: null,
    withoutData: null,
    suspects: null,
    unmetered: null,
  });
});
