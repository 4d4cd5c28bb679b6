import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { OWNER_ROLE } from '../embedded/cluster.ts';
import { explain } from '../embedded/failures.ts';
import { socketFolder, type Place } from '../embedded/place.ts';
import { startPostmaster, untilReady, type SocketConnection } from '../embedded/postmaster.ts';
import { changeOwner } from '../embedded/unprivileged.ts';
import { copyBackup } from './copy-files.ts';
import { filesOf, walOf, type Backup } from './layout.ts';
import { connectTo } from './take-backup.ts';
import { checkSegments, restoreCommand } from './wal-archive.ts';

/** Recovery of a long archive takes hours; the process is watched meanwhile. */
const RECOVERED_WITHIN_MS = 7 * 86_400_000;
/** The folder of the socket is closed to others, so recovery needs no password, which is not known before. */
const OPEN_ACCESS = 'local all all trust\n';
const REACHED = /last completed transaction was at log time (\S+ [\d:.]+)/;
const NOT_REACHED = /recovery ended before configured recovery target was reached/;

export interface Recovery {
  backup: Backup;
  /** Folder of backups and archive. */
  folder: string;
  /** Where the cluster is written; its folder must not exist. */
  place: Place;
  /** Instant to recover to; undefined: the end of the archive. */
  until: Date | undefined;
  /** The cluster is deleted after a test, so it need not be durable. */
  isScratch?: boolean;
}

export interface Recovered {
  /** Time of the last transaction that was replayed; null: none after the copy. */
  reachedAt: Date | null;
}

/** This setting takes an offset and no letter for the zone. */
const stampOf = (at: Date): string => `${at.toISOString().slice(0, -1).replace('T', ' ')}+00`;

function explainRecovery(words: string, { until, place, folder }: Recovery): StartError {
  if (until !== undefined && NOT_REACHED.test(words)) {
    const last = REACHED.exec(words)?.[1];
    return new StartError(
      `The archive ${walOf(folder)} ends before ${until.toISOString()}${last === undefined ? '' : `; its last transaction is of ${last} UTC`}. Choose an earlier time, or restore to the end without --at.`,
    );
  }
  return explain(new Error(words), place.cluster);
}

async function recoverIn(recovery: Recovery, log: Log, use: (client: Client) => Promise<void>): Promise<Recovered> {
  const { place, folder, until, isScratch = false } = recovery;
  const socket = socketFolder(place);
  const owner: SocketConnection = { socketDir: socket.path, database: 'postgres', user: OWNER_ROLE, password: '' };
  const postmaster = startPostmaster(place, socket.path, log, {
    restore_command: restoreCommand(walOf(folder)),
    ...(until === undefined ? {} : { recovery_target_time: stampOf(until) }),
    recovery_target_action: 'promote',
    // Connections are accepted when the recovery has ended, not before.
    hot_standby: 'off',
    archive_mode: 'off',
    ...(isScratch ? { fsync: 'off' } : {}),
  });
  try {
    if (!(await untilReady(postmaster, owner, RECOVERED_WITHIN_MS))) throw explainRecovery(postmaster.lastWords(), recovery);
    const client = await connectTo(owner);
    try {
      await use(client);
    } finally {
      await client.end().catch(() => undefined);
    }
    // The pipe of the log may lag behind the first connection.
    const last = REACHED.exec(postmaster.lastWords())?.[1];
    return { reachedAt: last === undefined ? null : new Date(`${last.replace(' ', 'T')}Z`) };
  } finally {
    await postmaster.stop();
    if (socket.isTemporary) rmSync(socket.path, { recursive: true, force: true });
  }
}

/**
 * Writes the cluster of a backup and replays the archive. Calls `use` with the superuser of the recovered database, and stops it. Everything is
 * compared with checksums before. Throws `StartError`, and leaves nothing behind then.
 */
export async function recover(recovery: Recovery, log: Log, use: (client: Client) => Promise<void>): Promise<Recovered> {
  const { backup, folder, place, isScratch = false } = recovery;
  const { cluster, identity } = place;
  try {
    mkdirSync(cluster, { recursive: true, mode: 0o700 });
    await copyBackup(filesOf(backup.folder), cluster, backup.manifest.files, !isScratch);
    await checkSegments(folder, backup.manifest.firstWal, backup.manifest.lastWal);
    writeFileSync(join(cluster, 'pg_hba.conf'), OPEN_ACCESS);
    writeFileSync(join(cluster, 'recovery.signal'), '');
    if (identity !== undefined) changeOwner(identity, cluster);
    return await recoverIn(recovery, log, use);
  } catch (error) {
    rmSync(cluster, { recursive: true, force: true });
    throw explain(error, cluster);
  }
}
