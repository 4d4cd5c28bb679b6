import { Duplex } from 'node:stream';
import type { Machine, Process } from './machine.ts';

/** Latency between two peers. */
const LATENCY_MS = { from: 1, to: 40 };
/** Shares of deliveries that are split, or merged with the next one. */
const SPLIT_SHARE = 0.06;
const GLUE_SHARE = 0.06;
const GLUE_MS = 15;
const RESET_SHARE = 0.2;
/** Time until a system aborts a connection with unacknowledged data. */
export const UNACKNOWLEDGED_MS = { from: 5_000, to: 60_000 };
const HOST = '127.0.0.1';

class NetworkError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** One end of a simulated TCP connection, with the part of `net.Socket` that the product uses. */
export class VirtualSocket extends Duplex {
  readonly remoteAddress = HOST;
  remotePort = 0;
  bytesRead = 0;
  bytesWritten = 0;
  peer: VirtualSocket | undefined;
  /** Octets are lost in either direction without notice: the connection is half open. */
  isCut = false;
  readonly process: Process;
  readonly #network: Network;
  readonly #latencyMs: number;
  /** Pieces in transit to this end, in order. */
  #arriving: (Uint8Array | 'end')[] = [];
  #isDelivering = false;
  #isEnded = false;
  #idleMs = 0;

  constructor(network: Network, process: Process) {
    super({ allowHalfOpen: false });
    this.#network = network;
    this.process = process;
    this.#latencyMs = network.machine.between(LATENCY_MS.from, LATENCY_MS.to);
    network.sockets.add(this);
  }

  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  /** Only before a connection is established: afterwards the product has its own timeouts. */
  setTimeout(ms: number): this {
    this.#idleMs = ms;
    return this;
  }
  get idleMs(): number {
    return this.#idleMs;
  }

  override _read(): void {
    // Deliveries push without a read.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytesWritten += chunk.length;
    this.#network.sent(this, chunk.length);
    // A copy, because the writer may reuse its buffer.
    this.peer?.receive(Uint8Array.from(chunk), this.isCut);
    done();
  }

  override _final(done: () => void): void {
    this.#isEnded = true;
    this.peer?.receive('end', this.isCut);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { peer } = this;
    this.#network.sockets.delete(this);
    if (peer !== undefined && !this.isCut && !this.#isEnded) {
      if (this.#network.machine.draw() < RESET_SHARE) peer.fail('ECONNRESET');
      else peer.receive('end', false);
    }
    done(error);
  }

  /** A piece is in transit to this end. */
  receive(piece: Uint8Array | 'end', isCut: boolean): void {
    if (isCut || this.isCut || this.destroyed) return;
    this.#arriving.push(piece);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    this.#later(this.#latencyMs * this.#network.slowness);
  }

  #later(ms: number): void {
    this.#network.machine.schedule(this.process, ms, () => this.#deliver());
  }

  #deliver(): void {
    const { machine } = this.#network;
    this.#isDelivering = false;
    if (this.destroyed || this.isCut) return;
    const pieces = this.#arriving.filter((piece) => piece !== 'end');
    const isLast = pieces.length < this.#arriving.length;
    let octets = Buffer.concat(pieces);
    this.#arriving = [];
    if (!isLast && machine.draw() < GLUE_SHARE) {
      this.#arriving = [octets];
      this.#isDelivering = true;
      return this.#later(machine.between(1, GLUE_MS));
    }
    if (octets.length > 1 && machine.draw() < SPLIT_SHARE) {
      const at = 1 + machine.random.below(octets.length - 1);
      this.#arriving = [octets.subarray(at), ...(isLast ? (['end'] as const) : [])];
      octets = octets.subarray(0, at);
      this.#isDelivering = true;
      this.#later(machine.between(1, GLUE_MS));
    } else if (isLast) {
      this.#arriving = [];
    }
    if (octets.length > 0) {
      this.bytesRead += octets.length;
      this.push(octets);
    }
    if (isLast && !this.#isDelivering) this.push(null);
  }

