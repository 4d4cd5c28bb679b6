import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LOADED_TRACE } from '@hes/contract/states/loaded.ts';
import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { startDemo } from '../src/composition/demo.ts';
import { findNames, PAST_SETTING } from '../src/composition/demonstration.ts';
import { loadPast } from '../src/composition/demonstration-past.ts';
import { pastDays, type Simulator } from '../src/composition/simulator.ts';
import { findSetting } from '../src/db/settings.ts';
import { EventWriter } from '../src/storage/events/event-writer.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { testApp, type TestApp } from './test-app.ts';

const HOST = '127.0.0.1';
const DAYS = 30;
const folder = mkdtempSync(path.join(tmpdir(), 'hes-past-'));

let app: TestApp;
let simulator: Simulator;
let writer: ReadingWriter;
let events: EventWriter;
let transformers: string[];

const rows = async <T extends object>(text: string, values: unknown[] = []) => (await app.owner.query<T>(text, values)).rows;
const door = () => simulator.door() ?? { port: 0, secret: '' };
const ask = async <T>(address: string): Promise<T> =>
  (await (await fetch(`http://${HOST}:${door().port}${address}`, { headers: { authorization: `Bearer ${door().secret}` } })).json()) as T; // as: the simulator's form
const load = () =>
  loadPast({ ctx: app.ctx, writer, events }, { door: door(), transformers, days: DAYS, signal: new AbortController().signal });

beforeAll(async () => {
  vi.stubEnv('SIM_CHANNEL', 'fast');
  vi.stubEnv('SIM_SCALE', 'town');
  app = await testApp();
  writer = new ReadingWriter(app.ctx);
  events = new EventWriter(app.ctx);
  // Port 9: no head-end listens, so that nothing but the past is stored.
  simulator = await startDemo(app.ctx, app.ctx.settings, { host: HOST, port: 9, keysFile: path.join(folder, 'keys.json') });
  // Two streets are enough, and the last one has the DCU that never answers.
  ({ transformers } = await findNames(app.ctx.db));
  transformers = [transformers[0] ?? '', transformers.at(-1) ?? ''];
  await load();
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await simulator.stop();
  await writer.stop();
  await events.stop();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

test('only the demonstration has a past, unless a test wants one', () => {
  expect([pastDays({}), pastDays({ SIM_SCALE: 'town' }), pastDays({ SIM_SCALE: 'town', SIM_PAST_DAYS: '3' })]).toEqual([42, 0, 3]);
});

test('the loaded readings are those with which the meters answer, and say that they were loaded', async () => {
  const found = await rows<{ sn: string; day: string; plus: string; t4: string; minus: string; trace: string }>(
    `select m.sn, freeze_date::text as day, e_plus * 1000 as plus, e_plus_t4 * 1000 as t4, e_minus * 1000 as minus, r.trace_id as trace
     from reading_daily r join meter m on m.id = r.meter_id`,
  );
  const days = new Set(found.map(({ day }) => day));
  const today = dayText(new Zone(app.ctx.settings.timeZone).dayOf(app.ctx.clock.now()));
  expect([days.size, days.has(today)]).toEqual([DAYS, true]);
  for (const row of found.filter((_row, at) => at % 97 === 0)) {
    const truth = await ask<{ ePlus: number; ePlusT: number[]; eMinus: number }>(`/truth/meter/${row.sn}/daily?date=${row.day}`);
    expect([Number(row.plus), Number(row.t4), Number(row.minus), row.trace]).toEqual([
      truth.ePlus,
      truth.ePlusT[3],
      truth.eMinus,
      LOADED_TRACE,
    ]);
  }
});

test('meters that never answer have no past', async () => {
  const { truth } = await ask<{ truth: { problems: Record<string, string[]> } }>('/world');
  const never = [...(truth.problems['silentMeters'] ?? []), ...(truth.problems['wrongKeyMeters'] ?? [])];
  const absent = truth.problems['absentDcus'] ?? [];
  expect(
    await rows(
      `select m.sn from reading_daily r join meter m on m.id = r.meter_id join endpoint e on e.id = m.dcu_id where m.sn = any($1) or e.sn = any($2)`,
      [never, absent],
    ),
  ).toEqual([]);
  const [known] = await rows<{ meters: number }>(
    'select count(*)::int as meters from meter m join endpoint e on e.id = m.dcu_id where e.sn = any($1)',
    [absent],
  );
  expect(known?.meters).toBeGreaterThan(0);
});

test('events have causes and recoveries, and clocks their deviations', async () => {
  const [event] = await rows<{ events: number; incidents: number; recovered: number; traces: string[] }>(
    `select count(*)::int as events, count(distinct incident_id)::int as incidents, count(recovered_at)::int as recovered,
       array_agg(distinct trace_id)::text[] as traces from event`,
  );
  expect(event?.events).toBeGreaterThan(20);
  expect(event?.incidents).toBeGreaterThan(0);
  expect(event?.recovered).toBeGreaterThan(0);
  expect(event?.traces).toEqual([LOADED_TRACE]);
  const clocks = await rows<{ ms: string; shown: string; at: Date }>(
    `select deviation_ms as ms, device_time as shown, read_at as at from device_clock where trace_id = $1`,
    [LOADED_TRACE],
  );
  expect(clocks.length).toBeGreaterThan(20);
  for (const { ms, shown, at } of clocks)
    expect(Date.parse(shown.replace(' ', 'T').replace(' ', '')) - at.getTime()).toBeCloseTo(Number(ms), -4);
  expect(clocks.some(({ ms }) => Number(ms) !== 0)).toBe(true);
});

test('relays are read from the meters by one order of the lowest priority, instead of being loaded', async () => {
  const [task] = await rows<{ kind: string; source: string; priority: number; total: number }>(
    'select kind, source, priority, total from task',
  );
  const [known] = await rows<{ relays: number; read: number }>(
    `select count(*)::int as relays, count(relay_read_at)::int as read from meter m join meter_type t on t.id = m.meter_type_id
     where t.has_relay and not m.is_master and m.dcu_id is not null`,
  );
  expect(task).toEqual({ kind: 'relay_read', source: 'system', priority: 9, total: known?.relays });
  expect(known?.read).toBe(0);
});

test('is loaded once: the next start changes nothing', async () => {
  expect(await findSetting(app.ctx.db, PAST_SETTING)).toMatchObject({ loadedAt: expect.any(String) });
  await app.owner.query('delete from device_clock');
  await load();
  expect(await rows('select device_id from device_clock')).toEqual([]);
});
