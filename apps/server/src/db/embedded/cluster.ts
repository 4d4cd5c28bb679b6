import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import { explain } from './failures.ts';
import type { Place } from './place.ts';

export const DATABASE_USER = 'hes';
const PG_MAJOR = '18';

/** Only what the programs need: no secret of ours reaches them. */
export const databaseEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
  LC_MESSAGES: 'C',
  TZ: 'UTC',
});

function run(command: string, args: string[], place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...place.identity, cwd: '/', env: databaseEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output))));
  });
}

/** Creates the cluster unless it exists. It appears under its name only when it is whole. */
export async function ensureCluster(place: Place): Promise<'created' | 'found'> {
  const versionFile = join(place.cluster, 'PG_VERSION');
  if (existsSync(versionFile)) {
    const major = readFileSync(versionFile, 'utf8').trim();
    if (major === PG_MAJOR) return 'found';
    throw new StartError(
      `The database in ${place.cluster} was created by PostgreSQL ${major}; this version brings ${PG_MAJOR}. Start the older version, or set HES_DATA_DIR to another folder.`,
    );
  }
  const draft = `${place.cluster}.draft`;
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  try {
    rmSync(draft, { recursive: true, force: true });
    await run(
      join(place.bin, 'initdb'),
      [
        '-D',
        draft,
        '-U',
        DATABASE_USER,
        '-A',
        'trust',
        '-E',
        'UTF8',
        `--locale=${locale}`,
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
      ],
      place,
    );
    renameSync(draft, place.cluster);
    return 'created';
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw explain(error, place.cluster);
  }
}
