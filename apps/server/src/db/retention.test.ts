import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { smallTown } from '../../test/town.ts';
import { findTrace } from '../features/diagnostics/trace/queries.ts';
import { createSecrets } from '../platform/secrets.ts';
import { createPartitions } from './partitions.ts';
import { deleteExpiredRows } from './retention.ts';
import { importCommissioning } from './seed/import-commissioning.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW - days * DAY_MS);

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  const { pool } = database;
  for (const month of ['2015_01', '2016_06', '2024_04', '2024_05']) {
    const first = `${month.replace('_', '-')}-01`;
    for (const table of ['reading_daily', 'reading_profile']) await pool.query('select add_month($1::regclass, $2::date)', [table, first]);
  }
  const user = "(select id from app_user where username = 'admin')";
  for (const [id, days] of [
    ['00000000-0000-4000-8000-000000000001', 91],
    ['00000000-0000-4000-8000-000000000002', 89],
  ] as const)
    await pool.query(`insert into user_session (id, user_id, refresh_hash, expires_at) values ($1, ${user}, '', $2)`, [id, daysAgo(days)]);
  for (const days of [181, 179, undefined])
    await pool.query("insert into task (kind, source, title, finished_at) values ('lpa', 'user', 'x', $1)", [
      days === undefined ? null : daysAgo(days),
    ]);
});
afterAll(() => database.drop());

test('rows older than the setting are deleted, and no others', async () => {
  const forgotten = await deleteExpiredRows(database.pool, NOW);
  expect(forgotten).toMatchObject({ sessions: 1, tasks: 1 });
  expect(forgotten.months.filter((name) => name.startsWith('reading'))).toEqual([
    'reading_daily_2015_01',
    'reading_profile_2015_01',
    'reading_profile_2016_06',
    'reading_profile_2024_04',
  ]);
  expect(await deleteExpiredRows(database.pool, NOW)).toEqual({ sessions: 0, tasks: 0, events: 0, networks: 0, months: [] });
});

test('topologies are kept for some days, the last of each day for a year, and captured frames as long as their setting', async () => {
  const { pool } = database;
  await importCommissioning(
    { db: database.db, secrets: createSecrets(Buffer.alloc(32, 7)), clock: { ...systemClock, now: () => NOW } },
    smallTown(),
  );
  const dcu = '(select min(id) from dcu)';
  const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000);
  for (const at of [hoursAgo(1), hoursAgo(2), daysAgo(20), new Date(daysAgo(20).getTime() - 3_600_000), daysAgo(500)])
    await pool.query(
      `insert into topology_snapshot (dcu_id, taken_at, node_count, avg_level, max_level, changes, nodes) values (${dcu}, $1, 0, 0, 0, 0, '')`,
      [at],
    );
  for (const days of [29, 31])
    await pool.query(
      `insert into dcu_frame_log (dcu_id, at, direction, channel, service, octets) values (${dcu}, $1, 'up', 'D', 'aare', '')`,
      [daysAgo(days)],
    );
  expect(await deleteExpiredRows(pool, NOW)).toMatchObject({ networks: 2 });
  const kept = await pool.query<{ at: Date }>('select taken_at as at from topology_snapshot order by taken_at');
  expect(kept.rows.map(({ at }) => at.getTime())).toEqual([daysAgo(20), hoursAgo(2), hoursAgo(1)].map((at) => at.getTime()));
  expect((await pool.query('select from dcu_frame_log')).rowCount).toBe(1);
});

test('anomalies are deleted at the same age as events', async () => {
  const { pool } = database;
  for (const days of [4 * 365, 6 * 365])
    await pool.query(
      "insert into anomaly (meter_id, day, type, value_kwh, reference_kwh) values ((select min(id) from meter), $1, 'upper_limit', 2, 1)",
      [daysAgo(days)],
    );
  await deleteExpiredRows(pool, NOW);
  expect((await pool.query('select from anomaly')).rowCount).toBe(1);
});

test('traces are kept as long as the setting, and traces of commands for more than a year', async () => {
  const { pool } = database;
  const month = 'trace_2026_02';
  await pool.query("select add_month('trace', '2026-02-01')");
  const [reading, command] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
  for (const id of [reading, command])
    await pool.query("insert into trace (id, at, frames, bytes, duration_ms) values ($1, '2026-02-10', '\\x02', 1, 1)", [id]);
  await pool.query(
    "insert into command_log (at, kind, device_kind, device_id, trace_id, prev_hash, hash) values ('2026-02-10', 'relay', 'meter', 1, $1, '', '')",
    [command],
  );
  const keep = async (traceDays: number) => {
    const value = JSON.stringify({ ...SETTINGS.retention.value, traceDays });
    await pool.query(`insert into setting (key, value) values ('retention', $1) on conflict (key) do update set value = excluded.value`, [
      value,
    ]);
    return (await deleteExpiredRows(pool, NOW)).months;
  };
  const kept = async () => (await pool.query<{ id: string }>('select id from command_trace')).rows.map(({ id }) => id);
  await createPartitions(pool, NOW);
  expect(await keep(400)).not.toContain(month);
  expect(await keep(30)).toContain(month);
  expect(await kept()).toEqual([command]);
  const administrator = {
    id: '1',
    username: 'admin',
    name: '',
    sessionId: '',
    mustChangePassword: false,
    actions: new Map(),
    scope: { kind: 'whole' as const },
  };
  expect(await findTrace(database.db, administrator, command)).toMatchObject({ id: command, bytes: 1 });
  expect(await findTrace(database.db, administrator, reading)).toBeUndefined();
  await pool.query("update command_trace set at = at - interval '400 days'");
  await keep(30);
  expect(await kept()).toEqual([]);
  await pool.query("delete from setting where key = 'retention'");
});

test('an invalid setting falls back to the default and deletes nothing else', async () => {
  await database.db.insertInto('setting').values({ key: 'retention', value: '{"profileMonths":0}' }).execute();
  expect((await deleteExpiredRows(database.pool, NOW)).months).toEqual([]);
});

test('cached metadata that no meter refers to is deleted after a day', async () => {
  const { pool } = database;
  await pool.query(
    `insert into meter_memory (told, digest, learnt_at) select json_build_object('depth:lpa', n), decode(to_hex(n), 'hex'), $1::timestamptz - n * interval '1 hour'
     from unnest(array[16, 32, 48]) n`,
    [new Date(NOW)],
  );
  await pool.query(
    "update meter set memory_id = (select id from meter_memory where told ->> 'depth:lpa' = '48') where id = (select min(id) from meter)",
  );
  await deleteExpiredRows(pool, NOW);
  const { rows } = await pool.query<{ depth: string }>("select told ->> 'depth:lpa' as depth from meter_memory order by 1");
  expect(rows.map(({ depth }) => depth)).toEqual(['16', '48']);
});
