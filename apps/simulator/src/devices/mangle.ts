import type { Socket } from 'node:net';
import type { Faults } from '#control/faults.ts';

const TRICKLE_MS = 100;
/** Version 1, from and to SAP 1, and a length that never comes. */
const PROMISE = Uint8Array.of(0, 1, 0, 1, 0, 1, 0xff, 0xff, 0xc4, 1, 0xc1, 0, 9, 4, 1, 2, 3, 4);

/** Sends a frame of the DCU as a broken line would; false when nothing is wrong with it. */
export function mangled(faults: Faults, sn: string, socket: Socket, frame: () => Uint8Array): boolean {
  if (faults.strike(sn, 'torn')) {
    const octets = frame();
    socket.write(octets.subarray(0, Math.ceil(octets.length / 2)), () => socket.destroy());
    return true;
  }
  if (faults.strike(sn, 'overlong')) {
    socket.write(PROMISE);
    return true;
  }
  if (!faults.strike(sn, 'trickle')) return false;
  trickle(socket, frame());
  return true;
}

function trickle(socket: Socket, octets: Uint8Array): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at === octets.length) clearInterval(timer);
    else socket.write(octets.subarray(at, ++at));
  }, TRICKLE_MS);
}
