import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/paths.mjs';
import { runProgram } from './program.ts';
import { versionOf, type ReleaseVersion } from './version.ts';

/** The sources of a commit with all packages and the built console. */
export interface Source {
  folder: string;
  version: ReleaseVersion;
  /** Time of the commit: the time stamp of every file of the release, so that two builds are equal. */
  committedS: number;
  /** Environment of every program of the release. */
  env: NodeJS.ProcessEnv;
}

const git = async (...args: string[]): Promise<string> => (await runProgram('git', args, { cwd: root })).trim();

/** Exports the sources of `ref` into `folder`, installs the packages of its lock file and builds the console. */
export async function buildSource(ref: string, folder: string, say: (line: string) => void): Promise<Source> {
  const commit = await git('rev-parse', `${ref}^{commit}`);
  const committedS = Number(await git('show', '-s', '--format=%ct', commit));
  const tags = (await git('tag', '--points-at', commit)).split('\n');
  mkdirSync(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await git('archive', '--format=tar', '-o', archive, commit);
  await runProgram('tar', ['-xf', archive, '-C', folder]);
  // as: the package file of the root.
  const { version: base } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  const env = { SOURCE_DATE_EPOCH: String(committedS), TZ: 'UTC', LC_ALL: 'C.UTF-8' };
  say('installing the packages of the lock file');
  await runProgram('npm', ['ci', '--ignore-scripts', '--include=dev', '--include=optional'], { cwd: folder, env });
  say('building the console');
  const node = path.join(folder, 'node_modules/.bin/node');
  await runProgram(node, [path.join(folder, 'node_modules/vite/bin/vite.js'), 'build', 'apps/web'], { cwd: folder, env });
  return { folder, version: versionOf(base, { tags, commit, committedS }), committedS, env };
}
