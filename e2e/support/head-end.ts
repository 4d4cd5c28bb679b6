import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@playwright/test';
import { freePorts } from './free-ports.ts';
import { familyOf, stillRunning, type Seen } from './processes.ts';
import { slowWay } from './slow-way.ts';

export const PASSWORD = 'First-Light-2026';
const CONTROL_SECRET = 'of these tests';

const READY_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 30_000;
const launcher = path.resolve(import.meta.dirname, '../../tools/start/start.mjs');

export interface HeadEnd {
  /** Of console and API, without a slash at the end. */
  address: string;
  /** Of the simulator's control door. */
  controlAddress: string;
  dataDir: string;
  port: number;
  launcher: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  family(): Seen[];
  /** Sends a signal and waits until nothing of it runs. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

interface Wishes {
  dataDir?: string;
  env?: Record<string, string>;
  /** How long it may take to answer, where more is started than a test waits for. */
  readyWithinMs?: number;
  /** Runs this instead of the launcher of this clone. */
  command?: [string, ...string[]];
}

/** A fresh folder that the unprivileged user of the database can reach, unless `mode` says otherwise. */
export function newDataDir(name = 'hes-e2e-', mode = 0o755): string {
  const folder = mkdtempSync(path.join(tmpdir(), name));
  chmodSync(folder, mode);
  return folder;
}

/** Where the database of a data folder is when its user may not enter there. */
export function distantDatabase(dataDir: string): string | undefined {
  const pointer = path.join(dataDir, 'pg-location');
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined;
}

export function removeDataDir(dataDir: string): void {
  const distant = distantDatabase(dataDir);
  if (distant?.startsWith('/var/lib/hes/')) rmSync(distant, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts everything as `npm start` would, without waiting. */
export async function launch({ dataDir = newDataDir(), env = {}, command }: Wishes = {}): Promise<HeadEnd> {
  const [port, dlmsPort, controlPort] = await freePorts();
  const [program, ...args] = command ?? [process.execPath, launcher];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HES_PORT: String(port),
      HES_DLMS_PORT: String(dlmsPort),
      // The town, not the utility: small enough for a test to see all of it read.
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

/** Asks the simulator's control door. */
export const askControl = ({ controlAddress }: Pick<HeadEnd, 'controlAddress'>, path: string, order: RequestInit = {}): Promise<Response> =>
  fetch(`${controlAddress}${path}`, { ...order, headers: { authorization: `Bearer ${CONTROL_SECRET}` } });

/** Starts everything and waits until it answers. */
export async function start(wishes: Wishes = {}): Promise<HeadEnd> {
  const headEnd = await launch(wishes);
  await ready(headEnd, wishes.readyWithinMs);
  return process.env['HES_E2E_SLOW'] === 'on' ? slowed(headEnd) : headEnd;
}

/** The same head-end, seen from far away. */
async function slowed(headEnd: HeadEnd): Promise<HeadEnd> {
  const { address, close } = await slowWay(headEnd.port);
  void headEnd.ended.then(close);
  return Object.assign(headEnd, { address });
}

/** Waits until it answers; fails at once, with what it printed, when it ends instead. */
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

/** Waits until none of them runs. */
export async function nothingLeft(family: readonly Seen[]): Promise<void> {
  await expect
    .poll(() => stillRunning(family).map(({ pid, command }) => `${pid} ${command}`), {
      timeout: STOP_LIMIT_MS,
      intervals: [100],
      message: 'still running',
    })
    .toEqual([]);
}
