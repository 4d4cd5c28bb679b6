import type { Pool } from 'pg';

/** In the built-in database: reads and writes rows, owns nothing, is no superuser. */
export const APPLICATION_ROLE = 'hes_app';

/** Tables whose trigger refuses updates and deletions. The role cannot disable the trigger, and lacks these privileges as well. */
const APPEND_ONLY = `
  select format('revoke update, delete, truncate on %s from %%I', tgrelid::regclass) as statement from pg_trigger
  where tgfoid = 'refuse_rewriting'::regproc`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Creates the role of the built-in database, or resets its password. */
export async function ensureApplicationRole(owner: Pool, password: string): Promise<void> {
  const found = await owner.query('select from pg_roles where rolname = $1', [APPLICATION_ROLE]);
  const verb = found.rowCount === 0 ? 'create' : 'alter';
  await owner.query(
    `${verb} role ${APPLICATION_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password ${quoted(password)}`,
  );
}

/**
 * Grants a role reading and writing of all tables, including future partitions. Logs and ledgers are append-only for it, and it cannot
 * change the schema. Idempotent: runs after each migration.
 */
export async function grantToApplication(owner: Pool, role: string): Promise<void> {
  const client = await owner.connect();
  const run = async (statement: string): Promise<void> => {
    // format() quotes the name of the role, which comes from DATABASE_URL.
    const { rows } = await client.query<{ text: string }>('select format($1, $2::text) as text', [statement, role]);
    await client.query(rows[0]?.text ?? '');
  };
  try {
    await client.query('begin');
    await client.query('revoke create on schema public from public');
    await run('grant usage on schema public, pgboss to %I');
    await run('grant select, insert, update, delete on all tables in schema public, pgboss to %I');
    await run('grant usage, select, update on all sequences in schema public to %I');
    await run('alter default privileges in schema public grant select, insert, update, delete on tables to %I');
    await run('alter default privileges in schema public grant usage, select, update on sequences to %I');
    await run('revoke insert, update, delete on schema_migration from %I');
    await run('revoke insert, delete on pgboss.version from %I');
    const { rows } = await client.query<{ statement: string }>(APPEND_ONLY);
    for (const { statement } of rows) await run(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
