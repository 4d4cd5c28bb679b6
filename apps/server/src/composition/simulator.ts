import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commissioningFile, type CommissioningFile } from '#db/seed/commissioning.ts';
import type { Log } from '#platform/log.ts';
import { within } from '#platform/within.ts';

const MAIN = fileURLToPath(import.meta.resolve('@hes/simulator/main.ts'));
const SECRET_OCTETS = 32;
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 5000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/** Direct meters of the utility: enough for each kind of connection, so few that they cost nothing. Other fleets have none. */
const UTILITY_DIRECT = { SIM_DIRECT: '6', SIM_DIRECT_HDLC: '1', SIM_DIRECT_DIALLED: '1' };
const UTILITY_PAST_DAYS = 42;
/** Scale of a utility that a former version imported: serial numbers of another one would be unknown to it. */
const FORMER_UTILITY = 'utility-even';

/** Days of the past that the demonstration loads. Fleets of another size, which tests use, have none unless SIM_PAST_DAYS says so. */
export const pastDays = (env: NodeJS.ProcessEnv = process.env): number =>
  Number(env.SIM_PAST_DAYS || (env.SIM_SCALE ? 0 : UTILITY_PAST_DAYS));

export interface SimulatorOptions {
  /** Host that its DCUs connect to. */
  host: string;
  port: number;
  /** File of the keys that its devices received. */
  keysFile: string;
  log: Log;
  language: 'en' | 'zh';
  /** The stored demonstration was imported by a version with equal transformers. */
  isFormer: boolean;
  /** Called at every start, because a restarted simulator may listen on other ports. */
  onWorld(world: CommissioningFile): Promise<void>;
}

/** Port and secret of a simulator's control API. */
interface ControlDoor {
  port: number;
  secret: string;
}

export interface Simulator {
  /** Undefined while the simulator does not run. */
  door(): ControlDoor | undefined;
  stop(): Promise<void>;
}

interface Run {
  child: ChildProcess;
  door: ControlDoor;
  ended: Promise<void>;
}

function launch({ host, port, keysFile, log, language, isFormer }: SimulatorOptions): Promise<Run> {
  const secret = process.env.SIM_CONTROL_SECRET || randomBytes(SECRET_OCTETS).toString('base64url');
  const child = spawn(process.execPath, [MAIN], {
    // The simulator ends when its standard input closes, so it cannot outlive the server.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SIM_SEED: process.env.SIM_SEED,
      ...(process.env.SIM_SCALE ? {} : UTILITY_DIRECT),
      SIM_SCALE: process.env.SIM_SCALE || (isFormer ? FORMER_UTILITY : ''),
      SIM_LANGUAGE: language,
      SIM_CHANNEL: process.env.SIM_CHANNEL,
      SIM_TLS: process.env.SIM_TLS,
      SIM_DCU_TYPE: process.env.SIM_DCU_TYPE,
      SIM_KEYS: keysFile,
      SIM_HES_HOST: host,
      SIM_HES_PORT: String(port),
      SIM_CONTROL_PORT: process.env.SIM_CONTROL_PORT ?? '0',
      SIM_CONTROL_SECRET: secret,
    },
    detached: true,
  });
  child.stdin?.on('error', () => undefined);
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-2000);
    log.debug('simulator', { text: text.trimEnd() });
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The simulator was not ready in time')), READY_WITHIN_MS);
    void ended.then(() => {
      clearTimeout(timer);
      reject(new Error(`The simulator ended: ${lastWords.trim().split('\n').at(-1) ?? ''}`));
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = /^\{.*"ready":true/.test(line) ? (JSON.parse(line) as { controlPort: number }) : undefined; // as: the simulator prints this line
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve({ child, door: { port: ready.controlPort, secret }, ended });
    });
  });
}

async function endRun(run: Run): Promise<void> {
  run.child.stdin?.end();
  if ((await within(run.ended, STOP_WITHIN_MS, 'late')) === 'late') run.child.kill('SIGKILL');
  await run.ended;
}

async function fetchWorld({ port, secret }: ControlDoor): Promise<CommissioningFile> {
  const answer = await fetch(`http://127.0.0.1:${port}/world`, { headers: { authorization: `Bearer ${secret}` } });
  if (!answer.ok) throw new Error(`The simulator did not tell its world: ${answer.status}`);
  return commissioningFile.parse(await answer.json());
}

/** Runs the demonstration fleet in a separate process, and restarts it when it ends. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { log } = options;
  const stopping = new AbortController();

  async function begin(): Promise<Run> {
    const run = await launch(options);
    try {
      await options.onWorld(await fetchWorld(run.door));
      return run;
    } catch (error) {
      await endRun(run);
      throw error;
    }
  }

  let current: Run | undefined = await begin();
  async function supervise(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!stopping.signal.aborted) {
      await current?.ended;
      if (stopping.signal.aborted) return;
      log.warn('The simulator ended: starting it again', { inMs: backoffMs });
      await wait(backoffMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
      if (stopping.signal.aborted) return;
      current = await begin().catch((error: unknown) => {
        log.error('The simulator does not start', { error });
        return undefined;
      });
      if (current !== undefined) backoffMs = FIRST_BACKOFF_MS;
    }
  }
  const supervising = supervise();

  return {
    door: () => current?.door,
    async stop() {
      stopping.abort();
      if (current !== undefined) await endRun(current);
      await supervising;
    },
  };
}
