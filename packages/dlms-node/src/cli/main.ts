#!/usr/bin/env node
/** `dlms <command>`: inspects meters and messages in a terminal. */
import { createInterface } from 'node:readline';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { SessionError } from '../session-error.ts';
import type { Command, Console } from './commands.ts';
import { decodeCommand } from './decode-command.ts';
import { listCommand } from './list-command.ts';
import { MeterRefusal } from './meter-link.ts';
import { profileCommand } from './profile-command.ts';
import { readCommand } from './read-command.ts';
import { serveCommand } from './serve-command.ts';
import { UsageError } from './usage-error.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  list: listCommand,
  read: readCommand,
  profile: profileCommand,
  decode: decodeCommand,
  serve: serveCommand,
};

const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3 } as const;

const HELP = `dlms <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

"dlms <command> --help" tells the rest. Exit codes: 0 done, 1 the meter or the octets say no, 2 wrong call,
3 no connection or no answer.`;

const terminal: Console = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`dlms: ${line}\n`),
  lines: () => createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }),
  ended: new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  }),
};

/** Message and exit code of an expected error; any other is a bug and keeps its stack trace. */
function describeError(error: unknown): [message: string, exitCode: number] | undefined {
  if (error instanceof UsageError) return [`${error.message}: ${error.advice}`, EXIT.usage];
  if (error instanceof SessionError) return [`${error.message}${ADVICE[error.code]}`, EXIT.unreachable];
  if (error instanceof AssociationError) return [`the association failed: ${error.message}`, EXIT.refused];
  if (error instanceof DecodeError) return [`cannot be decoded: ${error.message}`, EXIT.refused];
  if (error instanceof MeterRefusal) return [error.message, EXIT.refused];
  return undefined;
}

const ADVICE: Readonly<Record<SessionError['code'], string>> = {
  NOT_REACHABLE: ': is the meter on, and is this its port?',
  NO_ANSWER: ' (--client, --server, --hdlc, --timeout)',
  CLOSED: ': meters hang up on wrong keys and used counters',
};

async function main([name, ...args]: string[]): Promise<number> {
  const command = name === undefined ? undefined : Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.out(HELP);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  try {
    if (command === undefined) throw new UsageError(`unknown command "${name}"`, `use one of ${Object.keys(COMMANDS).join(', ')}`);
    if (args.includes('--help') || args.includes('-h')) {
      terminal.out(command.help);
      return EXIT.ok;
    }
    return await command.run(args, terminal);
  } catch (error) {
    const failure = describeError(error);
    if (failure === undefined) throw error;
    process.stderr.write(`dlms: ${failure[0]}\n`);
    return failure[1];
  }
}

process.exitCode = await main(process.argv.slice(2));
