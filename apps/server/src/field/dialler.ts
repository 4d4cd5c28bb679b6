import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { DlmsConnection, type DlmsConnectionOptions } from '@hes/dlms-node/dlms-connection.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { LONG_AGO, monotonicNow, msFromNow, msSince, msUntil, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { resolveToDial, type DialRules } from './dial-guard.ts';
import { dialTls, type DlmsTls } from './dlms-tls.ts';
import { findEndpointsToDial, insertRejectedConnection, type EndpointRow } from './queries.ts';

const CHECK_EVERY_MS = 15_000;
const CONNECT_TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 5_000;
const LAST_WAIT_MS = 300_000;
/** A device that woke up is dialled at most once in this time, whatever it pushes. */
const WAKE_EVERY_MS = 30_000;
/** Attempts after a push, and the pause between them: a meter may begin to listen after its push. */
const WAKE_ATTEMPTS = 4;
const WAKE_PAUSE_MS = 1_000;

interface Line {
  endpoint: EndpointRow;
  /** Failed attempts since the last success. */
  failures: number;
  notBefore: MonotonicMs;
  dialling: Promise<boolean> | undefined;
  /** The socket that is being connected. */
  connecting: Socket | undefined;
  wokenAt: MonotonicMs;
}

export interface DiallerOptions {
  frameMs: number;
  rules: DialRules;
  /** TLS of dialled connections; undefined: none. */
  tls?: DlmsTls | undefined;
  isOnline(dcuId: string): boolean;
  /** Whether it is this node's to dial: no other one holds the connection, and this one looks after the device. */
  mayDial(endpoint: EndpointRow): boolean;
  /** Authenticates the DCU and registers its session; returns the reason when that fails. */
  onConnected(endpoint: EndpointRow, connection: DlmsConnection, opened: MonotonicMs): Promise<true | string>;
}

/** Keeps connections to the dial-out devices of this node: dials at once when work is due, else retries with back-off. */
export class Dialler {
  readonly #ctx: Pick<Context, 'pool' | 'clock' | 'log'>;
  readonly #options: DiallerOptions;
  readonly #lines = new Map<string, Line>();
  #watch: PeriodicJob | undefined;
  #stopped = false;
  readonly #stopping = new AbortController();
  readonly #waking = new Set<Promise<void>>();

