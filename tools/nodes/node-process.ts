import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Link } from './link.ts';

const SERVER = resolve(import.meta.dirname, '../../apps/server/src/main.ts');
/** On a machine that is busy with other work, three starts at once took more than two minutes. */
const READY_WITHIN_MS = 300_000;
const ANSWER_WITHIN_MS = 2_000;
const ASK_EVERY_MS = 100;

export interface NodeOptions {
  name: string;
  folder: string;
  ports: { http: number; dlms: number };
  databaseFolder: string;
  /** Address of the database when its socket is in a folder. */
  databaseUrl(socketFolder: string): string;
  /** Value of HES_ROLES; empty: all. */
  roles: string;
  /** 64 hexadecimal digits, the same for all nodes. */
  masterKey: string;
  /** Further variables of its environment. */
  env?: Readonly<Record<string, string>>;
}

/** One head-end of the cluster: a process, its data folder and its lines to the database. */
export class NodeProcess {
  readonly name: string;
  /** The line of all statements. */
  readonly link: Link;
  /** The line of notifications, which are the bus, and of the lock of the process. */
  readonly busLink: Link;
  readonly ports: { http: number; dlms: number };
  readonly #options: NodeOptions;
  #process: ChildProcess | undefined;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.ports = options.ports;
    this.link = new Link(join(options.folder, `${options.name}-db`), options.databaseFolder);
    this.busLink = new Link(join(options.folder, `${options.name}-bus`), options.databaseFolder);
  }

  get links(): readonly Link[] {
    return [this.link, this.busLink];
  }

  /** Whether it has a role. */
  has(role: 'web' | 'field' | 'analysis'): boolean {
    const { roles } = this.#options;
    return roles === '' || roles.split(',').includes(role);
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the process and waits until it is ready. `program`: the entry of another version. */
  async start(program = SERVER): Promise<void> {
    const { folder, name, ports, roles, masterKey, databaseUrl, env } = this.#options;
    const child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HES_LIFELINE_FD: '3',
        HES_NODE_NAME: name,
        HES_ROLES: roles,
        HES_PORT: String(ports.http),
        HES_DLMS_PORT: String(ports.dlms),
        HES_DATA_DIR: join(folder, name),
        HES_DEMO: 'off',
        HES_DIAL_LOCAL: 'on',
        HES_BALANCER: 'on',
        // No balancer asks these head-ends whether they are ready.
        HES_DRAIN_NOTICE_S: '0',
        HES_LOG_LEVEL: 'warn',
        HES_MASTER_KEY: masterKey,
        DATABASE_URL: databaseUrl(this.link.folder),
        HES_DATABASE_DIRECT_URL: databaseUrl(this.busLink.folder),
        HES_TRACE_SHARE: '100',
        ...env,
      },
    });
    this.#process = child;
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    for (const until = performance.now() + READY_WITHIN_MS; !(await this.isReady()); await wait(ASK_EVERY_MS)) {
      if (!this.isRunning) throw new Error(`${this.name} ended at its start: see its log in ${this.#options.folder}`);
      if (performance.now() > until) throw new Error(`${this.name} is not ready within ${READY_WITHIN_MS / 1000} s`);
    }
  }

  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.ports.http}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })).ok;
    } catch {
      return false;
    }
  }

  /** Suspends the process, as a machine that is overloaded or moved to another host. It continues after `ms`. */
  async pause(ms: number): Promise<void> {
    const child = this.#process;
    child?.kill('SIGSTOP');
    await wait(ms);
    child?.kill('SIGCONT');
  }

  /** Ends the process by a signal and waits for its end: SIGKILL as in a crash, SIGTERM as in a restart. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
