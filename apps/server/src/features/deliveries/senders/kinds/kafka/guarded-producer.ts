import { isIP } from 'node:net';
import { kGetBootstrapConnection, kGetConnection, Producer, type Broker, type ConnectionOptions } from '@platformatic/kafka';
import { lookupFor, resolveGuarded } from '#platform/guarded-network.ts';
import { tlsOptionsOf, type GuardedTarget } from '#platform/guarded-socket.ts';
import { requireReachable } from '../kind.ts';

/** What all brokers of a cluster are connected to with. */
export type Target = Omit<GuardedTarget, 'isProtected' | 'host' | 'port'> & {
  /** Brokers that the user entered, at least one. */
  brokers: readonly [Broker, ...Broker[]];
};
type WhenConnected = Parameters<Producer[typeof kGetConnection]>[1];

/** Connections to brokers. Names are judged by their addresses at the connection, as those of other receivers. */
export const connectionOptionsOf = ({ brokers: [{ host }], isEncrypted, networks, ...trust }: Target): ConnectionOptions =>
  isEncrypted
    ? // as: the package types the options of TLS without those of the socket, and passes both on
      {
        tls: { ...tlsOptionsOf(trust), lookup: lookupFor(true, networks) } as NonNullable<ConnectionOptions['tls']>,
        tlsServerName: isIP(host) === 0,
      }
    : {};

/** A producer that connects only to brokers that may be reached: the cluster itself names the brokers that lead its partitions. */
export class GuardedProducer extends Producer<Buffer, Buffer, string, string> {
  readonly #target: Target;
  /** Connections whose errors are heard. */
  readonly #heard = new WeakSet<object>();
  /** Index of the broker that metadata came from last. */
  #bootstrap = 0;
  /** What the last connection ended with: requests that it had are told only that it is closed. */
  connectionError: Error | undefined;

  constructor(target: Target, options: ConstructorParameters<typeof Producer<Buffer, Buffer, string, string>>[0]) {
    super(options);
    this.#target = target;
  }

  /** Address to connect to. Without TLS the name is resolved here, because the package lets no lookup be given. */
  async #judge({ host, port }: Broker): Promise<Broker> {
    const { isEncrypted, networks } = this.#target;
    requireReachable(host, isEncrypted, networks);
    return { host: isEncrypted ? host : await resolveGuarded(host, false, networks), port };
  }

  #hear(connection: Parameters<WhenConnected>[1]): void {
    if (connection === undefined || this.#heard.has(connection)) return;
    this.#heard.add(connection);
    connection.on('error', (error) => (this.connectionError = error));
  }

  override [kGetConnection](broker: Broker | undefined, callback: WhenConnected): void {
    // The package itself says that a broker is not in the metadata.
    if (broker === undefined) super[kGetConnection](broker as unknown as Broker, callback);
    else
      this.#judge(broker).then(
        (judged) =>
          super[kGetConnection](judged, (error, connection) => {
            if (error === null) this.#hear(connection);
            callback(error, connection);
          }),
        (error: Error) => callback(error, undefined as never),
      );
  }

  /** Metadata comes from the brokers that the user entered alone: those that the cluster names may be others by the next call. */
  override [kGetBootstrapConnection](callback: WhenConnected): void {
    this.#askFrom(0, callback);
  }

  /** Asks the brokers in turn, beginning with the one that answered last. */
  #askFrom(tried: number, callback: WhenConnected): void {
    const { brokers } = this.#target;
    const index = (this.#bootstrap + tried) % brokers.length;
    this[kGetConnection](brokers[index], (error, connection) => {
      if (error !== null && tried + 1 < brokers.length) return this.#askFrom(tried + 1, callback);
      if (error === null) this.#bootstrap = index;
      callback(error, connection);
    });
  }
}
