/** A process that works on the jobs of a database until it is killed: `node job-worker.ts postgres://…`. */
import { everyJob } from '../src/composition/every-job.ts';
import { openDb, openPool } from '../src/db/pool.ts';
import { loadSettings } from '../src/db/settings.ts';
import { JobQueue } from '../src/jobs/job-queue.ts';
// Lists declare their exports when they are loaded.
import '../src/features/implemented-routes.ts';
import { createBus } from '../src/platform/bus.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { Context } from '../src/db/context.ts';
import { createLog } from '../src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../src/platform/secrets.ts';
import { QUICK } from './job-times.ts';
import { TEST_MASTER_KEY } from './master-key.ts';

const log = createLog('error');
const pool = openPool({ connection: { url: process.argv[2] ?? '' } }, log);
const secrets = createSecrets(TEST_MASTER_KEY);
const db = openDb(pool, chainKeyOf(secrets));
const jobs = new JobQueue({ pool, log }, QUICK);
const ctx: Context = { db, pool, clock: systemClock, log, settings: await loadSettings(db), bus: createBus(), jobs, secrets };
jobs.serve(everyJob(ctx, ctx));
await jobs.start();
process.stdout.write('working\n');
