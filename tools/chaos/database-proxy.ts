import { once } from 'node:events';
import { chmodSync, renameSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const SOCKET = '.s.PGSQL.5432';
const BEHIND = '.s.PGSQL.5432.behind';
const EVERYBODY = 0o777;
/** One write in this many loses its connection after the commit. */
const CUT_ONE_IN = 3;
const HEAD_OCTETS = 5;
const COMMAND_COMPLETE = 'C';
const READY = 'Z';
const NO_TRANSACTION = 'I';
const WRITES = /^(COMMIT|INSERT|UPDATE|DELETE|MERGE|COPY)/;

export type ProxyMode = 'cut' | 'slow';

/** Splits a stream of octets into messages of the database. @spec PostgreSQL protocol 3.0, message formats */
class Messages {
  #waiting = Buffer.alloc(0);

  *take(octets: Buffer): Generator<{ type: string; whole: Buffer }> {
    this.#waiting = Buffer.concat([this.#waiting, octets]);
    while (this.#waiting.length >= HEAD_OCTETS) {
      const length = 1 + this.#waiting.readUInt32BE(1);
      if (this.#waiting.length < length) return;
      const whole = this.#waiting.subarray(0, length);
      this.#waiting = this.#waiting.subarray(length);
      yield { type: String.fromCharCode(whole[0] ?? 0), whole };
    }
  }
}

/**
 * Proxy between the product and its database. `cut`: closes connections after the commit of a write and before its
 * response. `slow`: delays each request by `delayMs`.
 */
export class DatabaseProxy {
  readonly #folder: string;
  readonly #mode: ProxyMode;
  readonly #delayMs: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #writes = 0;
  /** Closed connections, or delayed requests. */
  strikes = 0;

  constructor(folder: string, mode: ProxyMode, delayMs = 0) {
    this.#folder = folder;
    this.#mode = mode;
    this.#delayMs = delayMs;
  }

  /** Takes the place of the database's socket; open connections are not affected. */
  async open(): Promise<void> {
    const at = join(this.#folder, SOCKET);
    renameSync(at, join(this.#folder, BEHIND));
    this.#server = createServer((near) => this.#serve(near)).listen(at);
    await once(this.#server, 'listening');
    chmodSync(at, EVERYBODY);
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    renameSync(join(this.#folder, BEHIND), join(this.#folder, SOCKET));
  }

  #serve(near: Socket): void {
    const far = connect(join(this.#folder, BEHIND));
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
    near.on('data', (octets: Buffer) => this.#passOn(octets, far));
    if (this.#mode === 'cut') this.#cutAfterWrites(near, far, end);
    else far.on('data', (octets) => near.write(octets));
  }

  #passOn(octets: Buffer, far: Socket): void {
    if (this.#mode === 'cut') return void far.write(octets);
    this.strikes++;
    // Timers of equal duration fire in the order of their creation.
    setTimeout(() => far.destroyed || far.write(octets), this.#delayMs);
  }

  /** Holds a response back from the completion of the command until the database is ready: by then it is committed or not. */
  #cutAfterWrites(near: Socket, far: Socket, end: () => void): void {
    const messages = new Messages();
    let held: Buffer[] = [];
    let isWrite = false;
    far.on('data', (octets: Buffer) => {
      for (const { type, whole } of messages.take(octets)) {
        if (near.destroyed) return;
        if (type === COMMAND_COMPLETE) isWrite ||= WRITES.test(whole.toString('latin1', HEAD_OCTETS));
        if (type === COMMAND_COMPLETE || held.length > 0) held.push(Buffer.from(whole));
        else near.write(Buffer.from(whole));
        if (type !== READY) continue;
        const isCommitted = isWrite && String.fromCharCode(whole[HEAD_OCTETS] ?? 0) === NO_TRANSACTION;
        if (isCommitted && ++this.#writes % CUT_ONE_IN === 0) {
          this.strikes++;
          return end();
        }
        for (const message of held) near.write(message);
        held = [];
        isWrite = false;
      }
    });
  }
}
