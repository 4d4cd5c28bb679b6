import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Pool } from 'pg';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { createPartitions } from '../../apps/server/src/db/partitions.ts';
import { openDb, openPool, urlOf } from '../../apps/server/src/db/pool.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { benchKey } from './bench-users.ts';
import { FULL, loadUtility, type UtilitySize } from './big-utility.ts';

export const BENCH_PASSWORD = 'Bench-2026';

export interface BenchDatabase {
  pool: Pool;
  /** For other processes: the value of DATABASE_URL. */
  url: string;
  dataDir: string;
  stop(): Promise<void>;
}

/** The database with the big utility, which is kept between runs, because loading takes minutes. */
export async function openBenchDatabase(size: UtilitySize = FULL, tell: (line: string) => void = () => undefined): Promise<BenchDatabase> {
  const dataDir = resolve(process.env['HES_BENCH_DATA_DIR'] ?? join(import.meta.dirname, '../../data/bench'));
  mkdirSync(dataDir, { recursive: true });
  const log = createLog('error');
  const embedded = await startEmbedded(dataDir, log);
  const pool = openPool({ connection: embedded.owner }, log);
  await migrate(pool);
  await createPartitions(pool, Date.now());
  await seed(openDb(pool, benchKey()), { adminPassword: BENCH_PASSWORD });
  await loadUtility(pool, size, tell);
  // These devices do not exist: attempts to collect from them would distort the measurements.
  await pool.query('update collect_plan set enabled = false');
  return {
    pool,
    url: urlOf(embedded.owner),
    dataDir,
    async stop() {
      await pool.end();
      await embedded.stop();
    },
  };
}
