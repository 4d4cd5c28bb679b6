import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '#platform/log.ts';
import { within } from '#platform/within.ts';

const NOTIFY_WITHIN_MS = 5000;
/** systemd expects two reports within the time of the watchdog; a third one allows for a slow machine. */
const REPORTS_PER_WATCHDOG = 3;

type Environment = Record<string, string | undefined>;

/** Sends a state such as `READY=1` to the service manager. */
export type Notify = (...state: string[]) => Promise<void>;

export interface ServiceManager {
  ready(): Promise<void>;
  stopping(): Promise<void>;
  /**
   * Reports to the watchdog for as long as the event loop runs and `answers` resolves to true within a third of its time. Without a watchdog it
   * does nothing.
   */
  watch(answers: () => Promise<boolean>): void;
  close(): void;
}

/** Node has no datagram sockets of the local system: the program of systemd sends for it. */
const bySystemd =
  (socket: string): Notify =>
  async (...state) => {
    const env = { PATH: process.env['PATH'], NOTIFY_SOCKET: socket };
    await promisify(execFile)('systemd-notify', state, { env, timeout: NOTIFY_WITHIN_MS });
  };

const NOBODY_LISTENS: ServiceManager = {
  ready: () => Promise.resolve(),
  stopping: () => Promise.resolve(),
  watch: () => undefined,
  close: () => undefined,
};

interface ServiceManagerOptions {
  log: Log;
  /** Default: systemd-notify. */
  notify?: Notify;
}

/**
 * The service manager that started this process (`Type=notify`); without one, all calls do nothing. Removes the variables of systemd from `env`,
 * so that no child process reports in place of this one.
 */
export function serviceManager(env: Environment, { log, notify }: ServiceManagerOptions): ServiceManager {
  const socket = env['NOTIFY_SOCKET'];
  const watchdogMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1000;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (socket === undefined || socket === '') return NOBODY_LISTENS;
  const send = notify ?? bySystemd(socket);
  const tell: Notify = (...state) =>
    send(...state).catch((error: unknown) => log.warn('The service manager could not be told', { state: state[0], error }));
  const ended = new AbortController();

  async function report(answers: () => Promise<boolean>): Promise<void> {
    const everyMs = watchdogMs / REPORTS_PER_WATCHDOG;
    while (!ended.signal.aborted) {
      const isAnswering = await within(
        answers().catch(() => false),
        everyMs,
        false,
      );
      if (ended.signal.aborted) return;
      if (isAnswering) await tell('WATCHDOG=1');
      else log.error('The database does not answer: the watchdog is not told', { restartWithinMs: watchdogMs });
      await wait(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    ready: () => tell('READY=1', 'STATUS=Ready'),
    async stopping() {
      ended.abort();
      await tell('STOPPING=1', 'STATUS=Stopping');
    },
    watch(answers) {
      if (watchdogMs > 0) void report(answers);
    },
    close: () => ended.abort(),
  };
}
