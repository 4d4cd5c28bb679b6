/**
 * `npm run proof:citus [-- FILES]`: runs tests of the server on Citus, and lists the statements that Citus refused. Fails if there is one.
 * Default: the tests that store or read readings and traces, and the comparison of every GET route with each of its options. `--all`: all of the server. `--time`: times lists on PostgreSQL and on Citus.
 * Needs a PostgreSQL with Citus.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { citusPrograms, startCitus } from '../../apps/server/test/citus-cluster.ts';
import { openPrepared, runStatements } from '../../apps/server/test/installed-postgres.ts';
import { timeLists } from './time-lists.ts';

const root = path.resolve(import.meta.dirname, '../..');
const TEMPLATE = 'hes_template';
/** Tests of the start and end of the built-in database, of the addresses of its socket, and of a table on a disk of its own. */
const OF_THE_BUILT_IN = [
  'apps/server/test/database-start.test.ts',
  'apps/server/test/process.test.ts',
  'apps/server/test/field/pooler.test.ts',
  'apps/server/src/storage/full-disk.test.ts',
];

/** Compares answers of Citus and of PostgreSQL on clusters of its own. */
const COMPARISON = 'apps/server/test/citus.test.ts';

/** Tests that store or read what is distributed. */
const OF_READINGS = [
  'apps/server/src/storage',
  'apps/server/src/db/retention',
  'apps/server/src/field/anchor-queries',
  ...'audit-readings changed-meter collect plan-types pushed-freeze pushed-readings refill trace-share'
    .split(' ')
    .map((name) => `apps/server/test/field/${name}.test.ts`),
  ...`asset-lists bill bill-truth collect-plan dashboard-cards export feed gap-figures gaps-and-frames large-lists line-loss manual-reading
    phase reading-history reading-privacy reading-units senders status`
    .split(/\s+/)
    .map((name) => `apps/server/test/${name}.test.ts`),
];

if (citusPrograms() === undefined) {
  console.error('No PostgreSQL with Citus is installed. HES_TEST_POSTGRES_BIN names the folder of its programs.');
  process.exitCode = 1;
} else if (process.argv.includes('--time')) await timeLists();
else process.exitCode = await prove(process.argv.slice(2));

async function prove(files: string[]): Promise<number> {
  const cluster = await startCitus(0);
  try {
    await cluster.create(TEMPLATE);
    const { database } = await openPrepared(cluster.ownerUrl(TEMPLATE));
    await database.drop();
    // The daemon of Citus holds a connection, and a database with connections is no template.
    await runStatements(
      cluster.ownerUrl('postgres'),
      `alter database ${TEMPLATE} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`,
    );
    const shared = { HES_TEST_DATABASE_URL: database.url, HES_TEST_DATABASE_OWNER_URL: database.ownerUrl };
    const code =
      (await runTests(wantedOf(files), shared)) ||
      (files.length === 0 ? await runTests([COMPARISON], { HES_TEST_CITUS_OPTIONS: 'on' }) : 0);
    const refused = cluster.refused();
    for (const statement of refused) console.log(`refused: ${statement}`);
    console.log(`Statements that Citus refused: ${refused.length}`);
    return code === 0 && refused.length === 0 ? 0 : 1;
  } finally {
    await cluster.stop();
  }
}

function wantedOf(files: string[]): string[] {
  const excluded = [...OF_THE_BUILT_IN, COMPARISON].flatMap((file) => ['--exclude', file]);
  if (files.includes('--all')) return ['--project', 'server', ...excluded];
  return [...(files.length > 0 ? files : OF_READINGS), ...excluded];
}

async function runTests(wanted: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...wanted], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}
