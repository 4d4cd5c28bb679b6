import { createServer, type Server, type Socket } from 'node:net';
import { WrapperConnection } from '@hes/dlms-node/wrapper-connection.ts';
import type { CloseReason } from '@hes/contract/states/device.ts';
import type { Context } from '#platform/context.ts';
import { LONG_AGO, monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import { greetingIn, type Greeting } from './greeting.ts';
import { findDcuBySn, parkCaller, recordStranger, type DcuRow } from './queries.ts';

export interface ListenerLimits {
  identificationMs: number;
  frameMs: number;
  connections: number;
  /** Per address, of those that have not said who they are yet: many DCUs may share one address of a mobile network. */
  unidentifiedPerAddress: number;
}

export const DEFAULT_LIMITS: ListenerLimits = {
  identificationMs: 15_000,
  frameMs: 30_000,
  connections: 20_000,
  unidentifiedPerAddress: 1_000,
};

const MINUTE_MS = 60_000;
/** Rows a flood of strangers may write in a minute; the others are only counted. */
const STRANGER_ROWS_PER_MINUTE = 120;

export interface ListenerOptions {
  limits: ListenerLimits;
  /** How many connections have become sessions. */
  sessions(): number;
  /** Takes over the connection of a DCU that is one of ours. */
  onIdentified(dcu: DcuRow, connection: WrapperConnection, opened: MonotonicMs): Promise<void>;
}

type Tools = Pick<Context, 'pool' | 'clock' | 'log'>;

/** Where DCUs dial in. Nobody gets further than saying its name, until that name is one of ours. */
export class Listener {
  readonly #tools: Tools;
  readonly #limits: ListenerLimits;
  readonly #sessions: () => number;
  readonly #onIdentified: ListenerOptions['onIdentified'];
  readonly #server: Server;
  readonly #open = new Set<WrapperConnection>();
  readonly #unidentified = new Map<string, number>();
  #rows = { since: LONG_AGO, count: 0 };
  /** Callers turned away since the start. */
  refused = 0;

  constructor(tools: Tools, options: ListenerOptions) {
    this.#tools = tools;
    this.#limits = options.limits;
    this.#sessions = options.sessions;
    this.#onIdentified = options.onIdentified;
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, (socket) => this.#accept(socket));
  }

  /** Answers the port it listens on. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#tools.log.error('The DLMS port failed', { error }));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const waiting = this.#unidentified.get(address) ?? 0;
    const connection = new WrapperConnection(socket, { frameTimeoutMs: this.#limits.frameMs });
    const opened = monotonicNow();
    if (this.#open.size + this.#sessions() >= this.#limits.connections || waiting >= this.#limits.unidentifiedPerAddress) {
      connection.close();
      this.#strange(connection, opened, 'too_many_connections', null, null);
      return;
    }
    this.#open.add(connection);
    this.#unidentified.set(address, waiting + 1);
    let done = false;
    const leaveWaiting = () => {
      if (done) return false;
      done = true;
      clearTimeout(timer);
      const left = (this.#unidentified.get(address) ?? 1) - 1;
      if (left === 0) this.#unidentified.delete(address);
      else this.#unidentified.set(address, left);
      return true;
    };
    const refuse = (reason: CloseReason, detail: string | null, name: string | null) => {
      if (!leaveWaiting()) return;
      connection.close();
      this.#strange(connection, opened, reason, detail, name);
    };
    const timer = setTimeout(() => refuse('identification_timeout', null, null), this.#limits.identificationMs);
    connection.onClose((reason, detail) => {
      this.#open.delete(connection);
      if (leaveWaiting()) this.#strange(connection, opened, reason === 'closed_by_us' ? 'server_stopped' : reason, detail ?? null, null);
    });
    connection.onFrame((frame) => {
      if (done) return;
      const greeting = greetingIn(frame.apdu);
      if (greeting === undefined) return refuse('not_dlms', 'The first message is not a greeting', null);
      leaveWaiting();
      void this.#identify(greeting, connection, opened);
      this.#open.delete(connection);
    });
  }

  async #identify(greeting: Greeting, connection: WrapperConnection, opened: MonotonicMs): Promise<void> {
    try {
      const dcu = await findDcuBySn(this.#tools.pool, greeting.name);
      if (connection.closed) return this.#strange(connection, opened, 'peer_closed', null, greeting.name);
      if (dcu !== undefined) return await this.#onIdentified(dcu, connection, opened);
      await parkCaller(this.#tools.pool, { name: greeting.name, remote: connection.remote, systemTitle: greeting.systemTitle });
      connection.close();
      this.#strange(connection, opened, 'unregistered', null, greeting.name);
    } catch (error) {
      // The database is away: the DCU dials again, and finds us better.
      this.#tools.log.warn('A DCU could not be identified', { error, claimedName: greeting.name });
      connection.close();
    }
  }

  #strange(connection: WrapperConnection, opened: MonotonicMs, reason: CloseReason, detail: string | null, name: string | null): void {
    this.refused++;
    this.#tools.log.debug('A connection was turned away', { remote: connection.remote, reason, detail });
    if (msSince(this.#rows.since) >= MINUTE_MS) this.#rows = { since: monotonicNow(), count: 0 };
    if (++this.#rows.count > STRANGER_ROWS_PER_MINUTE) return;
    recordStranger(this.#tools.pool, {
      dcuId: null,
      claimedName: name,
      direction: 'dial_in',
      remote: connection.remote,
      openMs: msSince(opened),
      reason,
      detail,
      bytesIn: connection.bytesIn,
      bytesOut: connection.bytesOut,
    }).catch((error: unknown) => this.#tools.log.warn('A refused connection could not be written', { error }));
  }

  /** Takes nobody any more; resolves when the last connection, sessions included, is closed. */
  async stop(): Promise<void> {
    for (const connection of this.#open) connection.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
