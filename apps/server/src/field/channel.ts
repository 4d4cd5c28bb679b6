import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { monotonicNow, msAfter, msBetween, msSince, msUntil, NEVER, type MonotonicMs } from '#platform/clock.ts';
import { Patience, type Waits } from './patience.ts';

/** Who goes first when the channel is free: somebody waiting, or collection. */
export type ChannelPriority = 'operator' | 'bulk';

/** The exchange did not come to an end. Caught at the link, where it becomes an outcome. */
export class ExchangeError extends Error {
  readonly reason: ReasonCode;
  /** How long an answer was waited for. */
  readonly waitedMs: number;
  constructor(reason: ReasonCode, detail: string, waitedMs = 0) {
    super(detail);
    this.name = 'ExchangeError';
    this.reason = reason;
    this.waitedMs = waitedMs;
  }
}

/** Where a request goes: the DCU itself, or a meter behind its gateway. */
export interface Target {
  clientSap: number;
  serverSap: number;
  /** The meter's address at the gateway; undefined: the DCU. */
  address: Uint8Array | undefined;
}

/** What a channel needs of a connection. */
export interface FrameCarrier {
  sendFrame(octets: Uint8Array): void;
}

export interface Answer {
  apdu: Uint8Array;
  /** The whole frame as it came. */
  octets: Uint8Array;
  /** From the first byte out to the answer. */
  roundTripMs: number;
}

/** What a device says unasked: views into the socket's buffer, gone with the next frame. */
export interface Notice {
  apdu: Uint8Array;
  /** Of the meter at the gateway; undefined: the DCU itself. */
  address: Uint8Array | undefined;
  /** Who said it at that device, and to whom. */
  source: number;
  destination: number;
  /** The whole frame as it came. */
  octets: Uint8Array;
}

interface Pending {
  target: Target;
  resolve(answer: Answer): void;
  reject(error: Error): void;
  priority: ChannelPriority;
  /** Why nothing came, if nothing comes. */
  silence: 'DCU_TIMEOUT' | 'METER_TIMEOUT';
  sentAt: MonotonicMs;
  timeoutMs: number;
  request: number;
  /** What the wait for the answer teaches about; undefined: nobody knows which of two requests it answers. */
  question: number | undefined;
}

/** One round trip. */
export interface Asking {
  priority: ChannelPriority;
  /** `Channel.frameOf` of the same, for who has it already. */
  frame?: Uint8Array | undefined;
  /** Nothing was heard when it was asked before. */
  isRepeat?: boolean;
}

const NETWORK_ID = 0;
/** Nothing was sent: whatever comes next is waited for. */
const NOTHING = 0;
const AARQ = 0x60;
const AARE = 0x61;
const EXCEPTION_RESPONSE = 0xd8;
const CONFIRMED_SERVICE_ERROR = 0x0e;
const DATA_NOTIFICATION = 0x0f;
const EVENT_NOTIFICATION = 0xc2;
/** No association of ours asks for answers in blocks: whatever comes in them was not asked for. */
const GENERAL_BLOCK_TRANSFER = 0xe0;

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;

const dueAtOf = ({ sentAt, timeoutMs }: Pending): MonotonicMs => msAfter(sentAt, timeoutMs);

/** Otherwise it is a late answer: to what was asked before a new association, or to an association that was asked for twice. */
const fits = (request: number, answer: number): boolean =>
  request === AARQ
    ? answer === AARE || answer === EXCEPTION_RESPONSE || answer === CONFIRMED_SERVICE_ERROR
    : answer !== AARE || request === NOTHING;

/** Requests of one kind and about one length are answered about alike: one register, a list of them, a piece of a profile. */
const LENGTH_STEP = 16;
const KIND_STEP = 0x1_0000;
const questionOf = (apdu: Uint8Array): number => (apdu[0] ?? NOTHING) * KIND_STEP + Math.ceil(apdu.length / LENGTH_STEP);

/**
 * One DCU's connection, shared by everybody who talks to it or to meters behind it. An exchange is one request and its
 * answer; the next one to begin is the most urgent that waits, so a command overtakes collection at every block border.
 */
export class Channel {
  readonly #carrier: FrameCarrier;
  readonly #parallel: number;
  readonly #patience: Patience;
  readonly #onNotification: (notice: Notice) => void;
  /** As many as may wait at once: so few that an answer is compared with each. Who asked first stands first. */
  readonly #pending: Pending[] = [];
  readonly #waiting: Record<ChannelPriority, (() => void)[]> = { operator: [], bulk: [] };
  #busy = 0;
  /** Of the one who gives up first. One timer for all who wait: answers nearly always come, so one for each would be set for nothing. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = NEVER;
  #closed: string | undefined;

  constructor(
    carrier: FrameCarrier,
    options: {
      parallel: number;
      waits: Waits;
      onNotification: (notice: Notice) => void;
    },
  ) {
    this.#carrier = carrier;
    this.#parallel = options.parallel;
    this.#patience = new Patience(options.waits);
    this.#onNotification = options.onNotification;
  }

  /** The frame that an APDU of ours goes out in, wrapper and gateway header included: a request, or what we say to something told unasked. */
  static frameOf({ clientSap, serverSap, address }: Target, apdu: Uint8Array, kind: 'request' | 'response' = 'request'): Uint8Array {
    const response = kind === 'response';
    const payload = address === undefined ? apdu : encodeGateway({ networkId: NETWORK_ID, address, response }, apdu);
    return encodeWrapper({ source: clientSap, destination: serverSap }, payload);
  }

