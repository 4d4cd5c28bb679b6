import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions, type Status } from '@nats-io/transport-node';
import { setTimeout as wait } from 'node:timers/promises';
import type { BusServers } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';

const RETRY_MS = 2_000;
const CONNECT_MS = 5_000;
/** A connection that is cut off without an end is noticed after three of these. */
const PING_MS = 5_000;
const UNANSWERED_PINGS = 2;
/** How long a start waits for the bus: after that it goes on without. */
const FIRST_MS = 3_000;

/** Options of the client. Messages are lost while it has no connection, so it never stops to connect. */
const optionsOf = ({ servers, user, password, token, credentials, tls }: BusServers, name: string): NodeConnectionOptions => ({
  servers,
  name,
  noEcho: true,
  timeout: CONNECT_MS,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: RETRY_MS,
  pingInterval: PING_MS,
  maxPingOut: UNANSWERED_PINGS,
  ...(user === undefined ? {} : { user, pass: password ?? '' }),
  ...(token === undefined ? {} : { token }),
  ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
  ...(tls === undefined ? {} : { tls: tls.ca === undefined ? {} : { ca: tls.ca } }),
});

/** A connection to NATS that is replaced when it breaks. Begins to connect at once. */
export class NatsLink {
  readonly #log: Log;
  readonly #options: NodeConnectionOptions;
  readonly #openListeners: (() => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #connection: NatsConnection | undefined;
  #isOpen = false;

  constructor(servers: BusServers, name: string, log: Log) {
    this.#log = log;
    this.#options = optionsOf(servers, name);
    this.#running = this.#run();
  }

  /** Undefined while messages would be lost. Subscriptions of a connection are repeated when it breaks; another one has none. */
  get connection(): NatsConnection | undefined {
    return this.#isOpen ? this.#connection : undefined;
  }

  /** Calls the listener whenever the connection is open again: messages before may be lost. */
  onOpen(listener: () => void): void {
    this.#openListeners.push(listener);
    if (this.#isOpen) listener();
  }

  /** Waits for the first connection for a while. False: there is none yet. */
  async settle(): Promise<boolean> {
    const opened = new Promise<boolean>((resolve) => this.onOpen(() => resolve(true)));
    return Promise.race([opened, wait(FIRST_MS, false, { ref: false })]);
  }

  /** Connects until it is stopped. The client itself replaces a connection that breaks. */
  async #run(): Promise<void> {
    let told = '';
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        this.#connection = await connect(this.#options);
        told = '';
        await this.#follow(this.#connection);
      } catch (error) {
        const reason = String(error);
        if (reason !== told) this.#log.warn('The bus of HES_BUS_URL is not reached and is tried again', { error });
        told = reason;
      }
      await wait(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #follow(connection: NatsConnection): Promise<void> {
    if (this.#stopping.signal.aborted) return connection.close();
    this.#open();
    for await (const status of connection.status()) this.#note(status);
    this.#isOpen = false;
  }

  #note(status: Status): void {
    if (status.type === 'disconnect') {
      this.#isOpen = false;
      this.#log.warn('The connection to the bus is lost and is tried again', { server: status.server });
    } else if (status.type === 'reconnect') {
      this.#log.info('The connection to the bus is open again', { server: status.server });
      this.#open();
    } else if (status.type === 'error') this.#log.warn('The bus refused something', { error: status.error });
  }

  #open(): void {
    this.#isOpen = true;
    for (const listener of this.#openListeners) listener();
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
    this.#stopping.abort();
    await this.#connection?.close();
    await this.#running;
  }
}
