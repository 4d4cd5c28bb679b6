import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A broker in a virtual machine takes more than a minute on a machine that is busy otherwise. */
const START_WITHIN_MS = 150_000;

/** Whether a program of the PATH can be started, so that tests with it are skipped by name elsewhere. */
export const hasProgram = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/** Absolute path of a program of the PATH. */
export const programPath = (name: string): string => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  server.close();
  await once(server, 'close');
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** Processes that a program started, such as one for each connection, with those that they started. */
function descendantsOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  const children = stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** A real counterpart: a program that listens on ports of this machine. */
export class Peer {
  readonly #command: readonly string[];
  readonly #port: number;
  readonly #account: { uid?: number; gid?: number };
  #process: ChildProcess | undefined;
  #output = '';

  /** `command`: program and arguments; `port`: the one that answers when the program is ready; `account`: user to run it as. */
  constructor(command: readonly string[], port: number, account: { uid?: number; gid?: number } = {}) {
    this.#command = command;
    this.#port = port;
    this.#account = account;
  }

  async start(): Promise<void> {
    const [program = '', ...args] = this.#command;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...this.#account });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk).slice(-4000)));
    const until = Date.now() + START_WITHIN_MS;
    while (!(await answers(this.#port))) {
      if (child.exitCode !== null || Date.now() > until) throw new Error(`${program} does not listen: ${this.#output}`);
      await wait(50);
    }
  }

  /** Ends the program without a chance to tidy up, or by a signal that lets it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    for (const pid of [child.pid, ...descendantsOf(child.pid)]) process.kill(pid, signal);
    await ended;
  }
}
