import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import { readEveryTable } from '../../apps/server/src/db/backup/backup-queries.ts';
import { listBackups } from '../../apps/server/src/db/backup/layout.ts';
import { recover } from '../../apps/server/src/db/backup/recover.ts';
import { chooseBackup } from '../../apps/server/src/db/backup/restore-backup.ts';
import { takeBackup } from '../../apps/server/src/db/backup/take-backup.ts';
import { findBinaries } from '../../apps/server/src/db/embedded/binaries.ts';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { findPlace } from '../../apps/server/src/db/embedded/place.ts';
import { changeOwner, databaseIdentity } from '../../apps/server/src/db/embedded/unprivileged.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { postmasterOf } from '../attack/database-login.ts';
import { noteCommitted, dump } from '../chaos/dump.ts';
import type { Line } from '../chaos/history.ts';
import { judge } from '../chaos/judge.ts';
import { Product } from '../chaos/product.ts';
import { dayAgo, KINDS, Work, type KnownMeter } from '../chaos/work.ts';
import { say } from '../lib/say.mjs';
import { randomFrom } from './random.ts';

const WORLD_SEED = 1;
const SCALE = '4x8';
const KILL_EVERY_MS = 15_000;
const BACKUP_EVERY_MS = 20_000;
const SEE_EVERY_MS = 2_000;
const ONLINE_WITHIN_MS = 90_000;
/** The archive has everything until then: HES_BACKUP_WAL_S is 10. */
const ARCHIVED_AFTER_MS = 15_000;
/** Days that are read backwards, so that each order has something new. */
const FIRST_DAY_BACK = 2;
const LAST_DAY_BACK = 60;

interface Wish {
  seconds: number;
  instants: number;
  seed: number;
}

/** An observation with the time, by the clock of this machine, at which it was made: what it says was committed before. */
interface Observed {
  atMs: number;
  line: Line;
}

interface Ran {
  observed: Observed[];
  startedMs: number;
  firstEndMs: number;
  endMs: number;
  kills: number;
  backups: number;
}

async function untilOnline(product: Product): Promise<void> {
  for (const until = performance.now() + ONLINE_WITHIN_MS; ; await wait(200)) {
    const away = await product.rows("select from endpoint where online_status <> 'online'");
    if (away.length === 0) return;
    if (performance.now() > until) throw new Error(`${away.length} devices did not connect`);
  }
}

/** Orders one kind of reading after the other, of days that were not read yet, until the time is over. */
async function readOn(product: Product, tell: (line: Line) => void, endAt: number): Promise<void> {
  const meters = await product.rows<KnownMeter>(
    'select m.id, m.sn, e.sn as dcu from meter m join endpoint e on e.id = m.dcu_id order by m.sn',
  );
  await Promise.all(
    KINDS.map(async (kind) => {
      for (let back = FIRST_DAY_BACK; back < LAST_DAY_BACK && Date.now() < endAt; back++) {
        const work = new Work(product, tell, kind, dayAgo(product.now(), back), meters);
        while (work.left.length > 0 && Date.now() < endAt) await work.once(product.deadline(Math.max(0, endAt - Date.now())));
      }
    }),
  );
}

/** Kills server and database in turns with SIGKILL. */
async function killOn(product: Product, endAt: number): Promise<number> {
  let kills = 0;
  for (await wait(KILL_EVERY_MS); Date.now() < endAt; await wait(KILL_EVERY_MS))
    await (kills++ % 2 === 0 ? product.killDatabase('SIGKILL') : product.killServer());
  return kills;
}

async function seeOn(product: Product, tell: (line: Line) => void, endAt: number): Promise<void> {
  for (; Date.now() < endAt; await wait(SEE_EVERY_MS)) {
    const lines: Line[] = [];
    // All rows of one statement: they were committed when it began, and are noted when it has ended.
    await noteCommitted(product, (line) => lines.push(line), new Set());
    for (const line of lines) tell(line);
  }
}

async function backUp(product: Product, folder: string): Promise<string | undefined> {
  const { dataDir } = product;
  const owner = { ...postmasterOf(dataDir), database: 'postgres', user: OWNER_ROLE, password: databaseKey(dataDir).passwordOf(OWNER_ROLE) };
  const { cluster } = findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));
  // A backup during which the database is killed fails and leaves nothing.
  return takeBackup({ owner, cluster, folder }).then(
    ({ endedAt }) => endedAt,
    () => undefined,
  );
}

