import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Block } from '../interleaved.ts';
import type { PeerRow } from './peer-rows.ts';

/** A command that runs a program. */
export interface Command {
  program: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

const ANSWER_MS = 120_000;

/**
 * A process that reads commands from its standard input and answers each with a line of JSON. Its first line says that it is ready. It
 * ends with its input.
 */
export class PeerClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #errors = '';

  private constructor({ program, args, env }: Command) {
    this.#child = spawn(program, [...args], { env: { ...process.env, ...env } });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-2000)));
    this.#child.stdin.on('error', () => {});
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Starts the program; returns what its first line says. Fails with what it printed to standard error. */
  static async start<T>(command: Command): Promise<{ client: PeerClient; said: T }> {
    const client = new PeerClient(command);
    try {
      return { client, said: (await client.#answer()) as T }; // as: the programs of this folder print it
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async #answer(): Promise<unknown> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_MS);
    try {
      for (;;) {
        const { value, done } = await this.#lines.next();
        if (done === true) throw new Error(this.#errors.trim() || 'it ended without a word');
        // Libraries print notices.
        if (value.startsWith('{')) return JSON.parse(value) as unknown;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Repeats a row for some seconds. Fails when the peer cannot do it. */
  async run(row: PeerRow, seconds: number): Promise<Required<Block>> {
    this.#child.stdin.write(`${row} ${seconds}\n`);
    const answer = (await this.#answer()) as Required<Block> | { error: string }; // as: the programs of this folder print it
    if ('error' in answer) throw new Error(answer.error);
    return { ...answer, cpuSeconds: answer.cpuSeconds ?? Number.NaN };
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    clearTimeout(timer);
  }
}