  /** Resets the connection: this end is notified after a while. */
  fail(code: string, afterMs = this.#latencyMs): void {
    this.#network.machine.schedule(this.process, afterMs, () => {
      if (!this.destroyed) this.destroy(new NetworkError(code));
    });
  }
}

interface VirtualServer {
  process: Process;
  accept: (socket: VirtualSocket) => void;
}

/** The TCP of a simulated world: listeners, connections, and the quality of their transport. */
export class Network {
  readonly machine: Machine;
  readonly sockets = new Set<VirtualSocket>();
  readonly #servers = new Map<number, VirtualServer>();
  /** Factor on all latencies. */
  slowness = 1;
  onSent: (process: Process, octets: number) => void = () => undefined;
  #lastPort = 40_000;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  sent(socket: VirtualSocket, octets: number): void {
    this.onSent(socket.process, octets);
  }

  createServer(accept: (socket: VirtualSocket) => void): unknown {
    const { machine } = this;
    const process = machine.current;
    let ownPort = 0;
    const server = {
      once: () => server,
      off: () => server,
      on: () => server,
      listen: ({ port }: { port: number }, done: () => void) => {
        ownPort = port === 0 ? ++this.#lastPort : port;
        this.#servers.set(ownPort, { process, accept });
        machine.schedule(process, 0, done);
        return server;
      },
      address: () => ({ address: HOST, port: ownPort }),
      close: (done: () => void) => {
        this.#servers.delete(ownPort);
        // Completes when its last connection has ended.
        const look = (): void => {
          if ([...this.sockets].some((socket) => socket.process === process)) machine.schedule(process, 5, look);
          else done();
        };
        look();
      },
    };
    return server;
  }

  connect({ port, timeout = 0 }: { host: string; port: number; timeout?: number }): VirtualSocket {
    const { machine } = this;
    const socket = new VirtualSocket(this, machine.current);
    socket.setTimeout(timeout);
    const server = this.#servers.get(port);
    machine.schedule(socket.process, machine.between(LATENCY_MS.from, LATENCY_MS.to), () => {
      if (socket.destroyed) return;
      if (server === undefined || !server.process.isAlive || this.#servers.get(port) !== server)
        return void socket.destroy(new NetworkError('ECONNREFUSED'));
      const other = new VirtualSocket(this, server.process);
      socket.peer = other;
      other.peer = socket;
      socket.remotePort = port;
      other.remotePort = ++this.#lastPort;
      socket.emit('connect');
      machine.schedule(server.process, 0, () => server.accept(other));
    });
    return socket;
  }

  /** Ends the connections of a dead process: the system resets them; after a power loss the peers are not notified. */
  drop(process: Process, how: 'killed' | 'powerless'): void {
    for (const socket of this.sockets) {
      if (socket.process !== process) continue;
      this.sockets.delete(socket);
      if (how === 'killed') socket.peer?.fail('ECONNRESET');
      else if (socket.peer !== undefined) {
        socket.peer.isCut = true;
        socket.peer.fail('ETIMEDOUT', this.machine.between(UNACKNOWLEDGED_MS.from, UNACKNOWLEDGED_MS.to));
      }
    }
    for (const [port, server] of this.#servers) if (server.process === process) this.#servers.delete(port);
  }

  /** Resets some connections, or makes them silent. */
  breakConnections(how: 'reset' | 'silent', isMeant: (socket: VirtualSocket) => boolean): number {
    let broken = 0;
    for (const socket of this.sockets) {
      if (socket.peer === undefined || !isMeant(socket)) continue;
      broken++;
      if (how === 'reset') {
        socket.fail('ECONNRESET');
        socket.peer.fail('ECONNRESET');
      } else {
        socket.isCut = true;
        socket.peer.isCut = true;
      }
    }
    return broken;
  }
}
