/** `npm run proof:backup`: backups under load and kills, restored to random instants; prints what was counted. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readEveryTable } from '../../apps/server/src/db/backup/backup-queries.ts';
import { recover } from '../../apps/server/src/db/backup/recover.ts';
import { chooseBackup } from '../../apps/server/src/db/backup/restore-backup.ts';
import { connectTo, takeBackup } from '../../apps/server/src/db/backup/take-backup.ts';
import { archiveSettings, openArchive } from '../../apps/server/src/db/backup/wal-archive.ts';
import { findBinaries } from '../../apps/server/src/db/embedded/binaries.ts';
import { findPlace } from '../../apps/server/src/db/embedded/place.ts';
import { startEmbedded, type EmbeddedDatabase } from '../../apps/server/src/db/embedded/supervisor.ts';
import { changeOwner, databaseIdentity } from '../../apps/server/src/db/embedded/unprivileged.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { say } from '../lib/say.mjs';
import { judgeRestored, startWriters, type Promised } from './ledger.ts';
import { proveFleet } from './proof-fleet.ts';
import { randomFrom } from './random.ts';

const HELP = `npm run proof:backup -- [--fleet] [--seconds N] [--instants N] [--seed N]

Writers commit rows and raise counters in the built-in database while its processes are killed and backups are made. Then it is restored to
random instants. Each restored database must hold every row that was acknowledged before its instant, no row that was sent after it, counters
that do not lag behind, and undamaged tables and indexes.

  --fleet        a head-end with a simulated fleet in place of the writers, with kills of both of its processes, and the judge of npm run chaos
  --seconds N    how long is written; default: 60
  --instants N   restores; default: 10
  --seed N       seed of the instants; default: the time

Exit code 0: every promise was kept, 1: one was broken.
`;
const KILL_EVERY_MS = 9_000;
const BACKUP_EVERY_MS = 15_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    instants: { type: 'string', default: '10' },
    fleet: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', default: false },
  },
});

interface Written {
  promised: Promised;
  kills: number;
  backups: number;
  firstEndMs: number;
  endMs: number;
}

/** Kills a process of the database: all of them end then, and the supervisor starts them again. */
function killOne(cluster: string): void {
  process.kill(Number(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
}

async function write(database: EmbeddedDatabase, folder: string, seconds: number): Promise<Written> {
  const source = { owner: database.owner, cluster: database.cluster, folder };
  const setUp = await connectTo(database.owner);
  await setUp.query(`create table promise (id bigint primary key, writer int, filler text); create table counter (writer int primary key, value bigint);
    create table schema_migration (name text); create table master_key (key_id text, state text)`);
  await setUp.end();
  const writers = startWriters(database.owner);
  const first = await takeBackup(source);
  const endAt = Date.now() + seconds * 1000;
  let [kills, backups] = [0, 1];
  let [killAt, backupAt] = [Date.now() + KILL_EVERY_MS, Date.now() + BACKUP_EVERY_MS];
  while (Date.now() < endAt) {
    await wait(200);
    if (Date.now() > killAt) {
      killOne(database.cluster);
      kills++;
      killAt = Date.now() + KILL_EVERY_MS;
    }
    if (Date.now() > backupAt) {
      backupAt = Date.now() + BACKUP_EVERY_MS;
      // A backup during which the database is killed fails and leaves nothing; the next one follows.
      void takeBackup(source).then(
        () => backups++,
        () => undefined,
      );
    }
  }
  const promised = await writers.stop();
  await wait(2000);
  const client = await connectTo(database.owner);
  await client.query('insert into schema_migration values ($1)', ['end']);
  await client.query('select pg_switch_wal()');
  await wait(3000);
  await client.end();
  return { promised, kills, backups, firstEndMs: Date.parse(first.endedAt), endMs: endAt };
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.fleet) return proveFleet({ seconds: Number(values.seconds), instants: Number(values.instants), seed: Number(values.seed) });
  const root = mkdtempSync(path.join(tmpdir(), 'hes-proof-backup-'));
  chmodSync(root, 0o755);
  const [dataDir, folder] = [path.join(root, 'data'), path.join(root, 'backup')];
  for (const own of [dataDir, folder]) mkdirSync(own, { mode: 0o755 });
  try {
    const database = await startEmbedded(dataDir, silentLog, ({ identity }) => archiveSettings(openArchive(folder, identity), 10));
    const written = await write(database, folder, Number(values.seconds)).finally(() => database.stop());
    say(
      `written: ${written.promised.rows.length} acknowledged rows, ${written.kills} kills, ${written.backups} backups (seed ${values.seed})`,
    );
    return await restoreAll(written, { root, dataDir, folder });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function restoreAll(written: Written, { root, dataDir, folder }: { root: string; dataDir: string; folder: string }): Promise<number> {
  const random = randomFrom(Number(values.seed));
  const place = findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));
  let broken = 0;
  for (let index = 1; index <= Number(values.instants); index++) {
    const until = new Date(Math.round(written.firstEndMs + random() * (written.endMs - written.firstEndMs)));
    const backup = chooseBackup({ folder, name: undefined }, until);
    const scratch = path.join(root, `restored-${index}`);
    mkdirSync(scratch, { mode: 0o700 });
    if (place.identity !== undefined) changeOwner(place.identity, scratch);
    const own = { ...place, cluster: path.join(scratch, 'cluster') };
    let found = { rows: 0, violations: [] as string[] };
    await recover({ backup, folder, place: own, until }, silentLog, async (client) => {
      await readEveryTable(client);
      found = await judgeRestored(client, written.promised, until.getTime());
    });
    rmSync(scratch, { recursive: true, force: true });
    broken += found.violations.length;
    say(`${index}. ${until.toISOString()} from ${backup.name}: ${found.rows} rows, ${found.violations.length} violations`);
    for (const violation of found.violations.slice(0, 5)) say(`   ${violation}`);
  }
  say(broken === 0 ? 'Every promise was kept.' : `${broken} promises were broken.`);
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main();
