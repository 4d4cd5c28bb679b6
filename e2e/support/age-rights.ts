import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Pool } from 'pg';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import { openDb, openPool } from '../../apps/server/src/db/pool.ts';
import { sealEverything } from '../../apps/server/src/db/right-seals.ts';
import { readMasterKey } from '../../apps/server/src/platform/data-folder.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { distantDatabase, type HeadEnd } from './head-end.ts';

/** Socket folder of the database, from the file of its postmaster. */
function socketOf(dataDir: string): string {
  const place = distantDatabase(dataDir) ?? path.join(dataDir, 'pg');
  const file = path.join(place, 'cluster', 'postmaster.pid');
  if (!existsSync(file)) throw new Error(`No database runs in ${place}`);
  return readFileSync(file, 'utf8').split('\n')[4] ?? '';
}

/** Connection to the database of a head-end, for the role that owns its tables. */
export const ownerOf = ({ dataDir }: HeadEnd) => ({
  socketDir: socketOf(dataDir),
  database: 'postgres',
  user: OWNER_ROLE,
  password: databaseKey(dataDir).passwordOf(OWNER_ROLE),
});

/** Runs statements on the database of a head-end as its owner. */
export async function inDatabase<T>(headEnd: HeadEnd, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ connection: ownerOf(headEnd), max: 1 }, createLog('silent'));
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Makes every right older than a day and clears who granted it, as for users who have worked here for long. */
export const ageRights = (headEnd: HeadEnd): Promise<void> =>
  inDatabase(headEnd, async (pool) => {
    await pool.query("update user_role set granted_at = '2000-01-01', granted_by = null");
    await pool.query("update role_action set granted_at = '2000-01-01', granted_by = null");
    await pool.query("update role set area_widened_at = '2000-01-01', area_widened_by = null");
    const keys = handleKeys(chainKeyOf(createSecrets(readMasterKey(headEnd.dataDir))));
    await openDb(pool, keys)
      .transaction()
      .execute((tx) => sealEverything(tx));
  });
