import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listMigrations } from '../../apps/server/src/db/migration.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MIGRATIONS = 'apps/server/src/db/migrations';
/** What the server needs of the workspaces; @hes/NAME is the name of each. */
const WORKSPACES = ['apps/server', 'apps/simulator', 'packages'];
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** The commit before the one that added the newest migration: the last program with an older schema. Throws without the history. */
export function previousRevision(): string {
  const newest = listMigrations().at(-1)?.name ?? '';
  const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', `${MIGRATIONS}/${newest}`);
  if (added === '') throw new Error(`No commit adds ${newest}`);
  return git('rev-parse', '--verify', `${added}^`);
}

/** Why there is no previous release here; undefined: there is one. */
export function missingPrevious(): string | undefined {
  try {
    previousRevision();
    return undefined;
  } catch {
    return 'the repository does not hold the commit before its newest migration';
  }
}

/** Unpacks the program of a commit into a folder, with the packages of this one. Returns the entry of its server. */
export function unpackRelease(revision: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', revision, ...WORKSPACES, 'package.json'], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@hes'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@hes') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  // The workspaces are those of the revision.
  for (const group of ['apps', 'packages'])
    for (const name of readdirSync(join(folder, group))) symlinkSync(join(folder, group, name), join(modules, '@hes', name));
  return join(folder, 'apps/server/src/main.ts');
}
