import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../lib/paths.mjs';

/** Scope of our packages: their links must point into the copy, so that its tests run the mutated code. */
const OWN_SCOPE = '@hes';

/** A copy of the working tree with uncommitted changes, in which mutants are applied: the developer's files are never changed. */
export interface ScratchTree {
  folder: string;
  /** Scratch files of the tests; removed with the tree, even if a test process was killed. */
  temporary: string;
  remove(): void;
}

export function makeScratchTree(): ScratchTree {
  const home = mkdtempSync(path.join(tmpdir(), 'hes-mutants-'));
  // The database of the tests runs as another user, who needs access to these folders.
  chmodSync(home, 0o755);
  const folder = path.join(home, 'tree');
  const temporary = path.join(home, 'tmp');
  mkdirSync(temporary, { mode: 0o755 });
  for (const file of filesOfTree()) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(path.join(root, file), target);
  }
  linkPackages(folder);
  const remove = () => rmSync(home, { recursive: true, force: true });
  process.once('exit', remove);
  return { folder, temporary, remove };
}

/** Removes copies when the tool is interrupted, too. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

/** Tracked files, and untracked ones that are not ignored. */
function filesOfTree(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return [...new Set(listed.split('\0'))].filter((file) => file !== '' && existsSync(path.join(root, file)));
}

/** Links each installed package; our own packages point to the copies. */
function linkPackages(folder: string): void {
  const installed = path.join(root, 'node_modules');
  const links = path.join(folder, 'node_modules');
  mkdirSync(links);
  for (const name of readdirSync(installed)) if (name !== OWN_SCOPE) symlinkSync(path.join(installed, name), path.join(links, name));
  mkdirSync(path.join(links, OWN_SCOPE));
  for (const parent of ['packages', 'apps'])
    for (const name of readdirSync(path.join(folder, parent))) {
      if (existsSync(path.join(folder, parent, name, 'package.json')))
        symlinkSync(path.join('../..', parent, name), path.join(links, OWN_SCOPE, name));
    }
}
