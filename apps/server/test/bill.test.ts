import { bill, type BillLine } from '@hes/contract/analysis/bill.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/platform/clock.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { computeDay } from '../src/features/balance/day/compute-queries.ts';
import { followArrivals } from '../src/features/balance/day/watch.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const ZONE = 'Asia/Shanghai';
const FIRST = '2026-09-01';
const DAYS = 45;
const LIMITS = {
  suddenIncreaseFactor: 3,
  suddenDecreaseFactor: 0.2,
  suddenMinimumKwh: 5,
  reverseMinimumKwh: 0.5,
  upperLimitFactor: 1,
  lowerLimitDays: 7,
};

let app: TestApp;
let analyst: TestUser;
let approver: TestUser;
let limited: TestUser;
const ids = new Map<string, string>();
const idOf = (sn: string) => ids.get(sn) ?? '';
/** After the bill was calculated. */
const later = () => new Date(Date.now() + 180_000);
const dayOf = (k: number) => new Date(Date.parse(FIRST) + k * 86_400_000).toISOString().slice(0, 10);

/** The same numbers in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Freeze = { plus: number; minus?: number; tariffs?: number[] };

/** Freezes of a meter, the k-th at the beginning of the k-th day; undefined: it did not arrive. */
async function store(sn: string, freezes: (Freeze | undefined)[], from = 0): Promise<void> {
  for (const [k, freeze] of freezes.entries()) {
    if (freeze === undefined) continue;
    const [t1 = null, t2 = null, t3 = null, t4 = null] = freeze.tariffs ?? [];
    await sql`insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus, e_minus, e_plus_t1, e_plus_t2, e_plus_t3, e_plus_t4)
      values (${idOf(sn)}, ${dayOf(from + k)}, now(), 'meter', 'read', ${freeze.plus}, ${freeze.minus ?? 0}, ${t1}, ${t2}, ${t3}, ${t4})`.execute(
      app.ctx.db,
    );
  }
}

const forget = (sn: string, k?: number) =>
  sql`delete from reading_daily where meter_id = ${idOf(sn)} and (${k === undefined} or freeze_date = ${dayOf(k ?? 0)})`.execute(
    app.ctx.db,
  );

interface Used {
  meterId: string;
  plus: number | null;
  used: number[] | null;
  isEstimated: boolean;
  isExchanged: boolean;
  hasRollover: boolean;
  isBackwards: boolean;
}

async function consumption(first: string, last: string, sn: string): Promise<Used> {
  const { rows } = await sql<Used>`
    select meter_id::text, used[1]::float8 as plus, used::float8[] as used, is_estimated, is_exchanged, has_rollover, coalesce(is_backwards, false) as is_backwards
    from consumption(${first}, ${last}, ${ZONE}, (select array_agg(id) from transformer)) where meter_id = ${idOf(sn)}`.execute(app.ctx.db);
  const [row] = rows;
  if (row === undefined) throw new Error(`No line of ${sn}`);
  return row;
}

const ask = (user: TestUser, path: string) => app.call(user, { method: 'GET', url: `/api${path}` });

async function calculate(user: TestUser, from: string, to: string) {
  const answer = await app.call(user, { method: 'POST', url: '/api/analysis/bill/calculate', payload: { kind: 'custom', from, to } });
  if (answer.statusCode !== 202) return answer;
  const { taskId } = answer.json<{ taskId: string }>();
  await expect
    .poll(async () => (await app.ctx.db.selectFrom('task').where('id', '=', taskId).select('state').executeTakeFirstOrThrow()).state)
    .toBe('finished');
  return answer;
}

const lineOf = async (from: string, to: string, sn: string, user = analyst): Promise<BillLine | undefined> =>
  (await ask(user, `/analysis/bill?from=${from}&to=${to}&search=${sn}`)).json<{ items: BillLine[] }>().items[0];

const steady = (start: number, perDay: number, days = DAYS + 1): Freeze[] =>
  Array.from({ length: days }, (_, k) => ({ plus: Math.round((start + k * perDay) * 10_000) / 10_000 }));

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  for (const month of ['2026-09-01', '2026-10-01']) await app.ctx.pool.query("select add_month('reading_daily', $1)", [month]);
  for (const row of await app.ctx.db.selectFrom('meter').select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  await sql`update meter set inventory_state = 'active', installed_at = '2026-01-01'`.execute(app.ctx.db);
  analyst = await app.addUser({ roles: ['LOSS_ANALYST'] });
  approver = await app.addUser({ roles: ['ADMIN'] });
  const north = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow();
  limited = await app.addUser({ scope: [north.id] });
});
afterAll(() => app.close());

