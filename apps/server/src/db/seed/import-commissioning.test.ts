import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { cloneDatabase, type TestDatabase } from '../../../test/database.ts';
import { smallTown } from '../../../test/town.ts';
import { createSecrets } from '../../platform/secrets.ts';
import { importCommissioning } from './import-commissioning.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

test('a type has the communication modes of its meters, and a type of DCU those of the meters behind it: radio, power line, or both', async () => {
  const town = smallTown();
  const [first] = town.meterTypes;
  if (first === undefined) throw new Error('No type');
  const file = {
    ...town,
    meterTypes: [...town.meterTypes, { ...first, code: 'UNUSED', name: 'Unused' }],
    // In the second district, the first type has both modes and the second type radio only.
    meters: town.meters.map((meter) =>
      meter.typeCode === 'ONE' || meter.dcuSn === 'DCUS0001' ? { ...meter, communicationMode: 'rf' as const } : meter,
    ),
  };
  await importCommissioning(
    { db: database.db, secrets: createSecrets(Buffer.alloc(32, 7)), clock: { ...systemClock, now: () => Date.now() } },
    file,
  );
  const { rows } = await database.pool.query<{ code: string; modes: string[] }>(
    "select code, communication_modes as modes from meter_type where code in ('ONE', 'THREE', 'UNUSED') order by code",
  );
  expect(rows).toEqual([
    { code: 'ONE', modes: ['rf'] },
    { code: 'THREE', modes: ['plc', 'rf'] },
    { code: 'UNUSED', modes: ['plc'] },
  ]);
  const downlinks = await database.pool.query<{ modes: string[] }>("select downlink_modes as modes from dcu_type where code = 'DCU1'");
  expect(downlinks.rows).toEqual([{ modes: ['plc', 'rf'] }]);
});
