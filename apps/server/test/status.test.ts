import { meterFacts, type MeterFacts } from '@hes/contract/status/meter-status.ts';
import { DCU_CAUSES } from '@hes/contract/status/dcu-causes.ts';
import { dcuFacts } from '@hes/contract/status/dcu-status.ts';
import { event } from '@hes/contract/event/event.ts';
import { customerFacts, customerStatus } from '@hes/contract/status/customer-status.ts';
import { causesOf } from '@hes/contract/status/cause.ts';
import { METER_CAUSES } from '@hes/contract/status/meter-causes.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let operator: TestUser;
let clerk: TestUser;
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? '0';

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { db } = app.ctx;
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  for (const row of await db.selectFrom('transformer').select(['id', 'code']).execute()) ids.set(row.code, row.id);
  await sql`update meter set inventory_state = 'active'`.execute(db);
  operator = await app.addUser({ roles: ['ADMIN'] });
  clerk = await app.addUser({ roles: ['FW_ENGINEER'] });
});
afterAll(() => app.close());

async function factsFor(user: TestUser, sn: string): Promise<MeterFacts> {
  const answer = await app.call(user, { url: `/api/status/meter/${idOf(sn)}` });
  expect(answer.statusCode).toBe(200);
  return meterFacts.parse(answer.json());
}

test('a meter behind a DCU that is offline says so, with the end of its last connection', async () => {
  const dcu = idOf('DCUN0001');
  await sql`insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at, closed_at, close_reason)
    values (${dcu}, 'dial_in', 'x', now() - interval '2 days', now() - interval '2 days', now() - interval '1 day', 'heartbeat_lost')`.execute(
    app.ctx.db,
  );
  await sql`update dcu set online_status = 'offline' where id = ${dcu}`.execute(app.ctx.db);
  // Meters that were added just now have not been silent for a day.
  expect((await factsFor(operator, 'MN0002')).line).toMatchObject({ meters: 2, silent: 0 });
  await sql`update meter set created_at = now() - interval '2 days', installed_at = now() - interval '2 days'`.execute(app.ctx.db);
  const facts = await factsFor(operator, 'MN0002');
  expect(facts.line).toMatchObject({ sn: 'DCUN0001', onlineStatus: 'offline', closeReason: 'heartbeat_lost', meters: 2, silent: 2 });
  expect(Date.now() - Date.parse(facts.line?.since ?? '')).toBeGreaterThan(23 * 3_600_000);
  expect(causesOf(METER_CAUSES, facts)[0]).toBe('line_offline');
  expect(facts.timeline.map(({ kind }) => kind)).toEqual(['disconnected', 'connected']);
});

test('attempts of a meter are found alone and in an item that it shares', async () => {
  const { db } = app.ctx;
  const [dcu, meter, other] = [idOf('DCUS0001'), idOf('MS0002'), idOf('MS0001')];
  const task = await sql<{
    id: string;
  }>`insert into task (kind, source, title, priority) values ('lpa', 'plan', 'x', 5) returning id`.execute(db);
  const taskId = task.rows[0]?.id;
  await sql`insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id, state, reason_code, finished_at)
    values (${taskId}, 'lpa', 5, 'meter', ${dcu}, ${meter}, 'read_fail', 'METER_TIMEOUT', now() - interval '1 hour')`.execute(db);
  await sql`insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_ids, state, reason_code, details, finished_at)
    values (${taskId}, 'lpa', 5, 'meter', ${dcu}, array[${other}::bigint, ${meter}::bigint], 'read_fail', 'NO_ROUTE',
      '[{"reasonText":"of the other"},{"reasonText":"of this one"}]', now())`.execute(db);
  const { attempts } = await factsFor(operator, 'MS0002');
  expect(attempts?.map(({ reasonCode, reasonText }) => [reasonCode, reasonText])).toEqual([
    ['NO_ROUTE', 'of this one'],
    ['METER_TIMEOUT', null],
  ]);
});

test('the route leads over the stations of the reported network', async () => {
  const { db } = app.ctx;
  const dcu = idOf('DCUS0001');
  const node = (mac: string, sn: string, parent: string | null, level: number, isOnline: boolean) =>
    sql`insert into topology_node (dcu_id, mac, node_id, sn, parent_mac, level, role, phase, link, signal_value, last_seen_at, is_online)
      values (${dcu}, ${mac}, ${level}, ${sn}, ${parent}, ${level}, 'sta', 'a', 'plc', 20, now(), ${isOnline})`.execute(db);
  await node('0A01', 'MS0001', null, 1, false);
  await node('0A02', 'MS0002', '0A01', 2, true);
  await node('0A03', 'MS0009', '0A01', 2, true);
  const { network } = await factsFor(operator, 'MS0002');
  expect(network?.station).toMatchObject({ level: 2, siblings: 1, siblingsOnline: 1, route: [{ sn: 'MS0001', isOnline: false }] });
});

