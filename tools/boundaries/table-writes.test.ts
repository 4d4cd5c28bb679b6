import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readModules, type ModuleGraph } from './module-graph.ts';
import { EXCEPTIONS, TABLE_OWNERS, type Exception } from './table-owners.ts';
import { checkTableOwners, findTableWrites } from './table-writes.ts';

const root = path.resolve(import.meta.dirname, '../..');
const OWNERS = { meter: 'features/assets', task_item: 'tasks' };
const FILE = 'apps/server/src/features/relay/store.ts';
const tables = new Set(Object.keys(OWNERS));

const graphOf = (file: string, text: string): ModuleGraph => new Map([[file, { file, text, imports: [] }]]);
const tablesIn = (text: string) => findTableWrites({ file: FILE, text }, tables).map(({ table }) => table);
const violationsOf = (file: string, text: string, exceptions: readonly Exception[] = []) =>
  checkTableOwners(graphOf(file, text), OWNERS, exceptions).map(({ detail }) => detail);

test('every table of the schema has one owner, and every owner is a folder of the server', () => {
  const schema = readFileSync(path.join(root, 'apps/server/src/db/tables.ts'), 'utf8');
  const names = [...schema.matchAll(/^ {2}(\w+): \w+Table;$/gm)].map(([, name = '']) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(names.length).toBeGreaterThan(80);
  expect(Object.keys(TABLE_OWNERS).toSorted()).toEqual(names.toSorted());
  for (const owner of new Set(Object.values(TABLE_OWNERS)))
    expect(owner).toMatch(/^(?:features\/[a-z-]+|db|field|nodes|storage|tasks|transfer)$/);
});

test('each table is written by its owner, apart from the exceptions', () => {
  expect(checkTableOwners(readModules(root))).toEqual([]);
});

test('every exception has a reason of its own table and file', () => {
  for (const { file, tables: names, why, isChosenAtRunTime } of EXCEPTIONS) {
    expect(why.length, file).toBeGreaterThan(20);
    // A write that names its table is an exception only outside of the owner.
    if (isChosenAtRunTime !== true)
      for (const name of names) expect(file.startsWith(`${TABLE_OWNERS[name]}/`), `${file} ${name}`).toBe(false);
  }
});

test.each([
  ["db.insertInto('meter').values({})"],
  ["db.updateTable('meter as m').set({})"],
  ["db.deleteFrom('meter').execute()"],
  ["db.mergeInto('meter').using('x', 'a', 'b')"],
  ['sql`update meter set sn = ${sn}`'],
  ["pool.query('delete from meter where id = $1')"],
  ['sql`with n as (select 1) INSERT INTO meter as m (id) select 1`'],
  ['sql`merge into meter using n on true when matched then delete`'],
  ["copyInto('copy meter (id) from stdin')"],
  ['sql`truncate table meter`'],
])('finds the write in %s', (text) => {
  expect(tablesIn(text)).toEqual(['meter']);
});

test('a lock, a conflict clause, a grant and a comment are no writes', () => {
  expect(tablesIn('sql`select from meter for update of meter`; // update meter set sn = 1')).toEqual([]);
  expect(tablesIn("pool.query('insert into task_item (id) values (1) on conflict (id) do update set meter = 1')")).toEqual(['task_item']);
  expect(tablesIn("pool.query('revoke update on meter from app')")).toEqual([]);
});

test('a writer outside of the owner is a violation', () => {
  expect(violationsOf(FILE, 'sql`update task_item set state = 1`')).toEqual(['writes task_item, which tasks owns']);
  expect(violationsOf('apps/server/src/tasks/store.ts', 'sql`update task_item set state = 1`')).toEqual([]);
});

test('a table that is chosen at run time needs a declaration, in the owner as well', () => {
  expect(violationsOf('apps/server/src/tasks/store.ts', 'sql`update ${table} set state = 1`')).toEqual([
    'writes a table that it chooses at run time',
  ]);
  const declared: Exception = { file: 'tasks/store.ts', tables: ['task_item'], why: 'planted', isChosenAtRunTime: true };
  expect(violationsOf('apps/server/src/tasks/store.ts', 'sql`update ${table} set state = 1`', [declared])).toEqual([]);
});

test('an exception covers its own table only, and is a violation when it no longer occurs', () => {
  const exception: Exception = { file: 'features/relay/store.ts', tables: ['meter'], why: 'planted' };
  expect(violationsOf(FILE, 'sql`update meter set sn = 1`', [exception])).toEqual([]);
  expect(violationsOf(FILE, 'sql`update task_item set state = 1`', [exception])).toEqual([
    'writes task_item, which tasks owns',
    'does not write meter as a foreign table',
  ]);
});
