import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePorts } from '../../e2e/support/free-ports.ts';
import { HEAD_END_ENV, HEAD_END_FLAGS } from '../lib/head-end-node.mjs';

const MAIN = resolve(import.meta.dirname, '../../apps/server/src/main.ts');

export interface HeadEndProcess {
  address: string;
  dlmsPort: number;
  pid: number;
  /** Octets written to the log so far, if they are counted. */
  logOctets(): number;
  stop(): Promise<void>;
}

/** Starts the server as a separate process over an existing database. Its log is printed, or only counted. */
export async function startHeadEnd(env: Record<string, string>, { countsLog = false } = {}): Promise<HeadEndProcess> {
  let logOctets = 0;
  const [port, dlmsPort, controlPort] = await freePorts();
  const child = spawn(process.execPath, [...HEAD_END_FLAGS, MAIN], {
    stdio: ['ignore', 'pipe', countsLog ? 'pipe' : 'inherit'],
    env: {
      ...HEAD_END_ENV,
      ...process.env,
      HES_PORT: String(port),
      HES_DLMS_PORT: String(dlmsPort),
      SIM_CONTROL_PORT: String(controlPort),
      HES_DEMO: 'off',
      HES_DIAL_LOCAL: 'on',
      HES_LOG_LEVEL: 'error',
      ...env,
    },
  });
  child.stderr?.on('data', (text: Buffer) => (logOctets += text.length));
  const ended = once(child, 'close');
  await new Promise<void>((done, fail) => {
    child.stdout?.on('data', (text: Buffer) => text.includes('Ready') && done());
    void ended.then(() => fail(new Error('The head-end failed to start')));
  });
  return {
    address: `http://127.0.0.1:${port}`,
    dlmsPort,
    pid: child.pid ?? 0,
    logOctets: () => logOctets,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
