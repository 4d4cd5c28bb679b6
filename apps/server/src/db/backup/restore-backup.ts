import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { databaseKey } from '../embedded/database-key.ts';
import { ACCESS, OWNER_ROLE, PG_MAJOR } from '../embedded/cluster.ts';
import type { Place } from '../embedded/place.ts';
import { changeOwner } from '../embedded/unprivileged.ts';
import { endFeeds, pressStop, readEveryTable, setOwnerPassword } from './backup-queries.ts';
import { basesOf, listBackups, readBackup, VERIFIED, type Backup, type Verification } from './layout.ts';
import { recover } from './recover.ts';

interface Wish {
  /** Folder of backups and archive. */
  folder: string;
  /** Name of a backup; undefined: the newest suitable one. */
  name: string | undefined;
}

/** The newest backup that ended before `until`. Throws `StartError` if there is none. */
export function chooseBackup({ folder, name }: Wish, until?: Date): Backup {
  if (name !== undefined) return fitting(readBackup(folder, name), until);
  const damaged: unknown[] = [];
  const all = listBackups(folder, (error) => damaged.push(error));
  const found = all.findLast(({ manifest }) => until === undefined || new Date(manifest.endedAt) <= until);
  if (found !== undefined) return fitting(found, until);
  const [first] = all;
  if (first !== undefined)
    throw new StartError(`No backup ended before ${until?.toISOString() ?? ''}; the first one ended at ${first.manifest.endedAt}.`);
  if (damaged[0] instanceof StartError) throw damaged[0];
  throw new StartError(`${basesOf(folder)} holds no backup. Make one by "hes backup", or name the folder by HES_BACKUP_FOLDER or --from.`);
}

function fitting(backup: Backup, until: Date | undefined): Backup {
  const { postgres, endedAt } = backup.manifest;
  if (postgres !== PG_MAJOR)
    throw new StartError(
      `The backup ${backup.name} is of PostgreSQL ${postgres}, and this version brings ${PG_MAJOR}. Restore it by the version that made it.`,
    );
  if (until !== undefined && new Date(endedAt) > until)
    throw new StartError(
      `The backup ${backup.name} ended at ${endedAt}, after ${until.toISOString()}. Choose an earlier backup, or a later time.`,
    );
  return backup;
}

/** Restores the newest backup, or the named one, into a scratch folder, starts it, and reads every table. Records the result in the backup. */
export async function verifyBackup({ folder, name }: Wish, place: Place, log: Log): Promise<Backup & { verification: Verification }> {
  const backup = chooseBackup({ folder, name });
  const cluster = join(folder, `.verify-${process.pid}`, 'cluster');
  const scratch = join(cluster, '..');
  try {
    mkdirSync(scratch, { recursive: true, mode: 0o700 });
    if (place.identity !== undefined) changeOwner(place.identity, scratch);
    let tables = 0;
    const recovered = await recover(
      { backup, folder, place: { ...place, cluster }, until: undefined, isScratch: true },
      log,
      async (client) => {
        tables = await readEveryTable(client).catch((error: unknown) => {
          throw new StartError(`The backup ${backup.name} starts, but ${error instanceof Error ? error.message : String(error)}.`, {
            cause: error,
          });
        });
      },
    );
    const reachedAt = recovered.reachedAt?.toISOString() ?? null;
    const verification: Verification = { verifiedAt: new Date(systemClock.now()).toISOString(), reachedAt, tables };
    writeFileSync(join(backup.folder, VERIFIED), `${JSON.stringify(verification)}\n`, { mode: 0o600 });
    return { ...backup, verification };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export interface Restored {
  backup: Backup;
  reachedAt: Date | null;
  /** Where the former database is kept; undefined: there was none. */
  keptAs: string | undefined;
}

export interface RestoreWish extends Wish {
  until: Date | undefined;
  dataDir: string;
  place: Place;
  /** Identity of the master key that the head-end would start with; undefined: it has none. */
  masterKeyId: string | undefined;
}

/**
 * Restores the database of a data folder whose head-end does not run, with the emergency stop pressed. The former database is renamed, not deleted. Throws `StartError` before
 * anything changed.
 */
export async function restoreBackup({ folder, name, until, dataDir, place, masterKeyId }: RestoreWish, log: Log): Promise<Restored> {
  const backup = chooseBackup({ folder, name }, until);
  const needed = backup.manifest.masterKeyId;
  if (masterKeyId === undefined)
    throw new StartError(
      `The backup holds no master key, and there is none in ${dataDir}. Bring back master.key (key ${needed}), or set HES_MASTER_KEY.`,
    );
  if (masterKeyId !== needed)
    throw new StartError(
      `The secrets of the backup are sealed with the master key ${needed}, and this is ${masterKeyId}. Bring that key back.`,
    );
  const draft = `${place.cluster}.restored`;
  rmSync(draft, { recursive: true, force: true });
  const { reachedAt } = await recover({ backup, folder, place: { ...place, cluster: draft }, until }, log, async (client) => {
    await setOwnerPassword(client, OWNER_ROLE, databaseKey(dataDir).passwordOf(OWNER_ROLE));
    await endFeeds(client);
    await pressStop(client, `Restored from the backup ${backup.name}. Look at the open orders, then release the stop.`);
  });
  writeFileSync(join(draft, 'pg_hba.conf'), ACCESS);
  if (place.identity !== undefined) changeOwner(place.identity, draft);
  const isThere = existsSync(place.cluster);
  const keptAs = isThere ? `${place.cluster}.before-restore-${systemClock.now()}` : undefined;
  if (keptAs !== undefined) renameSync(place.cluster, keptAs);
  renameSync(draft, place.cluster);
  return { backup, reachedAt, keptAs };
}
