import { createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { WrapperConnection } from '@hes/dlms-node/wrapper-connection.ts';
import type { CloseReason } from '@hes/contract/states/device.ts';
import type { Context } from '#db/context.ts';
import { hostOf, plainAddress } from '#platform/address-ranges.ts';
import { LONG_AGO, monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { handshakeFailures } from '#platform/failed-handshake.ts';
import type { Caller } from './admission.ts';
import { RequestBatcher } from './request-batcher.ts';
import { certifiedNames, createTlsAcceptor, TLS_HANDSHAKE, type DlmsTls } from './dlms-tls.ts';
import { greetingIn, type Greeting } from './greeting.ts';
import { findDcusBySn, parkCaller, recordStranger, type DcuRow } from './queries.ts';

export interface ListenerLimits {
  identificationMs: number;
  frameMs: number;
  connections: number;
  /** Per host, sessions included: many DCUs may share one address of a mobile network. */
  perAddress: number;
  /** Per host, of those that have not said who they are yet; the one that waits longest makes room for a new one. */
  unidentifiedPerAddress: number;
}

export const DEFAULT_LIMITS: ListenerLimits = {
  identificationMs: 15_000,
  frameMs: 30_000,
  connections: 20_000,
  perAddress: 5_000,
  unidentifiedPerAddress: 1_000,
};

const MINUTE_MS = 60_000;
/** Rows a flood of unregistered or refused connections may write in a minute; the others are only counted. */
const STRANGER_ROWS_PER_MINUTE = 120;
/** A fleet that comes back at once is looked up together. */
const LOOKUP_BATCH = { waitMs: 2, maxItems: 200 };

export interface ListenerOptions {
  limits: ListenerLimits;
  tls?: DlmsTls | undefined;
  /** Whether a name that failed to prove itself has to wait before it may try again from this address. */
  isHeld(name: string, address: string): boolean;
  /** Takes over the connection of a registered DCU. */
  onIdentified(dcu: DcuRow, connection: WrapperConnection, caller: Caller, opened: MonotonicMs): Promise<void>;
}

type Tools = Pick<Context, 'pool' | 'clock' | 'log'>;

/** A connection that has not said who it is. */
interface Unidentified {
  socket: Socket;
  address: string;
  opened: MonotonicMs;
  /** Ends the waiting; answers whether it had not ended yet. */
  leave(): boolean;
  refuse(reason: CloseReason, detail: string | null, name?: string): void;
  connection?: WrapperConnection;
}

/** Where DCUs dial in. A connection gets no further than saying its name, until that name is registered. */
export class Listener {
  readonly #tools: Tools;
  readonly #log: CountedLog;
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #secure: ((socket: Socket) => void) | undefined;
  readonly #sockets = new Set<Socket>();
  /** Open sockets of each host, and among them those that have not said who they are, the oldest first. */
  readonly #hosts = new Map<string, { open: number; unidentified: Set<Unidentified> }>();
  readonly #lookup: RequestBatcher<string, DcuRow | undefined>;
  /** Those in the TLS handshake, by their sockets. */
  readonly #handshakes = new Map<string, Unidentified>();
  #rows = { since: LONG_AGO, count: 0 };

  constructor(tools: Tools, options: ListenerOptions) {
    this.#tools = tools;
    this.#log = new CountedLog(tools.log, tools.clock);
    this.#options = options;
    this.#lookup = new RequestBatcher((names) => findDcusBySn(tools.pool, names), LOOKUP_BATCH);
    this.#secure =
      options.tls &&
      createTlsAcceptor(options.tls, {
        handshakeMs: options.limits.identificationMs,
        onSecure: (socket) => this.#secured(socket),
        onFailure: handshakeFailures(this.#log, 'DLMS'),
      });
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
    const { limits } = this.#options;
    const address = plainAddress(socket.remoteAddress ?? '');
    const host = this.#hostAt(address);
    socket.on('error', () => undefined);
    const caller = this.#unidentified(socket, address);
    this.#sockets.add(socket);
    host.open++;
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (--host.open === 0) this.#hosts.delete(hostOf(address));
    });
    if (this.#sockets.size > limits.connections || host.open > limits.perAddress) return caller.refuse('too_many_connections', null);
    const [oldest] = host.unidentified;
    if (host.unidentified.size > limits.unidentifiedPerAddress) oldest?.refuse('too_many_connections', null);
    if (this.#secure === undefined) this.#converse(caller, socket, undefined);
    else this.#begin(caller, this.#secure);
  }

  #hostAt(address: string): { open: number; unidentified: Set<Unidentified> } {
    const key = hostOf(address);
    const known = this.#hosts.get(key) ?? { open: 0, unidentified: new Set() };
    this.#hosts.set(key, known);
    return known;
  }

  #unidentified(socket: Socket, address: string): Unidentified {
    const { unidentified } = this.#hostAt(address);
    const caller: Unidentified = {
      socket,
      address,
      opened: monotonicNow(),
      leave: () => {
        clearTimeout(timer);
        return unidentified.delete(caller);
      },
      refuse: (reason, detail, name) => {
        if (!caller.leave()) return;
        if (caller.connection === undefined) socket.destroy();
        else caller.connection.close();
        this.#strange(caller, reason, detail, name);
      },
    };
    const timer = setTimeout(() => caller.refuse('identification_timeout', null), this.#options.limits.identificationMs);
    socket.once('close', () => caller.connection === undefined && caller.refuse('peer_closed', null));
    unidentified.add(caller);
    return caller;
  }

  /** Looks at the first octet: a TLS handshake goes on as such, anything else only where TLS is not required. */
  #begin(caller: Unidentified, secure: (socket: Socket) => void): void {
    const { socket } = caller;
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      socket.unshift(chunk);
      if (chunk[0] === TLS_HANDSHAKE) {
        const ends = endsOf(socket);
        this.#handshakes.set(ends, caller);
        socket.once('close', () => this.#handshakes.delete(ends));
        secure(socket);
      } else if (this.#options.tls?.mode === 'required') return caller.refuse('not_dlms', 'TLS with a client certificate is required');
      else this.#converse(caller, socket, undefined);
      process.nextTick(() => socket.resume());
    });
  }

  #secured(socket: TLSSocket): void {
    const caller = this.#handshakes.get(endsOf(socket));
    socket.on('error', () => undefined);
    if (caller === undefined) return void socket.destroy();
    this.#handshakes.delete(endsOf(socket));
    this.#converse(caller, socket, certifiedNames(socket.getPeerCertificate()));
  }

  #converse(caller: Unidentified, socket: Socket, certified: readonly string[] | undefined): void {
    const connection = new WrapperConnection(socket, { frameTimeoutMs: this.#options.limits.frameMs });
    caller.connection = connection;
    connection.onClose((reason, detail) => caller.refuse(reason === 'closed_by_us' ? 'server_stopped' : reason, detail ?? null));
    connection.onFrame((frame) => {
      const greeting = greetingIn(frame.apdu);
      if (greeting === undefined) return caller.refuse('not_dlms', 'The first message is not a greeting');
      if (!caller.leave()) return;
      if (this.#options.isHeld(greeting.name, caller.address)) return connection.close();
      // What follows the hello waits until its DCU is found.
      connection.pause();
      void this.#identify(caller, connection, greeting, certified);
    });
  }

  async #identify(
    caller: Unidentified,
    connection: WrapperConnection,
    greeting: Greeting,
    certified: readonly string[] | undefined,
  ): Promise<void> {
    const { name, systemTitle } = greeting;
    try {
      const dcu = await this.#lookup.load(name);
      if (connection.closed) return void this.#strange(caller, 'peer_closed', null, name);
      if (dcu === undefined) return await this.#park(caller, connection, greeting);
      const admitted = this.#options.onIdentified(dcu, connection, { systemTitle, address: caller.address, certified }, caller.opened);
      connection.resume();
      await admitted;
    } catch (error) {
      // The database is away: the DCU dials again later.
      this.#log.warn('A DCU could not be identified', { error, claimedName: name });
      connection.close();
    }
  }

  /** Keeps the name of an unregistered DCU for the operator, as long as a flood of names leaves room for it. */
  async #park(caller: Unidentified, connection: WrapperConnection, { name, systemTitle }: Greeting): Promise<void> {
    connection.close();
    if (!this.#strange(caller, 'unregistered', null, name)) return;
    await parkCaller(this.#tools.pool, { name, remote: connection.remote, systemTitle });
  }

  /** Records a refused connection; answers whether the minute still had room for it. */
  #strange({ socket, connection, opened }: Unidentified, reason: CloseReason, detail: string | null, name: string | null = null): boolean {
    const remote = connection?.remote ?? `${socket.remoteAddress ?? 'unknown'}:${socket.remotePort ?? 0}`;
    if (msSince(this.#rows.since) >= MINUTE_MS) this.#rows = { since: monotonicNow(), count: 0 };
    if (++this.#rows.count > STRANGER_ROWS_PER_MINUTE) return false;
    this.#tools.log.debug('A connection was turned away', { remote, reason, detail });
    recordStranger(this.#tools.pool, {
      dcuId: null,
      claimedName: name,
      direction: 'dial_in',
      remote,
      openMs: msSince(opened),
      reason,
      detail,
      bytesIn: connection?.bytesIn ?? socket.bytesRead,
      bytesOut: connection?.bytesOut ?? socket.bytesWritten,
    }).catch((error: unknown) => this.#log.warn('A refused connection could not be written', { error }));
    return true;
  }

  /** Accepts no connection any more; resolves when the last one, sessions included, is closed. */
  async stop(): Promise<void> {
    for (const { unidentified } of this.#hosts.values()) for (const caller of unidentified) caller.refuse('server_stopped', null);
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** What names a socket before and after its handshake. */
const endsOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''}|${remotePort ?? 0}`;