describe('Consumption', () => {
  it('is closing less opening times the ratio, in every register', async () => {
    await forget('MN0002');
    await sql`update meter set ct_ratio = 40 where sn = 'MN0002'`.execute(app.ctx.db);
    await store('MN0002', [
      { plus: 100, minus: 5, tariffs: [40, 30, 20, 10] },
      { plus: 110.5, minus: 5.25, tariffs: [44, 33, 22.5, 11] },
    ]);
    const { used, isEstimated } = await consumption(FIRST, FIRST, 'MN0002');
    expect(used?.map((value) => Math.round(value * 1000) / 1000).slice(0, 6)).toEqual([420, 10, 160, 120, 100, 40]);
    expect(isEstimated).toBe(false);
    await sql`update meter set ct_ratio = 1 where sn = 'MN0002'`.execute(app.ctx.db);
  });

  it('says when a boundary is estimated, and does not guess where there is one side only', async () => {
    await forget('MN0002');
    await store('MN0002', [{ plus: 10 }, undefined, { plus: 30 }, { plus: 35 }]);
    expect(await consumption(dayOf(1), dayOf(2), 'MN0002')).toMatchObject({ plus: 15, isEstimated: true });
    expect(await consumption(dayOf(0), dayOf(1), 'MN0002')).toMatchObject({ plus: 20, isEstimated: false });
    expect(await consumption(dayOf(2), dayOf(3), 'MN0002')).toMatchObject({ plus: null, isEstimated: false });
  });

  it('goes over the end of a register, and never calls a register that counts backwards a rollover', async () => {
    await forget('MN0002');
    await store('MN0002', [{ plus: 999_995.5 }, { plus: 4.5 }]);
    expect(await consumption(FIRST, FIRST, 'MN0002')).toMatchObject({ plus: 9, hasRollover: true, isBackwards: false });
    await forget('MN0002');
    await store('MN0002', [{ plus: 5000 }, { plus: 4990 }]);
    expect(await consumption(FIRST, FIRST, 'MN0002')).toMatchObject({ plus: null, hasRollover: false, isBackwards: true });
  });

  it('of a period with an exchange is the sum of its parts, and days before it stay with the old meter', async () => {
    const { db } = app.ctx;
    await forget('MN0002');
    await sql`insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, customer_no, installed_at)
      select 'MN0009', meter_type_id, communication_mode, 'active', transformer_id, dcu_id, customer_no, '2026-09-05T10:00:00+08' from meter where sn = 'MN0002'`.execute(
      db,
    );
    ids.set('MN0009', (await db.selectFrom('meter').where('sn', '=', 'MN0009').select('id').executeTakeFirstOrThrow()).id);
    await sql`insert into meter_exchange (at, old_meter_id, new_meter_id, final_registers, initial_registers, transformer_id)
      select '2026-09-05T10:00:00+08', ${idOf('MN0002')}, ${idOf('MN0009')}, array[140.5] || array_fill(null::numeric, array[9]),
        array[0.5] || array_fill(null::numeric, array[9]), transformer_id from meter where sn = 'MN0002'`.execute(db);
    await sql`update meter set inventory_state = 'in_warehouse', transformer_id = null, dcu_id = null where sn = 'MN0002'`.execute(db);
    await store('MN0002', steady(100, 9, 5));
    await store('MN0009', steady(6, 10, 6), 5);
    const whole = await consumption(dayOf(0), dayOf(9), 'MN0009');
    expect(whole).toMatchObject({ isExchanged: true, isEstimated: false });
    expect(whole.plus).toBeCloseTo(140.5 - 100 + (56 - 0.5), 6);
    // The other registers have no recorded value.
    expect(whole.used?.slice(1)).toEqual(Array.from({ length: 9 }, () => null));
    const [before, of, after] = await Promise.all([
      consumption(dayOf(0), dayOf(3), 'MN0002'),
      consumption(dayOf(4), dayOf(4), 'MN0009'),
      consumption(dayOf(5), dayOf(9), 'MN0009'),
    ]);
    expect(before.isExchanged).toBe(false);
    expect((before.plus ?? 0) + (of.plus ?? 0) + (after.plus ?? 0)).toBeCloseTo(whole.plus ?? Number.NaN, 6);
    await sql`delete from meter_exchange`.execute(db);
    await sql`update meter set inventory_state = 'active', transformer_id = (select id from transformer where code = 'TN'), dcu_id = (select id from dcu where sn = 'DCUN0001') where sn = 'MN0002'`.execute(
      db,
    );
    await sql`update meter set inventory_state = 'in_warehouse', transformer_id = null, dcu_id = null where sn = 'MN0009'`.execute(db);
    await forget('MN0009');
  });
});

