import { createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import type { CloseReason } from '@hes/contract/states/device.ts';
import type { Context } from '#db/context.ts';
import { hostOf, isInRanges, plainAddress } from '#platform/address-ranges.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { handshakeFailures } from '#platform/failed-handshake.ts';
import type { ProxySource } from '#platform/proxy-header.ts';
import type { Caller } from './admission.ts';
import { UNSOLICITED_TAGS } from './channel.ts';
import { RequestBatcher } from './request-batcher.ts';
import { certifiedNames, createTlsAcceptor, TLS_HANDSHAKE, type DlmsTls } from './dlms-tls.ts';
import { findClaimed } from './find-claimed.ts';
import { claimOf, nameOf, type Claim } from './identification.ts';
import { LINE_PROOF_MS } from './push-line.ts';
import { awaitProxyHeader } from './proxied.ts';
import type { EndpointRow } from './queries.ts';
import type { RefusedCallers } from './refused-callers.ts';
import { remoteOf, Unidentified, type WaitingCallers } from './unidentified.ts';

export interface ListenerLimits {
  identificationMs: number;
  /** Silence after which a caller is asked for its name. */
  silenceMs: number;
  /** Time in which a connection that carries pushes only must have carried an authenticated one. */
  lineProofMs: number;
  frameMs: number;
  connections: number;
  /** Per host, sessions included; many DCUs may share one address of a mobile network. */
  perAddress: number;
  /** Connections per host without identification; above it the oldest one is closed. */
  unidentifiedPerAddress: number;
}

export const DEFAULT_LIMITS: ListenerLimits = {
  identificationMs: 15_000,
  silenceMs: 5_000,
  lineProofMs: LINE_PROOF_MS,
  frameMs: 30_000,
  connections: 20_000,
  perAddress: 5_000,
  unidentifiedPerAddress: 1_000,
};

/** Connections that the system accepts before the listener does: after an outage a whole fleet dials at once. The system may limit it further. */
const ACCEPT_BACKLOG = 4_096;
/** Joins the lookups of a fleet that reconnects at the same time. */
const LOOKUP_BATCH = { waitMs: 2, maxItems: 200 };

export interface ListenerOptions {
  limits: ListenerLimits;
  /** Records callers that are not admitted. */
  refused: RefusedCallers;
  tls?: DlmsTls | undefined;
  /** Addresses of proxies whose connections begin with a PROXY header. Default: none. */
  proxies?: readonly string[];
  /** Whether a name is delayed after failed authentications from this address. */
  isDelayed(name: string, address: string): boolean;
  /** Reads the name of a caller that says nothing; undefined: it does not answer. */
  askName(connection: DlmsConnection): Promise<Pick<Claimed, 'claim' | 'push'> | undefined>;
  /** Whether the connection carries pushes only. */
  isPushLine(endpoint: EndpointRow, connection: DlmsConnection, push: DlmsFrame | undefined): boolean;
  /** Receives the connection of a registered device, with its first message when that is a push. */
  onIdentified(endpoint: EndpointRow, connection: DlmsConnection, caller: IdentifiedCaller): Promise<void>;
}

interface IdentifiedCaller extends Caller {
  opened: MonotonicMs;
  push: DlmsFrame | undefined;
}

type Tools = Pick<Context, 'pool' | 'clock' | 'log'>;

interface Host {
  open: number;
  unidentified: WaitingCallers;
}

/**
 * Listens on the DLMS port. The first message of a connection must identify a registered DCU or direct meter; otherwise it is closed. A
 * caller that says nothing is asked for its name.
 */
export class Listener {
  readonly #tools: Tools;
  readonly #log: CountedLog;
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #secure: ((socket: Socket) => void) | undefined;
  /** Open sockets with the host that they count for, once that is known. */
  readonly #sockets = new Map<Socket, string | undefined>();
  /** Connections of proxies whose header is not read yet. */
  readonly #unproxied = new Set<Socket>();
  /** Number of open sockets and connections without identification, oldest first, per host. */
  readonly #hosts = new Map<string, Host>();
  readonly #lookup: RequestBatcher<Claim, EndpointRow | undefined>;
  /** Connections in the TLS handshake, by remote address and port. */
  readonly #handshakes = new Map<string, Unidentified>();

  constructor(tools: Tools, options: ListenerOptions) {
    this.#tools = tools;
    this.#log = new CountedLog(tools.log, tools.clock);
    this.#options = options;
    this.#lookup = new RequestBatcher((claims) => findClaimed(tools.pool, claims), LOOKUP_BATCH);
    this.#secure =
      options.tls &&
      createTlsAcceptor(options.tls, {
        handshakeMs: options.limits.identificationMs,
        onSecure: (socket) => this.#secured(socket),
        onFailure: handshakeFailures(this.#log, 'DLMS'),
      });
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, (socket) => this.#accept(socket));
    // Errors of the start reject `listen`.
    this.#server.on('error', (error) => this.#server.listening && this.#tools.log.error('The DLMS port failed', { error }));
  }

  /** Resolves with the listening port. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host, backlog: ACCEPT_BACKLOG }, () => {
        this.#server.off('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  #accept(socket: Socket): void {
    socket.on('error', () => undefined);
    this.#sockets.set(socket, undefined);
    socket.once('close', () => this.#forget(socket));
    const { remoteAddress = '', remotePort = 0 } = socket;
    const { proxies = [], limits } = this.#options;
    const own = { address: plainAddress(remoteAddress), port: remotePort };
    if (!isInRanges(own.address, proxies)) return this.#receive(socket, own);
    this.#unproxied.add(socket);
    awaitProxyHeader(socket, limits.identificationMs, {
      onSource: (source) => {
        this.#unproxied.delete(socket);
        this.#receive(socket, { ...source, address: plainAddress(source.address) });
      },
      onInvalid: (why) => void this.#recordRejected({ socket, remote: remoteOf(own), opened: monotonicNow() }, 'bad_proxy_header', why),
    });
  }

  #forget(socket: Socket): void {
    const key = this.#sockets.get(socket);
    this.#sockets.delete(socket);
    this.#unproxied.delete(socket);
    const host = key === undefined ? undefined : this.#hosts.get(key);
    if (key !== undefined && host !== undefined && --host.open === 0) this.#hosts.delete(key);
  }

  /** Receives a connection of a known source, which counts for the limits of that address. */
  #receive(socket: Socket, source: ProxySource): void {
    const { limits } = this.#options;
    const key = hostOf(source.address);
    const host = this.#hosts.get(key) ?? { open: 0, unidentified: new Set() };
    this.#hosts.set(key, host);
    host.open++;
    this.#sockets.set(socket, key);
    const caller = new Unidentified(socket, source, {
      waiting: host.unidentified,
      limitMs: limits.identificationMs,
      onRefused: (refused, reason, detail, name) => void this.#recordRejected(refused, reason, detail, name),
    });
    if (this.#sockets.size > limits.connections || host.open > limits.perAddress) return caller.refuse('too_many_connections', null);
    const [oldest] = host.unidentified;
    if (host.unidentified.size > limits.unidentifiedPerAddress) oldest?.refuse('too_many_connections', null);
    if (this.#secure === undefined) this.#awaitIdentification(caller, socket, undefined);
    else this.#detectTls(caller, this.#secure);
  }

  /** Starts TLS when the first octet is that of a handshake; other connections are accepted only where TLS is optional. */
  #detectTls(caller: Unidentified, secure: (socket: Socket) => void): void {
    const { socket } = caller;
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      socket.unshift(chunk);
      if (chunk[0] === TLS_HANDSHAKE) {
        const ends = remoteKeyOf(socket);
        this.#handshakes.set(ends, caller);
        socket.once('close', () => this.#handshakes.delete(ends));
        secure(socket);
      } else if (this.#options.tls?.mode === 'required') return caller.refuse('not_dlms', 'TLS with a client certificate is required');
      else this.#awaitIdentification(caller, socket, undefined);
      process.nextTick(() => socket.resume());
    });
  }

  #secured(socket: TLSSocket): void {
    const caller = this.#handshakes.get(remoteKeyOf(socket));
    socket.on('error', () => undefined);
    if (caller === undefined) return void socket.destroy();
    this.#handshakes.delete(remoteKeyOf(socket));
    this.#awaitIdentification(caller, socket, certifiedNames(socket.getPeerCertificate()));
  }

  #awaitIdentification(caller: Unidentified, socket: Socket, certified: readonly string[] | undefined): void {
    const { remote } = caller;
    const connection = new DlmsConnection(socket, { frameTimeoutMs: this.#options.limits.frameMs, framing: 'detect', remote });
    caller.connection = connection;
    connection.onClose((reason, detail) => caller.refuse(reason === 'closed_by_us' ? 'server_stopped' : reason, detail ?? null));
    caller.awaitMessage(this.#options.limits.silenceMs, () => this.#ask(caller, connection, certified));
    connection.onFrame((frame) => {
      caller.endSilence();
      const claim = claimOf(frame.apdu);
      if (claim !== undefined)
        return this.#claimed(caller, connection, { claim, certified, push: claim.isGreeting ? undefined : copyOf(frame) });
      if (!UNSOLICITED_TAGS.has(frame.apdu[0] ?? 0)) return caller.refuse('not_dlms', 'The first message is not an identification');
      // A line of the M-Bus takes no requests.
      if (connection.framing === 'mbus') return caller.refuse('not_dlms', 'A push in M-Bus frames without a name');
      // The push contains no name.
      this.#ask(caller, connection, certified);
    });
  }

  /** Asks a caller for its name. It stays unidentified until then; its time limit begins again, because it is asked in two framings. */
  #ask(caller: Unidentified, connection: DlmsConnection, certified: readonly string[] | undefined): void {
    if (connection.closed) return;
    caller.extend();
    this.#options.askName(connection).then(
      (asked) => asked !== undefined && this.#claimed(caller, connection, { ...asked, certified }),
      (error: unknown) => this.#log.warn('A caller could not be asked for its name', { error, remote: connection.remote }),
    );
  }

  #claimed(caller: Unidentified, connection: DlmsConnection, claimed: Claimed): void {
    if (!caller.release()) return;
    if (this.#options.isDelayed(nameOf(claimed.claim), caller.address)) return connection.close();
    // Later frames are not read until the device is found.
    connection.pause();
    void this.#identify(caller, connection, claimed);
  }

  async #identify(caller: Unidentified, connection: DlmsConnection, { claim, certified, push }: Claimed): Promise<void> {
    const { address, opened } = caller;
    const name = nameOf(claim);
    try {
      const endpoint = await this.#lookup.load(claim);
      // A meter that only pushes may close its connection right after the push.
      const isPushOnly = endpoint !== undefined && this.#options.isPushLine(endpoint, connection, push);
      if (connection.closed && !isPushOnly) return void this.#recordRejected(caller, 'peer_closed', null, name);
      if (endpoint === undefined) return await this.#recordUnregistered(caller, connection, claim);
      if (endpoint.sn !== name && this.#options.isDelayed(endpoint.sn, address)) return connection.close();
      const { systemTitle } = claim;
      const admitted = this.#options.onIdentified(endpoint, connection, { systemTitle, address, certified, opened, push });
      connection.resume();
      await admitted;
    } catch (error) {
      // The database is unavailable; the device dials again later.
      this.#log.warn('A caller could not be identified', { error, claimedName: name });
      connection.close();
    }
  }

  /** Lists an unregistered caller for operators, within the limit of rows per minute. */
  async #recordUnregistered(caller: Unidentified, connection: DlmsConnection, claim: Claim): Promise<void> {
    const name = nameOf(claim);
    connection.close();
    if (!this.#recordRejected(caller, 'unregistered', null, name)) return;
    await this.#options.refused.list({ name, remote: connection.remote, systemTitle: claim.systemTitle });
  }

  /** Records a refused connection; returns false above the limit of rows per minute. */
  #recordRejected(
    { socket, connection, opened, remote }: Pick<Unidentified, 'socket' | 'opened' | 'remote'> & Partial<Pick<Unidentified, 'connection'>>,
    reason: CloseReason,
    detail: string | null,
    name: string | null = null,
  ): boolean {
    return this.#options.refused.recordConnection({
      claimedName: name,
      remote,
      openMs: msSince(opened),
      reason,
      detail,
      bytesIn: connection?.bytesIn ?? socket.bytesRead,
      bytesOut: connection?.bytesOut ?? socket.bytesWritten,
    });
  }

  /** Closes the port and unidentified connections; identified ones remain. `listen` opens it again. */
  closePort(): void {
    if (this.#server.listening) this.#server.close();
    this.#refuseAll();
  }

  #refuseAll(): void {
    for (const socket of this.#unproxied) socket.destroy();
    for (const { unidentified } of this.#hosts.values()) for (const caller of unidentified) caller.refuse('server_stopped', null);
  }

  /** Closes the port and unidentified connections; resolves when every connection, sessions included, is closed. */
  async stop(): Promise<void> {
    this.#refuseAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** What a caller said, and its message when that is a push. */
export interface Claimed {
  claim: Claim;
  certified: readonly string[] | undefined;
  push: DlmsFrame | undefined;
}

/** A frame is a view into the buffer of the socket and valid until the next one. */
export function copyOf(frame: DlmsFrame): DlmsFrame {
  return { ...frame, octets: frame.octets.slice(), apdu: frame.apdu.slice() };
}

/** Identifies a socket before and after its TLS handshake. */
const remoteKeyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''}|${remotePort ?? 0}`;
