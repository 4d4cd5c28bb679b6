import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LOADED_TRACE, LOADED_USER_TEXT } from '@hes/contract/states/loaded.ts';
import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { startDemo } from '../src/composition/demo.ts';
import { findNames, PAST_SETTING, storedDemonstration } from '../src/composition/demonstration.ts';
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
let names: { transformers: string[]; dcus: string[] };

const rows = async <T extends object>(text: string, values: unknown[] = []) => (await app.owner.query<T>(text, values)).rows;
const today = () => new Zone(app.ctx.settings.timeZone).dayOf(app.ctx.clock.now());
const door = () => simulator.door() ?? { port: 0, secret: '' };
const ask = async <T>(address: string): Promise<T> =>
  (await (await fetch(`http://${HOST}:${door().port}${address}`, { headers: { authorization: `Bearer ${door().secret}` } })).json()) as T; // as: the simulator's form
const load = () =>
  loadPast({ ctx: app.ctx, writer, events }, { door: door(), names, days: DAYS, language: 'en', signal: new AbortController().signal });

beforeAll(async () => {
  vi.stubEnv('SIM_CHANNEL', 'fast');
  vi.stubEnv('SIM_SCALE', 'town');
  app = await testApp();
  writer = new ReadingWriter(app.ctx);
  events = new EventWriter(app.ctx);
  // Port 9: no head-end listens, so that nothing but the past is stored.
  simulator = await startDemo(app.ctx, app.ctx.settings, { host: HOST, port: 9, keysFile: path.join(folder, 'keys.json') });
  // Two streets are enough, and the last one has the DCU that never answers.
  names = await findNames(app.ctx.db);
  names = { ...names, transformers: [names.transformers[0] ?? '', names.transformers.at(-1) ?? ''] };
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
    'select kind, source, priority, total from task where not is_loaded',
  );
  const [known] = await rows<{ relays: number; read: number }>(
    `select count(*)::int as relays, count(relay_read_at)::int as read from meter m join meter_type t on t.id = m.meter_type_id
     where t.has_relay and not m.is_master and m.dcu_id is not null`,
  );
  expect(task).toEqual({ kind: 'relay_read', source: 'system', priority: 9, total: known?.relays });
  expect(known?.read).toBe(0);
});

test('each past night has a run with the failures that its meters and DCUs had, and says that it was loaded', async () => {
  const { nights, silentMeters, wrongKeyMeters, absentDcus } = await ask<{
    nights: { day: string; away: string[] }[];
    silentMeters: string[];
    wrongKeyMeters: string[];
    absentDcus: string[];
  }>(`/past?from=${dayText(today() - DAYS + 1)}&to=${dayText(today())}`);
  const runs = await rows<{ taskId: string; day: string; ok: number; failed: number; loaded: boolean }>(
    `select t.id as "taskId", (r.at at time zone $1)::date::text as day, t.ok, t.failed, t.is_loaded as loaded
     from plan_run r join task t on t.id = r.task_id join collect_plan p on p.id = r.plan_id where p.name = 'Daily freeze' order by r.at`,
    [app.ctx.settings.timeZone],
  );
  expect(runs.length).toBeGreaterThanOrEqual(13);
  expect(runs.every(({ loaded }) => loaded)).toBe(true);
  const night = runs.find(({ day }) => nights.some((one) => one.day === day && one.away.length > 0));
  const away = nights.find(({ day }) => day === night?.day)?.away ?? [];
  expect(away).not.toEqual([]);
  const outcome = await rows<{ sn: string; dcu: string; reason: string | null }>(
    `select m.sn, e.sn as dcu, i.reason_code as reason from task_item_device i join meter m on m.id = i.meter_id join endpoint e on e.id = i.dcu_id where i.task_id = $1`,
    [night?.taskId],
  );
  const expected = ({ sn, dcu }: { sn: string; dcu: string }) => {
    if ([...absentDcus, ...away].includes(dcu)) return 'DCU_OFFLINE';
    return wrongKeyMeters.includes(sn) ? 'AUTH_FAILED' : silentMeters.includes(sn) ? 'METER_TIMEOUT' : null;
  };
  expect(outcome.filter((one) => one.reason !== expected(one))).toEqual([]);
  expect(outcome.filter(({ reason }) => reason !== null)).toHaveLength(night?.failed ?? -1);
  expect(new Set(outcome.map(({ reason }) => reason)).size).toBeGreaterThan(2);
});

