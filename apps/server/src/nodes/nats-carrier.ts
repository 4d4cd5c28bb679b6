import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Context } from '#db/context.ts';
import { EVERYONE, isDurable, missedMessages, type Carrier, type LocalBus, type LossyMessage } from '#platform/bus.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { ANNOUNCE_MS, Interests } from './interests.ts';
import type { NatsLink } from './nats-link.ts';
import type { Node } from './node.ts';

/** Topics that change within this time are announced together. */
const BATCH_MS = 50;

/** Message in which a node announces what it follows. Its members are optional, so that versions can differ. */
interface Announcement {
  from?: string;
  topics?: string[];
  /** The others are to announce theirs. */
  asks?: boolean;
}

interface CarrierParts {
  bus: LocalBus;
  node: Pick<Node, 'owner' | 'alive' | 'onChange'>;
  link: NatsLink;
  /** First token of all subjects: installations that share a server have different ones. */
  prefix: string;
}

/**
 * Carries the messages of the bus to the other nodes by NATS (core). Each topic is a subject, so that the server sends a message to the nodes that
 * follow its topic and to no others. Messages may be lost; those of one node and topic arrive in their order.
 */
export class NatsCarrier implements Carrier {
  readonly #ctx: Pick<Context, 'log' | 'clock'>;
  readonly #parts: CarrierParts;
  readonly #interests: Interests;
  /** Subscriptions by topic, which the client repeats when it connects again. */
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #flush: DebouncedFlush;
  /** The connection of these subscriptions. */
  #subscribed: NatsConnection | undefined;
  #mustAsk = false;
  #job: PeriodicJob | undefined;
  #stopFollowing: () => void = () => undefined;

  constructor(ctx: Pick<Context, 'log' | 'clock'>, parts: CarrierParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#interests = new Interests(ctx.clock);
    this.#flush = new DebouncedFlush(() => this.#announce(), {
      quietMs: BATCH_MS,
      longestMs: BATCH_MS,
      onError: (error) => this.#warn(error),
    });
  }

  start(): void {
    const { bus, node, link } = this.#parts;
    bus.carryBy(this);
    link.onOpen(() => {
      this.#mustAsk = true;
      this.announce();
      bus.deliver(EVERYONE, missedMessages(this.#ctx.clock.now()));
    });
    this.#stopFollowing = node.onChange(() => {
      if (node.alive.length === 1) this.#interests.clear();
    });
    this.#job = startPeriodicJob(
      ANNOUNCE_MS,
      () => Promise.resolve(this.announce()),
      () => undefined,
    );
  }

  async stop(): Promise<void> {
    this.#stopFollowing();
    await this.#job?.stop();
    await this.#flush.flushAll();
  }

  isFollowed(topic: string): boolean {
    return this.#interests.has(topic);
  }

  send(topic: string, message: LossyMessage): void {
    try {
      this.#parts.link.connection?.publish(this.#subjectOf(topic), JSON.stringify(message));
    } catch (error) {
      this.#warn(error);
    }
  }

  announce(): void {
    this.#flush.schedule();
  }

  #warn(error: unknown): void {
    this.#ctx.log.warn('A message of the bus is lost', { error });
  }

  /** Topics contain characters that separate or replace tokens in subjects. */
  #subjectOf(topic: string): string {
    return `${this.#parts.prefix}.topic.${Buffer.from(topic).toString('base64url')}`;
  }

  #announce(): void {
    const { bus, node, link, prefix } = this.#parts;
    const { connection } = link;
    if (connection === undefined) return;
    if (connection !== this.#subscribed) {
      this.#subscribed = connection;
      this.#subscriptions.clear();
      connection.subscribe(`${prefix}.interest`, {
        callback: (error, message) => this.#receive(error, message, (text) => this.#note(text)),
      });
    }
    this.#subscribe(connection);
    const announcement: Announcement = { from: node.owner, topics: [...bus.topics], asks: this.#mustAsk };
    this.#mustAsk = false;
    connection.publish(`${prefix}.interest`, JSON.stringify(announcement));
  }

  /** Follows the present topics of the bus before they are announced. */
  #subscribe(connection: NatsConnection): void {
    const { bus } = this.#parts;
    const wanted = new Set(bus.topics);
    for (const [topic, subscription] of this.#subscriptions)
      if (!wanted.has(topic)) {
        subscription.unsubscribe();
        this.#subscriptions.delete(topic);
      }
    for (const topic of wanted) {
      if (this.#subscriptions.has(topic)) continue;
      const callback = (error: Error | null, message: Msg) => this.#receive(error, message, (text) => this.#deliver(topic, text));
      this.#subscriptions.set(topic, connection.subscribe(this.#subjectOf(topic), { callback }));
    }
  }

  #receive(error: Error | null, message: Msg, take: (text: string) => void): void {
    try {
      if (error !== null) throw error;
      take(message.string());
    } catch (failure) {
      this.#warn(failure);
    }
  }

  #note(text: string): void {
    const { from, topics = [], asks } = JSON.parse(text) as Announcement; // as: another node of this program wrote it
    if (from === undefined) return;
    this.#interests.note(from, topics);
    if (asks === true) this.announce();
  }

  #deliver(topic: string, text: string): void {
    const message = JSON.parse(text) as LossyMessage; // as: another node of this program wrote it
    // Changes are rows of the database only: a client of the bus cannot end sessions or take devices.
    if (isDurable(message)) return;
    this.#parts.bus.deliver(topic, message);
  }
}
