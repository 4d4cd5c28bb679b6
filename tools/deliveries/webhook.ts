import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, Peer } from '../../apps/server/test/peer.ts';
import { gotOf, type Receiver } from './receiver.ts';

const PROGRAM = resolve(import.meta.dirname, 'webhook-process.ts');

/** A process that takes webhooks and appends them to a file. With a seed it refuses or loses some answers. */
export async function startWebhook(folder: string, seed?: number): Promise<Receiver> {
  const port = await freePort();
  const file = join(folder, 'webhook.jsonl');
  const server = new Peer([process.execPath, PROGRAM, String(port), file, ...(seed === undefined ? [] : [String(seed)])], port);
  await server.start();
  return {
    name: 'webhook',
    sender: {
      kind: 'webhook',
      settings: { url: `http://127.0.0.1:${port}/in` },
      secrets: { secret: 'a-secret-of-the-proof-of-deliveries' },
    },
    end: () => server.kill(),
    restart: () => server.start(),
    read() {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      // A kill may cut the last line of a batch that was not confirmed; the batch comes again behind it.
      return Promise.resolve(lines.flatMap((line) => (isWhole(line) ? [gotOf(JSON.parse(line))] : [])));
    },
    stop: () => server.kill(),
  };
}

function isWhole(line: string): boolean {
  if (line === '') return false;
  try {
    return JSON.parse(line) !== null;
  } catch {
    return false;
  }
}