describe('A bill', () => {
  const [from, to] = [dayOf(10), dayOf(39)];

  it('S-028: is calculated as a task, priced, and recalculated only where readings arrived', async () => {
    for (const sn of ['MN0001', 'MN0002', 'MS0001', 'MS0002']) await forget(sn);
    await store('MN0001', steady(1000, 21));
    await store('MS0001', steady(1000, 21));
    await store(
      'MN0002',
      steady(500, 20).map(({ plus }) => ({ plus, tariffs: [plus / 2, plus / 4, plus / 8, plus / 8] })),
    );
    await store(
      'MS0002',
      steady(500, 20).map(({ plus }, k) => ({ plus, tariffs: [plus / 2, plus / 4, plus / 8, plus / 8 - k] })),
    );
    const prices = { validFrom: '2026-01-01', name: 'Home', currency: 'CNY', plus: [0.5, 0.6, 0.4, 0.3], minus: [0.2, 0.2, 0.2, 0.2] };
    expect((await app.call(approver, { method: 'PUT', url: '/api/analysis/price', payload: prices })).statusCode).toBe(200);
    expect((await calculate(analyst, from, to)).statusCode).toBe(202);

    const line = await lineOf(from, to, 'MN0002');
    expect(line).toMatchObject({
      plus: 600,
      plusT1: 300,
      plusT2: 150,
      plusT3: 75,
      plusT4: 75,
      status: 'complete',
      flags: [],
      currency: 'CNY',
    });
    expect(line?.amount).toBe(300 * 0.5 + 150 * 0.6 + 75 * 0.4 + 75 * 0.3);
    expect((await lineOf(from, to, 'MS0002'))?.flags).toEqual(['tariff_sum']);
    expect((await lineOf(from, to, 'MN0001'))?.amount).toBeNull();

    await sql`update bill_line set calculated_at = clock_timestamp() + interval '2 minutes'`.execute(app.ctx.db);
    await forget('MN0002', 40);
    await sql`update reading_daily set e_plus = 903, read_at = ${later()} where meter_id = ${idOf('MS0002')} and freeze_date = ${dayOf(40)}`.execute(
      app.ctx.db,
    );
    await calculate(analyst, from, to);
    // Nothing new came from the northern transformer, so its lines stand; a lost row is no arrival.
    expect((await lineOf(from, to, 'MN0002'))?.plus).toBe(600);
    expect((await lineOf(from, to, 'MS0002'))?.plus).toBe(203);

    // Neither does a day after the period, because both ends were there; another price list is another amount all the same.
    await sql`update reading_daily set read_at = ${later()} where meter_id = ${idOf('MN0002')} and freeze_date = ${dayOf(41)}`.execute(
      app.ctx.db,
    );
    const dearer = { ...prices, plus: [1, 1, 1, 1] };
    expect((await app.call(approver, { method: 'PUT', url: '/api/analysis/price', payload: dearer })).statusCode).toBe(200);
    await calculate(analyst, from, to);
    expect(await lineOf(from, to, 'MN0002')).toMatchObject({ plus: 600, amount: 600 });
  });

  it('flags tariffs that do not add up, in either direction, and lets pass what rounding leaves', async () => {
    const day = dayOf(2);
    const flagsAt = async (exported: number) => {
      await sql`delete from reading_daily where meter_id = ${idOf('MN0002')} and freeze_date between ${day} and ${dayOf(3)}`.execute(
        app.ctx.db,
      );
      await store(
        'MN0002',
        [
          { plus: 100, minus: 50, tariffs: [100, 0, 0, 0] },
          { plus: 110, minus: 70, tariffs: [110, 0, 0, 0] },
        ],
        2,
      );
      await sql`update reading_daily set e_minus_t1 = case when freeze_date = ${day}::date then 50 else 50 + ${exported}::numeric end
        where meter_id = ${idOf('MN0002')} and freeze_date between ${day} and ${dayOf(3)}`.execute(app.ctx.db);
      await sql`delete from bill_line where period_id in (select id from bill_period where first_day = ${day} and last_day = ${day})`.execute(
        app.ctx.db,
      );
      await calculate(analyst, day, day);
      return (await lineOf(day, day, 'MN0002'))?.flags;
    };
    expect(await flagsAt(20)).toEqual([]);
    expect(await flagsAt(19.9)).toEqual([]);
    expect(await flagsAt(19.5)).toEqual(['tariff_sum']);
  });

  it('equals the sum of its statement: every tariff in whole cents', async () => {
    const day = dayOf(4);
    await sql`delete from reading_daily where meter_id = ${idOf('MN0002')} and freeze_date between ${day} and ${dayOf(5)}`.execute(
      app.ctx.db,
    );
    await store(
      'MN0002',
      [
        { plus: 100, tariffs: [25, 25, 25, 25] },
        { plus: 100.04, tariffs: [25.01, 25.01, 25.01, 25.01] },
      ],
      4,
    );
    const prices = { validFrom: day, name: 'Fine', currency: 'CNY', plus: [0.6, 0.7, 0.8, 0.9], minus: [0, 0, 0, 0] };
    expect((await app.call(approver, { method: 'PUT', url: '/api/analysis/price', payload: prices })).statusCode).toBe(200);
    await calculate(analyst, day, day);
    // 0.6, 0.7, 0.8 and 0.9 cents: a cent each, and not three together.
    expect((await lineOf(day, day, 'MN0002'))?.amount).toBe(0.04);
  });

  it('reads missing values from the meters, from the opening to the closing of the period, and only in the area of the user', async () => {
    const { db } = app.ctx;
    const [first, last] = [dayOf(5), dayOf(6)];
    await forget('MN0002');
    await calculate(analyst, first, last);
    expect((await lineOf(first, last, 'MN0002'))?.status).toBe('missing');
    const { period } = (await ask(analyst, `/analysis/bill/summary?from=${first}&to=${last}`)).json<{ period: { id: string } }>();
    const read = (payload: object, user = analyst) =>
      app.call(user, { method: 'POST', url: `/api/analysis/bill/${period.id}/read-missing`, payload });
    const answer = await read({});
    expect([answer.statusCode, answer.json()]).toMatchObject([202, { left: 0 }]);
    const { taskId } = answer.json<{ taskId: string; meters: number }>();
    const task = await db
      .selectFrom('task')
      .where('id', '=', taskId)
      .select(['kind', 'params', 'createdBy', 'priority'])
      .executeTakeFirstOrThrow();
    expect(task).toMatchObject({ kind: 'daily', params: { from: first, to: dayOf(7), store: true }, createdBy: analyst.id, priority: 3 });
    const items = await db.selectFrom('taskItem').where('taskId', '=', taskId).select('meterId').execute();
    expect(items.map(({ meterId }) => meterId)).toContain(idOf('MN0002'));
    expect(items.length).toBe(answer.json<{ meters: number }>().meters);
    const south = await db.selectFrom('transformer').where('code', '=', 'TS').select('id').executeTakeFirstOrThrow();
    expect((await read({ node: `transformer:${south.id}` }, limited)).json()).toMatchObject({ code: 'NOTHING_TO_DO' });
    await store(
      'MN0002',
      steady(500, 20).map(({ plus }) => ({ plus, tariffs: [plus / 2, plus / 4, plus / 8, plus / 8] })),
    );
  });

  it('of a DCU is drawn by day from the very meters that its table holds', async () => {
    const { db } = app.ctx;
    const [first, last] = [dayOf(12), dayOf(15)];
    const { id } = await db.selectFrom('dcu').where('sn', '=', 'DCUN0001').select('id').executeTakeFirstOrThrow();
    await calculate(analyst, first, last);
    const range = `from=${first}&to=${last}&node=dcu:${id}`;
    const lines = (await ask(analyst, `/analysis/bill?${range}`)).json<{ items: BillLine[] }>().items;
    const days = (await ask(analyst, `/analysis/bill/trend?${range}`)).json<{
      items: { plus: number; plusT1: number; metersData: number }[];
    }>().items;
    const customers = lines.filter((line) => !line.isMaster);
    expect(customers.map(({ sn, firstDay, lastDay }) => [sn, firstDay, lastDay])).toEqual([['MN0002', first, last]]);
    for (const key of ['plus', 'plusT1'] as const)
      expect(days.reduce((sum, day) => sum + day[key], 0)).toBeCloseTo(
        customers.reduce((sum, line) => sum + (line[key] ?? 0), 0),
        6,
      );
    expect(days.map(({ metersData }) => metersData)).toEqual([1, 1, 1, 1]);
    expect((await ask(limited, `/analysis/bill/trend?${range}`)).json()).toMatchObject({ items: [{ metersData: 1 }, {}, {}, {}] });
  });

  it('is published by another user than the calculating one, and does not change any more', async () => {
    const period = (await ask(analyst, `/analysis/bill/summary?from=${from}&to=${to}`)).json<{ period: { id: string; version: number } }>()
      .period;
    const publish = (user: TestUser, version = period.version) =>
      app.call(user, { method: 'POST', url: `/api/analysis/bill/${period.id}/publish`, payload: { version } });
    expect((await publish(analyst)).json()).toMatchObject({ code: 'SAME_USER' });
    expect((await publish(approver, 0)).json()).toMatchObject({ code: 'STALE' });
    expect((await publish(approver)).json()).toMatchObject({ state: 'published' });
    expect((await publish(approver)).json()).toMatchObject({ code: 'PUBLISHED' });
    const again = await calculate(analyst, from, to);
    expect(again.statusCode).toBe(409);
    expect(again.json()).toMatchObject({ code: 'PUBLISHED' });
  });

  it('is not published while a part of the network is missing, because a user calculated only the own area', async () => {
    const [first, last] = [dayOf(44), dayOf(45)];
    const publish = async () => {
      const { period } = (await ask(approver, `/analysis/bill/summary?from=${first}&to=${last}`)).json<{
        period: { id: string; version: number };
      }>();
      const payload = { version: period.version };
      return (await app.call(approver, { method: 'POST', url: `/api/analysis/bill/${period.id}/publish`, payload })).json();
    };
    await calculate(limited, first, last);
    expect(await publish()).toMatchObject({ code: 'PERIOD_PARTIAL' });
    await calculate(analyst, first, last);
    expect(await publish()).toMatchObject({ state: 'published' });
  });

  it('is a statement in either language, and shows itself to its area only', async () => {
    const period = (await ask(analyst, `/analysis/bill/summary?from=${from}&to=${to}`)).json<{ period: { id: string } }>().period;
    const address = (sn: string) => `/api/analysis/bill/${period.id}/line/${idOf(sn)}/statement`;
    for (const [language, word] of [
      ['en-US', 'Electricity statement'],
      ['zh-CN', '电量对账单'],
    ] as const) {
      const file = await app.call(analyst, { method: 'GET', url: address('MN0002'), headers: { 'accept-language': language } });
      expect(file.statusCode).toBe(200);
      const written = file.rawPayload.toString('latin1');
      expect(written).toMatch(/^%PDF-1\./);
      // Letters come along, and the file says its name in its language: UTF-16 where Latin does not do.
      expect(written).toContain('/FontFile3');
      expect(written).toContain(language === 'en-US' ? `(${word}` : Buffer.from(word, 'utf16le').swap16().toString('latin1'));
    }
    expect((await app.call(limited, { method: 'GET', url: address('MS0002') })).statusCode).toBe(404);
    expect(await lineOf(from, to, 'MS0002', limited)).toBeUndefined();
    expect((await lineOf(from, to, 'MN0002', limited))?.plus).toBe(600);
  });

  it('S-437: is refused over more than 31 days, in the words of the specification', async () => {
    const refused = await ask(analyst, `${bill.list.path}?from=${dayOf(0)}&to=${dayOf(31)}`);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ code: 'RANGE_TOO_LONG', detail: 'The Time Range Cannot Exceed 31 Days!' });
  });
});

