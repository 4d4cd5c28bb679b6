import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let all: TestUser;
let north: TestUser;

beforeAll(async () => {
  app = await testApp();
  const { db } = app.ctx;
  await importCommissioning(app.ctx, smallTown());
  const { id } = await db.selectFrom('networkLevel').select('id').where('code', '=', 'DN').executeTakeFirstOrThrow();
  all = await app.addUser({ roles: ['ADMIN'] });
  north = await app.addUser({ scope: [id] });
  await sql`
    insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, abnormal_level, source, dedup_hash)
    select 'meter', meter.id, meter.dcu_id, 'fraud', 40, now() - interval '5 minutes', 'occur', '', 'serious', 'pull', convert_to(meter.sn, 'UTF8')
    from meter where dcu_id is not null`.execute(db);
  await sql`
    insert into event (device_kind, dcu_id, log, code, occur_at, direction, raw, abnormal_level, source, dedup_hash)
    select 'dcu', id, 'dcu', 9999, now() - interval '30 hours', 'occur', '', 'warning', 'pull', convert_to(sn, 'UTF8') from dcu`.execute(
    db,
  );
  await sql`update archive_record set bind_state = 'not_bound', dispatch_state = 'distributed' where sn = 'MN0001'`.execute(db);
  await sql`
    insert into topology_node (dcu_id, mac, node_id, sn, level, role, phase, link, signal_value, last_seen_at, is_online)
    select dcu_id, sn, 1, sn, 1, 'sta', 'a', 'plc', 30, now(), sn <> 'MN0002' from meter where dcu_id is not null`.execute(db);
  await sql`update dcu set created_at = now() - interval '3 days'`.execute(db);
  await sql`insert into node (started_at, alive_at) values (now() - interval '3 days', now())`.execute(db);
  await sql`
    insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at)
    select id, 'dial_in', 'here', now() - interval '3 hours', now() - interval '3 hours' from dcu`.execute(db);
  await sql`
    insert into energy_balance (transformer_id, day, supply_kwh, sold_kwh, plus_kwh, minus_kwh, missing_kwh, meters_expected, meters_data)
    select id, '2026-11-20', 100, 90, 90, 0, 0, 1, 1 from transformer`.execute(db);
  await sql`
    insert into anomaly (meter_id, day, type, value_kwh, reference_kwh)
    select id, '2026-11-20', 'sudden_decrease', 1, 9 from meter where sn = 'MN0001'`.execute(db);
});
afterAll(() => app.close());

const get = async (user: TestUser, path: string) => (await app.call(user, { url: `/api/dashboard/${path}` })).json();

test('the load of a slot is shown once the master meters are stored, and not before', async () => {
  const { db } = app.ctx;
  await sql`
    insert into reading_profile (meter_id, profile, day, period_s, present, status, p_avg_plus_w, read_at, source)
    select id, 'lpa', (now() at time zone 'UTC')::date - d, 900, 96, array_fill(0, array[96]),
      case when sn = 'MN0001' then array_fill(2000, array[96]) else array_fill(3000, array[48]) || array_fill(null::int, array[48]) end, now(), 'meter'
    from meter, generate_series(0, 2) as d where is_master`.execute(db);
  const { load } = await get(all, 'summary');
  expect(load.yesterday).toHaveLength(96);
  const powers = load.yesterday.map(({ kw }: { kw: number | null }) => kw);
  expect(new Set(powers)).toEqual(new Set([5, null]));
  expect(powers.filter((kw: number | null) => kw === 5)).toHaveLength(48);
});

describe('the cards of the dashboard', () => {
  test('count abnormal events of the last 24 hours by hour, and show the latest with their names', async () => {
    const answer = await get(all, 'events');
    expect(answer.hours).toHaveLength(24);
    expect(answer.warning).toBe(0);
    expect(answer.serious).toBe(answer.hours.reduce((sum: number, hour: { serious: number }) => sum + hour.serious, 0));
    expect(answer.latest[0]).toMatchObject({ level: 'serious', log: 'fraud', code: 40 });
    expect((await get(north, 'events')).serious).toBeLessThan(answer.serious);
  });

  test('show the selected day, and are empty for hours without observations', async () => {
    const { rows } = await sql<{ day: string }>`
      select ((now() - interval '30 hours') at time zone ${app.ctx.settings.timeZone})::date::text as day`.execute(app.ctx.db);
    const date = rows[0]?.day ?? '';
    const events = await get(all, `events?date=${date}`);
    expect(events.hours).toHaveLength(24);
    expect(events).toMatchObject({ warning: 2 });
    expect(events.latest[0]).toMatchObject({ code: 9999 });
    expect((await get(all, 'losses?date=2026-11-20')).items).not.toEqual([]);
    expect((await get(all, 'losses?date=2026-11-19')).items).toEqual([]);
    expect(await get(all, 'anomalies?date=2026-11-19')).toMatchObject({ day: null });
    expect((await get(all, `availability?date=${date}`)).hours.every((hour: { max: number }) => hour.max === 0)).toBe(true);
    const { completeness, load } = await get(all, `summary?date=${date}`);
    expect(completeness.at(-1).day).toBe(date);
    expect(completeness).toHaveLength(7);
    expect(load.today.length).toBeGreaterThanOrEqual(92);
  });

  test('S-291 S-292 S-293 S-294: name the four combinations of binding and dispatch, those without members too', async () => {
    const { items } = await get(all, 'archives');
    expect(items).toHaveLength(4);
    expect(
      items.find((pair: { bind: string; dispatch: string }) => pair.bind === 'not_bound' && pair.dispatch === 'distributed').count,
    ).toBe(1);
  });

  test('sort stations by their signal; one that is gone has none', async () => {
    const { bySignal } = await get(north, 'signal');
    expect(bySignal).toMatchObject({ outstanding: 1, no_signal: 1, poor: 0 });
  });

  test('tell the anomalies and the losses of the last day that was balanced', async () => {
    const anomalies = await get(all, 'anomalies');
    expect(anomalies.day).toBe('2026-11-20');
    expect(anomalies.byType.sudden_decrease).toBe(1);
    const { items } = await get(north, 'losses');
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ lossKwh: 10, lossPercent: 10 });
  });

  test('draw how many DCUs were online, hour by hour', async () => {
    const { total, hours } = await get(all, 'availability');
    expect(total).toBe(2);
    expect(hours).toHaveLength(24);
    expect(hours.at(-1)).toMatchObject({ mean: 2, max: 2, percent: 100 });
    expect(hours[0]).toMatchObject({ max: 0, percent: 0 });
  });

  test('follow the node they are asked about', async () => {
    const { id } = await app.ctx.db.selectFrom('dcu').select('id').where('sn', '=', 'DCUS0001').executeTakeFirstOrThrow();
    expect((await get(all, `availability?node=dcu:${id}`)).total).toBe(1);
    expect((await get(north, `availability?node=dcu:${id}`)).total).toBe(0);
  });
});
