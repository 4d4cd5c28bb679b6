import type { PoolClient } from 'pg';
import type { Context } from '#db/context.ts';
import type { Node } from './node.ts';

const RETRY_MS = 2_000;
/** A statement that takes longer means that the connection is cut, which TCP would notice after hours. */
const STATEMENT_MS = 10_000;
/** Name of the connection in `pg_stat_activity`. */
const APPLICATION = 'hes-nodes';

/** The driver knows the option, and its types do not. */
const limited = (text: string, values?: unknown[]) => ({ text, values, query_timeout: STATEMENT_MS });

/**
 * The connection on which a node hears the others. It is open while there are others, and is replaced when it breaks. Handlers are added before
 * the start.
 */
export class Listening {
  readonly #ctx: Pick<Context, 'pool' | 'direct' | 'log'>;
  readonly #node: Pick<Node, 'alive' | 'onChange'>;
  readonly #channels = new Map<string, (payload: string) => void>();
  readonly #openListeners: (() => void)[] = [];
  readonly #aloneListeners: (() => void)[] = [];
  #isWanted = false;
  #client: PoolClient | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopFollowing: () => void = () => undefined;

  constructor(ctx: Pick<Context, 'pool' | 'direct' | 'log'>, node: Pick<Node, 'alive' | 'onChange'>) {
    this.#ctx = ctx;
    this.#node = node;
  }

  /** Calls the handler with the payload of each notification of a channel. */
  onNotification(channel: string, handler: (payload: string) => void): void {
    this.#channels.set(channel, handler);
  }

  /** Calls the listener whenever the connection is open again: notifications before may be lost. */
  onOpen(listener: () => void): void {
    this.#openListeners.push(listener);
  }

  /** Calls the listener when the last other node has ended. */
  onAlone(listener: () => void): void {
    this.#aloneListeners.push(listener);
  }

  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  get hasOthers(): boolean {
    return this.#isWanted;
  }

  start(): void {
    this.#stopFollowing = this.#node.onChange(() => this.#adjust());
    this.#adjust();
  }

  #adjust(): void {
    const isWanted = this.#node.alive.length > 1;
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) return this.#connect();
    this.#release();
    for (const listener of this.#aloneListeners) listener();
  }

  async stop(): Promise<void> {
    this.#stopFollowing();
    this.#isWanted = false;
    this.#release();
    await this.#opening;
  }

  /** Executes a statement on this connection, so that it waits for no other work. Fails while the connection is closed. */
  async query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const client = this.#client;
    if (client === undefined) throw new Error('The connection for notifications is closed');
    try {
      return (await client.query<Row>(limited(text, values))).rows;
    } catch (error) {
      this.#replace(client);
      throw error;
    }
  }

  #connect(): void {
    this.#opening ??= this.#listen()
      .catch((error: unknown) => {
        this.#ctx.log.warn('Listening for other nodes failed and is tried again', { error });
        this.#retry();
      })
      .finally(() => (this.#opening = undefined));
  }

  async #listen(): Promise<void> {
    const client = await (this.#ctx.direct ?? this.#ctx.pool).connect();
    try {
      client.on('notification', ({ channel, payload }) => this.#channels.get(channel)?.(payload ?? ''));
      const listens = [...this.#channels.keys()].map((channel) => `listen ${channel}`);
      await client.query(limited([`set application_name = '${APPLICATION}'`, ...listens].join('; ')));
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (!this.#isWanted) return client.release(true);
    this.#client = client;
    client.once('error', () => this.#replace(client));
    for (const listener of this.#openListeners) listener();
  }

  #replace(client: PoolClient): void {
    if (this.#client !== client) return;
    this.#release();
    this.#retry();
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#client?.release(true);
    this.#client = undefined;
  }

  #retry(): void {
    clearTimeout(this.#timer);
    if (this.#isWanted) this.#timer = setTimeout(() => this.#connect(), RETRY_MS);
  }
}
