import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@playwright/test';
import { freePorts } from './free-ports.ts';
import { familyOf, stillRunning, type Seen } from './processes.ts';
import { startSlowProxy } from './slow-proxy.ts';

export const PASSWORD = 'First-Light-2026';
const CONTROL_SECRET = 'of these tests';

const READY_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 30_000;
const launcher = path.resolve(import.meta.dirname, '../../tools/start/start.mjs');

export interface HeadEnd {
  /** Of console and API, without a trailing slash. */
  address: string;
  /** Of the simulator's control API. */
  controlAddress: string;
  dataDir: string;
  port: number;
  launcher: ChildProcess;
  /** Its complete output so far. */
  output(): string;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  family(): Seen[];
  /** Sends a signal and waits until all its processes have ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

interface Wishes {
  dataDir?: string;
  env?: Record<string, string>;
  /** Time limit until it is ready, for slow starts. */
  readyWithinMs?: number;
  /** Command to run in place of the launcher of this clone. */
  command?: [string, ...string[]];
}

/** A fresh folder, accessible to the unprivileged user of the database unless `mode` says otherwise. */
export function newDataDir(name = 'hes-e2e-', mode = 0o755): string {
  const folder = mkdtempSync(path.join(tmpdir(), name));
  chmodSync(folder, mode);
  return folder;
}

/** Folder of the database if its user cannot access the data folder. */
export function distantDatabase(dataDir: string): string | undefined {
  const pointer = path.join(dataDir, 'pg-location');
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined;
}

export function removeDataDir(dataDir: string): void {
  const distant = distantDatabase(dataDir);
  if (distant?.startsWith('/var/lib/hes/')) rmSync(distant, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts the product as `npm start` does, without waiting. */
export async function launch({ dataDir = newDataDir(), env = {}, command }: Wishes = {}): Promise<HeadEnd> {
  const [port, dlmsPort, controlPort] = await freePorts();
  const [program, ...args] = command ?? [process.execPath, launcher];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HES_PORT: String(port),
      HES_DLMS_PORT: String(dlmsPort),
      // The test fleet instead of the utility: small enough to be read completely in a test.
      SIM_SCALE: 'town',
      SIM_CONTROL_PORT: String(controlPort),
      SIM_CONTROL_SECRET: CONTROL_SECRET,
      HES_DATA_DIR: dataDir,
      HES_ADMIN_PASSWORD: PASSWORD,
      HES_DEMO: 'off',
      DATABASE_URL: '',
      ...env,
    },
  });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));

  const headEnd: HeadEnd = {
    address: `http://127.0.0.1:${env['HES_PORT'] ?? port}`,
    controlAddress: `http://127.0.0.1:${controlPort}`,
    dataDir,
    port: Number(env['HES_PORT'] ?? port),
    launcher: child,
    output: () => printed,
    ended,
    family: () => familyOf(child.pid ?? 0),
    async stop(signal = 'SIGTERM') {
      const family = headEnd.family();
      child.kill(signal);
      await nothingLeft(family);
      return ended;
    },
  };
  return headEnd;
}

/** Calls the simulator's control API. */
export const askControl = ({ controlAddress }: Pick<HeadEnd, 'controlAddress'>, path: string, order: RequestInit = {}): Promise<Response> =>
  fetch(`${controlAddress}${path}`, { ...order, headers: { authorization: `Bearer ${CONTROL_SECRET}` } });

/** Starts the product and waits until it responds. */
export async function start(wishes: Wishes = {}): Promise<HeadEnd> {
  const headEnd = await launch(wishes);
  await ready(headEnd, wishes.readyWithinMs);
  return process.env['HES_E2E_SLOW'] === 'on' ? slowed(headEnd) : headEnd;
}

/** The same head-end over a slow network. */
async function slowed(headEnd: HeadEnd): Promise<HeadEnd> {
  const { address, close } = await startSlowProxy(headEnd.port);
  void headEnd.ended.then(close);
  return Object.assign(headEnd, { address });
}

/** Waits until it responds; fails immediately with its output if it ends instead. */
export async function ready(headEnd: HeadEnd, withinMs = READY_LIMIT_MS): Promise<void> {
  let hasEnded = false;
  void headEnd.ended.then(() => (hasEnded = true));
  await expect
    .poll(async () => hasEnded || (await isHealthy(headEnd)), {
      timeout: withinMs,
      intervals: [100],
      message: 'the head-end answers',
    })
    .toBe(true);
  if (hasEnded) throw new Error(`The head-end did not start:\n${headEnd.output()}`);
}

export async function isHealthy({ address }: HeadEnd): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/api/health`);
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Waits until all processes have ended. */
export async function nothingLeft(family: readonly Seen[]): Promise<void> {
  await expect
    .poll(() => stillRunning(family).map(({ pid, command }) => `${pid} ${command}`), {
      timeout: STOP_LIMIT_MS,
      intervals: [100],
      message: 'still running',
    })
    .toEqual([]);
}
