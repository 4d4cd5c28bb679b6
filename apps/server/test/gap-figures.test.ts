import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { loadSettings, saveSetting } from '../src/db/settings.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { scanGaps } from '../src/storage/gaps.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const ZONE = 'Asia/Shanghai';
/** Two days ago in the calendar of the utility. */
const day = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE }).format(Date.now() - 2 * DAY_MS);
const midnight = Date.parse(`${day}T00:00:00+08:00`);

let app: TestApp;
let admin: TestUser;
let writer: ReadingWriter;
let meters: { id: string; sn: string; dcuId: string }[] = [];
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  await saveSetting(app.ctx.db, 'timeZone', ZONE);
  app.ctx.settings = await loadSettings(app.ctx.db);
  await app.ctx.pool.query("update meter set inventory_state = 'active'");
  admin = await app.addUser({ roles: ['ADMIN'] });
  meters = (await app.ctx.pool.query<(typeof meters)[number]>('select id, sn, dcu_id as "dcuId" from meter order by sn')).rows;
  writer = new ReadingWriter(app.ctx);
});
afterAll(async () => {
  await writer.stop();
  await app.close();
});
beforeEach(() => app.owner.query('truncate reading_gap; truncate reading_profile; truncate reading_daily; truncate arrival_day'));

const scan = (profile: 'daily' | 'lpa') =>
  scanGaps(app.ctx.pool, {
    profile,
    from: midnight,
    to: midnight + DAY_MS - 1,
    timeZone: ZONE,
    now: Date.now(),
    condition: 'm.id = any($6::bigint[])',
    ids: meters.map(({ id }) => id),
  });
const storeFreeze = ({ id, dcuId }: (typeof meters)[number]) =>
  writer.storeDaily(
    [
      {
        meterId: id,
        dcuId,
        freezeDay: Date.parse(day) / DAY_MS,
        registers: DAILY_REGISTERS.map(() => 10),
        statusWord: undefined,
        deviceTime: undefined,
        readAt: Date.now(),
        source: 'meter',
        traceId: undefined,
      },
    ],
    true,
  );
const storeSlots = ({ id, dcuId }: (typeof meters)[number], slots: number[]) =>
  writer.storeProfile(
    {
      meterId: id,
      dcuId,
      profile: 'lpa',
      periodSeconds: 900,
      stamps: Float64Array.from(slots, (slot) => midnight + slot * QUARTER_MS),
      status: undefined,
      channels: CHANNELS.map(({ column }) => (column === 'e_plus_wh' ? Float64Array.from(slots, () => 1) : undefined)),
      readAt: Date.now(),
      source: 'meter',
      traceId: undefined,
    },
    true,
  );

const get = async (url: string) => (await app.call(admin, { url: `/api${url}` })).json();
const listOf = (profile: string, more = '') => get(`/reading/gap?from=${day}&to=${day}&profile=${profile}&state=open${more}`);
const missingIn = ({ items }: { items: { expected: number; got: number }[] }) =>
  items.reduce((sum, { expected, got }) => sum + expected - got, 0);

describe('the figures of missing readings', () => {
  test('agree with the list when readings have arrived since the last scan', async () => {
    await scan('daily');
    const before = await listOf('daily');
    expect([before.total, missingIn(before.figures)]).toEqual([meters.length, meters.length]);
    for (const meter of meters.slice(0, 3)) await storeFreeze(meter);
    const after = await listOf('daily');
    expect(after.total).toBe(meters.length - 3);
    expect(missingIn(after.figures)).toBe(after.total);
    expect(after.gaps).toEqual({ open: meters.length - 3, filled: 3, lost: 0, no_data: 0 });
    expect(after.figures.missing).toEqual({ open: meters.length - 3, noData: 0, lost: 0, unlisted: 0 });
    expect(Date.now() - Date.parse(after.figures.asOf)).toBeLessThan(60_000);
  });

  test('agree with the list slot by slot when a part of a gap has arrived', async () => {
    await scan('lpa');
    const [first, second] = meters as [(typeof meters)[number], (typeof meters)[number]];
    await storeSlots(
      first,
      Array.from({ length: 96 }, (_, slot) => slot),
    );
    await storeSlots(second, [0, 1, 2, 40]);
    const list = await listOf('lpa');
    const missing = (meters.length - 1) * 96 - 4;
    expect(missingIn(list.figures)).toBe(missing);
    expect(list.figures.missing).toMatchObject({ open: missing, unlisted: 0 });
    expect(list.items.reduce((sum: number, row: { missing: number }) => sum + row.missing, 0)).toBe(missing);
    expect(list.items.some((row: { meterId: string }) => row.meterId === first.id)).toBe(false);
  });

  test('count a gap that reaches beyond the range in part', async () => {
    const { pool } = app.ctx;
    // A UTC day of a profile lies in two days of the utility: 64 slots of it in the first.
    const utcDay = new Date(midnight + 8 * 3_600_000).toISOString().slice(0, 10);
    await pool.query(
      `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at) values ($1, 'lpa', $2::date, 96, $2::date::timestamp at time zone 'UTC', ($2::date + 1)::timestamp at time zone 'UTC' - interval '15 minutes', now())`,
      [meters[0]?.id, utcDay],
    );
    expect((await listOf('lpa')).figures.missing.open).toBe(64);
  });

  test('count missing values that the list of gaps does not contain yet', async () => {
    const { missing } = await get(`/reading/completeness?from=${day}&to=${day}&profile=daily`);
    expect(missing).toEqual({ open: 0, noData: 0, lost: 0, unlisted: meters.length });
  });

  test('of DCUs are zero in days without a monthly freeze, and no failure', async () => {
    const { items } = await get('/reading/completeness/dcus?from=2026-01-10&to=2026-01-12&profile=monthly');
    expect(items.map((row: { expected: number }) => row.expected)).toEqual([0, 0]);
  });

  test('leave out gaps of meters of which no reading is expected any more', async () => {
    await scan('daily');
    await app.ctx.pool.query("update meter set inventory_state = 'in_warehouse' where id = $1", [meters[0]?.id]);
    const list = await listOf('daily');
    expect([list.total, missingIn(list.figures)]).toEqual([meters.length - 1, meters.length - 1]);
    await app.ctx.pool.query("update meter set inventory_state = 'active'");
  });
});
