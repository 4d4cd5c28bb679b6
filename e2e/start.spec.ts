import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import {
  distantDatabase,
  isHealthy,
  launch,
  newDataDir,
  nothingLeft,
  ready,
  removeDataDir,
  start,
  type HeadEnd,
} from './support/head-end.ts';
import { memberOf } from './support/processes.ts';

const root = path.resolve(import.meta.dirname, '..');
const SERVER = /apps\/server\/src\/main\.ts/;
const SIMULATOR = /apps\/simulator\/src\/main\.ts/;
const POSTGRES = /\/postgres(?: |$)/;

test.skip(process.platform !== 'linux', 'reads the process table of Linux');

/** One data folder for all tests: each start follows the shutdown of the previous one. */
let dataDir = '';
const running: HeadEnd[] = [];

async function started(env: Record<string, string> = {}, folder = dataDir): Promise<HeadEnd> {
  const headEnd = await start({ dataDir: folder, env });
  running.push(headEnd);
  return headEnd;
}

test.beforeAll(() => {
  dataDir = newDataDir('hes start ');
});
test.afterEach(async () => {
  for (const headEnd of running.splice(0)) await headEnd.stop();
});
test.afterAll(() => removeDataDir(dataDir));

test('a first start in a path with spaces, a second instance in parallel, an occupied port, and a clean shutdown', async () => {
  const first = await started({ HES_DEMO: 'on' });
  const family = first.family();
  memberOf(family, SERVER);
  memberOf(family, SIMULATOR);
  memberOf(family, POSTGRES);

  const otherDir = newDataDir();
  const second = await started({}, otherDir);
  expect(await isHealthy(first)).toBe(true);

  const thirdDir = newDataDir();
  const third = await launch({ dataDir: thirdDir, env: { HES_PORT: String(first.port) } });
  expect(await third.ended).not.toBe(0);
  expect(third.output()).toContain(String(first.port));
  expect(third.output()).not.toMatch(/^\s+at /m);
  expect(await isHealthy(first)).toBe(true);

  expect(await second.stop('SIGINT')).toBe(0);
  removeDataDir(otherDir);
  removeDataDir(thirdDir);
  expect(await first.stop('SIGTERM')).toBe(0);
  await nothingLeft(family);
});

test('a second start on the same data folder is refused with one sentence', async () => {
  await started();
  const second = await launch({ dataDir });
  expect(await second.ended).not.toBe(0);
  expect(second.output()).toContain(dataDir);
});

test('no process survives a killed launcher, and the next start works', async () => {
  const headEnd = await started({ HES_DEMO: 'on' });
  const family = headEnd.family();
  headEnd.launcher.kill('SIGKILL');
  await nothingLeft(family);
});

test('no process survives a killed npm', async () => {
  const script = `require('node:child_process').spawn(process.execPath, [${JSON.stringify(path.join(root, 'tools/start/start.mjs'))}], { stdio: 'inherit' })`;
  const headEnd = await launch({ dataDir, command: [process.execPath, '-e', script], env: { npm_execpath: 'npm' } });
  await ready(headEnd);
  const family = headEnd.family();
  headEnd.launcher.kill('SIGKILL');
  await nothingLeft(family);
});

test('no process survives a killed server, and the launcher reports it', async () => {
  const headEnd = await started();
  const family = headEnd.family();
  process.kill(memberOf(family, SERVER).pid, 'SIGKILL');
  expect(await headEnd.ended).not.toBe(0);
  await nothingLeft(family);
});

test('a killed database recovers, or the head-end ends and restarts', async () => {
  const headEnd = await started();
  const family = headEnd.family();
  const postgres = memberOf(family, POSTGRES);
  process.kill(postgres.pid, 'SIGKILL');
  await nothingLeft([postgres]);
  let hasEnded = false;
  void headEnd.ended.then(() => (hasEnded = true));
  await expect.poll(async () => hasEnded || (await isHealthy(headEnd)), { timeout: 60_000 }).toBe(true);
  if (!hasEnded) await headEnd.stop();
  await nothingLeft(family);
  await started();
});

test('a data folder that is a file is refused with one sentence', async () => {
  const headEnd = await launch({ dataDir: path.join(root, 'package.json') });
  expect(await headEnd.ended).not.toBe(0);
  expect(headEnd.output()).toMatch(/HES_DATA_DIR|folder/);
  expect(headEnd.output()).not.toMatch(/^\s+at /m);
});

test('a clone whose path has spaces starts', async () => {
  const clone = path.join(newDataDir('hes clone '), 'head end');
  mkdirSync(clone, { recursive: true });
  const leftOut = /(?:^|\/)(?:node_modules|\.git|\.cache|data|test-results|playwright-report)(?:\/|$)/;
  cpSync(root, clone, { recursive: true, filter: (source) => !leftOut.test(path.relative(root, source)) });
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  const headEnd = await start({
    dataDir: path.join(clone, 'data'),
    command: [process.execPath, path.join(clone, 'tools/start/start.mjs')],
  });
  running.push(headEnd);
  expect(await headEnd.stop()).toBe(0);
  rmSync(path.dirname(clone), { recursive: true, force: true });
});

test('a data folder that is only accessible to root works for root', async () => {
  test.skip(process.getuid?.() !== 0, 'needs root');
  const secluded = newDataDir('hes-secluded-', 0o700);
  const headEnd = await start({ dataDir: secluded });
  running.push(headEnd);
  expect(distantDatabase(secluded)).toMatch(/^\/var\/lib\/hes\//);
  await headEnd.stop();
  removeDataDir(secluded);
});

test('an occupied DCU port is reported with one sentence', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = String(typeof address === 'object' && address ? address.port : 0);
  const headEnd = await launch({ dataDir, env: { HES_DLMS_PORT: port } });
  expect(await headEnd.ended).not.toBe(0);
  expect(headEnd.output()).toContain(port);
  taken.close();
});
