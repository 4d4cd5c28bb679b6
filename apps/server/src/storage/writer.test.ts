import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { createBus } from '../platform/bus.ts';
import { createLog } from '../platform/log.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { splitReading, type ProfileReading } from './day-rows.ts';
import { copyDaysInto, CREATE_STAGING, MERGE_PROFILE, STAGE_PROFILE } from './queries.ts';
import { copyInto, keysOf, profileOctets, type DailyRow } from './staging.ts';
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

test('captures land in their slots, and null remains null', async () => {
  await writer.storeProfile(reading('101', [0, 2], { e_plus_wh: [5_000_000_000, 7], p_avg_plus_w: [12, Number.NaN] }));
  expect(await rowOf('101')).toEqual({
    present: 2,
    e: ['5000000000', null, '7', null],
    p: [12, null, null, null],
    u: null,
    s: [0, null, 0, null],
  });
});

test('stored readings are published with their profiles and days', async () => {
  const told = new Promise((resolve) => bus.subscribe(({ message }) => message.type === 'reading.stored' && resolve(message.data.spans)));
  await writer.storeProfile(reading('171', [1], { e_plus_wh: [7] }));
  await writer.storeProfile(reading('172', [1 - DAY_MS / QUARTER_MS, 1], { e_plus_wh: [7, 8] }));
  const iso = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
  expect(await told).toContainEqual({ profile: 'lpa', from: iso(DAY - 1), to: iso(DAY) });
});

