import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/**
 * Running child processes, which receive the signals of the tool.
 * @type {Set<import('node:child_process').ChildProcess>}
 */
const running = new Set();
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @param {NodeJS.Signals} signal */
function stopAll(signal) {
  for (const child of running) child.kill('SIGTERM');
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

/** @param {import('node:child_process').ChildProcess} child */
function watch(child) {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, stopAll);
  running.add(child);
}

/** @param {import('node:child_process').ChildProcess} child */
function forget(child) {
  running.delete(child);
  if (running.size === 0) for (const signal of SIGNALS) process.off(signal, stopAll);
}

/**
 * Runs a command to its end. Returns its exit code and, unless it is shown directly, its output.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, show?: boolean }} [options] `show`: pass its output through
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { env = process.env, show = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
    watch(child);
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => {
      forget(child);
      resolve({ code: 127, output: `${output}${error.message}` });
    });
    child.on('close', (code) => {
      forget(child);
      resolve({ code: code ?? 128, output });
    });
  });
}
