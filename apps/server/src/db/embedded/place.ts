import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import type { Binaries } from './binaries.ts';
import { explain } from './failures.ts';
import { canDo, type Identity } from './unprivileged.ts';

/** Readable by all users, writable by root only. */
const SHARED_ROOT = '/var/lib/hes';
/** File with the path of a cluster that is outside the data folder. */
const POINTER = 'pg-location';
/** A new cluster takes 40 MB and its first WAL as much again; an existing one needs some headroom only. */
const MIN_FREE_MB = { create: 200, open: 64 };
/** sun_path is 108 octets on Linux, 104 elsewhere. */
const MAX_SOCKET_PATH = 100;

export interface Place {
  bin: string;
  /** Folder of the cluster (PGDATA). It may not exist yet; its parent exists and is owned by `identity`. */
  cluster: string;
  identity: Identity | undefined;
}

function sharedRoot(): string {
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o755 });
  const stat = lstatSync(SHARED_ROOT);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new StartError(
      `${SHARED_ROOT} must be a folder that belongs to root and that only root can write. Correct it (chown root, chmod 755), or set HES_DATA_DIR to a folder that all users can enter.`,
    );
  }
  return SHARED_ROOT;
}

/** Makes the copy readable even if the umask at installation was 077. */
function openForReading(dir: string): void {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) openForReading(path);
    else if (entry.isFile()) chmodSync(path, lstatSync(path).mode | 0o444 | (dir.endsWith('/bin') ? 0o111 : 0));
  }
}

const RUNS =
  '"$1/bin/postgres" -V && "$1/bin/initdb" -V && test -r "$1/share/postgresql/postgres.bki" && test -r "$1/share/postgresql/extension/pg_trgm.control"';

/** Folder of the programs that `identity` can run: the npm package, or a copy of it. */
function reachableBinaries(binaries: Binaries, identity: Identity | undefined): string {
  if (identity === undefined || canDo(identity, RUNS, binaries.root)) return join(binaries.root, 'bin');
  const target = join(sharedRoot(), `pg-${binaries.version}`);
  if (!existsSync(target)) {
    const draft = mkdtempSync(join(SHARED_ROOT, '.copy-'));
    try {
      cpSync(binaries.root, draft, { recursive: true, verbatimSymlinks: true });
      openForReading(draft);
      if (!existsSync(target)) renameSync(draft, target);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  if (!canDo(identity, RUNS, target))
    throw new StartError(
      `The database programs in ${target} cannot be run by an unprivileged user. Remove that folder and start again, or set DATABASE_URL.`,
    );
  return join(target, 'bin');
}

function ownFolder(path: string, identity: Identity | undefined): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (identity !== undefined) chownSync(path, identity.uid, identity.gid);
}

/** Creates a folder outside the data folder, for a database user who cannot enter the data folder. */
function distantFolder(dataDir: string, identity: Identity): string {
  const folder = join(sharedRoot(), createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  // The folder exists without a pointer: the operator deleted the data folder. Its database is renamed, never deleted.
  if (existsSync(folder)) renameSync(folder, mkdtempSync(`${folder}-abandoned-`));
  ownFolder(folder, identity);
  writeFileSync(join(dataDir, POINTER), `${folder}\n`, { mode: 0o600 });
  return folder;
}

function clusterFolder(dataDir: string, identity: Identity | undefined): string {
  const near = join(dataDir, 'pg');
  const pointer = join(dataDir, POINTER);
  if (existsSync(pointer)) return join(readFileSync(pointer, 'utf8').trim(), 'cluster');
  if (identity === undefined) {
    ownFolder(near, identity);
    return join(near, 'cluster');
  }
  const isNew = !existsSync(join(near, 'cluster'));
  ownFolder(near, identity);
  if (canDo(identity, 'cd "$1" && test -w . && test -x .', near)) return join(near, 'cluster');
  if (!isNew)
    throw new StartError(
      `The database in ${near} cannot be reached by its unprivileged user (uid ${identity.uid}) any more. Let others enter the folders above it (chmod o+x).`,
    );
  rmSync(near, { recursive: true, force: true });
  return join(distantFolder(dataDir, identity), 'cluster');
}

/** Determines the folders of programs and data, and the user of the built-in database. Throws `StartError`. */
export function findPlace(dataDir: string, binaries: Binaries, identity: Identity | undefined): Place {
  try {
    const cluster = clusterFolder(dataDir, identity);
    const disk = statfsSync(join(cluster, '..'));
    const freeMb = Math.floor((disk.bavail * disk.bsize) / 1_048_576);
    const neededMb = existsSync(cluster) ? MIN_FREE_MB.open : MIN_FREE_MB.create;
    if (freeMb < neededMb) {
      throw new StartError(
        `The disk that holds ${dataDir} is full (${freeMb} MB left). Free at least ${neededMb} MB, or set HES_DATA_DIR to a folder on another disk.`,
      );
    }
    return { bin: reachableBinaries(binaries, identity), cluster, identity };
  } catch (error) {
    throw explain(error, dataDir);
  }
}

/** Folder for the socket: the cluster folder if its path is short enough, else a private temporary folder. */
export function socketFolder(place: Place): { path: string; isTemporary: boolean } {
  if (Buffer.byteLength(join(place.cluster, '.s.PGSQL.5432.lock')) < MAX_SOCKET_PATH) return { path: place.cluster, isTemporary: false };
  for (const base of [tmpdir(), '/tmp']) {
    const path = mkdtempSync(join(base, 'hes-'));
    if (place.identity !== undefined) chownSync(path, place.identity.uid, place.identity.gid);
    if (Buffer.byteLength(join(path, '.s.PGSQL.5432.lock')) < MAX_SOCKET_PATH && canDo(place.identity, 'cd "$1" && test -w .', path))
      return { path, isTemporary: true };
    rmSync(path, { recursive: true, force: true });
  }
  throw new StartError('No folder with a short path was found for the socket of the built-in database. Set TMPDIR to one, such as /tmp.');
}
