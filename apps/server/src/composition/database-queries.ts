import type { Pool } from 'pg';

/** The version of PostgreSQL as one number: 150004 is 15.4. */
export async function readServerVersion(pool: Pool): Promise<number> {
  const found = await pool.query<{ version: string }>("select current_setting('server_version_num') as version");
  return Number(found.rows[0]?.version);
}

export async function readCurrentRole(pool: Pool): Promise<string | undefined> {
  const found = await pool.query<{ role: string }>('select current_user as role');
  return found.rows[0]?.role;
}
