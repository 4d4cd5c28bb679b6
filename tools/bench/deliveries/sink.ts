import { resolve } from 'node:path';
import { freePort, Peer } from '../../../apps/server/test/peer.ts';
import type { Receiver } from '../../deliveries/receiver.ts';

const PROGRAM = resolve(import.meta.dirname, 'sink-process.ts');

/** A process that confirms webhooks without reading them: what a receiver does with items belongs to another machine. */
export async function startSink(): Promise<Pick<Receiver, 'name' | 'sender' | 'stop'>> {
  const port = await freePort();
  const server = new Peer([process.execPath, PROGRAM, String(port)], port);
  await server.start();
  return {
    name: 'sink',
    sender: {
      kind: 'webhook',
      settings: { url: `http://127.0.0.1:${port}/in` },
      secrets: { secret: 'a-secret-of-the-collection-beside-it' },
    },
    stop: () => server.kill(),
  };
}
