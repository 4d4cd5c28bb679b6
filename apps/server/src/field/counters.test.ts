import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { Counters, type CountedDevice } from './counters.ts';

const SINCE_2020 = Date.UTC(2020, 0, 1);
const secondsSince2020 = () => Math.floor((Date.now() - SINCE_2020) / 1000);

let database: TestDatabase;
let device: CountedDevice;
let neighbour: CountedDevice;
beforeAll(async () => {
  database = await cloneDatabase();
  await database.pool.query(`
    insert into supplier (code, name) values ('C', 'C');
    insert into southbound_profile (key, name, device_kind, body) values ('c', 'C', 'dcu', '{}');
    insert into meter_type (code, name, supplier_id, phase, profile_id)
      select 'C', 'C', s.id, '1p2w', p.id from supplier s, southbound_profile p where s.code = 'C' and p.key = 'c'`);
});
afterAll(() => database.drop());

let number = 0;
async function addMeter(): Promise<CountedDevice> {
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into meter (sn, meter_type_id, communication_mode) select $1, id, 'plc' from meter_type where code = 'C' returning id",
    [`COUNT${number++}`],
  );
  return { kind: 'meter', id: rows[0]?.id ?? '', ownMark: 1, provedCounter: 0 };
}
beforeEach(async () => {
  device = await addMeter();
  neighbour = await addMeter();
});

/** Reserves four counters at a time, as a link does. */
async function use(counters: Counters, by: CountedDevice, count: number): Promise<number[]> {
  const used: number[] = [];
  while (used.length < count) {
    await counters.reserve(by, 4);
    for (let i = 0; i < 4; i++) used.push(counters.takeNext(by));
  }
  return used;
}

const markOf = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ through: string }>('select through from counter_mark');
  return Number(rows[0]?.through);
};

const isRising = (used: number[]): boolean => used.every((counter, index) => index === 0 || counter > (used[index - 1] ?? 0));

test('all devices of a process count separately through one span', async () => {
  const counters = new Counters(database.pool);
  const [first] = await use(counters, device, 4);
  const mark = await markOf();
  for (const other of [neighbour, await addMeter()]) expect((await use(counters, other, 4))[0]).toBe(first);
  expect(await markOf()).toBe(mark);
});

test('counters are below the reservation in the database before use, and rise over any number of spans', async () => {
  const counters = new Counters(database.pool);
  const used = await use(counters, device, 2400);
  expect(isRising(used)).toBe(true);
  expect(used.at(-1)).toBeLessThan(await markOf());
  expect(isRising([...(await use(counters, neighbour, 4)), ...(await use(counters, neighbour, 1200))])).toBe(true);
});

test('processes that share the database never use the same counter for a device', async () => {
  const heads = [new Counters(database.pool), new Counters(database.pool), new Counters(database.pool)];
  const used = (await Promise.all(heads.map((counters) => use(counters, device, 1500)))).flat();
  expect(new Set(used).size).toBe(used.length);
});

test('a device that demanded a higher counter continues above it in own blocks until the shared span reaches it; also after a crash', async () => {
  const counters = new Counters(database.pool);
  await use(counters, device, 4);
  const wanted = (await markOf()) + 50_000;
  await counters.jumpTo(device, wanted);
  const ahead = await use(counters, device, 240);
  expect(ahead[0]).toBe(wanted + 1);
  expect(isRising(ahead)).toBe(true);
  expect((await use(counters, neighbour, 4))[0]).toBeLessThan(wanted);
  // The next process knows only the state in the database.
  const { rows } = await database.pool.query<{ mark: string }>('select invocation_counter as mark from meter where id = $1', [device.id]);
  const known = { ...device, ownMark: Number(rows[0]?.mark) };
  const heir = new Counters(database.pool);
  expect((await use(heir, known, 4))[0]).toBeGreaterThan(Math.max(...ahead));
  await database.pool.query('update counter_mark set through = $1', [wanted + 100_000]);
  expect((await use(new Counters(database.pool), known, 4))[0]).toBe(wanted + 100_000);
  await database.pool.query('update counter_mark set through = 0');
});

test('an implausible demand of a device is refused, because it would use up the key', async () => {
  const counters = new Counters(database.pool);
  const [first = 0] = await use(counters, device, 4);
  await expect(counters.jumpTo(device, first + 2_000_000)).rejects.toMatchObject({ reason: 'COUNTER_REPLAY' });
  await expect(counters.jumpTo(device, first)).rejects.toMatchObject({ reason: 'COUNTER_REPLAY' });
});

test('a key without remaining counters is not used any more', async () => {
  const last = { ...device, ownMark: 0xffff_fff0 };
  await database.pool.query('update meter set invocation_counter = $2 where id = $1', [last.id, last.ownMark]);
  await expect(new Counters(database.pool).reserve(last, 4)).rejects.toMatchObject({ reason: 'COUNTER_REPLAY' });
});

test('after the restore of a backup, counters are above all used ones', async () => {
  const lastNight = secondsSince2020() - 80_000;
  await database.pool.query('update counter_mark set through = $1', [lastNight]);
  const usedSince = secondsSince2020() - 1000;
  const [first = 0] = await use(new Counters(database.pool), { ...device, ownMark: lastNight }, 4);
  expect(first).toBeGreaterThan(usedSince);
});

test('a device that comes from another node continues in a new span above all that any node has reserved', async () => {
  const [own, other] = [new Counters(database.pool), new Counters(database.pool)];
  await use(own, device, 4);
  const [kept = 0] = await use(own, neighbour, 4);
  const there = await use(other, device, 4);
  const mark = await markOf();
  await Promise.all([own.beginSpan(), own.beginSpan()]);
  own.forget([device]);
  expect(await markOf(), 'devices that move together share one span').toBe(mark + 1_000);
  expect((await use(own, device, 4))[0]).toBe(mark);
  expect(mark).toBeGreaterThan(Math.max(...there));
  expect((await use(own, neighbour, 4))[0], 'another device continues its own').toBe(kept + 4);
});

test('a demanded counter is at most a million above the last one that the device has proved', async () => {
  const proved = { ...device, provedCounter: 500 };
  await expect(new Counters(database.pool).jumpTo(proved, 1_000_501)).rejects.toMatchObject({ reason: 'COUNTER_REPLAY' });
  expect(await new Counters(database.pool).jumpTo(proved, 1_000_500)).toEqual({ from: 1, to: 1_000_501 });
});

test('a proved counter is stored once per block, and only for a device above the shared span', async () => {
  const counters = new Counters(database.pool);
  const provedOf = async () =>
    Number(
      (await database.pool.query<{ proved: string }>('select proved_counter as proved from meter where id = $1', [device.id])).rows[0]
        ?.proved,
    );
  await use(counters, device, 4);
  expect(counters.recordAcceptedCounter(device)).toBeUndefined();
  const before = await provedOf();
  await counters.jumpTo(device, (await markOf()) + 20_000);
  const used = await use(counters, device, 104);
  await counters.recordAcceptedCounter(device);
  expect([before, await provedOf(), device.provedCounter]).toEqual([0, (used.at(-1) ?? 0) + 1, (used.at(-1) ?? 0) + 1]);
  await use(counters, device, 96);
  expect(counters.recordAcceptedCounter(device), 'less than a block later').toBeUndefined();
});
