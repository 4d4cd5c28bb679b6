import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** Name of PostgreSQL's socket for its usual port. */
const SOCKET = '.s.PGSQL.5432';
const EVERYBODY = 0o777;

/**
 * The line of one node to the database. While it is cut, nothing passes in either direction and no connection ends, as with a broken
 * network.
 */
export class Link {
  /** Folder of the socket that the node connects to. */
  readonly folder: string;
  #target: string;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isCut = false;

  get isCut(): boolean {
    return this.#isCut;
  }

  constructor(folder: string, databaseFolder: string) {
    this.folder = folder;
    this.#target = join(databaseFolder, SOCKET);
    this.#server = createServer((near) => this.#serve(near));
  }

  async open(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    const at = join(this.folder, SOCKET);
    this.#server.listen(at);
    await once(this.#server, 'listening');
    chmodSync(at, EVERYBODY);
  }

  #serve(near: Socket): void {
    const far = connect(this.#target);
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    near.pipe(far);
    far.pipe(near);
    if (this.#isCut) this.cut();
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Ends the connections of the time before, as a network does that has forgotten them. New ones pass. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Leads to another database from now on, as an address that moves. Connections to the former one end. */
  leadTo(databaseFolder: string): void {
    this.#target = join(databaseFolder, SOCKET);
    this.heal();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
