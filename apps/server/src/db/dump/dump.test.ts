import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { silentLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../../test/database.ts';
import { installPostgres, postgresPrograms } from '../../../test/installed-postgres.ts';
import { removeScratch, scratchFolder } from '../../../test/scratch.ts';
import { openPool } from '../pool.ts';
import { loadDump } from './load-dump.ts';
import { DUMP_FILE, writeDump, type Dump } from './write-dump.ts';

const programs = postgresPrograms();
let root: string;
let source: TestDatabase;
let dump: Dump;
const closing: (() => Promise<unknown>)[] = [];

/** An empty database on the server of the tests. */
async function emptyDatabase(): Promise<Pool> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('databaseOwnerUrl'));
  // A connection to the template would keep other tests from cloning it.
  url.pathname = '/postgres';
  const admin = openPool({ connection: { url: String(url) }, max: 1 }, silentLog);
  await admin.query(`create database ${name}`);
  url.pathname = `/${name}`;
  const pool = openPool({ connection: { url: String(url) }, max: 1 }, silentLog);
  closing.push(async () => {
    await pool.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  return pool;
}

const contentOf = ({ tables, sequences, migrations }: Dump) => ({
  tables: tables.map(({ schema, name, rows, sha256 }) => ({ table: `${schema}.${name}`, rows, sha256 })),
  sequences,
  migrations,
});

beforeAll(async () => {
  root = scratchFolder('hes-dump-');
  source = await cloneDatabase();
  await source.owner.query(`select add_month('reading_daily', '2019-05-01');
    insert into task (kind, source, title, total, reason) values ('registers', 'user', 'Ä tab\t, a \\ and a\nline', 1, null)`);
  dump = await writeDump(source.owner, join(root, 'first'));
}, 60_000);
afterAll(async () => {
  for (const close of closing) await close();
  await source.drop();
  removeScratch(root);
});

test('a dump holds every table with its rows, partitions and sequences, and no folder is written twice', async () => {
  const byName = new Map(dump.tables.map((table) => [table.name, table]));
  expect(byName.get('task')).toMatchObject({ rows: 1, parent: null });
  expect([...byName.values()].find(({ bound }) => bound?.includes('2019-05-01'))).toMatchObject({ parent: 'reading_daily' });
  expect(dump.sequences.find(({ name }) => name === 'task_id_seq')).toMatchObject({ lastValue: '1' });
  await expect(writeDump(source.owner, join(root, 'first'))).rejects.toThrow('is not empty. Name a new one.');
});

test.skipIf(programs === undefined)(
  'rows go to a PostgreSQL of another major version and back without a difference (a PostgreSQL of the system is installed)',
  async () => {
    mkdirSync(join(root, 'postgres'), { mode: 0o755 });
    const other = await installPostgres(programs ?? '', join(root, 'postgres'));
    await other.start();
    closing.push(() => other.kill());
    const pool = openPool({ connection: { url: other.urlOf('postgres') }, max: 1 }, silentLog);
    closing.unshift(() => pool.end());
    await loadDump(pool, join(root, 'first'));
    const there = await writeDump(pool, join(root, 'second'));
    expect(contentOf(there)).toEqual(contentOf(dump));
    const again = await emptyDatabase();
    await loadDump(again, join(root, 'second'));
    expect(contentOf(await writeDump(again, join(root, 'third')))).toEqual(contentOf(dump));
    // The next task has a number of its own.
    const { rows } = await again.query<{ id: string }>(
      `insert into task (kind, source, title) values ('registers', 'user', 'x') returning id`,
    );
    expect(rows).toEqual([{ id: '2' }]);
  },
  120_000,
);

test('a database with a schema, a damaged table and a dump of a newer version are refused with a sentence', async () => {
  await expect(loadDump(source.owner, join(root, 'first'))).rejects.toThrow('The database is not empty. Load the dump into a new one.');
  await expect(loadDump(source.owner, root)).rejects.toThrow('holds no complete dump');
  const folder = join(root, 'first');
  const text = readFileSync(join(folder, DUMP_FILE), 'utf8');
  writeFileSync(join(folder, DUMP_FILE), JSON.stringify({ ...dump, migrations: [...dump.migrations, 9999] }));
  const target = await emptyDatabase();
  await expect(loadDump(target, folder)).rejects.toThrow('of a newer version of the head-end, which has the migration 9999');
  const changed = dump.tables.map((table) => (table.name === 'task' ? { ...table, sha256: '00' } : table));
  writeFileSync(join(folder, DUMP_FILE), JSON.stringify({ ...dump, tables: changed }));
  await expect(loadDump(target, folder)).rejects.toThrow('The table public.task has 1 rows that differ from the 1 of the dump');
  writeFileSync(join(folder, DUMP_FILE), text);
  truncateSync(join(folder, dump.tables[0]?.file ?? ''), 5);
  await expect(loadDump(await emptyDatabase(), folder)).rejects.toThrow(/could not be loaded: .*/);
}, 60_000);
