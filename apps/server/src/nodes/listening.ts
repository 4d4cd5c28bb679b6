import type { PoolClient } from 'pg';
import type { Context } from '#db/context.ts';

const RETRY_MS = 2_000;
/** A statement that takes longer means that the connection is cut, which nobody else notices for hours. */
const STATEMENT_MS = 10_000;

/** The driver knows the option, and its types do not. */
const limited = (text: string, values?: unknown[]) => ({ text, values, query_timeout: STATEMENT_MS });

export interface ListeningOptions {
  /** Called with the payload of each notification, by the name of its channel. */
  channels: Readonly<Record<string, (payload: string) => void>>;
  /** Called whenever the connection listens again: notifications before were lost. */
  onOpen(): void;
}

/** A connection that listens for notifications while it is wanted, and is replaced when it breaks. */
export class Listening {
  readonly #ctx: Pick<Context, 'pool' | 'log'>;
  readonly #options: ListeningOptions;
  #isWanted = false;
  #client: PoolClient | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: Pick<Context, 'pool' | 'log'>, options: ListeningOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  open(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#connect();
  }

  async close(): Promise<void> {
    this.#isWanted = false;
    clearTimeout(this.#timer);
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
    const client = await this.#ctx.pool.connect();
    try {
      client.on('notification', ({ channel, payload }) => this.#options.channels[channel]?.(payload ?? ''));
      const listens = Object.keys(this.#options.channels).map((channel) => `listen ${channel}`);
      await client.query(limited(`set application_name = 'hes-nodes'; ${listens.join(';')}`));
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (!this.#isWanted) return client.release(true);
    this.#client = client;
    client.once('error', () => this.#replace(client));
    this.#options.onOpen();
  }

  #replace(client: PoolClient): void {
    if (this.#client !== client) return;
    this.#release();
    this.#retry();
  }

  #release(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  #retry(): void {
    clearTimeout(this.#timer);
    if (this.#isWanted) this.#timer = setTimeout(() => this.#connect(), RETRY_MS);
  }
}
