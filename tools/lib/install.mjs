import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { cacheFolder, inRoot, root } from './paths.mjs';
import { run } from './run.mjs';
import { say, Trouble } from './say.mjs';

const OLDEST_NODE_TO_BOOTSTRAP = 20;
const PINNED_MAJOR = 26;

const stampFile = inRoot('node_modules/.hes-install');
const pinnedNodeFile = inRoot(process.platform === 'win32' ? 'node_modules/.bin/node.cmd' : 'node_modules/.bin/node');

/**
 * Installs node_modules as in package-lock.json if necessary, and returns the environment for everything else: the pinned
 * Node first in the path.
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>}
 */
export async function ensureInstalled() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE_TO_BOOTSTRAP) {
    throw new Trouble(
      `Node ${process.versions.node} is too old to start: install Node ${OLDEST_NODE_TO_BOOTSTRAP} or newer, then try again.`,
    );
  }
  if (!isInstalled()) await install();
  const node = pinnedNode();
  return { node, env: withNodeFirst(process.env) };
}

function isInstalled() {
  const wanted = lockStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return true;
  if (!matchesLock()) return false;
  stamp(wanted);
  return true;
}

/** The stamp includes the platform: a folder shared with another machine contains the wrong binaries. */
function lockStamp() {
  const lock = readFileSync(inRoot('package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

/** @param {string} text */
function stamp(text) {
  try {
    writeFileSync(stampFile, text);
  } catch {
    // The folder belongs to another user but is readable: everything is installed, only the shortcut of the next start is missing.
  }
}

/** Whether `npm ci` or `npm install` was run manually: npm's own record equals the lock file. */
function matchesLock() {
  try {
    const wanted = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages;
    const found = JSON.parse(readFileSync(inRoot('node_modules/.package-lock.json'), 'utf8')).packages;
    return (
      existsSync(pinnedNodeFile) &&
      Object.keys(wanted).every((key) => !key.startsWith('node_modules/') || sameVersion(wanted[key], found[key]))
    );
  } catch {
    return false;
  }
}

/**
 * @param {{ version?: string, optional?: boolean }} wanted
 * @param {{ version?: string } | undefined} found
 */
const sameVersion = (wanted, found) => (found === undefined ? wanted.optional === true : found.version === wanted.version);

async function install() {
  mayWrite(root);
  say('installing packages (npm ci), up to two minutes …');
  const wanted = lockStamp();
  const { command, args } = npm();
  const { code, output } = await run(
    command,
    [...args, 'ci', '--ignore-scripts', '--include=optional', '--include=dev', '--no-audit', '--no-fund'],
    { env: npmEnvironment() },
  );
  if (code !== 0) throw new Trouble(explainNpm(output));
  stamp(wanted);
  say('packages are installed');
}

/** The npm of this process under its Node: node_modules, which may contain a pinned Node, is about to be replaced. */
function npm() {
  const script = process.env.npm_execpath;
  const outside = process.env.npm_node_execpath;
  const node = outside && !outside.startsWith(inRoot('node_modules')) ? outside : process.execPath;
  if (script?.endsWith('.js') && !node.startsWith(inRoot('node_modules'))) return { command: node, args: [script] };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] };
}

/** npm needs a writable cache folder: if the home folder belongs to another user, the clone provides one. */
function npmEnvironment() {
  const env = { ...process.env };
  // The outer npm passes its settings in the environment, which the inner one would take for its command line.
  for (const key of Object.keys(env)) if (/^npm_(lifecycle|package|command)/.test(key)) delete env[key];
  env.PATH = (env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.startsWith(inRoot('node_modules')))
    .join(path.delimiter);
  if (!homeIsWritable()) env.npm_config_cache = path.join(cacheFolder, 'npm');
  return env;
}

export function homeIsWritable() {
  try {
    const home = homedir();
    accessSync(home, constants.W_OK);
    const npmCache = path.join(home, '.npm');
    if (existsSync(npmCache)) accessSync(npmCache, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} output */
export function explainNpm(output) {
  const again = 'then run the same command again';
  if (/ENOSPC|EDQUOT|no space left/i.test(output)) return `The disk is full: free about 1 GB under ${root}, ${again}.`;
  if (/EACCES|EPERM|EROFS/.test(output))
    return `No write permission under ${root}: take ownership of the folder (chown) or run as its owner, ${again}.`;
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ECONNRESET|EAI_AGAIN|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i.test(output)) {
    return `The npm registry cannot be reached: check the network, the proxy and \`npm config get registry\`, ${again}.`;
  }
  if (/not found|ENOENT/i.test(output) && /npm/.test(output) && !/npm error/.test(output))
    return `npm was not found: install it with Node, ${again}.`;
  if (/EUSAGE|in sync/.test(output)) return 'package-lock.json and package.json disagree: run `npm install` and commit the lock file.';
  if (/EINTEGRITY/.test(output)) return `A downloaded package is damaged: run \`npm cache clean --force\`, ${again}.`;
  return `\`npm ci\` failed; the end of its output: ${output.trim().split('\n').slice(-6).join(' | ')}`;
}

/** @param {string} folder */
export function mayWrite(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new Trouble(`No write permission in ${folder}: take ownership of the folder (chown) or run as its owner.`);
  }
}

function pinnedNode() {
  const platform = `${process.platform}-${process.arch}`;
  if (!existsSync(pinnedNodeFile)) {
    throw new Trouble(
      `Node ${PINNED_MAJOR} for ${platform} was not installed: run \`npm ci --include=optional\`; if that fails, there is no such package for this platform.`,
    );
  }
  const asked = spawnSync(pinnedNodeFile, ['--version'], { encoding: 'utf8' });
  if (!asked.stdout?.startsWith(`v${PINNED_MAJOR}.`)) {
    const reason = (asked.error?.message ?? asked.stderr ?? '').trim().split('\n')[0];
    throw new Trouble(
      `The Node ${PINNED_MAJOR} in node_modules cannot run here (${reason || platform}): it needs glibc and a file system that allows programs.`,
    );
  }
  return pinnedNodeFile;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
const withNodeFirst = (env) => ({
  ...env,
  PATH: `${inRoot('node_modules/.bin')}${path.delimiter}${env.PATH ?? ''}`,
  // The compile cache halves the start-up time of the server.
  NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? path.join(cacheFolder, 'compiled'),
});