  /** An empty APDU sends nothing and waits for what comes next. Fails with METER_TIMEOUT or DCU_TIMEOUT when no answer comes, with LINK_LOST when the connection ends first. */
  exchange(target: Target, apdu: Uint8Array, asking: Asking): Promise<Answer> {
    const place = this.#acquire(asking.priority);
    return place === undefined ? this.#send(target, apdu, asking) : place.then(() => this.#send(target, apdu, asking));
  }

  /** The longest that an answer of so many round trips may take on this channel, waiting for a turn not counted. */
  readLimitMs(request: Uint8Array, roundTrips: number): number {
    return this.#patience.readLimitMs(questionOf(request), roundTrips);
  }

  /** It turned out later how long the answer to a question took that was asked more than once. */
  took(request: Uint8Array, ms: number): void {
    this.#patience.answeredIn(questionOf(request), ms);
  }

  /** Sends what nobody waits an answer to. It does not take a place: whatever is asked next follows it at once. */
  post(target: Target, apdu: Uint8Array): void {
    if (this.#closed === undefined) this.#carrier.sendFrame(Channel.frameOf(target, apdu));
  }

  #send(target: Target, apdu: Uint8Array, { priority, frame, isRepeat = false }: Asking): Promise<Answer> {
    if (this.#closed !== undefined) {
      this.#release(priority);
      return Promise.reject(new ExchangeError('LINK_LOST', this.#closed));
    }
    const question = questionOf(apdu);
    const sentAt = monotonicNow();
    const timeoutMs = Math.ceil(this.#patience.msFor(question));
    return new Promise((resolve, reject) => {
      this.#pending.push({
        target,
        resolve,
        reject,
        priority,
        silence: target.address === undefined ? 'DCU_TIMEOUT' : 'METER_TIMEOUT',
        sentAt,
        timeoutMs,
        request: apdu[0] ?? NOTHING,
        // Who says nothing a second time says nothing about the channel.
        question: isRepeat ? undefined : question,
      });
      this.#watch(msAfter(sentAt, timeoutMs));
      if (apdu.length > 0) this.#carrier.sendFrame(frame ?? Channel.frameOf(target, apdu));
    });
  }

  #watch(dueAt: MonotonicMs): void {
    if (msBetween(this.#timerAt, dueAt) >= 0) return;
    clearTimeout(this.#timer);
    this.#timerAt = dueAt;
    this.#timer = setTimeout(() => this.#giveUp(), Math.ceil(msUntil(dueAt)));
  }

  /** Whose time is over has no answer; the next of the others is waited for. */
  #giveUp(): void {
    const now = monotonicNow();
    this.#timerAt = NEVER;
    for (const pending of this.#pending.filter((one) => msBetween(dueAtOf(one), now) >= 0)) {
      const { silence, timeoutMs, question } = pending;
      if (question !== undefined) this.#patience.missed(question);
      this.#end(pending).reject(new ExchangeError(silence, `No answer within ${timeoutMs} ms`, timeoutMs));
    }
    for (const pending of this.#pending) this.#watch(dueAtOf(pending));
  }

  /** It waits no longer, and its place is free. */
  #end(pending: Pending): Pending {
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    this.#release(pending.priority);
    return pending;
  }

  #acquire(priority: ChannelPriority): Promise<void> | undefined {
    if (this.#busy < this.#parallel) {
      this.#busy++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting[priority].push(resolve));
  }

  #release(priority: ChannelPriority): void {
    // An operator's next request comes right after the answer: collection must not slip in between the two.
    if (priority === 'operator' && this.#waiting.operator.length === 0) setImmediate(() => this.#handOver());
    else this.#handOver();
  }

  /** Every meter has at most one request waiting, so within a priority first come, first served is one turn for each. */
  #handOver(): void {
    const next = this.#waiting.operator.shift() ?? this.#waiting.bulk.shift();
    // The place is handed over, not freed, so that nobody else takes it.
    if (next === undefined) this.#busy--;
    else next();
  }

  /**
   * Takes a frame that arrived and returns whether it answers a request. Notifications, and blocks of them, go their own way by their tag; an
   * answer that fits no request is dropped.
   */
  receive(frame: WrapperFrame): boolean {
    const gateway = decodeGateway(frame.apdu);
    const apdu = gateway?.apdu ?? frame.apdu;
    const tag = apdu[0] ?? 0;
    const isUnasked = tag === DATA_NOTIFICATION || tag === EVENT_NOTIFICATION || tag === GENERAL_BLOCK_TRANSFER;
    if (isUnasked || (gateway !== undefined && !gateway.response)) {
      const { source, destination, octets } = frame;
      this.#onNotification({ apdu, address: gateway?.address, source, destination, octets });
      return false;
    }
    // The answer swaps source and destination. Of two devices with one address it is for who asked last; the other gives up in its time.
    const pending = this.#pending.findLast(
      ({ target }) =>
        target.serverSap === frame.source && target.clientSap === frame.destination && isSame(target.address, gateway?.address),
    );
    if (pending === undefined || !fits(pending.request, tag)) return false;
    const roundTripMs = msSince(pending.sentAt);
    if (pending.question !== undefined) this.#patience.answeredIn(pending.question, roundTripMs);
    this.#end(pending).resolve({ apdu, octets: frame.octets, roundTripMs });
    return true;
  }

  /** The connection ended: everybody who waits is told. */
  close(why: string): void {
    this.#closed = why;
    clearTimeout(this.#timer);
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending)
      this.#end(first).reject(new ExchangeError('LINK_LOST', why));
  }
}
