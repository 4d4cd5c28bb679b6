import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openDb } from '#db/pool.ts';
import { chainKeyOf, createSecrets } from '#platform/secrets.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { TEST_MASTER_KEY } from '../../test/master-key.ts';
import type { Devices } from './devices.ts';
import type { EndpointSession } from './endpoint-session.ts';
import { PushSenders } from './push-senders.ts';

const SN = 'SENDERDCU01';
const REFRESH_MS = 60_000;

let database: TestDatabase;
let dcuId = '';
let session: EndpointSession;
let senders: PushSenders;
beforeAll(async () => {
  database = await cloneDatabase();
  const { dcuTypeId } = await insertDeviceTypes(database.pool);
  const { rows } = await database.pool.query<{ id: string }>("insert into dcu (sn, name, dcu_type_id) values ($1, 'D', $2) returning id", [
    SN,
    dcuTypeId,
  ]);
  dcuId = rows[0]?.id ?? '';
});
afterAll(() => database.drop());

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  senders = new PushSenders(database.db, devices);
  session = sessionOf();
});
afterEach(async () => {
  vi.useRealTimers();
  await database.pool.query('delete from meter');
});

const devices = {
  buildDcu: ({ id }: { id: string }) => ({ kind: 'dcu', id }),
  loadMeter: (id: string) => Promise.resolve({ kind: 'meter', id }),
} as unknown as Devices; // as: the senders call nothing else

const sessionOf = (meterId: string | null = null) => ({ endpoint: { id: dcuId, sn: SN, meterId } }) as EndpointSession; // as: the senders read nothing else

async function addMeter(sn: string, gatewayAddress: string | null = null): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into meter (sn, meter_type_id, communication_mode, dcu_id, gateway_address)
     select $1, id, 'plc', $2, $3 from meter_type where code = 'P' returning id`,
    [sn, dcuId, gatewayAddress === null ? null : Buffer.from(gatewayAddress)],
  );
  return rows[0]?.id ?? '';
}

const idAt = async (address: string) => (await senders.find(session, Buffer.from(address)))?.meter?.id;

test('a push without gateway address, or with the serial number of the DCU, is one of the DCU', async () => {
  const own = { device: { kind: 'dcu', id: dcuId }, meter: undefined };
  expect(await senders.find(session, undefined)).toEqual(own);
  expect(await senders.find(session, Buffer.from(SN))).toEqual(own);
});

test('on the connection of a direct meter such a push is one of the meter', async () => {
  const meter = { kind: 'meter', id: '77' };
  expect(await senders.find(sessionOf('77'), undefined)).toEqual({ device: meter, meter });
  expect(await senders.find(sessionOf('77'), Buffer.from(SN))).toEqual({ device: meter, meter });
  expect(await senders.find(sessionOf('77'), Buffer.from('OTHER'))).toBeUndefined();
});

test('a meter is found by its gateway address, or by its serial number where it has none', async () => {
  const [byAddress, bySerial] = [await addMeter('SENDER01', 'A1'), await addMeter('SENDER02')];
  expect([await idAt('A1'), await idAt('SENDER02'), await idAt('SENDER01')]).toEqual([byAddress, bySerial, undefined]);
});

test('addresses are cached, and an unknown one is looked up again after a minute at the earliest', async () => {
  const known = await addMeter('SENDER01', 'A1');
  expect(await idAt('A1')).toBe(known);
  const added = await addMeter('SENDER02', 'A2');
  vi.advanceTimersByTime(REFRESH_MS - 1);
  expect(await idAt('A2')).toBeUndefined();
  vi.advanceTimersByTime(1);
  await database.pool.query("update meter set gateway_address = 'B1' where id = $1", [known]);
  expect(await idAt('A1'), 'a known address needs no query').toBe(known);
  expect(await idAt('A2')).toBe(added);
  expect(await idAt('A1')).toBeUndefined();
});

test('changed meters are found at once after the cache was cleared, and each session has its own cache', async () => {
  expect(await idAt('A1')).toBeUndefined();
  const added = await addMeter('SENDER01', 'A1');
  expect(await idAt('A1')).toBeUndefined();
  expect((await senders.find(sessionOf(), Buffer.from('A1')))?.meter?.id).toBe(added);
  senders.forget();
  expect(await idAt('A1')).toBe(added);
});

test('a failed query is not cached', async () => {
  const added = await addMeter('SENDER01', 'A1');
  let isBroken = true;
  const pool = new Proxy(database.pool, {
    get: (target, name: keyof Pool) => {
      if (name === 'connect' && isBroken) return () => Promise.reject(new Error('no database'));
      const found: unknown = target[name];
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const db = openDb(pool, chainKeyOf(createSecrets(TEST_MASTER_KEY)));
  senders = new PushSenders(db, devices);
  await expect(idAt('A1')).rejects.toThrow('no database');
  isBroken = false;
  expect(await idAt('A1')).toBe(added);
});
