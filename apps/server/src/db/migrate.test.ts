import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Node } from '#nodes/node.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog, silentLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { applyLater, findLater } from './later-migrations.ts';
import { migrate } from './migrate.ts';
import { listMigrations, type Migration } from './migration.ts';

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
  phase: { kind: 'expand' },
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

test('an older version works with expansions of a newer one, and is refused after a contraction of what it needs', async () => {
  expect(await migrate(pool)).toEqual([]);
  const contraction: Migration = { ...makes(3, 'third'), sql: 'drop table second', phase: { kind: 'contract', needs: numberOf(2) } };
  expect(await laterOf([...listMigrations(), makes(1, 'first'), makes(2, 'second'), contraction])).toEqual({
    waiting: undefined,
    left: [],
  });
  await expect(migrate(pool)).rejects.toThrow(/newer version .* does not work with it \(\d+_third\.sql\)/);
  // The version before it, which knows the migration that the contraction names, starts.
  expect(await migrate(pool, undefined, [...listMigrations(), makes(1, 'first'), makes(2, 'second')])).toEqual([]);
  const node = new Node({ pool: database.pool, log: silentLog, clock: systemClock }, { name: 'late', version: '1' });
  await expect(node.start()).rejects.toThrow(/changed the database, and this one does not work with it/);
  await pool.query('delete from schema_migration where number = $1', [numberOf(3)]);
});

async function laterOf(migrations: readonly Migration[], signal = new AbortController().signal) {
  const waiting = await applyLater(pool, silentLog, await findLater(pool, migrations), signal);
  return { waiting, left: (await findLater(pool, migrations)).map(({ name }) => name) };
}

describe('on a running system', () => {
  const expansion = {
    ...makes(4, 'filled'),
    sql: 'create table filled (id int, new_value int); insert into filled select generate_series(1, 10)',
  };
  const backfill: Migration = {
    ...makes(5, 'fill'),
    sql: `with batch as (select id from filled where new_value is null order by id limit 4 for update skip locked)
      update filled f set new_value = f.id * 2 from batch where f.id = batch.id`,
    phase: { kind: 'backfill' },
  };
  const index: Migration = {
    ...makes(6, 'index'),
    sql: 'create unique index concurrently if not exists filled_value on filled (new_value)',
    phase: { kind: 'backfill' },
  };
  const contraction: Migration = {
    ...makes(7, 'contract'),
    sql: 'alter table filled drop column id',
    phase: { kind: 'contract', needs: numberOf(5) },
  };
  const all = [...listMigrations(), makes(1, 'first'), makes(2, 'second'), expansion, backfill, index, contraction];
  const filled = async () => (await pool.query('select from filled where new_value is not null')).rowCount;

  test('a backfill changes a batch at a time, stops when it is told to, and goes on where it was', async () => {
    await migrate(pool, undefined, all);
    const aborting = new AbortController();
    aborting.abort();
    expect((await laterOf(all, aborting.signal)).left).toEqual([backfill, index, contraction].map(({ name }) => name));
    const during = new AbortController();
    setImmediate(() => during.abort());
    await applyLater(pool, silentLog, [backfill], during.signal);
    expect(await filled()).toBe(4);
    // Two head-ends at the same time.
    await Promise.all([1, 2].map(() => applyLater(pool, silentLog, [backfill], new AbortController().signal)));
    expect([await filled(), (await findLater(pool, all)).map(({ name }) => name)]).toEqual([10, [index.name, contraction.name]]);
  });

  test('an index is built while its table is written, again after an attempt that failed', async () => {
    await pool.query('insert into filled values (11, 2)');
    await expect(applyLater(pool, silentLog, [index], new AbortController().signal)).rejects.toThrow(/could not create unique index/);
    await pool.query('delete from filled where id = 11');
    await applyLater(pool, silentLog, [index], new AbortController().signal);
    const { rows } = await pool.query("select indisvalid as valid from pg_index where indexrelid = 'filled_value'::regclass");
    expect(rows).toEqual([{ valid: true }]);
  });

  test('a contraction waits as long as a head-end lives that does not know what it needs, and names it', async () => {
    const ctx = { pool: database.pool, log: silentLog, clock: systemClock };
    const [older, newer] = [4, 5].map((offset) => new Node(ctx, { name: `n${offset}`, version: `1.${offset}`, schema: numberOf(offset) }));
    await older?.start();
    await newer?.start();
    const told = await laterOf(all);
    expect(told).toEqual({ waiting: { migration: contraction.name, nodes: ['n4 (1.4)'] }, left: [contraction.name] });
    await older?.stop();
    expect(await laterOf(all)).toEqual({ waiting: undefined, left: [] });
    const { rowCount } = await pool.query("select from information_schema.columns where table_name = 'filled' and column_name = 'id'");
    expect(rowCount).toBe(0);
    await newer?.stop();
  });

  test('an expansion does not make other statements wait behind a long transaction, and is tried again', async () => {
    const long = await pool.connect();
    await long.query('begin; select from filled');
    const lines: string[] = [];
    const more = { ...makes(8, 'more'), sql: 'alter table filled add column more int' };
    const migrating = migrate(
      pool,
      createLog('info', (line) => lines.push(line)),
      [...all, more],
    );
    await vi.waitFor(() => expect(lines.join()).toContain('waits for a table'), { timeout: 10_000, interval: 20 });
    await database.owner.query('select from schema_migration');
    await long.query('rollback');
    long.release();
    expect(await migrating).toEqual([more.name]);
  });
});

test('an empty database gets all phases at once', async () => {
  const own = await cloneDatabase();
  await own.owner.query('drop schema public cascade; drop schema if exists pgboss cascade; create schema public');
  const phases: Migration[] = [
    { ...makes(1, 'thing'), sql: 'create table thing (a int, b int)' },
    { ...makes(2, 'index'), sql: 'create index concurrently if not exists thing_a on thing (a)', phase: { kind: 'backfill' } },
    { ...makes(3, 'drop'), sql: 'alter table thing drop column b', phase: { kind: 'contract', needs: numberOf(2) } },
  ];
  expect((await migrate(own.owner, undefined, [...listMigrations(), ...phases])).length).toBe(listMigrations().length + 3);
  expect(await findLater(own.owner, phases)).toEqual([]);
  await own.drop();
});
