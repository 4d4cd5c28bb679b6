import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A pseudo terminal that is joined to a TCP port, in place of a serial cable to a meter. */
export interface SerialPair {
  /** Path of the terminal, such as `/dev/pts/3`. */
  terminal: string;
  close(): void;
}

/** Opens a pair; undefined where there is no Python or no pseudo terminal, as on Windows. */
export async function openSerialPair(port: number): Promise<SerialPair | undefined> {
  const child = spawn('python3', [path.join(import.meta.dirname, 'serial_pair.py'), String(port)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const line = once(child.stdout, 'data').then(([octets]) => String(octets).trim());
  const terminal = await Promise.race([line, once(child, 'close').then(() => ''), once(child, 'error').then(() => '')]).catch(() => '');
  if (terminal === '') return undefined;
  return { terminal, close: () => void child.stdin.end() };
}
