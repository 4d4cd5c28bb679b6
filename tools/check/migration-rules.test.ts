import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { faultsOf, judgeMigrations } from './migration-rules.ts';

const NUMBERS = new Set([125, 126, 200]);
const judge = (phase: string, sql: string) => faultsOf(200, `-- why: a test\n-- phase: ${phase}\n${sql};`, NUMBERS);

test.each([
  'create table thing (id bigint primary key); create unique index thing_id on thing (id); alter table thing alter column id type int',
  'alter table meter add column colour text',
  "alter table meter add column colour text not null default 'grey'",
  'alter table meter add column seen_at timestamptz not null default now()',
  'alter table meter add column dcu bigint references dcu',
  'alter table meter add constraint short check (char_length(sn) < 99) not valid',
  'alter table meter alter column sn drop not null, alter column sn set default 1',
  "insert into module (code) values ('x')",
  'create or replace function f() returns int language sql as $$ select 1 $$',
])('an expansion may: %s', async (sql) => {
  expect(await judge('expand', sql)).toEqual([]);
});

test.each([
  ['drop table meter', 'drops'],
  ['drop index meter_sn', 'drops'],
  ['alter table meter drop column sn', 'DropColumn'],
  ['alter table meter rename column sn to name', 'renames'],
  ['alter table meter rename to device', 'renames'],
  ['alter table meter alter column sn set not null', 'SetNotNull'],
  ['alter table meter alter column sn type int', 'AlterColumnType'],
  ['alter table meter add column colour text not null', 'without a default'],
  ['alter table meter add column tag uuid default gen_random_uuid()', 'rewrites'],
  ['alter table meter add column tag bigint generated always as identity', 'rewrites'],
  ['alter table meter add column tag int generated always as (1) stored', 'rewrites'],
  ['alter table meter add column tag text unique', 'index'],
  ['alter table meter add constraint short check (char_length(sn) < 99)', 'AddConstraint'],
  ['create index meter_colour on meter (colour)', 'locks it'],
  ['update meter set sn = sn', 'backfill'],
  ['with gone as (delete from meter returning id) select count(*) from gone', 'backfill'],
  ['truncate meter', 'deletes'],
  ['do $$ begin end $$', 'judged'],
])('an expansion may not: %s', async (sql, fault) => {
  expect((await judge('expand', sql)).join()).toContain(fault);
});

test.each([
  ['with b as (select id from meter where sn is null limit 100) update meter m set sn = 1 from b where b.id = m.id', ''],
  ['create index concurrently if not exists meter_colour on meter (colour)', ''],
  ['create index concurrently meter_colour on meter (colour)', 'if not exists'],
  ['update meter set sn = sn', 'limit'],
  ['update meter set sn = 1; update meter set sn = 2', 'one statement'],
  ['select 1 limit 1', 'changes rows'],
])('a backfill: %s', async (sql, fault) => {
  expect((await judge('backfill', sql)).join()).toMatch(fault === '' ? /^$/ : new RegExp(fault));
});

test('a contraction names an earlier migration', async () => {
  expect(await judge('contract, needs 0126', 'drop table meter')).toEqual([]);
  for (const needs of ['0127', '0200'])
    expect((await judge(`contract, needs ${needs}`, 'drop table meter')).join()).toContain('no earlier');
});

test('each migration from 126 on declares a phase', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hes-migrations-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, '0125_before.sql'), 'drop table meter;');
  writeFileSync(path.join(folder, '0127_none.sql'), '-- why: x\nselect 1;');
  writeFileSync(path.join(folder, '0128_wrong.sql'), '-- why: x\n-- phase: contract\ndrop table meter;');
  expect(await judgeMigrations(folder)).toEqual(
    ['0127_none.sql', '0128_wrong.sql'].map((name) => expect.stringContaining(`${name}: it declares no phase`)),
  );
  rmSync(folder, { recursive: true });
});
