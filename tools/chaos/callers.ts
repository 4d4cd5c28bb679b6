import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { encodeIdentification } from '../../apps/simulator/src/devices/identification.ts';
import type { Subject } from './subject.ts';

const HELLO_EVERY_MS = 500;
const HEARD_WITHIN_MS = 10_000;
const LISTED_WITHIN_MS = 90_000;

/** Connects and identifies as a DCU without its keys. */
function sayHello(port: number, sn: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume();
  socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeIdentification('hello', sn, new Uint8Array(8), 0)));
  return socket;
}

/** Identifies without keys as a connected DCU, again after each close. Returns the number of attempts. */
export async function impersonate({ dlmsPort }: Subject, sn: string, ms: number): Promise<number> {
  let hellos = 0;
  for (const until = performance.now() + ms; performance.now() < until; await wait(HELLO_EVERY_MS)) {
    const socket = sayHello(dlmsPort, sn);
    hellos++;
    await Promise.race([once(socket, 'close'), wait(Math.max(0, until - performance.now()))]);
    socket.destroy();
  }
  return hellos;
}

/** Identifies as an unregistered DCU, which must be listed among the unknown callers. */
export async function callAs(product: Subject, sn: string): Promise<void> {
  for (const until = performance.now() + LISTED_WITHIN_MS; ; await wait(HELLO_EVERY_MS)) {
    const socket = sayHello(product.dlmsPort, sn);
    let parked = 0;
    for (const heard = performance.now() + HEARD_WITHIN_MS; parked === 0 && performance.now() < heard; await wait(HELLO_EVERY_MS))
      parked = (await product.rows('select from dcu_unregistered where claimed_name = $1', [sn])).length;
    socket.destroy();
    if (parked > 0) return;
    if (performance.now() > until) throw new Error(`${sn} called and was not listed`);
  }
}
