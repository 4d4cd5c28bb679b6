import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { createSecrets } from '#platform/secrets.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { TEST_MASTER_KEY } from '../../test/master-key.ts';
import { Devices } from './devices.ts';
import { DeviceStateWriter } from './device-state-writer.ts';

const CACHED = 2;

let database: TestDatabase;
let deviceState: DeviceStateWriter;
let devices: Devices;
let ids: string[];
beforeAll(async () => {
  database = await cloneDatabase();
  const { meterTypeId } = await insertDeviceTypes(database.pool);
  const inserted = await database.pool.query<{ id: string }>(
    "insert into meter (sn, meter_type_id, communication_mode) select 'DEV' || n, $1, 'plc' from generate_series(1, 4) as n returning id",
    [meterTypeId],
  );
  ids = inserted.rows.map(({ id }) => id);
});
afterAll(() => database.drop());

beforeEach(() => {
  const log = createLog('error');
  deviceState = new DeviceStateWriter(database.pool, log);
  const secrets = createSecrets(TEST_MASTER_KEY);
  devices = new Devices({ db: database.db, pool: database.pool, secrets, clock: systemClock, log }, deviceState, CACHED);
});
afterEach(() => deviceState.stop());

/** The object of the first meter, and a function that fills the cache with other meters. */
async function firstOfMany() {
  const [first = '', ...others] = ids;
  const device = await devices.loadMeter(first);
  if (device === undefined) throw new Error('The meter was not loaded');
  return { device, loadOthers: () => devices.preload(others), loadAgain: () => devices.loadMeter(first) };
}

test('a meter that is not in use is evicted by others', async () => {
  const { device, loadOthers, loadAgain } = await firstOfMany();
  await loadOthers();
  expect(await loadAgain()).not.toBe(device);
});

test('a meter keeps its object while a link to it runs, for any number of other meters', async () => {
  const { device, loadOthers, loadAgain } = await firstOfMany();
  device.runningLinks++;
  await loadOthers();
  expect(await loadAgain()).toBe(device);
});

test('a meter keeps its object until its state has been written', async () => {
  const { device, loadOthers, loadAgain } = await firstOfMany();
  deviceState.recordMeterContact(device.id, Date.UTC(2026, 2, 1), 7);
  await loadOthers();
  expect(await loadAgain()).toBe(device);
  await deviceState.stop();
  await loadOthers();
  devices.forget(ids.slice(1));
  await loadOthers();
  expect(await loadAgain()).not.toBe(device);
});
