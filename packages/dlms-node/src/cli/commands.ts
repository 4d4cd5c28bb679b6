import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

/** Where a command reads and writes. */
export interface Console {
  out(line: string): void;
  /** Beside the output, for people. */
  err(line: string): void;
  lines(): AsyncIterable<string>;
  /** Resolves when the user wants the command to end. */
  ended: Promise<unknown>;
}

export interface Command {
  /** One line. */
  summary: string;
  help: string;
  /** Answers the exit code. */
  run(args: string[], console: Console): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Options and the words between them. Throws `UsageError` on an option that does not exist. */
export function parsed<const O extends Options>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), 'see --help');
  }
}
