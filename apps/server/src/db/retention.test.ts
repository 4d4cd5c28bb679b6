import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { keepRetention } from './retention.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW - days * DAY_MS);

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  const { pool } = database;
  for (const month of ['2015_01', '2016_06', '2024_04', '2024_05']) {
    const first = `${month.replace('_', '-')}-01`;
    for (const table of ['reading_daily', 'reading_profile'])
      await pool.query(
        `create table ${table}_${month} partition of ${table} for values from ('${first}') to (date '${first}' + interval '1 month')`,
      );
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

test('what is older than the setting says is let go, and nothing else', async () => {
  const forgotten = await keepRetention(database.pool, NOW);
  expect(forgotten).toMatchObject({ sessions: 1, tasks: 1 });
  expect(forgotten.months.filter((name) => name.startsWith('reading'))).toEqual([
    'reading_daily_2015_01',
    'reading_profile_2015_01',
    'reading_profile_2016_06',
    'reading_profile_2024_04',
  ]);
  expect(await keepRetention(database.pool, NOW)).toEqual({ sessions: 0, tasks: 0, events: 0, months: [] });
});

test('a setting that does not fit deletes nothing by surprise', async () => {
  await database.db.insertInto('setting').values({ key: 'retention', value: '{"profileMonths":0}' }).execute();
  expect((await keepRetention(database.pool, NOW)).months).toEqual([]);
});