  constructor(ctx: Pick<Context, 'pool' | 'clock' | 'log'>, options: DiallerOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#watch = startPeriodicJob(
      CHECK_EVERY_MS,
      () => this.dialDue(),
      (error) => this.#ctx.log.warn('The DCUs to dial could not be read', { error }),
    );
    await this.#watch.runNow();
  }

  /** Loads the DCUs to dial and dials those without connection whose back-off has expired. */
  async dialDue(): Promise<void> {
    const rows = (await findEndpointsToDial(this.#ctx.pool)).filter((row) => this.#options.mayDial(row));
    const found = new Set(rows.map((row) => row.id));
    for (const id of this.#lines.keys()) if (!found.has(id)) this.#lines.delete(id);
    for (const endpoint of rows) {
      const line = this.#lines.get(endpoint.id);
      if (line === undefined) this.#lines.set(endpoint.id, newLine(endpoint));
      else line.endpoint = endpoint;
      void this.dial(endpoint.id);
    }
  }

  /** Dials a DCU unless its back-off is running; returns whether it is connected. */
  async dial(dcuId: string): Promise<boolean> {
    if (this.#options.isOnline(dcuId)) return true;
    const line = this.#lines.get(dcuId);
    if (line === undefined || this.#stopped) return false;
    if (line.dialling === undefined && msUntil(line.notBefore) > 0) return false;
    line.dialling ??= this.#attempt(line).finally(() => (line.dialling = undefined));
    return line.dialling;
  }

  /**
   * Dials a device at once that has just pushed, without waiting for its back-off: many meters listen for some seconds only. Later pushes
   * have no effect for half a minute, so that a device that pushes often is not dialled more often.
   */
  wake(endpointId: string): void {
    const line = this.#lines.get(endpointId);
    if (line === undefined || this.#stopped || this.#options.isOnline(endpointId) || msSince(line.wokenAt) < WAKE_EVERY_MS) return;
    line.wokenAt = monotonicNow();
    const waking = this.#dialAwake(line)
      .catch((error: unknown) => this.#ctx.log.warn('A device that woke up could not be dialled', { error, sn: line.endpoint.sn }))
      .finally(() => this.#waking.delete(waking));
    this.#waking.add(waking);
  }

  async #dialAwake(line: Line): Promise<void> {
    // An attempt that began while the device slept would end too late.
    line.connecting?.destroy(new Error('The device woke up'));
    await line.dialling;
    for (let left = WAKE_ATTEMPTS; left > 0 && !this.#stopped; left--) {
      line.notBefore = LONG_AGO;
      if (await this.dial(line.endpoint.id)) return;
      if (left > 1) await wait(WAKE_PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  async #attempt(line: Line): Promise<boolean> {
    const { endpoint } = line;
    const opened = monotonicNow();
    const outcome = await this.#connect(line, opened);
    if (outcome === true) {
      line.failures = 0;
      line.notBefore = LONG_AGO;
      return true;
    }
    line.failures++;
    line.notBefore = msFromNow(Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** (line.failures - 1)));
    // One row per outage, not per attempt.
    if (line.failures === 1 && typeof outcome === 'string') await this.#record(endpoint, opened, outcome);
    return false;
  }

  async #connect(line: Line, opened: MonotonicMs): Promise<boolean | string> {
    const { endpoint } = line;
    let socket: Socket;
    try {
      socket = await this.#open(endpoint, (connecting) => (line.connecting = connecting));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      line.connecting = undefined;
    }
    const connection = new DlmsConnection(socket, { frameTimeoutMs: this.#options.frameMs, ...framingOf(endpoint) });
    if (this.#stopped) {
      connection.close();
      return false;
    }
    try {
      return await this.#options.onConnected(endpoint, connection, opened);
    } catch (error) {
      this.#ctx.log.warn('The session of a dialled DCU could not be registered', { error, dcuSn: endpoint.sn });
      connection.close();
      return false;
    }
  }

  /** Dials the checked address and not the name, which may resolve to another address by now. */
  async #open({ sn, host, port }: EndpointRow, onConnecting: (socket: Socket) => void): Promise<Socket> {
    const { rules, tls } = this.#options;
    const wanted = port ?? WRAPPER_PORT;
    const socket = await openSocket(await resolveToDial(host ?? '', wanted, rules), wanted, onConnecting);
    if (tls === undefined) return socket;
    const timer = setTimeout(() => socket.destroy(new Error('No TLS handshake in time')), CONNECT_TIMEOUT_MS);
    return dialTls(tls, socket, sn).finally(() => clearTimeout(timer));
  }

  async #record(endpoint: EndpointRow, opened: MonotonicMs, detail: string): Promise<void> {
    const remote = `${endpoint.host ?? ''}:${endpoint.port ?? WRAPPER_PORT}`;
    const row = {
      dcuId: endpoint.id,
      claimedName: null,
      direction: 'dial_out',
      remote,
      openMs: msSince(opened),
      reason: 'unreachable',
      detail,
      bytesIn: 0,
      bytesOut: 0,
    } as const;
    await insertRejectedConnection(this.#ctx.pool, row).catch((error: unknown) =>
      this.#ctx.log.warn('A failed dial attempt could not be recorded', { error }),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    await this.#watch?.stop();
    await Promise.all([...this.#waking, ...[...this.#lines.values()].map((line) => line.dialling)]);
  }
}

/** Framing of a dialled DCU. A DCU that dials in shows its framing itself. */
const framingOf = ({ protocol, physicalAddress }: EndpointRow): Pick<DlmsConnectionOptions, 'framing' | 'hdlc'> => ({
  framing: protocol === 'dlms_hdlc' ? 'hdlc' : 'wrapper',
  hdlc: { physicalAddress: physicalAddress ?? undefined },
});

const newLine = (endpoint: EndpointRow): Line => ({
  endpoint,
  failures: 0,
  notBefore: LONG_AGO,
  dialling: undefined,
  connecting: undefined,
  wokenAt: LONG_AGO,
});

function openSocket(host: string, port: number, onConnecting: (socket: Socket) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
    onConnecting(socket);
    const timer = setTimeout(() => socket.destroy(new Error('No answer')), CONNECT_TIMEOUT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