describe('A day', () => {
  it('separates loss from data that did not arrive', async () => {
    const { db } = app.ctx;
    for (const sn of ['MN0001', 'MN0002']) await forget(sn);
    // Not read yet, so nothing is expected of it.
    await sql`update meter set inventory_state = 'installed' where sn = 'MN0002'`.execute(db);
    const { rows } = await sql<{ sn: string }>`
      insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, installed_at)
      select 'MX' || lpad(n::text, 4, '0'), meter_type_id, 'plc', 'active', transformer_id, dcu_id, '2026-01-01' from meter, generate_series(1, 20) n where sn = 'MN0002' returning sn`.execute(
      db,
    );
    for (const row of await db.selectFrom('meter').select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
    const random = randomOf(7);
    const last = 20;
    const supply = Array.from({ length: last + 1 }, () => 0);
    for (const [m, { sn }] of rows.entries()) {
      let plus = 100;
      const freezes = Array.from({ length: last + 1 }, (_, k): Freeze => {
        if (k > 0) {
          const day = (6 + (m % 5)) * (1 + 0.2 * Math.sin(k)) * (0.9 + random() * 0.2);
          plus += day;
          for (let later = k; later <= last; later++) supply[later] = (supply[later] ?? 0) + day * 1.05;
        }
        return { plus: Math.round(plus * 10_000) / 10_000 };
      });
      // Two of twenty fall silent in the last week.
      await store(sn, m < 2 ? freezes.slice(0, 14) : freezes);
    }
    await store(
      'MN0001',
      supply.map((plus) => ({ plus: Math.round(plus * 10_000) / 10_000 })),
    );
    const transformers = [(await db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow()).id];
    for (let k = 13; k < last; k++) await computeDay(db, { day: dayOf(k), transformers, zone: ZONE, limits: LIMITS });
    const balance = (await ask(analyst, `/analysis/balance?from=${dayOf(13)}&to=${dayOf(last - 1)}&search=TN`)).json<{
      items: {
        lossPercent: number;
        supply: number;
        sold: number;
        missing: number;
        loss: number;
        class: string;
        metersExpected: number;
        metersDataMin: number;
      }[];
    }>().items[0];
    expect(balance).toMatchObject({ class: 'normal', metersExpected: 20, metersDataMin: 18 });
    expect(Math.abs((balance?.lossPercent ?? 0) - (100 * 0.05) / 1.05)).toBeLessThan(0.5);
    expect((balance?.sold ?? 0) + (balance?.missing ?? 0) + (balance?.loss ?? 0)).toBeCloseTo(balance?.supply ?? 0, 3);
  });

  it('counts meters and days in whole numbers, and every day of the range has a cause when it is not balanced', async () => {
    // A week: one day with one meter less, one without the master meter, one that was never calculated.
    const days = Array.from({ length: 7 }, (_, at) => dayOf(13 + at));
    const place = sql`transformer_id = (select id from transformer where code = 'TN')`;
    await sql`update energy_balance set meters_data = 17 where day = ${days[1]} and ${place}`.execute(app.ctx.db);
    await sql`update energy_balance set supply_kwh = null, meters_data = 3 where day = ${days[2]} and ${place}`.execute(app.ctx.db);
    await sql`delete from energy_balance where day = ${days[3]} and ${place}`.execute(app.ctx.db);
    const answer = await ask(analyst, `/analysis/balance?from=${days[0]}&to=${days[6]}&search=TN`);
    expect(answer.json<{ units: object }>().units).toMatchObject({ supply: 'kWh', loss: 'kWh', plus: 'kWh', minusT4: 'kWh' });
    expect(answer.json<{ items: object[] }>().items[0]).toMatchObject({
      metersExpected: 20,
      metersDataMin: 17,
      days: 7,
      daysBalanced: 5,
      daysWithoutMaster: 1,
      daysNotCalculated: 1,
    });
  });

  describe('anomalies', () => {
    const kinds: [statement: string, type: string, sn: string, freeze: (k: number) => Freeze][] = [
      ['S-334', 'normal', 'MX0001', (k) => ({ plus: 100 + k * 10 })],
      // 60 A at 230 V give 331 kWh a day at most.
      ['S-335', 'upper_limit', 'MX0002', (k) => ({ plus: 100 + k * 10 + (k === 20 ? 400 : 0) })],
      ['S-336', 'lower_limit', 'MX0003', (k) => ({ plus: 100 + Math.min(k, 12) })],
      ['S-337', 'sudden_increase', 'MX0004', (k) => ({ plus: 100 + k * 10 + (k === 20 ? 40 : 0) })],
      ['S-338', 'sudden_decrease', 'MX0005', (k) => ({ plus: 100 + k * 10 - (k === 20 ? 9 : 0) })],
      // The worst first: this day is above the upper limit, too.
      ['S-339', 'reverse_electricity', 'MX0006', (k) => ({ plus: 100 + k * 10 + (k === 20 ? 400 : 0), minus: k === 20 ? 3 : 0 })],
    ];
    const day = dayOf(19);
    const then = () => ({ ...app.ctx, clock: { ...systemClock, now: () => Date.parse(`${dayOf(30)}T00:00:00Z`) } });
    beforeAll(async () => {
      for (const [, , sn, freeze] of kinds) {
        await forget(sn);
        await store(
          sn,
          Array.from({ length: 21 }, (_, k) => freeze(k)),
        );
      }
      await sql`delete from anomaly`.execute(app.ctx.db);
      expect(await followArrivals(then())).toBeGreaterThan(0);
    });

    it.each(kinds)('%s: a day may be %s', async (_statement, type, sn) => {
      const { items } = (await ask(analyst, `/analysis/anomaly?from=${day}&to=${day}&size=100`)).json<{
        items: { sn: string; type: string }[];
      }>();
      expect(items.find((row) => row.sn === sn)?.type ?? 'normal').toBe(type);
      if (type === 'normal') return;
      const summary = (await ask(analyst, `/analysis/anomaly/summary?from=${day}&to=${day}`)).json<{ byType: Record<string, number> }>();
      expect(summary.byType[type]).toBe(1);
    });

    it('are judged by an analyst with a reason, and the judgement outlives another calculation', async () => {
      const decide = (state: string, reason: string, version: number) =>
        app.call(analyst, {
          method: 'PUT',
          url: '/api/analysis/anomaly',
          payload: { meterId: idOf('MX0004'), day, state, reason, version },
        });
      expect((await decide('dismissed', '', 1)).statusCode).toBe(400);
      expect((await decide('dismissed', 'A party', 1)).json()).toMatchObject({ state: 'dismissed', reason: 'A party' });
      expect((await decide('confirmed', '', 1)).json()).toMatchObject({ code: 'STALE' });
      // A decision stays when the day is recomputed.
      await sql`delete from analysis_mark`.execute(app.ctx.db);
      await followArrivals(then());
      const again = (await ask(analyst, `/analysis/anomaly?from=${day}&to=${day}&search=MX0004`)).json<{ items: { state: string }[] }>()
        .items;
      expect(again.map((row) => row.state)).toEqual(['dismissed']);
    });
  });

  it('is judged by the limits of its meter if there are some, and earlier days are judged again', async () => {
    const { db } = app.ctx;
    const day = dayOf(19);
    const typeOf = async (sn: string) =>
      (await ask(analyst, `/analysis/anomaly?from=${day}&to=${day}&search=${sn}`)).json<{ items: { type: string; reference: number }[] }>()
        .items[0];
    const put = (sn: string, payload: object, user = analyst) =>
      app.call(user, { method: 'PUT', url: `/api/analysis/anomaly/limit/${idOf(sn)}`, payload });
    const limit = (await ask(analyst, `/analysis/anomaly/limit/${idOf('MX0001')}`)).json<{ plateKwh: number }>();
    expect(limit).toMatchObject({ sn: 'MX0001', upperKwh: null, lowerKwh: null, lowerLimitDays: 7, version: 0 });
    expect(limit.plateKwh).toBeCloseTo((60 * 230 * 24) / 1000, 6);
    expect((await put('MX0001', { upperKwh: 5, lowerKwh: 5, version: 0 })).statusCode).toBe(400);
    expect((await put('MS0002', { upperKwh: 5, lowerKwh: 1, version: 0 }, limited)).statusCode).toBeGreaterThanOrEqual(403);

    await sql`update reading_daily set read_at = '2026-09-01'`.execute(db);
    expect((await put('MX0001', { upperKwh: 8, lowerKwh: null, version: 0 })).json()).toMatchObject({ upperKwh: 8, version: 1 });
    expect((await put('MX0002', { upperKwh: 500, lowerKwh: null, version: 0 })).statusCode).toBe(200);
    expect((await put('MX0003', { upperKwh: null, lowerKwh: 0, version: 0 })).statusCode).toBe(200);
    expect((await put('MX0007', { upperKwh: null, lowerKwh: 100, version: 0 })).statusCode).toBe(200);
    expect((await put('MX0001', { upperKwh: 9, lowerKwh: null, version: 0 })).json()).toMatchObject({
      code: 'STALE',
      current: { upperKwh: 8 },
    });
    const audit = await db.selectFrom('auditLog').where('action', '=', 'meter_limit_changed').select('detail').execute();
    expect(audit.map(({ detail }) => detail)).toContainEqual({
      sn: 'MX0001',
      from: { upperKwh: null, lowerKwh: null },
      to: { upperKwh: 8, lowerKwh: null },
      names: { meter: { [idOf('MX0001')]: 'MX0001' }, user: expect.anything() },
    });

    const then = { ...app.ctx, clock: { ...systemClock, now: () => Date.parse(`${dayOf(30)}T00:00:00Z`) } };
    expect(await followArrivals(then)).toBeGreaterThan(0);
    expect(await typeOf('MX0001')).toMatchObject({ type: 'upper_limit', reference: 8 });
    expect(await typeOf('MX0002')).toMatchObject({ type: 'sudden_increase' });
    expect(await typeOf('MX0003')).toBeUndefined();
    expect(await typeOf('MX0007')).toMatchObject({ type: 'lower_limit', reference: 100 });
    // A meter without limits is judged by its rated power times the factor of the settings.
    const transformers = [(await db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow()).id];
    await computeDay(db, { day, transformers, zone: ZONE, limits: { ...LIMITS, upperLimitFactor: 0.01 } });
    expect((await typeOf('MX0008'))?.reference).toBeCloseTo(limit.plateKwh / 100, 3);
    expect(await typeOf('MX0002')).toMatchObject({ type: 'sudden_increase' });
  });

  it('adds up tariffs by transformer and by day, and does not pretend to know those of a day that was made without', async () => {
    const { db } = app.ctx;
    const [from, to] = [dayOf(17), dayOf(19)];
    await sql`update reading_daily set e_plus_t1 = e_plus / 2, e_plus_t2 = e_plus / 4, e_minus_t1 = e_minus`.execute(db);
    const { id } = await db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow();
    for (const day of [from, dayOf(18), to]) await computeDay(db, { day, transformers: [id], zone: ZONE, limits: LIMITS });
    type Day = Record<'plus' | 'minus' | 'plusT1' | 'plusT2' | 'plusT3' | 'minusT1', number | null>;
    const read = async (path: string) => (await ask(analyst, path)).json<{ items: Day[] }>().items;
    const days = await read(`/analysis/bill/trend?from=${from}&to=${to}&node=transformer:${id}`);
    const sum = (key: keyof Day) => days.reduce((total, day) => total + (day[key] ?? Number.NaN), 0);
    expect(sum('plus')).toBeGreaterThan(100);
    expect(sum('plusT1')).toBeCloseTo(sum('plus') / 2, 2);
    expect(sum('minusT1')).toBeCloseTo(sum('minus'), 2);
    expect(days.map((day) => day.plusT3)).toEqual([null, null, null]);
    const payload = { format: 'csv', filter: { from, to, node: `transformer:${id}` } };
    const file = (await app.call(analyst, { method: 'POST', url: '/api/export/consumption', payload })).json<{
      id: string;
      rows: number;
    }>();
    const lines = (await ask(analyst, `/export/${file.id}/file`)).body.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => Number(line.split(',')[1]))).toEqual(days.map((day) => day.plus).toReversed());
    const [row] = await read(`/analysis/balance?from=${from}&to=${to}&search=TN`);
    for (const key of ['plus', 'minus', 'plusT1', 'plusT2', 'minusT1'] as const) expect(row?.[key]).toBeCloseTo(sum(key), 3);
    expect((await read(`/analysis/bill/trend?from=${to}&to=${to}&node=meter:${idOf('MX0001')}`))[0]).toMatchObject({
      plus: 10,
      plusT1: 5,
      plusT2: 2.5,
      plusT3: null,
    });

    expect(lines[0]?.split(',')[0]).toBe(to);
    const columns = [{ key: 'day', title: 'Date' }, { key: 'plusT1', title: 'Import T1' }, 'minus'];
    const named = await app.call(analyst, { method: 'POST', url: '/api/export/consumption', payload: { ...payload, columns } });
    const heading = (await ask(analyst, `/export/${named.json<{ id: string }>().id}/file`)).body.split('\r\n')[0];
    expect(heading).toBe('\uFEFFDate,Import T1 (kWh),Consumption − (kWh)');

    await sql`update energy_balance set tariffs_kwh = null where day = ${from}`.execute(db);
    const [partly] = await read(`/analysis/balance?from=${from}&to=${to}&search=TN`);
    expect(partly?.plus).toBeCloseTo(sum('plus'), 3);
    expect(partly?.plusT1).toBeNull();
  });
});
