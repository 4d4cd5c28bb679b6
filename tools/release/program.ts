import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const OUTPUT_OCTETS = 256 * 1024 * 1024;
const LAST_LINES = 15;

export interface RunOptions {
  cwd?: string;
  /** Added to the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

/** What an outer npm passes in the environment would be taken for the command line of an inner one. */
const withoutNpm = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_(?:lifecycle|package|command|config)/.test(name)));

/** Runs a program without a shell and returns its standard output. Throws with the end of its output. */
export async function runProgram(program: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<string> {
  try {
    const { stdout } = await exec(program, [...args], { cwd, env: { ...withoutNpm(process.env), ...env }, maxBuffer: OUTPUT_OCTETS });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }; // as: the error of execFile
    const last = `${stdout}${stderr}`.trim().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`${program} ${args.slice(0, 6).join(' ')} failed: ${last || message}`, { cause: error });
  }
}
