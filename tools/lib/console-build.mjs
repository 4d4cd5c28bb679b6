import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mayWrite } from './install.mjs';
import { cacheFolder, inRoot } from './paths.mjs';
import { run } from './run.mjs';
import { say, Trouble } from './say.mjs';

const dist = inRoot('apps/web/dist');
const hashFile = path.join(dist, '.build-hash');

/** All sources of the console. */
const SOURCES = ['apps/web', 'packages/contract/src', 'packages/dlms/src/cosem', 'package-lock.json'];
const LEFT_OUT = new Set(['dist', 'node_modules']);

/**
 * Builds the console if its sources have changed since the last build. The new build replaces the old one as a whole, so a
 * running server never serves a mixture.
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 */
export async function ensureConsole({ node, env }) {
  const wanted = hashOf(SOURCES);
  if (existsSync(hashFile) && readFileSync(hashFile, 'utf8') === wanted) return;
  mayWrite(inRoot('apps/web'));
  say('building the console …');
  const fresh = path.join(cacheFolder, `console-${process.pid}`);
  try {
    const { code, output } = await run(
      node,
      [inRoot('node_modules/vite/bin/vite.js'), 'build', 'apps/web', '--outDir', fresh, '--emptyOutDir'],
      { env },
    );
    if (code !== 0) throw new Trouble(explain(output));
    writeFileSync(path.join(fresh, '.build-hash'), wanted);
    replace(dist, fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  say('the console is built');
}

/** @param {string[]} sources */
function hashOf(sources) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesOf(inRoot(source))).toSorted()) {
    hash.update(`${path.relative(inRoot('.'), file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * @param {string} place a file or a folder
 * @returns {string[]}
 */
function filesOf(place) {
  if (!existsSync(place)) return [];
  if (path.extname(place) === '.json') return [place];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const inner = path.join(place, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesOf(inner);
    return entry.isFile() && !/\.test\.tsx?$/.test(entry.name) ? [inner] : [];
  });
}

/**
 * @param {string} old
 * @param {string} fresh
 */
function replace(old, fresh) {
  const aside = path.join(cacheFolder, `console-old-${process.pid}`);
  if (existsSync(old)) renameSync(old, aside);
  renameSync(fresh, old);
  rmSync(aside, { recursive: true, force: true });
}

/** @param {string} output */
function explain(output) {
  if (/ENOSPC|no space left/i.test(output)) return 'The disk is full: the console could not be built; free some space and try again.';
  if (/EACCES|EPERM|EROFS/.test(output)) return 'No write permission in apps/web: take ownership of the clone (chown) or run as its owner.';
  return `The console could not be built:\n${output.trim()}`;
}
