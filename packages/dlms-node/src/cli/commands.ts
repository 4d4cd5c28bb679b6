import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

/** Input and output of a command. */
export interface Console {
  out(line: string): void;
  /** Writes to stderr. */
  err(line: string): void;
  lines(): AsyncIterable<string>;
  /** Resolves when the user interrupts the command. */
  ended: Promise<unknown>;
}

export interface Command {
  /** One line of help. */
  summary: string;
  help: string;
  /** Returns the exit code. */
  run(args: string[], console: Console): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Parses options and positional arguments. Throws `UsageError` on an unknown option. */
export function parseOptions<const O extends Options>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), 'see --help');
  }
}
