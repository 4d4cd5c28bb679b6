import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { createBus } from '../platform/bus.ts';
import { createLog } from '../platform/log.ts';
import { CHANNELS } from './channels.ts';
import type { ProfileReading } from './day-rows.ts';
import type { DailyRow } from './staging.ts';
import { ReadingWriter } from './writer.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const DAY = Math.floor(Date.now() / DAY_MS) - 1;
const MIDNIGHT = DAY * DAY_MS;

let database: TestDatabase;
let writer: ReadingWriter;
const bus = createBus();
beforeAll(async () => {
  database = await cloneDatabase();
  const settings = { timeZone: 'Asia/Shanghai' } as const;
  writer = new ReadingWriter({
    pool: database.pool,
    clock: { now: () => Date.now() },
    log: createLog('silent'),
    bus,
    settings,
  });
});
afterAll(async () => {
  await writer.stop();
  await database.drop();
});

function reading(
  meterId: string,
  slots: number[],
  values: Partial<Record<(typeof CHANNELS)[number]['column'], number[]>>,
  dcuId = '1',
): ProfileReading {
  return {
    meterId,
    dcuId,
    profile: 'lpa',
    periodSeconds: 900,
    stamps: Float64Array.from(slots, (slot) => MIDNIGHT + slot * QUARTER_MS),
    status: undefined,
    channels: CHANNELS.map(({ column }) => (values[column] === undefined ? undefined : Float64Array.from(values[column]))),
    readAt: Date.now(),
    source: 'meter',
    traceId: undefined,
  };
}

const columns = 'present, e_plus_wh[1:4] as e, p_avg_plus_w[1:4] as p, u1_mv as u, status[1:4] as s';
const rowOf = async (meterId: string) =>
  (
    await database.pool.query(`select ${columns} from reading_profile where meter_id = $1 and day = date '1970-01-01' + $2::int`, [
      meterId,
      DAY,
    ])
  ).rows[0];
const gotOf = async (dcuId: string) =>
  Number((await database.pool.query('select coalesce(sum(got), 0) as got from completeness where dcu_id = $1', [dcuId])).rows[0].got);

test('captures land in their slots, and null stays null', async () => {
  await writer.storeProfile(reading('101', [0, 2], { e_plus_wh: [5_000_000_000, 7], p_avg_plus_w: [12, Number.NaN] }));
  expect(await rowOf('101')).toEqual({
    present: 2,
    e: ['5000000000', null, '7', null],
    p: [12, null, null, null],
    u: null,
    s: [0, null, 0, null],
  });
});

test('open consoles are told which days of what were stored', async () => {
  const told = new Promise((resolve) => bus.subscribe(({ message }) => message.type === 'reading.stored' && resolve(message.data.spans)));
  await writer.storeProfile(reading('171', [1], { e_plus_wh: [7] }));
  await writer.storeProfile(reading('172', [1 - DAY_MS / QUARTER_MS, 1], { e_plus_wh: [7, 8] }));
  const iso = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
  expect(await told).toContainEqual({ profile: 'lpa', from: iso(DAY - 1), to: iso(DAY) });
});

test('late captures fill the gaps of a day and leave the others alone', async () => {
  await writer.storeProfile(reading('102', [0, 3], { e_plus_wh: [1, 4] }, '2'));
  await writer.storeProfile(reading('102', [1, 2], { e_plus_wh: [2, 3] }, '2'));
  expect(await rowOf('102')).toMatchObject({ present: 4, e: ['1', '2', '3', '4'] });
  expect(await gotOf('2')).toBe(4);
});

test('a re-delivery changes nothing, not even the time of reading', async () => {
  const first = reading('103', [0, 1], { e_plus_wh: [1, 2] }, '3');
  await writer.storeProfile(first);
  const whole = () => database.pool.query('select r::text, xmin::text from reading_profile r where meter_id = 103');
  const before = await whole();
  await writer.storeProfile({ ...first, readAt: Date.now() + 60_000 });
  expect((await whole()).rows).toEqual(before.rows);
  expect(await gotOf('3')).toBe(2);
});