test('readings of a night in which the DCU was away were read after it connected', async () => {
  const late = await rows<{ hours: number }>(
    `select extract(hour from (read_at - freeze_date::timestamp at time zone $1))::int as hours from reading_daily
     where read_at > freeze_date::timestamp at time zone $1 + interval '2 hours'`,
    [app.ctx.settings.timeZone],
  );
  expect(late.every(({ hours }) => hours >= 5 && hours < 9)).toBe(true);
});

test('the staff cannot sign in before an administrator sets a password, and one person sees one transformer', async () => {
  const staff = await rows<{ id: string; username: string; lock: boolean; hash: string; reason: string }>(
    `select id, username, lock, password_hash as hash, lock_reason as reason from app_user where username like 'demo.%'`,
  );
  expect(staff.map(({ username }) => username).toSorted()).toEqual(
    ['auditor', 'data', 'firmware', 'network', 'operator', 'relief'].map((duty) => `demo.${duty}`),
  );
  for (const { lock, hash, reason } of staff) expect([lock, hash.length < 10, reason]).toEqual([true, true, LOADED_USER_TEXT.en]);
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const network = staff.find(({ username }) => username === 'demo.network');
  const call = async (method: 'GET' | 'PUT', url: string, payload?: object) =>
    app.call(admin, { method, url: `/api${url}`, ...(payload ? { payload } : {}) });
  const user = (await call('GET', `/manager/user/${network?.id}`)).json();
  expect(user).toMatchObject({ isSealed: true, roles: [{ code: 'COMM_ENGINEER_DEMO' }] });
  const areas = await rows(
    'select t.code from role_scope s join role r on r.id = s.role_id join transformer t on t.id = s.transformer_id where r.code = $1',
    ['COMM_ENGINEER_DEMO'],
  );
  expect(areas).toEqual([{ code: names.transformers[0] }]);
  const password = 'Lantern-Of-The-Harbour-7';
  expect((await call('PUT', `/manager/user/${network?.id}/reset-password`, { newPassword: password, mustChange: true })).statusCode).toBe(
    204,
  );
  expect((await call('GET', `/manager/user/${network?.id}`)).json()).toMatchObject({ lock: true, isSealed: true });
});

test('firmware that the meters accept waits for an approval, and meters have the versions that they run', async () => {
  const drafts = await rows<{ name: string; state: string; by: string | null; types: number }>(
    'select name, state, created_by as by, cardinality(type_ids) as types from firmware order by name',
  );
  expect(drafts).toEqual([
    { name: 'HES-MP', state: 'draft', by: null, types: 2 },
    { name: 'LYN-MR', state: 'draft', by: null, types: 2 },
  ]);
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const list = (await app.call(admin, { url: '/api/upgrade/firmware' })).json();
  expect(list.items.map((row: { mayApprove: boolean; createdByName: unknown }) => [row.mayApprove, row.createdByName])).toEqual([
    [true, null],
    [true, null],
  ]);
  expect(await rows('select distinct firmware_version as version from meter where firmware_version is not null order by 1')).toEqual([
    { version: 'HES-MP 2.4.1' },
    { version: 'LYN-MR 1.9.0' },
  ]);
});

test('the audit log has one row of the moment of loading, and its chain is whole', async () => {
  expect(
    await rows(
      "select user_id as user, detail->>'users' as users, at > now() - interval '10 minutes' as fresh from audit_log where action = 'demonstration_loaded'",
    ),
  ).toEqual([{ user: null, users: '6', fresh: true }]);
});

test('is loaded once: the next start changes nothing', async () => {
  expect(await findSetting(app.ctx.db, PAST_SETTING)).toMatchObject({ loadedAt: expect.any(String) });
  await app.owner.query('delete from device_clock');
  await load();
  expect(await rows('select device_id from device_clock')).toEqual([]);
  expect(await rows("select id from audit_log where action = 'demonstration_loaded'")).toHaveLength(1);
});

test('the removal of the demonstration takes staff, firmware and runs with it', async () => {
  const demonstration = storedDemonstration(app.ctx, () => Promise.resolve());
  await demonstration.removeAtStart();
  expect(await rows("select username from app_user where username like 'demo.%' and deleted_at is null")).toEqual([]);
  expect(await rows("select code from role where code like '%_DEMO'")).toEqual([]);
  for (const table of ['firmware', 'firmware_file', 'task', 'plan_run']) expect(await rows(`select id from ${table}`)).toEqual([]);
});
