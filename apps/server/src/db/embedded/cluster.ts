import { spawn } from 'node:child_process';
import { chownSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import { explain } from './failures.ts';
import type { DatabaseKey } from './database-key.ts';
import type { Place } from './place.ts';
import { changeOwner, initIdentity, type Identity } from './unprivileged.ts';

/** Owner of all tables and superuser of the built-in database; used for migrations only. */
export const OWNER_ROLE = 'hes';
/** Major version of the built-in database. */
export const PG_MAJOR = '18';

/** Minimal environment: the secrets of the head-end are not passed to the database programs. */
export const databaseEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
  LC_MESSAGES: 'C',
  TZ: 'UTC',
});

/** All connections need a password, over a socket that only the operating-system user of the database may open. */
export const ACCESS = 'local all all scram-sha-256\n';
const accessFile = (cluster: string): string => join(cluster, 'pg_hba.conf');

/** Runs a program with the given standard input and waits for its exit. */
function runProgram(command: string, args: string[], identity: Identity | undefined, input = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...identity, cwd: '/', env: databaseEnvironment(), stdio: ['pipe', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output))));
    // A program that fails early closes the pipe; the error is taken from its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/**
 * Creates the cluster unless it exists, and renames it to its final path once it is complete. The role passwords are derived from `key`.
 */
export async function ensureCluster(place: Place, key: DatabaseKey): Promise<'created' | 'found'> {
  const versionFile = join(place.cluster, 'PG_VERSION');
  if (existsSync(versionFile)) {
    const major = readFileSync(versionFile, 'utf8').trim();
    if (major === PG_MAJOR) {
      await takeOver(place, key);
      return 'found';
    }
    throw new StartError(
      `The database in ${place.cluster} was created by PostgreSQL ${major}; this version brings ${PG_MAJOR}. Start the older version, or set HES_DATA_DIR to another folder.`,
    );
  }
  const draft = `${place.cluster}.draft`;
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  try {
    rmSync(draft, { recursive: true, force: true });
    const initdb = initIdentity();
    if (initdb !== undefined) chownSync(dirname(draft), initdb.uid, initdb.gid);
    await runProgram(
      join(place.bin, 'initdb'),
      [
        '-D',
        draft,
        '-U',
        OWNER_ROLE,
        '-A',
        'trust',
        '-E',
        'UTF8',
        `--locale=${locale}`,
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
      ],
      initdb,
    );
    await secureCluster({ ...place, cluster: draft }, key);
    renameSync(draft, place.cluster);
    return 'created';
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw explain(error, place.cluster);
  }
}

/** Sets user and password of a cluster that an older version created or whose key file was lost. */
async function takeOver(place: Place, key: DatabaseKey): Promise<void> {
  const { cluster, identity } = place;
  const hasUser = identity === undefined || lstatSync(cluster).uid === identity.uid;
  if (hasUser && !key.isNew && readFileSync(accessFile(cluster), 'utf8') === ACCESS) return;
  try {
    await secureCluster(place, key);
  } catch (error) {
    throw explain(error, cluster);
  }
}

/** Sets the owner's password in single-user mode, requires passwords for all roles, and transfers the files to the database user. */
async function secureCluster({ bin, cluster, identity }: Place, key: DatabaseKey): Promise<void> {
  const lookedUp = initIdentity();
  if (lookedUp !== undefined) changeOwner(lookedUp, dirname(cluster));
  const setPassword = `alter role ${OWNER_ROLE} password '${key.passwordOf(OWNER_ROLE)}'\n`;
  await runProgram(join(bin, 'postgres'), ['--single', '-D', cluster, 'postgres'], lookedUp, setPassword);
  writeFileSync(accessFile(cluster), ACCESS);
  if (identity !== undefined) changeOwner(identity, dirname(cluster));
}
