/**
 * `npm start`: from a fresh clone to a running head-end system. Plain JavaScript without packages, because it runs under
 * any installed Node before the packages are installed.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureConsole } from '../lib/console-build.mjs';
import { HEAD_END_ENV, HEAD_END_FLAGS } from '../lib/head-end-node.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { inRoot, root } from '../lib/paths.mjs';
import { runTool } from '../lib/say.mjs';

const PARENT_POLL_MS = 1000;
/** Time limit of a shutdown: the server hands its work over to other head-ends (HES_DRAIN_S, HES_DRAIN_NOTICE_S), and then stops within a few seconds. */
const STOP_LIMIT_MS = 30_000 + ((Number(process.env.HES_DRAIN_S) || 25) + (Number(process.env.HES_DRAIN_NOTICE_S) || 5)) * 1000;

await runTool(async () => {
  const pinned = await ensureInstalled();
  await ensureConsole(pinned);
  return serve(pinned);
});

/**
 * Runs the server until it ends and returns its exit code.
 * The server ends in three ways: a signal to this process is passed on; if this process is killed, the pipe on descriptor
 * 3 closes; and if npm, the parent, is killed, the change of the parent process is detected.
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @returns {Promise<number>}
 */
function serve({ node, env }) {
  const server = spawn(node, [...HEAD_END_FLAGS, inRoot('apps/server/src/main.ts')], {
    cwd: root,
    // A separate process group: Ctrl-C reaches the server once, through this process, not again from the terminal.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { ...HEAD_END_ENV, ...env, HES_DATA_DIR: path.resolve(process.env.HES_DATA_DIR || 'data'), HES_LIFELINE_FD: '3' },
  });

  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    server.kill('SIGTERM');
    setTimeout(() => server.kill('SIGKILL'), STOP_LIMIT_MS).unref();
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, stop);
  watchParent(stop);

  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.on('exit', (code, signal) => {
      if (signal && !isStopping) process.stderr.write(`hes: the server was ended by ${signal}; restart it with npm start\n`);
      resolve(code ?? (isStopping ? 0 : 1));
    });
  });
}

/**
 * Applies under npm only: a launcher that was started manually and detached on purpose (`nohup`, `setsid`) may lose its
 * parent.
 * @param {() => void} stop
 */
function watchParent(stop) {
  if (!process.env.npm_execpath) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_MS).unref();
}
