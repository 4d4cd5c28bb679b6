import type { CorrectionRow } from '@hes/contract/reading/reading.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const DAY = Math.floor(Date.now() / DAY_MS) - 2;
const dayText = new Date(DAY * DAY_MS).toISOString().slice(0, 10);

let app: TestApp;
let admin: TestUser;
let meterId = '';

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  const { rows } = await app.ctx.pool.query<{ id: string }>('select min(id)::text as id from meter');
  meterId = rows[0]?.id ?? '';
});
afterAll(() => app.close());

test('a value that was replaced can be asked for with what stood there before, in the units of the reading', async () => {
  const writer = new ReadingWriter({ ...app.ctx, settings: { timeZone: app.ctx.settings.timeZone } as typeof app.ctx.settings }); // as: it asks for the zone
  const at = DAY * DAY_MS + 40 * QUARTER_MS;
  const reading = (wh: number, taskId: string) => ({
    meterId,
    dcuId: '1',
    profile: 'lpa' as const,
    periodSeconds: QUARTER_MS / 1000,
    stamps: Float64Array.of(at),
    status: undefined,
    channels: CHANNELS.map(({ column }) => (column === 'e_plus_wh' ? Float64Array.of(wh) : undefined)),
    readAt: Date.now(),
    source: 'meter' as const,
    traceId: undefined,
    taskId,
  });
  await writer.storeProfile(reading(12_300, '7'));
  await writer.storeProfile(reading(12_500, '8'));
  await writer.stop();
  const url = (profile: string) => `/api/reading/${meterId}/corrections?profile=${profile}&from=${dayText}&to=${dayText}`;
  const { items } = (await app.call(admin, { url: url('lpa') })).json<{ items: CorrectionRow[] }>();
  expect(items).toMatchObject([
    { ts: new Date(at).toISOString(), value: 'ePlus', former: 12.3, present: 12.5, formerSource: 'meter', source: 'meter', taskId: '8' },
  ]);
  expect((await app.call(admin, { url: url('daily') })).json().items).toEqual([]);
  expect((await app.call(admin, { url: url('lpa').replace(meterId, '999999') })).statusCode).toBe(404);
});
