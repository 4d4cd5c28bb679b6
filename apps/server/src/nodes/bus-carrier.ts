import type { Context } from '#db/context.ts';
import { EVERYONE, missedMessages, type Carrier, type LocalBus, type LossyMessage } from '#platform/bus.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { BUS_CHANNEL, findBusMessage, notifyBus, notifyBusByRow } from './bus-queries.ts';
import { ANNOUNCE_MS, Interests } from './interests.ts';
import type { Listening } from './listening.ts';
import type { Node } from './node.ts';

/** Each notification takes a lock of the whole database, so messages of this time share one. */
const BATCH_MS = 50;
/** PostgreSQL refuses a payload of 8,000 octets. */
const MAX_PAYLOAD_OCTETS = 7_900;
/** Messages that wait while the database does not answer; later ones are lost. */
const MAX_PENDING_OCTETS = 4_194_304;

/** Payload of a notification; `from` is the owner of the sending node. Its members are optional, so that versions can differ. */
interface Envelope {
  from: string;
  events?: [topic: string, message: LossyMessage][];
  /** All topics that the node follows. */
  topics?: string[];
  /** The others are to announce theirs. */
  asks?: boolean;
  /** The payload is the text of this row. */
  row?: number;
}

interface CarrierParts {
  bus: LocalBus;
  node: Pick<Node, 'owner'>;
  listening: Listening;
}

/**
 * Carries the messages of the bus to the other nodes by NOTIFY, as far as they follow the topics. Without other nodes it has no connection and
 * sends nothing. Messages may be lost; those of one node and topic arrive in their order.
 */
export class BusCarrier implements Carrier {
  readonly #ctx: Pick<Context, 'log'>;
  readonly #bus: LocalBus;
  readonly #node: Pick<Node, 'owner'>;
  readonly #listening: Listening;
  readonly #interests: Interests;
  readonly #flush: DebouncedFlush;
  /** Serialized events in the order of their publication. */
  #pending: string[] = [];
  #pendingOctets = 0;
  #mustAnnounce = false;
  #mustAsk = false;
  #receiving = Promise.resolve();
  #job: PeriodicJob | undefined;

  /** The connection is started after the carrier. */
  constructor(ctx: Pick<Context, 'log' | 'clock'>, { bus, node, listening }: CarrierParts) {
    this.#ctx = ctx;
    this.#interests = new Interests(ctx.clock);
    this.#bus = bus;
    this.#node = node;
    this.#listening = listening;
    listening.onNotification(BUS_CHANNEL, (payload) => this.#queueReceipt(payload));
    listening.onOpen(() => {
      this.#mustAsk = true;
      this.announce();
      bus.deliver(EVERYONE, missedMessages(ctx.clock.now()));
    });
    listening.onAlone(() => this.#interests.clear());
    this.#flush = new DebouncedFlush(() => this.#send(), {
      quietMs: BATCH_MS,
      longestMs: BATCH_MS,
      onError: (error) => ctx.log.warn('Messages for other nodes are lost', { error }),
    });
  }

  start(): void {
    this.#bus.carryBy(this);
    this.#job = startPeriodicJob(
      ANNOUNCE_MS,
      () => Promise.resolve(this.announce()),
      () => undefined,
    );
  }

  async stop(): Promise<void> {
    await this.#job?.stop();
    await this.#flush.flushAll();
    await this.#receiving;
  }

  isFollowed(topic: string): boolean {
    return this.#interests.has(topic);
  }

  send(topic: string, message: LossyMessage): void {
    if (!this.#listening.isOpen || this.#pendingOctets > MAX_PENDING_OCTETS) return;
    const text = JSON.stringify([topic, message]);
    this.#pending.push(text);
    this.#pendingOctets += Buffer.byteLength(text);
    this.#flush.schedule();
  }

  announce(): void {
    if (!this.#listening.isOpen) return;
    this.#mustAnnounce = true;
    this.#flush.schedule();
  }

  async #send(): Promise<void> {
    const { owner: from } = this.#node;
    const parts = [`"from":${JSON.stringify(from)}`];
    if (this.#mustAnnounce) parts.push(`"topics":${JSON.stringify([...this.#bus.topics])}`, `"asks":${this.#mustAsk}`);
    if (this.#pending.length > 0) parts.push(`"events":[${this.#pending.join(',')}]`);
    this.#pending = [];
    this.#pendingOctets = 0;
    this.#mustAnnounce = this.#mustAsk = false;
    if (parts.length === 1 || !this.#listening.isOpen) return;
    const payload = `{${parts.join(',')}}`;
    if (Buffer.byteLength(payload) <= MAX_PAYLOAD_OCTETS) await notifyBus(this.#listening, payload);
    else await notifyBusByRow(this.#listening, from, payload);
  }

  /** One after the other, so that a row that must be read first does not change the order. */
  #queueReceipt(payload: string): void {
    this.#receiving = this.#receiving
      .then(() => this.#receive(payload))
      .catch((error: unknown) => this.#ctx.log.warn('A message of another node is lost', { error }));
  }

  async #receive(payload: string): Promise<void> {
    const envelope = parse(payload);
    if (envelope.from === this.#node.owner) return;
    if (envelope.row !== undefined) {
      const text = await findBusMessage(this.#listening, envelope.row);
      return text === undefined ? undefined : this.#receive(text);
    }
    const { from, topics, asks, events = [] } = envelope;
    if (topics !== undefined) this.#interests.note(from, topics);
    if (asks === true) this.announce();
    for (const [topic, message] of events) this.#bus.deliver(topic, message);
  }
}

const parse = (payload: string): Envelope => JSON.parse(payload) as Envelope; // as: another node of this program wrote it
