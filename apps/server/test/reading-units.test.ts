import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const DAY = Math.floor(Date.now() / DAY_MS) - 2;
const AT = DAY * DAY_MS + 36_000_000;
const dayText = new Date(DAY * DAY_MS).toISOString().slice(0, 10);

/** Integers as stored, and their values on the page and in the file. All differ, so that a mix-up is detected. */
const SHOWN: Record<(typeof CHANNELS)[number]['column'], [key: string, stored: number, shown: number, heading: string]> = {
  e_plus_wh: ['ePlus', 1_234_501, 1234.501, 'Total Active Energy + (kWh)'],
  e_minus_wh: ['eMinus', 2_345_602, 2345.602, 'Total Active Energy − (kWh)'],
  p_avg_plus_w: ['pAvgPlus', 1_503, 1.503, 'Average Active Power + (kW)'],
  p_avg_minus_w: ['pAvgMinus', 1_604, 1.604, 'Average Active Power − (kW)'],
  s_avg_plus_va: ['sAvgPlus', 1_705, 1.705, 'Average Apparent Power + (kVA)'],
  s_avg_minus_va: ['sAvgMinus', 1_806, 1.806, 'Average Apparent Power − (kVA)'],
  u1_mv: ['u1', 230_107, 230.107, 'Voltage L1 (V)'],
  u2_mv: ['u2', 231_208, 231.208, 'Voltage L2 (V)'],
  u3_mv: ['u3', 232_309, 232.309, 'Voltage L3 (V)'],
  i1_ma: ['i1', 5_110, 5.11, 'Current L1 (A)'],
  i2_ma: ['i2', 6_211, 6.211, 'Current L2 (A)'],
  i3_ma: ['i3', 7_312, 7.312, 'Current L3 (A)'],
  i0_ma: ['i0', 413, 0.413, 'Current N (A)'],
  pf_milli: ['pf', 914, 0.914, 'Power Factor'],
  pf1_milli: ['pf1', 915, 0.915, 'Power Factor L1'],
  pf2_milli: ['pf2', 916, 0.916, 'Power Factor L2'],
  pf3_milli: ['pf3', 917, 0.917, 'Power Factor L3'],
  frequency_mhz: ['frequency', 49_978, 49.978, 'Frequency (Hz)'],
};

let app: TestApp;
let admin: TestUser;

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  const { rows } = await app.ctx.pool.query<{ id: string; dcuId: string }>('select id, dcu_id as "dcuId" from meter order by id limit 1');
  const writer = new ReadingWriter({ ...app.ctx, settings: { timeZone: app.ctx.settings.timeZone } as typeof app.ctx.settings }); // as: it asks for the zone
  await writer.storeProfile({
    meterId: rows[0]?.id ?? '',
    dcuId: rows[0]?.dcuId ?? '',
    profile: 'lpa',
    periodSeconds: 900,
    stamps: Float64Array.of(AT),
    status: undefined,
    channels: CHANNELS.map(({ column }) => Float64Array.of(SHOWN[column][1])),
    readAt: Date.now(),
    source: 'meter',
    traceId: undefined,
  });
  await writer.stop();
});
afterAll(() => app.close());

test('each value of a profile is shown in its unit and under its own name', async () => {
  const answer = await app.call(admin, { url: `/api/reading/profile/lpa?from=${dayText}&to=${dayText}&size=500` });
  expect(answer.statusCode, answer.body).toBe(200);
  const row = answer.json().items.find(({ ts }: { ts: string }) => ts === new Date(AT).toISOString());
  expect(row).toMatchObject(Object.fromEntries(Object.values(SHOWN).map(([key, , shown]) => [key, shown])));
});

test('a file has the same values in the columns that name these units', async () => {
  const keys = Object.values(SHOWN).map(([key]) => key);
  const payload = { format: 'csv', filter: { profile: 'lpa', from: dayText, to: dayText }, columns: ['time', ...keys] };
  const job = await app.call(admin, { method: 'POST', url: '/api/export/reading-profile', payload, headers: { 'accept-language': 'en' } });
  expect(job.statusCode, job.body).toBe(200);
  const file = (await app.call(admin, { url: `/api/export/${job.json().id}/file` })).body;
  const [heading = [], ...lines] = file
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const line = lines.find((cells) => cells.includes('1234.501')) ?? [];
  for (const [, , shown, name] of Object.values(SHOWN)) expect([name, line[heading.indexOf(name)]]).toEqual([name, String(shown)]);
});
