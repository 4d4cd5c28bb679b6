import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { homeIsWritable } from './install.mjs';
import { cacheFolder, inRoot } from './paths.mjs';
import { run } from './run.mjs';
import { say, Trouble } from './say.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Returns the path of a Chromium: the configured one, an installed one, Debian's package, or Playwright's.
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @returns {Promise<string>}
 */
export async function ensureBrowser({ node, env }) {
  const named = process.env.HES_CHROMIUM;
  if (named) {
    if (isProgram(named)) return named;
    throw new Trouble(`HES_CHROMIUM is ${named}, which is not a program: correct it or unset it.`);
  }
  const playwrightEnv = { ...env, PLAYWRIGHT_BROWSERS_PATH: browsersFolder(env) };
  return inPath() ?? (await playwrightBrowser(node, playwrightEnv)) ?? (await installDebian()) ?? (await download(node, playwrightEnv));
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function inPath() {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram);
}

/**
 * Folder of Playwright's browsers: the usual one, or one in the clone if the home folder belongs to another user.
 * @param {NodeJS.ProcessEnv} env
 */
const browsersFolder = (env) =>
  env.PLAYWRIGHT_BROWSERS_PATH ?? (homeIsWritable() ? path.join(homedir(), '.cache/ms-playwright') : path.join(cacheFolder, 'browsers'));

/**
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 */
async function playwrightBrowser(node, env) {
  const ask = "import('playwright-core').then(({ chromium }) => process.stdout.write(chromium.executablePath()))";
  const { output } = await run(node, ['-e', ask], { env });
  return existsSync(output.trim()) ? output.trim() : undefined;
}

async function installDebian() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  say('installing a browser (apt-get install chromium), about a minute …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { env });
  return inPath();
}

/**
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 */
async function download(node, env) {
  say('downloading a browser (playwright install chromium), about a minute …');
  const { output } = await run(node, [inRoot('node_modules/playwright/cli.js'), 'install', 'chromium'], { env });
  const found = await playwrightBrowser(node, env);
  if (found) return found;
  throw new Trouble(
    `The browser tests have no browser: install Chromium, or name one in HES_CHROMIUM. (${output.trim().split('\n').at(-1) ?? ''})`,
  );
}