test('the same day twice in one batch is one row', async () => {
  await Promise.all([
    writer.storeProfile(reading('104', [0], { e_plus_wh: [1] }, '4')),
    writer.storeProfile(reading('104', [1], { e_plus_wh: [2] }, '4')),
  ]);
  expect(await rowOf('104')).toMatchObject({ present: 2, e: ['1', '2', null, null] });
  expect(await gotOf('4')).toBe(2);
});

test('captures without a usable clock are dropped and counted, their neighbours stored', async () => {
  const odd = reading('105', [0, 1, 2], { e_plus_wh: [1, 2, 3] });
  odd.stamps[1] = Number.NaN;
  odd.stamps[2] = Date.UTC(2099, 0, 1);
  expect(await writer.storeProfile(odd)).toMatchObject({ dropped: 2 });
  expect(await rowOf('105')).toMatchObject({ present: 1, e: ['1', null, null, null] });
});

test('a value that does not fit its column is missing, and fails nobody', async () => {
  await writer.storeProfile(reading('106', [0, 1], { p_avg_plus_w: [4_000_000_000, 5] }));
  expect(await rowOf('106')).toMatchObject({ p: [null, 5, null, null] });
});

test('a piece that cannot be stored fails alone', async () => {
  const bad = { ...reading('107', [0], { e_plus_wh: [1] }), source: 'nobody' as 'meter' }; // as: the database refuses it
  const [badOne, goodOne] = await Promise.allSettled([
    writer.storeProfile(bad),
    writer.storeProfile(reading('108', [0], { e_plus_wh: [1] })),
  ]);
  expect([badOne?.status, goodOne?.status]).toEqual(['rejected', 'fulfilled']);
  expect(await rowOf('108')).toMatchObject({ present: 1 });
});

test('F21: an hour of a zone that begins between two of UTC is kept as that hour, and counted in it', async () => {
  const settings = { timeZone: 'America/St_Johns' } as const;
  const { pool } = database;
  const hours = new ReadingWriter({ pool, clock: { now: () => Date.now() }, log: createLog('silent'), bus: createBus(), settings });
  const HALF_PAST = 2;
  const lpa = reading(
    '111',
    [0, 4, 8].map((slot) => slot + HALF_PAST),
    { e_plus_wh: [1, 2, 3] },
    '11',
  );
  await hours.storeProfile({ ...lpa, profile: 'energy', periodSeconds: 3600 });
  await hours.stop();
  const kept = await pool.query('select lead_s, present, e_plus_wh[1:3] as e from reading_profile where meter_id = 111');
  expect(kept.rows).toEqual([{ lead_s: 1800, present: 3, e: ['1', '2', '3'] }]);
  const counted = await pool.query<{ hour: Date }>('select hour from completeness where dcu_id = 11 and got > 0 order by hour');
  expect(counted.rows.map(({ hour }) => hour.getTime())).toEqual([2, 6, 10].map((slot) => MIDNIGHT + slot * QUARTER_MS));
});

const freeze = (registers: number[]): DailyRow => ({
  meterId: '109',
  dcuId: '9',
  freezeDay: DAY,
  registers,
  statusWord: undefined,
  deviceTime: undefined,
  readAt: Date.now(),
  source: 'meter',
  traceId: undefined,
});

test('daily freezes are exact kilowatt-hours, counted once', async () => {
  const none = Array.from({ length: 8 }, () => Number.NaN);
  await writer.storeDaily([freeze([123_456_789, 10, ...none])]);
  await writer.storeDaily([freeze([123_456_789, 10, ...none])]);
  const { rows } = await database.pool.query('select e_plus, e_minus, e_plus_t1 from reading_daily where meter_id = 109');
  expect(rows).toEqual([{ e_plus: '12345.6789', e_minus: '0.0010', e_plus_t1: null }]);
  expect(await gotOf('9')).toBe(1);
  const latest = await database.pool.query('select e_plus from meter_latest where meter_id = 109');
  expect(latest.rows).toEqual([{ e_plus: '12345.6789' }]);
});