async function backUpOn(product: Product, folder: string, endAt: number): Promise<void> {
  for (; Date.now() < endAt; await wait(BACKUP_EVERY_MS)) await backUp(product, folder);
}

async function run(product: Product, folder: string, { seconds }: Wish): Promise<Ran> {
  const startedMs = Date.now();
  await product.start();
  await untilOnline(product);
  const firstEnd = await backUp(product, folder);
  if (firstEnd === undefined) throw new Error('The first backup failed');
  const observed: Observed[] = [];
  const tell = (line: Line) => void observed.push({ atMs: Date.now(), line });
  const endMs = Date.now() + seconds * 1000;
  const [kills] = await Promise.all([
    killOn(product, endMs),
    readOn(product, tell, endMs),
    seeOn(product, tell, endMs),
    backUpOn(product, folder, endMs),
  ]);
  // Something committed after the end, so that an instant just before it can be reached.
  await product.rows("insert into schema_migration (number, name) values (99999, 'end of the proof') returning number");
  await product.rows('select pg_switch_wal()');
  await wait(ARCHIVED_AFTER_MS);
  return { observed, startedMs, firstEndMs: Date.parse(firstEnd), endMs, kills, backups: listBackups(folder).length };
}

/** Judges a restored database by what was observed until the instant. */
async function judgeAt(client: Client, { observed, startedMs }: Ran, untilMs: number) {
  const lines: Line[] = [{ t: 'begin', seed: WORLD_SEED, scale: SCALE, direct: 0, at: startedMs }];
  for (const { atMs, line } of observed) if (atMs <= untilMs) lines.push(line);
  // as: only `query` is called. A capture later than the instant is a violation: `end` is the instant.
  await dump(client as unknown as Pool, (line) => void lines.push(line), untilMs);
  return judge(lines);
}

async function restoreAll(ran: Ran, product: Product, folder: string, { instants, seed }: Wish): Promise<number> {
  const random = randomFrom(seed);
  const { dataDir } = product;
  const place = findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));
  let broken = 0;
  // An instant before anything was promised proves nothing.
  const fromMs = Math.max(ran.firstEndMs, ran.observed[0]?.atMs ?? 0);
  for (let index = 1; index <= instants; index++) {
    const until = new Date(Math.round(fromMs + random() * (ran.endMs - fromMs)));
    const backup = chooseBackup({ folder, name: undefined }, until);
    const scratch = path.join(product.folder, `restored-${index}`);
    mkdirSync(scratch, { mode: 0o700 });
    if (place.identity !== undefined) changeOwner(place.identity, scratch);
    const own = { ...place, cluster: path.join(scratch, 'cluster') };
    let found = await judge([]);
    await recover({ backup, folder, place: own, until, isScratch: true }, silentLog, async (client) => {
      await readEveryTable(client);
      found = await judgeAt(client, ran, until.getTime());
    });
    rmSync(scratch, { recursive: true, force: true });
    const { judged, violations } = found;
    broken += violations.length;
    say(
      `${index}. ${until.toISOString()} from ${backup.name}: ${judged.captures} captures, ${judged.freezes} freezes, ${judged.events} events, ${judged.acknowledgements} promises, ${violations.length} violations`,
    );
    for (const { guarantee, what } of violations.slice(0, 5)) say(`   ${guarantee}: ${what}`);
  }
  say(broken === 0 ? 'Every promise was kept.' : `${broken} promises were broken.`);
  return broken === 0 ? 0 : 1;
}

/** A head-end reads its fleet while it and its database are killed and backed up; then its database is restored to random instants and judged. */
export async function proveFleet(wish: Wish): Promise<number> {
  const settings: Record<string, string> = { HES_BACKUP_EVERY_H: '0', HES_BACKUP_WAL_S: '10' };
  const product = new Product({ seed: WORLD_SEED, scale: SCALE, direct: 0, keep: false, settings });
  const folder = path.join(product.folder, 'backup');
  settings['HES_BACKUP_FOLDER'] = folder;
  mkdirSync(folder, { mode: 0o755 });
  chmodSync(folder, 0o755);
  try {
    const ran = await run(product, folder, wish).finally(() => product.stop());
    say(`${ran.observed.length} observations, ${ran.kills} kills, ${ran.backups} backups (seed ${wish.seed})`);
    return await restoreAll(ran, product, folder, wish);
  } finally {
    product.remove();
  }
}
