import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';

const READY_WITHIN_MS = 180_000;
/**
 * Below the ports that the system gives to outgoing connections, and below those of other tests: a cluster listens half a minute after it has
 * chosen its ports.
 */
const PORTS = { first: 10_000, last: 20_000 };
const KEPT_OUTPUT = 20_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

/** The line that a process prints when it is ready; fails if it ends before. */
export function readyLine(child: ChildProcess, logFile: string, pattern: RegExp): Promise<string> {
  let output = '';
  return new Promise((done, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time; see ${logFile}`)), READY_WITHIN_MS);
    const take = (text: string): void => {
      appendFileSync(logFile, text);
      output = (output + text).slice(-KEPT_OUTPUT);
      const line = output.split('\n').find((candidate) => pattern.test(candidate));
      if (line === undefined) return;
      clearTimeout(timer);
      done(line);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`The process ended with ${code ?? signal}; see ${logFile}`));
    });
  });
}

/** Ends a process by SIGTERM and waits for its end. */
export async function endProcess(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
