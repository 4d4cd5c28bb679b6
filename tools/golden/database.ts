import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { generateTables } from '../../apps/server/src/db/generate-tables.ts';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { openPool } from '../../apps/server/src/db/pool.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { formatted } from './formatted.ts';
import { schemaText } from './schema.ts';

/** The schema after all migrations, read from a temporary database. */
export async function databaseGolden(root: string): Promise<Record<string, string>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'hes-golden-'));
  // The database's unprivileged user needs access; otherwise its files would be stored elsewhere and outlive this run.
  chmodSync(dataDir, 0o755);
  const log = createLog('error');
  const database = await startEmbedded(dataDir, log);
  const pool = openPool({ connection: database.owner }, log);
  try {
    await migrate(pool);
    return await textsOf(root, pool);
  } finally {
    await pool.end();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function textsOf(root: string, pool: ReturnType<typeof openPool>): Promise<Record<string, string>> {
  const tables = 'apps/server/src/db/tables.ts';
  return { '__golden__/schema.sql': await schemaText(pool), [tables]: formatted(root, tables, await generateTables(pool)) };
}
