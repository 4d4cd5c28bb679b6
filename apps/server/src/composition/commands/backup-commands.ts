import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listBackups, type Backup } from '#db/backup/layout.ts';
import { chooseBackup, restoreBackup, verifyBackup } from '#db/backup/restore-backup.ts';
import { takeBackup } from '#db/backup/take-backup.ts';
import { findBinaries } from '#db/embedded/binaries.ts';
import { OWNER_ROLE } from '#db/embedded/cluster.ts';
import { databaseKey } from '#db/embedded/database-key.ts';
import { findPlace, type Place } from '#db/embedded/place.ts';
import { databaseIdentity } from '#db/embedded/unprivileged.ts';
import type { Config } from '#platform/config.ts';
import { findMasterKey, lockDataFolder, openDataFolder } from '#platform/data-folder.ts';
import type { Log } from '#platform/log.ts';
import { createSecrets } from '#platform/secrets.ts';
import { StartError } from '#platform/start-error.ts';

/** Arguments of a command. */
export interface Wishes {
  /** Name of a backup. */
  name: string | undefined;
  /** Instant of a restore, as the user wrote it. */
  at: string | undefined;
  /** Folder of backups in place of HES_BACKUP_FOLDER. */
  from: string | undefined;
}

/** Settings, log and output of a command. */
export interface CommandContext {
  config: Pick<Config, 'dataDir' | 'backup' | 'masterKey' | 'databaseUrl'>;
  log: Log;
  say(line: string): void;
}

const MEBI = 1_048_576;
/** Line of postmaster.pid with the folder of the socket. */
const SOCKET_LINE = 4;

function folderOf({ config }: CommandContext, { from }: Pick<Wishes, 'from'>): string {
  const folder = from ?? config.backup?.folder;
  if (config.databaseUrl !== undefined)
    throw new StartError(
      'DATABASE_URL names an external database. Use the tools of PostgreSQL for it: docs/how-to/back-up-and-restore.md.',
    );
  if (folder === undefined) throw new StartError('HES_BACKUP_FOLDER is empty. Set it to the folder of the backups.');
  return folder;
}

const placeOf = ({ config: { dataDir } }: CommandContext): Place => findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));

/** Folder of the socket of the running database. */
function socketOf({ cluster }: Place): string {
  const file = join(cluster, 'postmaster.pid');
  const folder = existsSync(file) ? readFileSync(file, 'utf8').split('\n')[SOCKET_LINE]?.trim() : undefined;
  if (folder === undefined || folder === '') throw new StartError('The head-end does not run. Start it: backups are made while it runs.');
  return folder;
}

const mebibytesOf = ({ manifest }: Pick<Backup, 'manifest'>): number =>
  Math.ceil(manifest.files.reduce((sum, { octets }) => sum + octets, 0) / MEBI);

/** `hes backup`: copies the database of the running head-end. */
export async function backup(context: CommandContext): Promise<void> {
  const folder = folderOf(context, { from: undefined });
  if (!existsSync(context.config.dataDir))
    throw new StartError(`${context.config.dataDir} does not exist. Set HES_DATA_DIR to the data folder.`);
  const place = placeOf(context);
  const { dataDir } = context.config;
  const owner = {
    socketDir: socketOf(place),
    database: 'postgres',
    user: OWNER_ROLE,
    password: databaseKey(dataDir).passwordOf(OWNER_ROLE),
  };
  const manifest = await takeBackup({ owner, cluster: place.cluster, folder });
  context.say(`Backup ${manifest.name}: ${manifest.files.length} files, ${mebibytesOf({ manifest })} MiB in ${folder}.`);
  context.say(manifest.keyNote);
}

/** `hes backups`: lists what is there. */
export function backups(context: CommandContext, wishes: Wishes): void {
  const folder = folderOf(context, wishes);
  const all = listBackups(folder, (error) => context.say(error instanceof Error ? error.message : String(error)));
  if (all.length === 0) return context.say(`${folder} holds no backup.`);
  for (const one of all) {
    const verified = one.verification === undefined ? 'not verified' : `verified ${one.verification.verifiedAt}`;
    context.say(`${one.name}  ended ${one.manifest.endedAt}  ${mebibytesOf(one)} MiB  key ${one.manifest.masterKeyId}  ${verified}`);
  }
}

/** Nearest folder above that exists: the one of a database that is gone does not. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)));

function requireSpace(folder: string, { manifest }: Pick<Backup, 'manifest'>): void {
  const disk = statfsSync(existing(folder));
  const free = Math.floor((disk.bavail * disk.bsize) / MEBI);
  const needed = mebibytesOf({ manifest });
  if (free < needed)
    throw new StartError(`The disk of ${folder} has ${free} MiB free, and the restored database needs ${needed}. Free some space.`);
}

/** `hes verify`: restores a backup into a scratch folder, starts it, and reads every table. */
export async function verify(context: CommandContext, wishes: Wishes): Promise<void> {
  const folder = folderOf(context, wishes);
  const newest = listBackups(folder).findLast(({ name }) => wishes.name === undefined || name === wishes.name);
  if (newest !== undefined) requireSpace(folder, newest);
  openDataFolder(context.config.dataDir);
  const { name, verification } = await verifyBackup({ folder, name: wishes.name }, placeOf(context), context.log);
  const reached = verification.reachedAt === null ? '' : `, with everything up to ${verification.reachedAt}`;
  context.say(`Backup ${name} is good: it was restored and started, and its ${verification.tables} tables were read${reached}.`);
}

function instantOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime()) || !/(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new StartError(`--at is "${text}". Write an instant with its zone, such as 2026-11-28T06:00:00Z or 2026-11-28T06:00:00+02:00.`);
  return at;
}

/** `hes restore`: restores the database of a head-end that does not run. */
export async function restore(context: CommandContext, wishes: Wishes): Promise<void> {
  const folder = folderOf(context, wishes);
  const until = instantOf(wishes.at);
  const { dataDir, masterKey } = context.config;
  openDataFolder(dataDir);
  const release = lockDataFolder(dataDir);
  try {
    const key = findMasterKey(dataDir, masterKey);
    const masterKeyId = key && createSecrets(key, undefined).keyId;
    const place = placeOf(context);
    requireSpace(dirname(place.cluster), chooseBackup({ folder, name: wishes.name }, until));
    const restored = await restoreBackup({ folder, name: wishes.name, until, dataDir, place, masterKeyId }, context.log);
    const reached = restored.reachedAt?.toISOString() ?? restored.backup.manifest.endedAt;
    context.say(`The database of ${dataDir} is that of ${until?.toISOString() ?? reached}, from backup ${restored.backup.name}.`);
    if (restored.keptAs !== undefined) context.say(`The former database is kept in ${restored.keptAs}; delete it when it is not needed.`);
    context.say(
      'The audit log of the console will say that later rows are missing. Check orders that were open at that time before devices connect.',
    );
  } finally {
    release();
  }
}