test('facts of pages beyond the rights of the user are null, and are no part of the timeline', async () => {
  const facts = await factsFor(clerk, 'MN0002');
  expect(facts).toMatchObject({ attempts: null, events: null, gaps: null, loss: null, network: null, clock: null, anomalies: null });
  expect(facts.line).not.toBeNull();
});

test('a meter outside of the area is not found', async () => {
  const limited = await app.addUser({ transformers: [idOf('TN')] });
  const answer = await app.call(limited, { url: `/api/status/meter/${idOf('MS0002')}` });
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'METER_NOT_FOUND']);
});

test('the status of a DCU counts its connections and lists its silent meters', async () => {
  const answer = await app.call(operator, { url: `/api/status/dcu/${idOf('DCUN0001')}` });
  const facts = dcuFacts.parse(answer.json());
  expect(facts).toMatchObject({
    sn: 'DCUN0001',
    onlineStatus: 'offline',
    closeReason: 'heartbeat_lost',
    connections: 0,
    meters: 2,
    silent: 2,
  });
  expect(facts.silentMeters.map(({ sn }) => sn)).toEqual(['MN0001', 'MN0002']);
  expect(causesOf(DCU_CAUSES, facts)).toEqual(['offline']);
});

test('a DCU outside of the area is not found', async () => {
  const limited = await app.addUser({ transformers: [idOf('TN')] });
  expect((await app.call(limited, { url: `/api/status/dcu/${idOf('DCUS0001')}` })).statusCode).toBe(404);
});

test('a customer is found by number and by name, with the meters, bills and replacements of the supply', async () => {
  const { db } = app.ctx;
  const [old, meter] = [idOf('MS0001'), idOf('MS0002')];
  await sql`update meter set customer_no = 'C-77/1', customer_name = 'Mill Lane Bakery', address = '1 Mill Lane' where id = ${meter}`.execute(
    db,
  );
  await sql`insert into meter_exchange (at, old_meter_id, new_meter_id, transformer_id, customer_no, final_registers, initial_registers)
    values (now(), ${old}, ${meter}, ${idOf('TS')}, 'C-77/1', array[812.5] || array_fill(null::numeric, array[9]), array_fill(0::numeric, array[10]))`.execute(
    db,
  );
  await sql`with period as (insert into bill_period (kind, first_day, last_day, state) values ('month', '2026-01-01', '2026-01-31', 'calculated') returning id)
    insert into bill_line (period_id, meter_id, transformer_id, ratio, used, status, currency, amount, calculated_at)
    select id, ${meter}, ${idOf('TS')}, 1, array[120.5, 0]::numeric[], 'complete', 'CNY', 60.25, now() from period`.execute(db);
  const search = async (user: TestUser, text: string) => {
    const answer = await app.call(user, { url: `/api/status/customer/search?text=${encodeURIComponent(text)}` });
    return customerStatus.search.response.parse(answer.json()).items;
  };
  const found = { no: 'C-77/1', name: 'Mill Lane Bakery', meters: 1 };
  expect(await search(operator, 'c-77')).toEqual([found]);
  expect(await search(operator, 'lane bak')).toEqual([found]);
  const url = `/api/status/customer?no=${encodeURIComponent('C-77/1')}`;
  const facts = customerFacts.parse((await app.call(operator, { url })).json());
  expect(facts).toMatchObject({ name: 'Mill Lane Bakery', address: '1 Mill Lane', meterCount: 1 });
  expect(facts.meters.map(({ sn }) => sn)).toEqual(['MS0002']);
  expect(facts.bills).toMatchObject([{ lastDay: '2026-01-31', plus: 120.5, amount: 60.25, currency: 'CNY', status: 'complete' }]);
  expect(facts.exchanges).toMatchObject([{ oldSn: 'MS0001', newSn: 'MS0002', finalKwh: 812.5, initialKwh: 0 }]);
  const limited = await app.addUser({ transformers: [idOf('TN')] });
  expect((await app.call(limited, { url })).statusCode).toBe(404);
  expect(await search(limited, 'lane bak')).toEqual([]);
});

