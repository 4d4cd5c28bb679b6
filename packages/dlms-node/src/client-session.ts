import { connect, type Socket } from 'node:net';
import { WAIT, type Exchange } from '@hes/dlms/association/exchange.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { WRAPPER_PORT } from '@hes/dlms/framing/wrapper.ts';
import { wrapperCarrier, type ApduCarrier } from './apdu-carrier.ts';
import { openDatagrams } from './datagrams.ts';
import { openHdlc, type HdlcOptions } from './hdlc-carrier.ts';
import { SessionError } from './session-error.ts';
import { DlmsConnection } from './dlms-connection.ts';

export interface SessionOptions {
  host: string;
  /** Defaults to 4059. */
  port?: number | undefined;
  clientSap: number;
  serverSap: number;
  /** Timeout of the connection and of each response, in milliseconds; defaults to 10 000. */
  timeoutMs?: number | undefined;
  /** Address of a meter behind the gateway; absent for the peer itself. */
  gateway?: { networkId: number; address: Uint8Array } | undefined;
  /** Uses HDLC instead of wrapper frames, for example behind a serial converter. */
  hdlc?: Omit<HdlcOptions, 'clientSap' | 'serverSap'> | undefined;
  /** Uses UDP datagrams instead of TCP. */
  udp?: boolean | undefined;
}

const TIMEOUT_MS = 10_000;

/** An exchange that awaits an APDU. */
interface AwaitedApdu {
  resolve(apdu: Uint8Array): void;
  reject(error: SessionError): void;
}

/** One client of one server. Exchanges run one at a time, in the order of `run`. */
export class ClientSession {
  readonly #carrier: ApduCarrier;
  readonly #options: Pick<SessionOptions, 'timeoutMs' | 'gateway'>;
  readonly #waiting: Uint8Array[] = [];
  #awaited: AwaitedApdu | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: SessionError | undefined;
  #hasHeard = false;
  /** Settles when the previous exchange has ended; never rejects. */
  #idle: Promise<unknown> = Promise.resolve();

  constructor(carrier: ApduCarrier, options: Pick<SessionOptions, 'timeoutMs' | 'gateway'> = {}) {
    this.#carrier = carrier;
    this.#options = options;
    carrier.onApdu((apdu) => this.#take(apdu));
    carrier.onClose((why) => {
      this.#end = new SessionError('CLOSED', why);
      this.#takeAwaited()?.reject(this.#end);
    });
  }

  #take(octets: Uint8Array): void {
    const apdu = this.#options.gateway === undefined ? octets : decodeGateway(octets)?.apdu;
    if (apdu === undefined) return;
    this.#hasHeard = true;
    const awaited = this.#takeAwaited();
    if (awaited === undefined) this.#waiting.push(apdu);
    else awaited.resolve(apdu);
  }

  /** Runs an exchange after those before it. Fails with `SessionError` or with the error of the exchange; later exchanges still run. */
  run<T>(exchange: Exchange<T>): Promise<T> {
    const result = this.#idle.then(() => this.#drive(exchange));
    this.#idle = result.catch(() => undefined);
    return result;
  }

  async #drive<T>(exchange: Exchange<T>): Promise<T> {
    // Late responses must not pass for the next response; the association detects them by their invoke id.
    let step = exchange.next();
    while (step.done !== true) {
      if (step.value !== WAIT) this.send(step.value);
      else if (this.#waiting.length === 0) this.#carrier.poll?.();
      step = exchange.next(await this.#next());
    }
    return step.value;
  }

  /** Sends an APDU without awaiting a response. */
  send(apdu: Uint8Array): void {
    const { gateway } = this.#options;
    this.#carrier.send(gateway === undefined ? apdu : encodeGateway(gateway, apdu));
  }

  #next(): Promise<Uint8Array> {
    const apdu = this.#waiting.shift();
    if (apdu !== undefined) return Promise.resolve(apdu);
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      this.#awaited = { resolve, reject };
      this.#timer = setTimeout(() => this.#takeAwaited()?.reject(this.#silence(timeoutMs)), timeoutMs);
    });
  }

  /** Ends the wait for an APDU. */
  #takeAwaited(): AwaitedApdu | undefined {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    clearTimeout(this.#timer);
    return awaited;
  }

  /** A peer that never responded is more likely misaddressed than slow: it drops frames of other SAPs and framings. */
  #silence(timeoutMs: number): SessionError {
    const hint = this.#hasHeard
      ? ''
      : '; the peer has not answered at all: are client and server SAP right, and is the framing (wrapper or HDLC)?';
    return new SessionError('NO_ANSWER', `no answer within ${timeoutMs} ms${hint}`);
  }

  close(): void {
    this.#carrier.close();
  }
}

/** Connects to a meter, a DCU, or a meter behind a DCU. Fails with `SessionError`. */
export async function connectSession(options: SessionOptions): Promise<ClientSession> {
  const { host, port = WRAPPER_PORT, clientSap, serverSap, hdlc, timeoutMs = TIMEOUT_MS } = options;
  if (options.udp === true) return new ClientSession(await openDatagrams({ host, port, clientSap, serverSap }), options);
  const socket = await connectSocket(options);
  const carrier =
    hdlc === undefined
      ? wrapperCarrier(new DlmsConnection(socket, { frameTimeoutMs: timeoutMs, isUnbatched: true }), { clientSap, serverSap })
      : await openHdlc(socket, { ...hdlc, clientSap, serverSap, timeoutMs });
  return new ClientSession(carrier, options);
}

function connectSocket({ host, port = WRAPPER_PORT, timeoutMs = TIMEOUT_MS }: SessionOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const fail = (message: string) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new SessionError('NOT_REACHABLE', `${host}:${port}: ${message}`));
    };
    const timer = setTimeout(() => fail(`no connection within ${timeoutMs} ms`), timeoutMs);
    const onError = (error: Error) => fail(error.message);
    socket.once('error', onError);
    socket.once('connect', () => {
      clearTimeout(timer);
      // The carrier installs an error listener in the same tick.
      queueMicrotask(() => socket.off('error', onError));
      resolve(socket);
    });
  });
}
