import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { listMigrations, migrate, type Migration } from './migrate.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await cloneDatabase();
  pool = database.owner;
});
afterAll(() => database.drop());

const numberOf = (offset: number) => (listMigrations().at(-1)?.number ?? 0) + offset;
const makes = (offset: number, table: string): Migration => ({
  number: numberOf(offset),
  name: `${numberOf(offset)}_${table}.sql`,
  sql: `create table ${table} (id int)`,
});
const exists = async (table: string) =>
  (await pool.query<{ found: string | null }>('select to_regclass($1) as found', [table])).rows[0]?.found;

test('a failed migration rolls back the ones before it, and the former version still starts', async () => {
  const broken = { ...makes(2, 'second'), sql: 'alter table nowhere add column n int' };
  await expect(migrate(pool, undefined, [...listMigrations(), makes(1, 'first'), broken])).rejects.toThrow(/second\.sql did not apply/);
  expect(await exists('first')).toBeNull();
  // The former version finds no newer migration.
  expect(await migrate(pool)).toEqual([]);
});

test('missing migrations of an existing database are logged one by one and applied once', async () => {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line));
  const all = [...listMigrations(), makes(1, 'first'), makes(2, 'second')];
  expect(await migrate(pool, log, all)).toEqual([makes(1, 'first').name, makes(2, 'second').name]);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { migration: makes(1, 'first').name, step: 1, of: 2 },
    { migration: makes(2, 'second').name, step: 2, of: 2 },
  ]);
  expect([await exists('first'), await exists('second')]).toEqual(['first', 'second']);
  expect(await migrate(pool, log, all)).toEqual([]);
  expect(lines.length).toBe(2);
});

test('a database of a newer version is refused', async () => {
  await expect(migrate(pool)).rejects.toThrow(/newer version/);
});
