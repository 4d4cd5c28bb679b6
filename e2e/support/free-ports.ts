import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Three ports without a listener at present. */
export async function freePorts(): Promise<[number, number, number]> {
  const first = await freePort([]);
  const second = await freePort([first]);
  return [first, second, await freePort([first, second])];
}

/** Below the ephemeral range: from there the system may assign our ports to other connections before we listen. */
const OUR_PORTS = { from: 20_000, below: 32_000 };

async function freePort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = randomInt(OUR_PORTS.from, OUR_PORTS.below);
    if (!taken.includes(port) && (await isFree(port))) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
