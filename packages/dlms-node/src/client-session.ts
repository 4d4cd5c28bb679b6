import { connect } from 'node:net';
import { WAIT, type Exchange } from '@hes/dlms/association/exchange.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { WrapperConnection } from './wrapper-connection.ts';

export interface SessionOptions {
  host: string;
  /** 4059 when not said. */
  port?: number | undefined;
  clientSap: number;
  serverSap: number;
  /** Milliseconds to wait for the connection, and for each answer; 10 000 when not said. */
  timeoutMs?: number | undefined;
  /** The meter behind a gateway, when it is not the peer itself that is meant. */
  gateway?: { networkId: number; address: Uint8Array } | undefined;
}

/** Why a peer could not be talked to: not reachable, silent, or gone. */
export class SessionError extends Error {
  readonly code: 'NOT_REACHABLE' | 'NO_ANSWER' | 'CLOSED';

  constructor(code: SessionError['code'], message: string) {
    super(message);
    this.name = 'SessionError';
    this.code = code;
  }
}

const TIMEOUT_MS = 10_000;

/** One client of one server over one TCP connection. Its exchanges run one after the other. */
export class ClientSession {
  readonly #connection: WrapperConnection;
  readonly #options: SessionOptions;
  readonly #waiting: Uint8Array[] = [];
  #heard: ((apdu: Uint8Array) => void) | undefined;
  #failed: ((error: SessionError) => void) | undefined;
  #end: SessionError | undefined;

  constructor(connection: WrapperConnection, options: SessionOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.onFrame(({ source, destination, apdu }) => {
      if (source === options.serverSap && destination === options.clientSap) this.#take(apdu);
    });
    connection.onClose((reason, detail) => {
      this.#end = new SessionError('CLOSED', `${reason}: ${detail}`);
      this.#failed?.(this.#end);
    });
  }

  #take(octets: Uint8Array): void {
    const apdu = this.#options.gateway === undefined ? octets : decodeGateway(octets)?.apdu;
    if (apdu === undefined) return;
    if (this.#heard === undefined) this.#waiting.push(apdu);
    else this.#heard(apdu);
  }

  /** Runs an exchange of an association to its end. Fails with `SessionError`, and with what the exchange itself fails with. */
  async run<T>(exchange: Exchange<T>): Promise<T> {
    // What nobody asked for any more must not be taken for an answer; the association knows late ones by their invoke id.
    let step = exchange.next();
    while (step.done !== true) {
      if (step.value !== WAIT) this.#send(step.value);
      step = exchange.next(await this.#next());
    }
    return step.value;
  }

  #send(apdu: Uint8Array): void {
    const { clientSap: source, serverSap: destination, gateway } = this.#options;
    this.#connection.send({ source, destination }, gateway === undefined ? apdu : encodeGateway(gateway, apdu));
  }

  #next(): Promise<Uint8Array> {
    const apdu = this.#waiting.shift();
    if (apdu !== undefined) return Promise.resolve(apdu);
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new SessionError('NO_ANSWER', `no answer within ${timeoutMs} ms`))), timeoutMs);
      const settle = (tell: () => void) => {
        clearTimeout(timer);
        this.#heard = undefined;
        this.#failed = undefined;
        tell();
      };
      this.#heard = (answer) => settle(() => resolve(answer));
      this.#failed = (error) => settle(() => reject(error));
    });
  }

  close(): void {
    this.#connection.close();
  }
}

/** Connects to a meter, a DCU, or a meter behind a DCU. Fails with `SessionError`. */
export function connectSession(options: SessionOptions): Promise<ClientSession> {
  const { host, port = WRAPPER_PORT, timeoutMs = TIMEOUT_MS } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const fail = (message: string) => {
      socket.destroy();
      reject(new SessionError('NOT_REACHABLE', `${host}:${port}: ${message}`));
    };
    const timer = setTimeout(() => fail(`no connection within ${timeoutMs} ms`), timeoutMs);
    const onError = (error: Error) => {
      clearTimeout(timer);
      fail(error.message);
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      clearTimeout(timer);
      const connection = new WrapperConnection(socket, { frameTimeoutMs: timeoutMs });
      socket.off('error', onError);
      resolve(new ClientSession(connection, options));
    });
  });
}
