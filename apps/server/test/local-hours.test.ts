import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/platform/clock.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { startOfLocalDay } from '../src/db/local-day.ts';
import { balanceOf } from '../src/features/phases/balance-queries.ts';
import { availability, recentEvents } from '../src/features/dashboard/cards-queries.ts';
import { listOnlineHours } from '../src/features/assets/dcu/queries.ts';
import { heatOfDay, loadOfDay } from '../src/features/dashboard/queries.ts';
import { spanOf } from '../src/features/dashboard/span.ts';
import { listCompleteness } from '../src/features/readings/gap-queries.ts';
import { countByDay, countByDayOfMeter, listProfile } from '../src/features/readings/queries.ts';
import { createBus } from '../src/platform/bus.ts';
import type { User } from '../src/db/context.ts';
import { createLog } from '../src/platform/log.ts';
import { dayNumberOf, dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { scanGaps } from '../src/storage/gaps.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { testApp, type TestApp } from './test-app.ts';
import { smallTown } from './town.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SLOT_MS = HOUR_MS / 4;

/** A zone, a day of it, and how many hours that day has. Change days of both kinds, and quiet ones. */
const DAYS: [zone: string, day: string, hours: number][] = [
  ['UTC', '2025-03-30', 24],
  ['Europe/Berlin', '2025-03-30', 23],
  ['Europe/Berlin', '2025-10-26', 25],
  ['Asia/Kolkata', '2025-06-10', 24],
  ['Asia/Kathmandu', '2025-06-10', 24],
  ['Asia/Tehran', '2022-03-22', 23],
  ['Asia/Tehran', '2022-09-21', 25],
  ['Australia/Adelaide', '2025-04-06', 25],
  ['Australia/Adelaide', '2025-10-05', 23],
  ['Australia/Lord_Howe', '2025-04-06', 24.5],
  ['Australia/Lord_Howe', '2025-10-05', 23.5],
  ['America/St_Johns', '2025-11-02', 25],
  ['Pacific/Chatham', '2025-04-06', 25],
  ['Pacific/Apia', '2025-06-10', 24],
  ['America/Santiago', '2025-09-07', 23],
  ['Atlantic/Azores', '2025-10-26', 25],
  ['Atlantic/Azores', '2025-03-30', 23],
];

let app: TestApp;
let user: User;
let bus: ReturnType<typeof createBus>;
let masters: { id: string; dcuId: string; transformerId: string }[];

beforeAll(async () => {
  app = await testApp();
  const { db } = app.ctx;
  await importCommissioning(app.ctx, smallTown());
  await sql`update meter set inventory_state = case when is_master then 'active' else 'installed' end`.execute(db);
  const rows = await db.selectFrom('meter').where('isMaster', '=', true).select(['id', 'dcuId', 'transformerId']).orderBy('id').execute();
  masters = rows.map(({ id, dcuId, transformerId }) => ({ id, dcuId: dcuId ?? '', transformerId: transformerId ?? '' }));
  bus = createBus();
  user = {
    id: '1',
    username: 'admin',
    name: 'admin',
    sessionId: '1',
    mustChangePassword: false,
    actions: new Map(),
    scope: { kind: 'whole' },
  };
});
afterAll(() => app.close());

describe('PostgreSQL and the runtime', () => {
  test('agree on where every local day begins, at all changes of clocks from 2012 to 2034', async () => {
    const zones = [...new Set([...DAYS.map(([zone]) => zone), 'America/Havana', 'Africa/Cairo', 'Asia/Beirut', 'America/Asuncion'])];
    for (const timeZone of zones) {
      const zone = new Zone(timeZone);
      // St. John's changed its clocks at one minute past midnight until November 2011: all others do at quarters of an hour.
      const first = dayNumberOf('2011-12-01');
      const changes = Array.from({ length: 23 * 365 }, (_, k) => first + k).filter(
        (day) => zone.offsetMs(day * DAY_MS) !== zone.offsetMs((day + 1) * DAY_MS),
      );
      const days = [...new Set([first, ...changes.flatMap((day) => [day - 1, day, day + 1, day + 2])])];
      const { rows } = await app.ctx.pool.query<{ begins: Date }>(
        `select ${startOfLocalDay('d', '$2::text')} as begins from unnest($1::date[]) with ordinality as u (d, n) order by n`,
        [days.map(dayText), timeZone],
      );
      expect(
        rows.map(({ begins }, k) => [dayText(days[k] ?? 0), begins.toISOString()]),
        timeZone,
      ).toEqual(days.map((day) => [dayText(day), new Date(zone.startOf(day)).toISOString()]));
    }
  });
});

/** Both masters, three local days, every interval of both profiles, each with a distinct value. */
async function storeAround(zone: Zone, day: number): Promise<{ begins: number; ends: number }> {
  const { ctx } = app;
  for (const table of ['reading_profile', 'arrival_day', 'reading_gap']) await sql`delete from ${sql.table(table)}`.execute(ctx.db);
  const writer = new ReadingWriter({
    pool: ctx.pool,
    clock: ctx.clock,
    log: createLog('silent'),
    bus,
    settings: { timeZone: zone.timeZone },
  });
  const [begins, ends] = [zone.startOf(day - 1), zone.startOf(day + 2)];
  const count = (ends - begins) / SLOT_MS;
  const stamps = Float64Array.from({ length: count }, (_, k) => begins + k * SLOT_MS);
  const column = (of: (k: number) => number) => Float64Array.from({ length: count }, (_, k) => of(k));
  const power: Record<string, Float64Array> = { p_avg_plus_w: column((k) => 1000 * (k + 1)) };
  const phases: Record<string, Float64Array> = {
    ...Object.fromEntries(['u1_mv', 'u2_mv', 'u3_mv'].map((name) => [name, column(() => 230_000)])),
    i1_ma: column((k) => 10 * (k + 1)),
    ...Object.fromEntries(['i2_ma', 'i3_ma', 'i0_ma'].map((name) => [name, column(() => 0)])),
  };
  await Promise.all(
    masters.flatMap(({ id, dcuId }) =>
      (
        [
          ['lpa', power],
          ['lpb', phases],
        ] as const
      ).map(([profile, values]) =>
        writer.storeProfile({
          meterId: id,
          dcuId,
          profile,
          periodSeconds: 900,
          stamps,
          status: undefined,
          channels: CHANNELS.map((channel) => values[channel.column]),
          readAt: ctx.clock.now(),
          source: 'meter',
          traceId: undefined,
        }),
      ),
    ),
  );
  await writer.stop();
  return { begins, ends };
}

describe.each(DAYS)('In %s the day %s', (timeZone, text, hours) => {
  const zone = new Zone(timeZone);
  const day = dayNumberOf(text);
  const slots = hours * 4;
  const range = { from: dayText(day), to: dayText(day) };
  const three = { from: dayText(day - 1), to: dayText(day + 1) };
  const [begins, ends] = [zone.startOf(day), zone.startOf(day + 1)];
  const every = Array.from({ length: (ends - begins) / SLOT_MS }, (_, k) => begins + k * SLOT_MS);

  beforeAll(() => storeAround(zone, day));

  test(`is ${hours} hours of quarters in lists and counts, by meter and by DCU`, async () => {
    const { db } = app.ctx;
    expect(ends - begins).toBe(hours * HOUR_MS);
    const meterId = masters[0]?.id ?? '';
    const listed = await listProfile(db, user, 'lpa', { ...range, meterId, page: 1, size: 500 }, timeZone);
    expect(listed.items.map(({ ts }) => Date.parse(ts))).toEqual(every);
    const byDay = await countByDay(db, user, { ...three, profile: 'lpa' }, timeZone);
    expect(byDay.map((one) => [one.day, one.got, one.slots])[1]).toEqual([text, 2 * slots, slots]);
    expect(byDay.reduce((sum, { got }) => sum + got, 0)).toBe(2 * byDay.reduce((sum, one) => sum + one.slots, 0));
    const ofMeter = await countByDayOfMeter(db, { ...three, profile: 'lpa', meterId }, timeZone);
    expect(ofMeter.map(({ got }) => got)).toEqual(ofMeter.map((one) => one.slots));
    const matrix = await listCompleteness(db, user, { ...three, profile: 'lpa', page: 1, size: 10 }, timeZone);
    expect(matrix.items).toHaveLength(2);
    for (const { got } of matrix.items) expect(got).toEqual(matrix.days.map(({ expected }) => expected));
  });

  test('shows each of its hours once on the dashboard, whole, and its load in order', async () => {
    const { db } = app.ctx;
    const heat = await heatOfDay(db, user, { day, zone });
    expect(heat.hours.map((at) => Date.parse(at))).toEqual(zone.hoursOf(day).map(({ from }) => from));
    expect(heat.levels).toHaveLength(2);
    for (const { rates } of heat.levels) expect(new Set(rates)).toEqual(new Set([1]));
    const load = await loadOfDay(db, user, undefined, { day, zone });
    expect(load.map(({ at }) => Date.parse(at))).toEqual(every);
    const first = zone.startOf(day - 1);
    expect(load.map(({ kw }) => kw)).toEqual(every.map((at) => 2 * ((at - first) / SLOT_MS + 1)));
  });

  test('counts in every hour of the dashboard what arrived in that hour, not in its neighbour', async () => {
    const { db } = app.ctx;
    const { rows } = await sql<{ hour: Date; got: number }>`
      select hour, sum(got)::int as got from completeness where profile = 'lpa' and hour >= ${new Date(begins)} and hour < ${new Date(ends)} group by hour order by hour`.execute(
      db,
    );
    expect(rows.map(({ hour, got }) => [hour.getTime(), got])).toEqual(
      zone.hoursOf(day).map(({ from, to }) => [from, (2 * (to - from)) / SLOT_MS]),
    );
  });

  test('has a cell of the phase analysis for each of its hours, with the mean of its quarters', async () => {
    const ctx = { ...app.ctx, settings: { ...app.ctx.settings, timeZone } };
    const balance = await balanceOf(ctx, user, masters[0]?.transformerId ?? '', { ...three, day: text });
    expect(balance.slots.map(({ at }) => Date.parse(at))).toEqual(every);
    const shown = balance.heat[1]?.hours ?? [];
    expect(shown.map(({ at }) => Date.parse(at))).toEqual(zone.hoursOf(day).map(({ from }) => from));
    expect(shown.every(({ value }) => value !== null)).toBe(true);
  });

  test('has its events and sessions in the hours in which they were', async () => {
    const { db } = app.ctx;
    await sql`delete from event`.execute(db);
    await sql`
      insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, abnormal_level, source, dedup_hash)
      select 'meter', ${masters[0]?.id}, ${masters[0]?.dcuId}, 'fraud', 40, at, 'occur', '', 'serious', 'pull', convert_to(at::text, 'UTF8')
      from unnest(${every.map((at) => new Date(at))}::timestamptz[]) as at`.execute(db);
    const context = { clock: { ...systemClock, now: () => ends + DAY_MS }, settings: { ...app.ctx.settings, timeZone } };
    const span = spanOf(context, text);
    const events = await recentEvents(db, user, undefined, span);
    expect(events.hours.map(({ at, serious }) => [Date.parse(at), serious])).toEqual(
      zone.hoursOf(day).map(({ from, to }) => [from, (to - from) / SLOT_MS]),
    );
    expect(events.serious).toBe(slots);
    await sql`delete from dcu_session`.execute(db);
    await sql`update dcu set created_at = ${new Date(begins - DAY_MS)}`.execute(db);
    await sql`delete from node`.execute(db);
    await sql`insert into node (started_at, alive_at) values (${new Date(begins - DAY_MS)}, ${new Date(ends + DAY_MS)})`.execute(db);
    const fourth = zone.hoursOf(day)[3] ?? { from: 0, to: 0 };
    await sql`insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at, closed_at)
      values (${masters[0]?.dcuId}, 'dial_in', 'here', ${new Date(fourth.from)}, ${new Date(fourth.from)}, ${new Date(fourth.to)})`.execute(
      db,
    );
    const online = await availability(db, user, undefined, span);
    expect(online.hours.map(({ at }) => Date.parse(at))).toEqual(zone.hoursOf(day).map(({ from }) => from));
    expect(online.hours.map(({ mean }) => mean)).toEqual(zone.hoursOf(day).map((_, k) => (k === 3 ? 1 : 0)));
  });

  test('misses exactly the slots that were not captured', async () => {
    const { db, pool, clock } = app.ctx;
    await sql`delete from reading_profile where meter_id = ${masters[1]?.id}`.execute(db);
    await scanGaps(pool, {
      profile: 'lpa',
      from: begins,
      to: ends - 1,
      timeZone,
      now: clock.now(),
      condition: 'm.id = any($6::bigint[])',
      ids: masters.map(({ id }) => id),
    });
    const { rows } = await sql<{ meterId: string; missing: number; from: Date; to: Date }>`
      select meter_id, sum(missing)::int as missing, min(from_at) as "from", max(to_at) as "to" from reading_gap where state = 'open' group by meter_id`.execute(
      db,
    );
    expect(rows.map((row) => [row.meterId, row.missing, row.from.getTime(), row.to.getTime()])).toEqual([
      [masters[1]?.id, slots, begins, ends - SLOT_MS],
    ]);
    const listed = await listProfile(db, user, 'lpa', { ...range, meterId: masters[1]?.id, page: 1, size: 500 }, timeZone);
    expect(listed.items.map(({ ts, quality }) => [Date.parse(ts), quality])).toEqual(every.map((at) => [at, 'missing']));
  });
});

describe('The last 24 hours', () => {
  test.each(DAYS)('in %s, around %s, are local hours, the running one last', (timeZone, text) => {
    const zone = new Zone(timeZone);
    const begins = zone.startOf(dayNumberOf(text));
    const settings = { ...app.ctx.settings, timeZone };
    for (let now = begins; now < zone.startOf(dayNumberOf(text) + 1); now += 17 * 60_000) {
      const { hours, since, until } = spanOf({ clock: { ...systemClock, now: () => now }, settings }, undefined);
      expect(hours).toHaveLength(24);
      expect(since.getTime()).toBe(hours[0]?.from);
      expect(until.getTime()).toBe(now);
      expect(hours.at(-1)?.from).toBeLessThanOrEqual(now);
      expect(hours.at(-1)?.to).toBeGreaterThan(now);
      const ofToday = spanOf({ clock: { ...systemClock, now: () => now }, settings }, text).hours;
      expect(ofToday.at(-1)).toEqual(hours.at(-1));
    }
  });
});

test.each(['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Chatham'])(
  'the availability of a DCU in %s has hours that begin at hh:00 there, and adds up to the time that it was online',
  async (timeZone) => {
    const { db } = app.ctx;
    const zone = new Zone(timeZone);
    const dcuId = masters[0]?.dcuId ?? '';
    const [online] = zone.hoursUpTo(app.ctx.clock.now(), 6);
    if (online === undefined) throw new Error('No hour');
    await sql`delete from dcu_session`.execute(db);
    await sql`insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at, closed_at, close_reason)
      values (${dcuId}, 'dial_in', 'here', ${new Date(online.from)}, ${new Date(online.from)}, ${new Date(online.to)}, 'peer_closed')`.execute(
      db,
    );
    const hours = zone.hoursUpTo(app.ctx.clock.now(), 72);
    const shown = await listOnlineHours(db, dcuId, hours);
    expect(shown.map(({ startsAt }) => Date.parse(startsAt))).toEqual(hours.map(({ from }) => from));
    for (const { startsAt } of shown) expect(zone.dateTime(Date.parse(startsAt)).slice(14)).toBe('00:00');
    const at = shown.findIndex(({ startsAt }) => Date.parse(startsAt) === online.from);
    expect(shown.map(({ onlineSeconds }) => onlineSeconds)).toEqual(hours.map((_, k) => (k === at ? 3600 : 0)));
  },
);

describe('Where clocks go back within a month', () => {
  test.each(['manager/audit', 'upgrade/record', 'debug/topology-switch'])('a list of %s shows all of its 31 days', async (path) => {
    const admin = await app.addUser({ roles: ['ADMIN'] });
    const zone = new Zone('Europe/Berlin');
    const query = (days: number) => {
      const first = dayNumberOf('2025-10-01');
      return new URLSearchParams({
        from: new Date(zone.startOf(first)).toISOString(),
        to: new Date(zone.startOf(first + days)).toISOString(),
      }).toString();
    };
    const answer = await app.call(admin, { url: `/api/${path}?${query(31)}` });
    expect([answer.statusCode, answer.json().code]).toEqual([200, undefined]);
    expect((await app.call(admin, { url: `/api/${path}?${query(32)}` })).json().code).toBe('RANGE_TOO_LONG');
  });
});

test('a meter that is ignored until a day comes back when that day ends where the utility is', async () => {
  const { db } = app.ctx;
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const { rows } = await sql<{ id: string }>`
    with run as (insert into discovery_run (dcu_id, task_id, mode, state, ends_at) select id, 1, 'plc', 'finished', now() from dcu limit 1 returning id, dcu_id)
    insert into discovered_meter (run_id, dcu_id, sn, address, protocol, comm_mode, phase, hops, first_seen, last_seen)
    select id, dcu_id, 'MX0001', '1', 'dlms', 'plc', 'a', 1, now(), now() from run returning id`.execute(db);
  const id = rows[0]?.id ?? '';
  const payload = { action: 'ignore', ids: [id], reason: 'next door', until: '2030-06-30' };
  expect((await app.call(admin, { method: 'POST', url: '/api/asset/discovery/meter/adopt', payload })).statusCode).toBe(200);
  const found = await db.selectFrom('discoveredMeter').where('id', '=', id).select('ignoredUntil').executeTakeFirstOrThrow();
  expect(found.ignoredUntil).toEqual(new Date(new Zone(app.ctx.settings.timeZone).startOf(dayNumberOf('2030-07-01'))));
});
