import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { hdlcAmong } from './direct.ts';
import { endProcess, freePort, readyLine } from './processes.ts';

const SIMULATOR = resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
/** Speed-up of a power line: transfers in blocks take noticeable time, yet a campaign ends. */
const LINE_SPEED = 40;
/** Octets of an APDU of most DCUs: no profile fits into one. */
export const APDU_SIZE = 1024;
/** Lowest interval of a DCU type: a DCU is set offline after two and a half missed heartbeats. */
const HEARTBEAT_S = 30;

export interface FieldTally {
  blocks: number;
  strikes: { target: string; kind: string; times: number }[];
  /** Reads of profile buffers by logical name, and the number answered in blocks. */
  buffers: { instance: string; reads: number; inBlocks: number }[];
  /** Octets of the longest response in blocks, by serial number. */
  longest: Record<string, number>;
  /** Responses of meters of another stack. */
  foreign: Record<string, number>;
}

export interface FieldOptions {
  seed: number;
  /** In the form of SIM_SCALE. */
  scale: string;
  /** Number of direct meters besides. */
  direct: number;
  oracleFile: string;
  logFile: string;
}

/** The simulated fleet in a process of its own, which writes the oracle log. */
export class SimulatedField {
  readonly #options: FieldOptions;
  readonly #controlSecret = randomBytes(32).toString('base64url');
  #controlPort = 0;
  #process: ChildProcess | undefined;

  constructor(options: FieldOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the fleet, whose devices connect to a port of this machine. */
  async start(headEndPort: number): Promise<void> {
    const { seed, scale, direct, oracleFile, logFile } = this.#options;
    this.#controlPort = await freePort();
    const child = spawn(process.execPath, [SIMULATOR], {
      env: {
        PATH: process.env['PATH'],
        SIM_SEED: String(seed),
        SIM_SCALE: scale,
        SIM_DIRECT: String(direct),
        SIM_DIRECT_HDLC: String(hdlcAmong(direct)),
        SIM_CHANNEL: 'fast',
        SIM_LINE_SPEED: String(LINE_SPEED),
        SIM_APDU_SIZE: String(APDU_SIZE),
        SIM_AUTHENTICATION: 'mixed',
        SIM_HES_HOST: '127.0.0.1',
        SIM_HES_PORT: String(headEndPort),
        SIM_CONTROL_PORT: String(this.#controlPort),
        SIM_CONTROL_SECRET: this.#controlSecret,
        SIM_HEARTBEAT_S: String(HEARTBEAT_S),
        SIM_WITNESS: oracleFile,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process = child;
    await readyLine(child, logFile, /"ready":true/);
  }

  /** Calls the simulator's control API. */
  async request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#controlPort}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#controlSecret}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** Counters of the field since its start. */
  async tally(): Promise<FieldTally> {
    return (await this.request('GET', '/tally')) as FieldTally; // as: the type of the response
  }

  stop(): Promise<void> {
    return endProcess(this.#process);
  }
}
