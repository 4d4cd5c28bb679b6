import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const run = (statement: string) => database.pool.query(statement);

describe('the role of the server', () => {
  test('owns nothing, is no superuser, and cannot create roles or databases', async () => {
    const { rows } = await run(`
      select r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolbypassrls,
        (select count(*)::int from pg_class c where c.relowner = r.oid) as relations, (select count(*)::int from pg_proc p where p.proowner = r.oid) as functions
      from pg_roles r where r.rolname = current_user`);
    expect(rows).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false, relations: 0, functions: 0 }]);
  });

  test.each([
    'delete from audit_log',
    "update audit_log set action = 'sign_in'",
    'truncate command_log',
    'delete from relay_sent',
    "update relay_limit set seal = ''",
    'delete from relay_limit_word',
    'alter table relay_sent disable trigger all',
    'set session_replication_role = replica',
    'drop table audit_log',
    'create table mine (id int)',
    'create function hes_mine() returns int language sql as $$ select 1 $$',
    'delete from schema_migration',
    "copy app_user to program 'cat'",
    "select pg_read_file('PG_VERSION')",
  ])('may not: %s', async (statement) => {
    await expect(run(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  test('appends to logs, and reads and writes rows', async () => {
    await run("insert into supplier (code, name) values ('OWN', 'Own')");
    await run("update supplier set name = 'Other' where code = 'OWN'");
    expect((await run("delete from supplier where code = 'OWN'")).rowCount).toBe(1);
  });

  test('adds months, writes into them, and drops only those that have ended', async () => {
    await run("select add_month('trace', '2021-05-17')");
    expect((await run("select from pg_class where relname = 'trace_2021_05'")).rowCount).toBe(1);
    await run('select * from trace_2021_05');
    await run("select drop_month('trace', '2021-05-01')");
    expect((await run("select from pg_class where relname = 'trace_2021_05'")).rowCount).toBe(0);
    await expect(run("select drop_month('trace', now()::date)")).rejects.toThrow(/has not ended/);
    await expect(run("select drop_month('audit_log', '2021-05-01')")).rejects.toThrow(/has no months/);
  });
});
