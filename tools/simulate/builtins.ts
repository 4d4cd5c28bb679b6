import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { VirtualTimer, type Machine } from './machine.ts';
import type { Network } from './network.ts';

/** Replacement of Node's clock, timers, sockets and random numbers for the product. */
interface World {
  machine: Machine;
  network: Network;
}

let world: World | undefined;

/** Activates the world of the present seed. */
export function useWorld(now: World): void {
  world = now;
}

function current(): World {
  if (world === undefined) throw new Error('The simulation has not started');
  return world;
}

type Run = (...parameters: unknown[]) => void;

const cancel = (timer: unknown): void => {
  if (timer instanceof VirtualTimer) timer.event.isCancelled = true;
};

/** The wall clock of the process whose code is running. */
const wallNow = (): number => {
  const { machine } = current();
  return Math.round(machine.trueMs + machine.current.wallAheadMs);
};

const RealDate = Date;
class VirtualDate extends RealDate {
  constructor(...parameters: unknown[]) {
    // as: passed through unchanged
    super(...((parameters.length === 0 ? [wallNow()] : parameters) as [number]));
  }
  static override now(): number {
    return wallNow();
  }
}

function randomOctets(count: number): Buffer {
  const { machine } = current();
  const octets = Buffer.alloc(count);
  for (let at = 0; at < count; at += 4) {
    const word = machine.random.uint32();
    for (let octet = at; octet < Math.min(at + 4, count); octet++) octets[octet] = (word >>> (8 * (octet - at))) & 255;
  }
  return octets;
}

function uuid(version: number): string {
  const octets = randomOctets(16);
  octets[6] = ((octets[6] ?? 0) & 0x0f) | (version << 4);
  octets[8] = ((octets[8] ?? 0) & 0x3f) | 0x80;
  const hex = octets.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * Replaces clock, timers, random numbers and TCP of this thread by those of the simulated world. The product's imports and
 * code stay unchanged.
 */
export function replaceBuiltins(): void {
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: (run: Run, ms: number, ...rest: unknown[]) => current().machine.setTimer(ms, () => run(...rest)),
    setInterval: (run: Run, ms: number, ...rest: unknown[]) => current().machine.every(ms, () => run(...rest)),
    setImmediate: (run: Run, ...rest: unknown[]) => current().machine.setImmediate(() => run(...rest)),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  });
  Object.defineProperty(performance, 'now', { value: () => current().machine.now });
  Math.random = () => current().machine.draw();
  Object.assign(crypto, {
    randomBytes: (count: number) => randomOctets(count),
    randomUUID: () => uuid(4),
    randomUUIDv7: () => uuid(7),
    randomInt: () => {
      throw new Error('Random numbers in a range are not simulated');
    },
  });
  Object.assign(net, {
    connect: (options: { host: string; port: number; timeout?: number }) => current().network.connect(options),
    createServer: (_options: unknown, onConnection: (socket: unknown) => void) => current().network.createServer(onConnection),
  });
  syncBuiltinESMExports();
}
