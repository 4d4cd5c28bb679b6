import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { findLine } from '../src/features/billing/bill/queries.ts';
import { computeDay } from '../src/features/balance/day/compute-queries.ts';
import { balanceOf } from '../src/features/phases/balance-queries.ts';
import type { User } from '../src/db/context.ts';
import { Partitions } from '../src/storage/partitions.ts';
import { testApp, type TestApp } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const SLOT_MS = 900_000;
const ZONE = 'Asia/Shanghai';
const FIRST = Date.parse('2026-09-01') / DAY_MS;
const DAYS = 40;
const RUNS = 8;
const dayOf = (k: number) => new Date((FIRST + k) * DAY_MS).toISOString().slice(0, 10);
const noon = (k: number) => `${dayOf(k)}T12:00:00+08`;

let app: TestApp;
let user: User;
const ids = new Map<string, string>();
const idOf = (sn: string) => ids.get(sn) ?? '';

beforeAll(async () => {
  app = await testApp();
  const { db, pool } = app.ctx;
  await importCommissioning(app.ctx, smallTown());
  await sql`update meter set inventory_state = 'active', installed_at = '2026-01-01'`.execute(db);
  await sql`insert into meter (sn, meter_type_id, communication_mode, inventory_state) select 'MN0009', meter_type_id, 'plc', 'in_warehouse' from meter where sn = 'MN0002'`.execute(
    db,
  );
  for (const row of await db.selectFrom('meter').select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  const partitions = new Partitions(pool);
  await partitions.ensure(
    'reading_daily',
    ['2026-03-28', '2026-03-31', '2026-09-01', '2026-10-01', '2026-11-01'].map((day) => Date.parse(day) / DAY_MS),
  );
  await partitions.ensure(
    'reading_profile',
    ['2026-03-28', '2026-10-24'].map((day) => Date.parse(day) / DAY_MS),
  );
  user = {
    id: '1',
    username: 'admin',
    name: 'admin',
    sessionId: '1',
    mustChangePassword: false,
    actions: new Map(),
    scope: { kind: 'whole' },
  };
});
afterAll(() => app.close());

/**
 * How what a meter counts is spread over its registers, in their order: what it gives is a quarter of what it takes, and
 * each tariff has its own share. Tenths and quarters of even tenths of a watt-hour are cut nowhere.
 */
const SHARES = [1, 0.25, 0.4, 0.3, 0.2, 0.1, 0.1, 0.075, 0.05, 0.025];
const byRegister = (kwh: number) => SHARES.map((share) => Number((kwh * share).toFixed(4)));

/** Freezes of a meter instead of those it had: kWh by the number of the day. */
async function store(sn: string, freezes: ReadonlyMap<number, number>): Promise<void> {
  await sql`delete from reading_daily where meter_id = ${idOf(sn)}`.execute(app.ctx.db);
  await sql`
    insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus, e_minus, e_plus_t1, e_plus_t2, e_plus_t3, e_plus_t4,
      e_minus_t1, e_minus_t2, e_minus_t3, e_minus_t4)
    select ${idOf(sn)}, ${dayOf(0)}::date + k, now(), 'meter', 'read',
      ${sql.join(SHARES.map((share) => sql`round(kwh * ${share}::numeric, 4)`))}
    from unnest(${[...freezes.keys()]}::int[], ${[...freezes.values()]}::numeric[]) as n (k, kwh)`.execute(app.ctx.db);
}

interface Used {
  kwh: number | null;
  registers: number[] | null;
  parts: { kwh: number }[] | null;
}

async function used(sn: string, from: number, to: number): Promise<Used> {
  const { rows } = await sql<Used>`
    select used[1]::float8 as kwh, used::float8[] as registers, parts from consumption(${dayOf(from)}, ${dayOf(to)}, ${ZONE}, (select array_agg(id) from transformer))
    where meter_id = ${idOf(sn)}`.execute(app.ctx.db);
  const [row] = rows;
  if (row === undefined) throw new Error(`No line of ${sn}`);
  return row;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const increasing = (count: number, min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: count, maxLength: count }).map((some) => some.toSorted((a, b) => a - b));
/** Tenths of a watt-hour, as registers resolve them; even ones can be halved. */
const gains = fc.array(
  fc.integer({ min: 0, max: 90_000 }).map((half) => 2 * half),
  { minLength: DAYS, maxLength: DAYS },
);

describe('Consumption', () => {
  it('S-028: adds up over any split of a period, with any missing values, and over a register rollover', async () => {
    const meters = fc.record({
      start: fc.constantFrom(0, 12.5, 99_950, 999_990),
      gains,
      gaps: fc.uniqueArray(fc.integer({ min: 1, max: DAYS - 1 }), { maxLength: 12 }),
      cuts: increasing(3, 2, DAYS - 2),
    });
    await fc.assert(
      fc.asyncProperty(meters, async ({ start, gaps, cuts: [from = 0, middle = 0, end = 0], ...meter }) => {
        const width = start > 100_000 ? 1_000_000 : 100_000;
        const at = (k: number) => Number(((start + sum(meter.gains.slice(0, k)) / 10_000) % width).toFixed(4));
        const arrived = Array.from({ length: DAYS + 1 }, (_, k) => k).filter((k) => !gaps.includes(k));
        await store('MN0002', new Map(arrived.map((k) => [k, at(k)])));
        const [whole, first, second] = await Promise.all([
          used('MN0002', from, end - 1),
          used('MN0002', from, middle - 1),
          used('MN0002', middle, end - 1),
        ]);
        expect(whole.kwh).toBeCloseTo((first.kwh ?? Number.NaN) + (second.kwh ?? Number.NaN), 6);
        if (!gaps.includes(from) && !gaps.includes(end)) expect(whole.kwh).toBeCloseTo(sum(meter.gains.slice(from, end)) / 10_000, 6);
      }),
      { numRuns: RUNS },
    );
  });

  it('of a period with an exchange is the sum of its parts, each times its own ratio, in every tariff and both directions', async () => {
    const { db } = app.ctx;
    await sql`update meter n set transformer_id = o.transformer_id, inventory_state = 'active' from meter o where o.sn = 'MN0002' and n.sn = 'MN0009'`.execute(
      db,
    );
    await sql`update meter set inventory_state = 'in_warehouse', transformer_id = null, dcu_id = null where sn = 'MN0002'`.execute(db);
    const exchanges = fc.record({
      gains,
      on: fc.integer({ min: 5, max: 30 }),
      initial: fc.constantFrom(0, 0.5, 321.25),
      ratio: fc.constantFrom(1, 40),
      before: fc.integer({ min: 0, max: 4 }),
      after: fc.integer({ min: 2, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(exchanges, async ({ gains: all, on, initial, ratio, before, after }) => {
        const kwh = (from: number, to: number) => sum(all.slice(from, to)) / 10_000;
        await sql`delete from meter_exchange`.execute(db);
        await sql`update meter set installed_at = ${noon(on)}, ct_ratio = ${ratio} where sn = 'MN0009'`.execute(db);
        // The old meter saw half of the day on which it was taken down, the new one the other half.
        const final = kwh(0, on) + (all[on] ?? 0) / 20_000;
        await sql`insert into meter_exchange (at, old_meter_id, new_meter_id, final_registers, initial_registers, transformer_id)
          select ${noon(on)}, ${idOf('MN0002')}, id, ${byRegister(final)}, ${byRegister(initial)}, transformer_id from meter where sn = 'MN0009'`.execute(
          db,
        );
        const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);
        await store('MN0002', new Map(range(0, on + 1).map((k) => [k, kwh(0, k)])));
        await store('MN0009', new Map(range(on + 1, DAYS).map((k) => [k, initial + kwh(on, k) - (all[on] ?? 0) / 20_000])));
        const whole = await used('MN0009', before, on + after - 1);
        expect(whole.kwh).toBeCloseTo(sum((whole.parts ?? []).map((part) => part.kwh)), 6);
        const truth = final - kwh(0, before) + ratio * (kwh(on, on + after) - (all[on] ?? 0) / 20_000);
        expect(whole.kwh).toBeCloseTo(truth, 3);
        // Registers are cut at both ends of both meters, the new one's times its ratio.
        for (const [k, share] of SHARES.entries())
          expect(Math.abs((whole.registers?.[k] ?? Number.NaN) - share * truth), `register ${k}`).toBeLessThan(0.0001 * (1 + ratio));
      }),
      { numRuns: RUNS },
    );
    await sql`delete from meter_exchange`.execute(db);
    await sql`update meter o set transformer_id = n.transformer_id, inventory_state = 'active' from meter n where n.sn = 'MN0009' and o.sn = 'MN0002'`.execute(
      db,
    );
    await sql`update meter set inventory_state = 'in_warehouse', transformer_id = null where sn = 'MN0009'`.execute(db);
  });
});

/** Europe: 23 hours on the last Sunday of March, 25 on the last of October. */
describe.each([
  ['2026-03-29', 92],
  ['2026-10-25', 100],
])('The day %s', (day, slots) => {
  const zone = 'Europe/Berlin';
  const near = [-1, 0, 1].map((k) => new Date(Date.parse(day) + k * DAY_MS).toISOString().slice(0, 10));
  const range = { from: near[0] ?? '', to: near[2] ?? '' };

  it(`has ${slots} quarters, and none is lost or shown twice around it`, async () => {
    const { db, settings } = app.ctx;
    // Every quarter its own current, so that one that is lost or doubled is seen.
    await sql`
      insert into reading_profile (meter_id, profile, day, period_s, present, status, u1_mv, u2_mv, u3_mv, i1_ma, i2_ma, i3_ma, i0_ma, pf_milli, p_avg_plus_w, read_at, source)
      select ${idOf('MN0001')}, p, d::date, 900, 96, array_fill(0, array[96]), array_fill(230000, array[96]), array_fill(230000, array[96]), array_fill(230000, array[96]),
        (select array_agg(((d::date - ${range.from}::date + 1) * 96 + k) * 10) from generate_series(0, 95) k), array_fill(0, array[96]), array_fill(0, array[96]),
        array_fill(0, array[96]), array_fill(950, array[96]), (select array_agg((d::date - ${range.from}::date + 1) * 96 + k) from generate_series(0, 95) k), now(), 'meter'
      from generate_series(${range.from}::date - 1, ${range.to}::date + 1, interval '1 day') d cross join unnest(array['lpa', 'lpb']) p`.execute(
      db,
    );
    const ctx = { ...app.ctx, settings: { ...settings, timeZone: zone } };
    const transformer = await db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow();
    const days = await Promise.all(near.map((one) => balanceOf(ctx, user, transformer.id, { ...range, day: one })));
    expect(days.map((one) => one.slots.length)).toEqual([96, slots, 96]);
    const stamps = days.flatMap((one) => one.slots.map((slot) => Date.parse(slot.at)));
    expect(stamps).toEqual(Array.from({ length: stamps.length }, (_, k) => (stamps[0] ?? 0) + k * SLOT_MS));
    const currents = days.flatMap((one) => one.slots.map((slot) => slot.current[0] ?? 0));
    expect(new Set(currents).size).toBe(currents.length);
    expect(days[0]?.heat.map(({ hours }) => hours.filter(({ value }) => value !== null).length)).toEqual([24, slots / 4, 24]);
  });

  it('is billed whole: its energy, its highest demand, and the most its supply can draw', async () => {
    const { db } = app.ctx;
    const hours = slots / 4;
    // 60 A at 230 V draw 13.8 kWh an hour: on 25 hours this is just below, on 23 above.
    const kwh = 13.8 * 24;
    const next = near[2] ?? '';
    for (const sn of ['MN0001', 'MN0002'])
      await sql`insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus)
        values (${idOf(sn)}, ${day}, now(), 'meter', 'read', 100), (${idOf(sn)}, ${next}, now(), 'meter', 'read', ${100 + kwh})
        on conflict (meter_id, freeze_date) do update set e_plus = excluded.e_plus`.execute(db);
    const transformers = [(await db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow()).id];
    const limits = {
      suddenIncreaseFactor: 3,
      suddenDecreaseFactor: 0.2,
      suddenMinimumKwh: 5,
      reverseMinimumKwh: 0.5,
      upperLimitFactor: 1,
      lowerLimitDays: 7,
    };
    await computeDay(db, { day, transformers, zone, limits });
    const anomaly = await db
      .selectFrom('anomaly')
      .where('day', '=', day)
      .where('meterId', '=', idOf('MN0002'))
      .select('type')
      .executeTakeFirst();
    expect(anomaly?.type).toBe(hours === 23 ? 'upper_limit' : undefined);
    const balance = await db.selectFrom('energyBalance').where('day', '=', day).select(['supplyKwh', 'soldKwh']).executeTakeFirst();
    expect(Number(balance?.supplyKwh)).toBeCloseTo(kwh, 4);
    expect(Number(balance?.soldKwh)).toBeCloseTo(kwh, 4);

    const period = await sql<{
      id: string;
    }>`insert into bill_period (kind, first_day, last_day, state) values ('day', ${day}, ${day}, 'calculated') returning id`.execute(db);
    const id = period.rows[0]?.id ?? '';
    await sql`insert into bill_line (period_id, meter_id, transformer_id, ratio, status, calculated_at) values (${id}, ${idOf('MN0001')}, ${transformers[0]}, 1, 'complete', now())`.execute(
      db,
    );
    const line = await findLine(db, user, { id, meterId: idOf('MN0001') }, zone);
    // The quarter that ends at midnight by the clock on the wall: UTC is two hours behind in summer, one in winter.
    const lastSlot = 2 * 96 + (slots === 92 ? 88 : 92);
    expect(line?.maxDemandKw).toBe(lastSlot / 1000);
  });
});

describe('An hour of a zone that begins between two of UTC', () => {
  const day = '2026-03-20';

  it('is shown, and its demand counted, where the meter captured it', async () => {
    const { db, settings } = app.ctx;
    // Captured in Kolkata, half an hour past every hour of UTC; every hour its own figure.
    await sql`delete from reading_profile where meter_id = ${idOf('MN0001')}`.execute(db);
    await sql`
      insert into reading_profile (meter_id, profile, day, period_s, lead_s, present, status, u1_mv, u2_mv, u3_mv, i1_ma, i2_ma, i3_ma, i0_ma, pf_milli, p_avg_plus_w, read_at, source)
      select ${idOf('MN0001')}, p, d::date, 3600, 1800, 24, array_fill(0, array[24]), array_fill(230000, array[24]), array_fill(230000, array[24]), array_fill(230000, array[24]),
        (select array_agg(((d::date - ${day}::date + 1) * 24 + k) * 1000) from generate_series(0, 23) k), array_fill(0, array[24]), array_fill(0, array[24]),
        array_fill(0, array[24]), array_fill(950, array[24]), (select array_agg((d::date - ${day}::date + 1) * 24 + k) from generate_series(0, 23) k), now(), 'meter'
      from generate_series(${day}::date - 1, ${day}::date + 1, interval '1 day') d cross join unnest(array['lpa', 'lpb']) p`.execute(db);
    const { id: transformerId } = await db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow();
    const ctx = { ...app.ctx, settings: { ...settings, timeZone: 'Asia/Kolkata' } };
    const { slots, heat } = await balanceOf(ctx, user, transformerId, { from: day, to: day, day });
    const begins = Date.parse(`${day}T00:00:00+05:30`);
    expect(slots.map(({ at }) => Date.parse(at))).toEqual(Array.from({ length: 24 }, (_, k) => begins + k * 3_600_000));
    expect(slots.map(({ current }) => current[0])).toEqual(Array.from({ length: 24 }, (_, k) => 18 + k));
    expect(heat.map(({ hours }) => hours.filter(({ value }) => value !== null).length)).toEqual([24]);

    // A zone that was changed later cuts between hours: the last one of the day is that which ends at half past 23.
    const period = await sql<{
      id: string;
    }>`insert into bill_period (kind, first_day, last_day, state) values ('day', ${day}, ${day}, 'calculated') returning id`.execute(db);
    const id = period.rows[0]?.id ?? '';
    await sql`insert into bill_line (period_id, meter_id, transformer_id, ratio, status, calculated_at) values (${id}, ${idOf('MN0001')}, ${transformerId}, 1, 'complete', now())`.execute(
      db,
    );
    expect((await findLine(db, user, { id, meterId: idOf('MN0001') }, 'UTC'))?.maxDemandKw).toBe((24 + 23) / 1000);
    expect((await findLine(db, user, { id, meterId: idOf('MN0001') }, 'Asia/Kolkata'))?.maxDemandKw).toBe((24 + 18) / 1000);
  });
});
