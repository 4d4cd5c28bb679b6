import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const MAIN = path.join(import.meta.dirname, '../../src/cli/main.ts');

export interface CliResult {
  code: number | null;
  out: string;
  err: string;
}

/** Runs `dlms` in a child process. */
export async function dlms(args: string[], input = ''): Promise<CliResult> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'pipe' });
  const result = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (result.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (result.err += text));
  child.stdin.on('error', () => {}); // a command that does not read may exit before its input is written
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null]; // as: the event's arguments
  return { code, ...result };
}

/** Starts `dlms serve` on a free port; `stop` ends it and returns its exit code. */
export async function serve(args: string[]): Promise<{ port: number; stop(): Promise<number | null> }> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]; // as: the event's arguments
  const { port } = JSON.parse(line) as { port: number }; // as: the first line says so
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null]; // as: the event's arguments
      return code;
    },
  };
}
