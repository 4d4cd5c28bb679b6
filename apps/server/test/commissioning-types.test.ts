import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test('a type of DCU has the downlink of the meters behind its DCUs', async () => {
  const town = smallTown();
  const meters = town.meters.map((meter, index) => (index === 0 ? { ...meter, communicationMode: 'rf' as const } : meter));
  await importCommissioning(app.ctx, { ...town, meters });
  const { downlinkModes } = await app.ctx.db
    .selectFrom('dcuType')
    .select('downlinkModes')
    .where('code', '=', 'DCU1')
    .executeTakeFirstOrThrow();
  expect(downlinkModes).toEqual(['plc', 'rf']);
});
