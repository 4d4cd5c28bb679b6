import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { listMigrations } from './migration.ts';
import { EVENT_CODES } from './seed/event-codes.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await cloneDatabase();
  pool = database.owner;
});
afterAll(() => database.drop());

const STEP = '0092_names_of_own_alarms.sql';

test('an update gives head-end alarms the names of a new installation, except alarms that a user renamed', async () => {
  const sql = listMigrations().find(({ name }) => name === STEP)?.sql ?? '';
  const renames = [...sql.matchAll(/\((\d+), '([^']+)', '([^']+)'\)/g)].map(([, code, before, after]) => ({
    code: Number(code),
    before,
    after,
  }));
  expect(renames.map(({ code, after }) => [code, after])).toEqual(
    renames.map(({ code }) => [code, EVENT_CODES.find((seeded) => seeded.code === code)?.nameEn]),
  );
  for (const { code, before } of renames) await pool.query('update event_code set name_en = $2 where code = $1', [code, before]);
  await pool.query(`update event_code set name_en = 'Renamed by a user' where code = 60001`);
  await pool.query(sql);
  const { rows } = await pool.query<{ code: number; name: string }>(
    'select code, name_en as name from event_code where code = any($1) order by code',
    [renames.map(({ code }) => code)],
  );
  expect(rows).toEqual(renames.map(({ code, after }) => ({ code, name: code === 60001 ? 'Renamed by a user' : after })));
});
