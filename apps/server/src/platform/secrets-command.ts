import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

type Environment = Record<string, string | undefined>;

const WITHIN_MS = 30_000;
const LINE = /^([A-Z][A-Z0-9_]*)=(.*)$/;

/**
 * Adds the settings that the program of HES_SECRETS_COMMAND prints, one `NAME=value` per line; they are in no file and not in the process
 * environment. The program runs without a shell.
 */
export async function withSecrets(env: Environment): Promise<Environment> {
  const [program, ...args] = (env['HES_SECRETS_COMMAND'] ?? '').split(' ').filter((part) => part !== '');
  if (program === undefined) return env;
  const { stdout } = await promisify(execFile)(program, args, { timeout: WITHIN_MS }).catch((cause: unknown) => {
    // Without output and arguments, which may contain secrets.
    throw new StartError(`HES_SECRETS_COMMAND failed: ${program} ended with an error, or took longer than ${WITHIN_MS / 1000} s.`, {
      cause,
    });
  });
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => LINE.exec(line.trim()));
  if (found.length === 0 || found.includes(null))
    throw new StartError('HES_SECRETS_COMMAND must print lines of the form NAME=value, such as HES_MASTER_KEY=…, and nothing else.');
  return { ...env, ...Object.fromEntries(found.map((match) => [match?.[1] ?? '', match?.[2]])) };
}