test('late captures fill the gaps of a day and change no other slot', async () => {
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

test('the same day twice in one batch becomes one row', async () => {
  await Promise.all([
    writer.storeProfile(reading('104', [0], { e_plus_wh: [1] }, '4')),
    writer.storeProfile(reading('104', [1], { e_plus_wh: [2] }, '4')),
  ]);
  expect(await rowOf('104')).toMatchObject({ present: 2, e: ['1', '2', null, null] });
  expect(await gotOf('4')).toBe(2);
});

test('captures are judged by the clock of their reading, because the clock may be set back before they are stored', async () => {
  const readAt = Date.now() + 30 * 3_600_000;
  const captured = Math.floor(readAt / QUARTER_MS) * QUARTER_MS;
  const ahead = { ...reading('117', [0], { e_plus_wh: [1] }), stamps: Float64Array.of(captured), readAt };
  expect(await writer.storeProfile(ahead, true)).toMatchObject({ dropped: 0, fresh: 1 });
});

test('captures with an unusable clock are dropped and counted, and the others stored', async () => {
  const odd = reading('105', [0, 1, 2], { e_plus_wh: [1, 2, 3] });
  odd.stamps[1] = Number.NaN;
  odd.stamps[2] = Date.UTC(2099, 0, 1);
  expect(await writer.storeProfile(odd)).toMatchObject({ dropped: 2 });
  expect(await rowOf('105')).toMatchObject({ present: 1, e: ['1', null, null, null] });
});

test('a value outside the range of its column is stored as null and fails no other reading', async () => {
  await writer.storeProfile(reading('106', [0, 1], { p_avg_plus_w: [4_000_000_000, 5] }));
  expect(await rowOf('106')).toMatchObject({ p: [null, 5, null, null] });
});

test('a piece that cannot be stored fails alone', async () => {
  const bad = { ...reading('107', [0], { e_plus_wh: [1] }), source: 'unknown' as 'meter' }; // as: the database refuses it
  const [badOne, goodOne] = await Promise.allSettled([
    writer.storeProfile(bad),
    writer.storeProfile(reading('108', [0], { e_plus_wh: [1] })),
  ]);
  expect([badOne?.status, goodOne?.status]).toEqual(['rejected', 'fulfilled']);
  expect(await rowOf('108')).toMatchObject({ present: 1 });
});

test('F21: an hour of a zone that begins between two UTC hours is stored and counted as that hour', async () => {
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

const latestOf = async (meterId: string) =>
  (
    await database.pool.query(
      `select freeze_date - date '1970-01-01' as freeze, e_plus, e_minus, (extract(epoch from lpa_at) * 1000)::bigint as lpa_at, p_avg_plus_w as p, u1_mv as u, values
       from meter_latest where meter_id = $1`,
      [meterId],
    )
  ).rows[0];

test('the newest values of a meter are those of its newest freeze and captures, each until a newer one arrives', async () => {
  const meterId = '216';
  const registers = (tenths: number, minus: number) => [tenths, minus, ...Array.from({ length: 8 }, () => Number.NaN)];
  await writer.storeDaily([{ ...freeze(registers(20_000, 10_000)), meterId, freezeDay: DAY }]);
  expect(await latestOf(meterId)).toEqual({ freeze: DAY, e_plus: '2.0000', e_minus: '1.0000', lpa_at: null, p: null, u: null, values: {} });
  await writer.storeDaily([{ ...freeze(registers(10_000, 5_000)), meterId, freezeDay: DAY - 1 }]);
  await writer.storeProfile(reading(meterId, [1, 3, 2], { p_avg_plus_w: [10, 30, 20] }), true);
  const at = String(MIDNIGHT + 3 * QUARTER_MS);
  expect(await latestOf(meterId)).toMatchObject({ freeze: DAY, e_plus: '2.0000', e_minus: '1.0000', lpa_at: at, p: 30 });
  await writer.storeProfile(reading(meterId, [0], { p_avg_plus_w: [99] }), true);
  await writer.storeDaily([{ ...freeze(registers(30_000, 20_000)), meterId, freezeDay: DAY + 1 }]);
  expect(await latestOf(meterId)).toMatchObject({ freeze: DAY + 1, e_plus: '3.0000', e_minus: '2.0000', lpa_at: at, p: 30 });
});

test('a freeze that is corrected is counted once', async () => {
  const none = Array.from({ length: 8 }, () => Number.NaN);
  for (const tenths of [10_000, 20_000]) await writer.storeDaily([{ ...freeze([tenths, 10, ...none]), meterId: '214', dcuId: '14' }]);
  expect(await gotOf('14')).toBe(1);
});

test.each([
  ['starts again', '57P03'],
  ['has no connection left', '53300'],
  ['refuses the connection', 'ECONNREFUSED'],
])('readings wait for a database that %s', async (_what, code) => {
  let failures = 2;
  const pool = Object.create(database.pool) as typeof database.pool; // as: the same pool, whose first connections fail
  const connect = () => (failures-- > 0 ? Promise.reject(Object.assign(new Error('away'), { code })) : database.pool.connect());
  Object.assign(pool, { connect, query: database.pool.query.bind(database.pool) });
  const settings = { timeZone: 'Asia/Shanghai' } as const;
  const patient = new ReadingWriter({ pool, clock: { now: () => Date.now() }, log: createLog('silent'), bus, settings });
  await expect(patient.storeProfile(reading('215', [0], { e_plus_wh: [1] }), true)).resolves.toMatchObject({ dropped: 0 });
  await patient.stop();
  expect(failures).toBeLessThan(0);
  expect(await rowOf('215')).toMatchObject({ present: 1, e: ['1', null, null, null] });
});

const HALF_HOUR_S = 1800;
/** Half-hourly captures in the given slots. */
const halfHours = (meterId: string, slots: number[], values: number[]): ProfileReading => ({
  ...reading(meterId, slots, { e_plus_wh: values }),
  periodSeconds: HALF_HOUR_S,
  stamps: Float64Array.from(slots, (slot) => MIDNIGHT + slot * HALF_HOUR_S * 1000),
});
const quarters = (meterId: string, slots: number[], values: number[]) => reading(meterId, slots, { e_plus_wh: values });

/** Stored values keyed by capture time. */
async function storedAt(meterId: string): Promise<[minute: number, value: number][]> {
  const { rows } = await database.pool.query<{ minute: number; value: string }>(
    `select ((p.day - (date '1970-01-01' + $2::int)) * 1440 + (p.lead_s + (slot - 1) * p.period_s) / 60)::int as minute, u.value
     from reading_profile p cross join lateral unnest(p.e_plus_wh) with ordinality as u (value, slot)
     where meter_id = $1 and u.value is not null order by 1`,
    [meterId, DAY],
  );
  return rows.map(({ minute, value }) => [minute, Number(value)]);
}

test.each([
  ['the shorter period first', ['quarters', 'halves']],
  ['the longer period first', ['halves', 'quarters']],
])('captures of two periods in one day keep their moments, %s', async (_name, order) => {
  const id = order[0] === 'quarters' ? '201' : '202';
  const pieces = { quarters: quarters(id, [0, 1, 22, 44], [10, 11, 122, 144]), halves: halfHours(id, [23, 24], [223, 224]) };
  for (const name of order) await writer.storeProfile(pieces[name as keyof typeof pieces]);
  expect(await storedAt(id)).toEqual([
    [0, 10],
    [15, 11],
    [330, 122],
    [660, 144],
    [690, 223],
    [720, 224],
  ]);
  const { rows } = await database.pool.query('select period_s, lead_s, present from reading_profile where meter_id = $1', [id]);
  expect(rows).toEqual([{ period_s: 900, lead_s: 0, present: 6 }]);
  // A re-delivery updates no row.
  for (const name of order) await writer.storeProfile(pieces[name as keyof typeof pieces]);
  expect((await storedAt(id)).length).toBe(6);
});

test('captures of two periods in one batch keep their capture times', async () => {
  await Promise.all([
    writer.storeProfile(halfHours('203', [1], [31])),
    writer.storeProfile(quarters('203', [1, 3], [11, 13])),
    writer.storeProfile(halfHours('203', [4], [34])),
  ]);
  expect(await storedAt('203')).toEqual([
    [15, 11],
    [30, 31],
    [45, 13],
    [120, 34],
  ]);
});

test('periods of which neither divides the other share a common grid', async () => {
  const TEN_MINUTES_S = 600;
  await writer.storeProfile(quarters('204', [1], [15]));
  await writer.storeProfile({
    ...quarters('204', [1, 2], [10, 20]),
    periodSeconds: TEN_MINUTES_S,
    stamps: Float64Array.of(MIDNIGHT + TEN_MINUTES_S * 1000, MIDNIGHT + 2 * TEN_MINUTES_S * 1000),
  });
  expect(await storedAt('204')).toEqual([
    [10, 10],
    [15, 15],
    [20, 20],
  ]);
});

test('hours with a lead against UTC and quarter hours of the same day keep their capture times, in both orders', async () => {
  const settings = { timeZone: 'America/St_Johns' } as const;
  const { pool } = database;
  const hours = new ReadingWriter({ pool, clock: { now: () => Date.now() }, log: createLog('silent'), bus: createBus(), settings });
  const hourly = (id: string) => ({ ...quarters(id, [2, 6], [1, 2]), profile: 'energy' as const, periodSeconds: 3600 });
  const quarterly = (id: string) => ({ ...quarters(id, [0, 3], [5, 6]), profile: 'energy' as const });
  await hours.storeProfile(hourly('205'));
  await hours.storeProfile(quarterly('205'));
  await hours.storeProfile(quarterly('206'));
  await hours.storeProfile(hourly('206'));
  await hours.stop();
  for (const id of ['205', '206'])
    expect(await storedAt(id)).toEqual([
      [0, 5],
      [30, 1],
      [45, 6],
      [90, 2],
    ]);
});

test('a row that another node stored on another grid meanwhile is not overwritten by position', async () => {
  const { pool } = database;
  const other = await pool.connect();
  await writer.storeProfile(quarters('299', [0], [1]));
  await other.query('begin');
  await other.query(
    `insert into reading_profile (meter_id, profile, day, period_s, lead_s, present, status, e_plus_wh, read_at, source)
     select 207, 'lpa', date '1970-01-01' + $1::int, 1800, 0, 1, array_fill(null::int, array[48]) , array_fill(null::bigint, array[48]), now(), 'meter'`,
    [DAY],
  );
  await other.query('update reading_profile set status[24] = 0, e_plus_wh[24] = 223 where meter_id = 207');
  const stored = writer.storeProfile(quarters('207', [23, 46], [123, 146]), true);
  await expect
    .poll(
      async () =>
        (await pool.query("select from pg_stat_activity where wait_event_type = 'Lock' and query like 'copy reading_profile%'")).rowCount,
    )
    .toBe(1);
  await other.query('commit');
  other.release();
  await expect(stored).resolves.toMatchObject({ dropped: 0 });
  // The half hour of 11:30 and the quarter hour of 11:30 are the same instant: the later reading wins.
  expect(await storedAt('207')).toEqual([
    [345, 123],
    [690, 146],
  ]);
});

test('a row whose grid another node has changed since the lookup is not merged by position: the statement fails', async () => {
  await writer.storeProfile(quarters('213', [0], [1]));
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(CREATE_STAGING);
    const halfHours = { ...reading('213', [0], { e_plus_wh: [5] }), periodSeconds: 1800 };
    const { rows } = splitReading(halfHours, { leadMs: () => 0 });
    await copyInto(client, copyDaysInto(STAGE_PROFILE), profileOctets(rows));
    await expect(client.query(MERGE_PROFILE, keysOf(rows))).rejects.toMatchObject({ code: '23502', column: 'period_s' });
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect(await rowOf('213')).toMatchObject({ present: 1, e: ['1', null, null, null] });
});

const OUT_OF_RANGE = 0x4000_0000;

test('a register that is filled with ones is stored as null and marked, and the other registers are stored', async () => {
  await writer.storeProfile(reading('208', [0, 1, 2], { e_plus_wh: [7, 2 ** 64, -(2 ** 63)], p_avg_plus_w: [1, 2, 3] }));
  expect(await rowOf('208')).toMatchObject({
    present: 3,
    e: ['7', null, null, null],
    p: [1, 2, 3, null],
    s: [0, OUT_OF_RANGE, OUT_OF_RANGE, null],
  });
});

test('a freeze whose register is filled with ones is stored without that register, and marked', async () => {
  const odd = [2 ** 64 * 10, 10, Number.POSITIVE_INFINITY, 10 ** 14, ...Array.from({ length: 6 }, () => Number.NaN)];
  const stored = writer.storeDaily([{ ...freeze(odd), meterId: '209', statusWord: 0x10 }]);
  await expect(stored).resolves.toMatchObject({ dropped: 0 });
  const { rows } = await database.pool.query(
    'select e_plus, e_minus, e_plus_t1, e_plus_t2, status_word from reading_daily where meter_id = 209',
  );
  expect(rows).toEqual([{ e_plus: null, e_minus: '0.0010', e_plus_t1: null, e_plus_t2: null, status_word: String(OUT_OF_RANGE | 0x10) }]);
});

test('of two responses with one freeze in one batch none loses registers that only it has', async () => {
  const none = Array.from({ length: 8 }, () => Number.NaN);
  await Promise.all([
    writer.storeDaily([{ ...freeze([10_000, Number.NaN, ...none]), meterId: '210' }]),
    writer.storeDaily([{ ...freeze([Number.NaN, 20_000, ...none]), meterId: '210' }]),
  ]);
  const { rows } = await database.pool.query('select e_plus, e_minus from reading_daily where meter_id = 210');
  expect(rows).toEqual([{ e_plus: '1.0000', e_minus: '2.0000' }]);
});

const correctionsOf = async (meterId: string) =>
  (
    await database.pool.query(
      `select profile, (extract(epoch from ts) * 1000)::float8 as at, channel, former::float8, value::float8, former_source, source, task_id
       from reading_correction where meter_id = $1 order by ts, channel`,
      [meterId],
    )
  ).rows;

test('a stored value that another replaces is kept, with the traces of both', async () => {
  await writer.storeProfile(reading('211', [0, 1], { e_plus_wh: [5, 6], p_avg_plus_w: [1, Number.NaN] }));
  const later = { ...reading('211', [1, 2], { e_plus_wh: [60, 7], p_avg_plus_w: [2, 3] }), source: 'push' as const, taskId: '77' };
  await writer.storeProfile(later);
  await writer.storeProfile(later);
  const before = { profile: 'lpa', former_source: 'meter', source: 'push', task_id: '77' };
  expect(await correctionsOf('211')).toEqual([{ ...before, at: MIDNIGHT + QUARTER_MS, channel: 'e_plus_wh', former: 6, value: 60 }]);
});

test('a freeze that is corrected keeps its former values', async () => {
  const none = Array.from({ length: 8 }, () => Number.NaN);
  const of = (registers: number[]) => ({ ...freeze([...registers, ...none]), meterId: '212' });
  await writer.storeDaily([of([10_000, Number.NaN])]);
  await writer.storeDaily([of([20_000, 30_000])]);
  await writer.storeDaily([of([20_000, 30_000])]);
  const rows = await correctionsOf('212');
  expect(rows).toMatchObject([{ profile: 'daily', channel: 'e_plus', former: 1, value: 2, former_source: 'meter', task_id: null }]);
  expect(new Date(rows[0].at).toISOString()).toBe(new Date(MIDNIGHT - 8 * 3_600_000).toISOString());
});
