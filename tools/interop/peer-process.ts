import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { javaStack, pythonStack, startPython } from '../../packages/dlms-node/test/interop/tools.ts';
import type { PeerName } from './matrix.ts';

const PEERS = resolve(import.meta.dirname, 'peers');
const READY_WITHIN_MS = 60_000;

/** Effects on a meter, as its peer reported them. */
export interface Effects {
  /** Times to which the clock was set, epoch milliseconds. */
  clocks: number[];
  /** States to which the relay was switched. */
  relays: boolean[];
}

/** An independent stack that serves meters on ports of its own, until its input ends. */
export class PeerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #effects = new Map<string, Effects>();
  /** TCP port by serial number. */
  readonly ports: Promise<ReadonlyMap<string, number>>;
  #errors = '';

  constructor(child: ChildProcessWithoutNullStreams, settings: unknown) {
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-20_000)));
    child.stdin.on('error', () => {});
    this.ports = new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`The peer is not ready in time: ${this.#errors}`)), READY_WITHIN_MS);
      child.once('exit', () => fail(new Error(`The peer ended: ${this.#errors}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const told = line.startsWith('{') ? (JSON.parse(line) as Told) : {}; // as: the scripts of this repository print it
        if (told.ports !== undefined) done(new Map(Object.entries(told.ports)));
        this.#record(told);
      });
      void this.ports?.finally(() => clearTimeout(timer)).catch(() => {});
      child.once('exit', () => clearTimeout(timer));
    });
    child.stdin.write(`${JSON.stringify(settings)}\n`);
  }

  #record({ sn, clock, relay }: Told): void {
    if (sn === undefined) return;
    const effects = this.effectsOn(sn);
    if (clock !== undefined) effects.clocks.push(clock);
    if (relay !== undefined) effects.relays.push(relay);
    this.#effects.set(sn, effects);
  }

  effectsOn(sn: string): Effects {
    return this.#effects.get(sn) ?? { clocks: [], relays: [] };
  }

  /** Standard error of the process so far, at most its last part. */
  get errors(): string {
    return this.#errors;
  }

  /** Orders a ciphered push of the energy register with a new value. */
  push(sn: string, value: number): void {
    this.#child.stdin.write(`${JSON.stringify({ sn, push: value })}\n`);
  }

  stop(): void {
    this.#child.stdin.end();
  }
}

interface Told {
  ports?: Record<string, number>;
  sn?: string;
  clock?: number;
  relay?: boolean;
}

type Start = (settings: unknown) => PeerProcess;

const python = (stack: Parameters<typeof pythonStack>[0], script: string) => async (): Promise<Start | { missing: string }> => {
  const found = await pythonStack(stack);
  if ('missing' in found) return found;
  return (settings) => new PeerProcess(startPython(found.pythonPath, resolve(PEERS, script), []), settings);
};

const java = (stack: Parameters<typeof javaStack>[0], name: string) => async (): Promise<Start | { missing: string }> => {
  const found = await javaStack(stack, resolve(PEERS, `${name}.java`));
  if ('missing' in found) return found;
  return (settings) => new PeerProcess(spawn('java', ['-Xss512k', '-cp', found.classPath, name]), settings);
};

/** How to start each peer, or what is missing on this machine. */
export const STARTERS: Record<PeerName, () => Promise<Start | { missing: string }>> = {
  'gurux-java': java('gurux', 'GuruxMeters'),
  'gurux-python': python('gurux', 'gurux_meters.py'),
  pydlms: python('pydlms', 'pydlms_meters.py'),
  jdlms: java('jdlms', 'JdlmsMeters'),
};