test('incidents are ordered by their weight: hours without recovery, over all members', async () => {
  const { db } = app.ctx;
  const [dcu, north, south] = [idOf('DCUN0001'), idOf('MN0001'), idOf('MN0002')];
  const incident = async (code: number, members: { meter: string; from: string; to: string | null }[]) => {
    const { rows } = await sql<{ id: string }>`insert into incident (dcu_id, log, code, opened_at, last_at)
      values (${dcu}, 'standard', ${code}, now() - interval '9 hours', now()) returning id`.execute(db);
    for (const { meter, from, to } of members)
      await sql`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash, abnormal_level, incident_id, recovered_at)
        values ('meter', ${meter}, ${dcu}, 'standard', ${code}, now() - ${from}::interval, 'occur', '', 'pull', ${Buffer.from(`${code} ${meter} ${from}`)},
          'serious', ${rows[0]?.id}, ${to === null ? null : sql`now() - ${to}::interval`})`.execute(db);
    return rows[0]?.id;
  };
  await sql`insert into event_code (log, code, name_en, name_zh, abnormal_level, direction, pair_code, enabled)
    values ('standard', 901, 'Down', '停电', 'serious', 'occur', 902, true), ('standard', 903, 'Moment', '瞬时', 'serious', 'occur', null, true)`.execute(
    db,
  );
  const ended = await incident(901, [
    { meter: north, from: '8 hours', to: '5 hours' },
    { meter: south, from: '8 hours', to: '4 hours' },
  ]);
  const ongoing = await incident(901, [{ meter: north, from: '9 hours', to: null }]);
  const moment = await incident(903, [{ meter: north, from: '9 hours', to: null }]);
  const answer = await app.call(operator, { url: '/api/event/incident?codes=standard:901,standard:903&sort=weight,desc' });
  const { items } = event.incidents.response.parse(answer.json());
  expect(items.map(({ id }) => id)).toEqual([ongoing, ended, moment]);
  expect(items.map(({ weight }) => Math.round(weight))).toEqual([9, 7, 0]);
  // Of the same weight, the serious one comes first.
  const calm = await incident(903, [
    { meter: north, from: '8 hours', to: null },
    { meter: south, from: '8 hours', to: null },
  ]);
  await sql`update event set abnormal_level = null where incident_id = ${calm}`.execute(db);
  const moments = await app.call(operator, { url: '/api/event/incident?codes=standard:903&sort=weight,desc' });
  expect(event.incidents.response.parse(moments.json()).items.map(({ id }) => id)).toEqual([moment, calm]);
  // By level, a serious event that nothing ends precedes a calm one with hours.
  await sql`update event set abnormal_level = null where incident_id = ${ongoing}`.execute(db);
  const byLevel = await app.call(operator, { url: '/api/event/incident?codes=standard:901,standard:903&sort=abnormalLevel,desc' });
  expect(event.incidents.response.parse(byLevel.json()).items.map(({ id }) => id)).toEqual([ended, moment, ongoing, calm]);
});

test('a photo is kept with a replacement once, by what its octets are, and only in the own area', async () => {
  const { rows } = await sql<{ id: string }>`insert into meter_exchange (at, old_meter_id, transformer_id)
    values (now(), ${idOf('MS0001')}, ${idOf('TS')}) returning id`.execute(app.ctx.db);
  const url = `/api/asset/exchange/${rows[0]?.id}/photo`;
  const send = (user: TestUser, payload: Buffer) =>
    app.call(user, { method: 'POST', url, payload, headers: { 'content-type': 'application/octet-stream' } });
  const photo = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(64)]);
  const limited = await app.addUser({ transformers: [idOf('TN')] });
  expect((await send(limited, photo)).statusCode).toBe(404);
  expect((await send(operator, Buffer.from('<svg onload="alert(1)"/>'))).json()).toMatchObject({ code: 'NO_PHOTO' });
  expect((await send(operator, Buffer.alloc(2 * 1024 * 1024 + 1, 0xff))).statusCode).toBe(413);
  expect((await send(operator, photo)).statusCode).toBe(204);
  expect((await send(operator, photo)).json()).toMatchObject({ code: 'PHOTO_EXISTS' });
  const stored = await app.call(operator, { url });
  expect(stored.headers['content-type']).toBe('image/jpeg');
  expect(stored.rawPayload).toEqual(photo);
  expect((await app.call(limited, { url })).statusCode).toBe(404);
  const { rows: told } = await sql<{ detail: unknown }>`select detail from audit_log where action = 'exchange_photo_added'`.execute(
    app.ctx.db,
  );
  expect(told).toMatchObject([{ detail: { sn: 'MS0001', size: photo.length } }]);
});
