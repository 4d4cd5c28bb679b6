import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A port that refused a connection is not tried again for this time. */
const DOWN_MS = 1_000;

/** As of a head-end: a large fleet dials at once. */
const ACCEPT_BACKLOG = 4_096;

/** Loopback addresses of which the balancer connects, by turns: a head-end accepts 5,000 connections of one address. */
const ADDRESSES = 8;

/** Distributes the connections of devices over the nodes: each goes to the open port with the fewest, as a balancer of TCP does. */
export class Balancer {
  readonly #server: Server;
  readonly #open = new Map<number, number>();
  readonly #downUntil = new Map<number, number>();
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  constructor(ports: readonly number[]) {
    for (const port of ports) this.#open.set(port, 0);
    this.#server = createServer({ noDelay: true }, (near) => this.#receive(near));
  }

  async start(): Promise<number> {
    this.#server.listen({ port: 0, host: '127.0.0.1', backlog: ACCEPT_BACKLOG });
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port; // as: it listens on a port
  }

  /** Open connections by port. */
  get connections(): ReadonlyMap<number, number> {
    return this.#open;
  }

  /** Takes a port out, or in again, as after checks of its health: open connections stay. */
  setHealthy(port: number, isHealthy: boolean): void {
    this.#downUntil.set(port, isHealthy ? 0 : Number.POSITIVE_INFINITY);
  }

  #receive(near: Socket): void {
    this.#sockets.add(near);
    near.on('error', () => near.destroy()).on('close', () => this.#sockets.delete(near));
    this.#connect(near);
  }

  #connect(near: Socket): void {
    const now = performance.now();
    const [port] = [...this.#open].filter(([each]) => (this.#downUntil.get(each) ?? 0) < now).toSorted(([, a], [, b]) => a - b)[0] ?? [];
    if (port === undefined || near.destroyed) return void near.destroy();
    this.#count(port, 1);
    const localAddress = `127.0.0.${2 + (this.#connections++ % ADDRESSES)}`;
    const far = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    let isConnected = false;
    far.on('connect', () => {
      isConnected = true;
      near.pipe(far);
      far.pipe(near);
    });
    far.on('error', () => far.destroy());
    const end = (): void => void far.destroy();
    near.once('close', end);
    far.once('close', () => {
      near.off('close', end);
      this.#count(port, -1);
      if (isConnected) return void near.destroy();
      this.#downUntil.set(port, performance.now() + DOWN_MS);
      this.#connect(near);
    });
  }

  #count(port: number, change: number): void {
    this.#open.set(port, (this.#open.get(port) ?? 0) + change);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
