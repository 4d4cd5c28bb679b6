import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import type { WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import type { DlmsFrame, FrameReport } from '@hes/dlms-node/framing.ts';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { monotonicNow, msAfter, msBetween, msSince, msUntil, NEVER, type MonotonicMs } from '#platform/clock.ts';
import { ResponseTimeout, type TimeoutLimits } from './response-timeout.ts';

/** Order of queued requests: those of operators are sent before those of collection. */
export type ChannelPriority = 'operator' | 'bulk';

/** An exchange ended without a usable response. `DeviceLink` catches it and returns an outcome. */
export class ExchangeError extends Error {
  readonly reason: ReasonCode;
  /** Time until the response timeout; 0 when another reason ended the exchange. */
  readonly waitedMs: number;
  constructor(reason: ReasonCode, detail: string, waitedMs = 0) {
    super(detail);
    this.name = 'ExchangeError';
    this.reason = reason;
    this.waitedMs = waitedMs;
  }
}

/** Destination of a request: the device to which the connection leads, or a meter behind its gateway. */
export interface Target {
  clientSap: number;
  serverSap: number;
  /** Address of the meter at the gateway; undefined: the connected device. */
  address: Uint8Array | undefined;
}

/** The part of a connection that a channel uses. */
export interface FrameCarrier {
  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void;
}

export interface Answer {
  apdu: Uint8Array;
  /** The frames that carried it, as they were on the wire. */
  octets: Uint8Array;
  /** From sending the request to receiving the response. */
  roundTripMs: number;
}

/** A frame that answers no request. Its octets are views into the buffer of the socket and valid until the next frame. */
export interface UnsolicitedMessage {
  apdu: Uint8Array;
  /** Address of the meter at the gateway; undefined: the DCU itself. */
  address: Uint8Array | undefined;
  /** SAPs of the wrapper: source at the device, destination at the head-end. */
  source: number;
  destination: number;
  /** The frames that carried it, as they were on the wire. */
  octets: Uint8Array;
}

interface Pending {
  target: Target;
  resolve(answer: Answer): void;
  reject(error: Error): void;
  priority: ChannelPriority;
  /** Reason to report when no response arrives. */
  timeoutReason: 'DCU_TIMEOUT' | 'METER_TIMEOUT';
  sentAt: MonotonicMs;
  timeoutMs: number;
  /** Tag of the request; `NO_TAG` when nothing was sent. */
  requestTag: number;
  /** Class of requests whose RTT estimate this sample updates. Undefined for retransmissions: the sample is ambiguous (Karn's algorithm). */
  requestClass: number | undefined;
}

export interface RequestOptions {
  priority: ChannelPriority;
  /** Receives the frames of the request when they are written. */
  report?: FrameReport | undefined;
  /** The request is a retransmission after a timeout. */
  isRetransmission?: boolean;
}

const NETWORK_ID = 0;
/** Tag of an empty request: the exchange sends nothing and takes the next response. */
const NO_TAG = 0;
const AARQ = 0x60;
const AARE = 0x61;
const EXCEPTION_RESPONSE = 0xd8;
const CONFIRMED_SERVICE_ERROR = 0x0e;
/** DATA-NOTIFICATION, EVENT-NOTIFICATION, and blocks: the head-end does not negotiate responses in blocks, so every block belongs to a push. */
export const UNSOLICITED_TAGS: ReadonlySet<number> = new Set([0x0f, 0xc2, 0xe0]);

/** general-glo-ciphering, general-ded-ciphering, general-ciphering and general-signing. A device answers in that form only what was requested in it. */
const isGeneral = (tag: number): boolean => (tag >= 0xdb && tag <= 0xdd) || tag === 0xdf;

const isSameAddress = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;

const addressOf = ({ clientSap, serverSap }: Target): WrapperAddress => ({ source: clientSap, destination: serverSap });

/** An APDU with the gateway header of a meter; unchanged for the DCU itself. */
export const forGateway = (address: Uint8Array | undefined, apdu: Uint8Array, kind: 'request' | 'response' = 'request'): Uint8Array =>
  address === undefined ? apdu : encodeGateway({ networkId: NETWORK_ID, address, response: kind === 'response' }, apdu);

const deadlineOf = ({ sentAt, timeoutMs }: Pending): MonotonicMs => msAfter(sentAt, timeoutMs);

/** Rejects late responses: to a request of a former association, or to the first of two association requests. */
const matches = (requestTag: number, answer: number): boolean =>
  requestTag === AARQ
    ? answer === AARE || answer === EXCEPTION_RESPONSE || answer === CONFIRMED_SERVICE_ERROR
    : answer !== AARE || requestTag === NO_TAG;

/** Requests with one tag and similar length have similar round-trip times: one register, a list of registers, a part of a profile. */
const LENGTH_STEP = 16;
const KIND_STEP = 0x1_0000;
const classifyRequest = (apdu: Uint8Array): number => (apdu[0] ?? NO_TAG) * KIND_STEP + Math.ceil(apdu.length / LENGTH_STEP);

/**
 * Request queue of one connection, shared by all links to its DCU and to the meters behind it, or of a direct meter; `exchange` performs one round trip.
 * Requests of operators are sent before queued requests of collection, so an order overtakes a long read between two blocks.
 */
export class Channel {
  readonly #carrier: FrameCarrier;
  readonly #maxInFlight: number;
  readonly #timeout: ResponseTimeout;
  readonly #onNotification: (notice: UnsolicitedMessage) => void;
  readonly #leadsTo: 'dcu' | 'meter';
  /** In-flight requests, oldest first. At most `maxInFlight`, so a response is compared with each. */
  readonly #pending: Pending[] = [];
  readonly #queues: Record<ChannelPriority, (() => void)[]> = { operator: [], bulk: [] };
  #inFlight = 0;
  /** One timer for all in-flight requests, set to the earliest deadline: most requests are answered, so a timer for each would be wasted. */
  #timer: NodeJS.Timeout | undefined;
  #timerDueAt = NEVER;
  #closed: string | undefined;

  constructor(
    carrier: FrameCarrier,
    options: {
      maxInFlight: number;
      timeoutLimits: TimeoutLimits;
      onNotification: (notice: UnsolicitedMessage) => void;
      /** The device at the other end; a request without address that times out names it. */
      leadsTo: 'dcu' | 'meter';
    },
  ) {
    this.#carrier = carrier;
    this.#maxInFlight = options.maxInFlight;
    this.#timeout = new ResponseTimeout(options.timeoutLimits);
    this.#onNotification = options.onNotification;
    this.#leadsTo = options.leadsTo;
  }

  /**
   * Sends a request and resolves with its response; an empty APDU sends nothing and takes the next response. Rejects with METER_TIMEOUT or
   * DCU_TIMEOUT after the response timeout, and with LINK_LOST when the connection ends.
   */
  exchange(target: Target, apdu: Uint8Array, options: RequestOptions): Promise<Answer> {
    const slot = this.#acquireSlot(options.priority);
    return slot === undefined ? this.#send(target, apdu, options) : slot.then(() => this.#send(target, apdu, options));
  }

  /** Limit for the duration of a read of this number of round trips, in milliseconds, without the time in the queue. */
  readLimitMs(request: Uint8Array, roundTrips: number): number {
    return this.#timeout.readLimitMs(classifyRequest(request), roundTrips);
  }

  /** Adds the measured latency of a late response to the RTT estimate. */
  reportLatency(request: Uint8Array, ms: number): void {
    this.#timeout.addSample(classifyRequest(request), ms);
  }

  /** Sends a request without expecting a response; occupies no in-flight slot. */
  sendUnconfirmed(target: Target, apdu: Uint8Array): void {
    if (this.#closed === undefined) this.#carrier.send(addressOf(target), forGateway(target.address, apdu));
  }

  #send(target: Target, apdu: Uint8Array, { priority, report, isRetransmission = false }: RequestOptions): Promise<Answer> {
    if (this.#closed !== undefined) {
      this.#releaseSlot(priority);
      return Promise.reject(new ExchangeError('LINK_LOST', this.#closed));
    }
    const requestClass = classifyRequest(apdu);
    const sentAt = monotonicNow();
    const timeoutMs = Math.ceil(this.#timeout.timeoutMs(requestClass));
    return new Promise((resolve, reject) => {
      this.#pending.push({
        target,
        resolve,
        reject,
        priority,
        timeoutReason: target.address === undefined && this.#leadsTo === 'dcu' ? 'DCU_TIMEOUT' : 'METER_TIMEOUT',
        sentAt,
        timeoutMs,
        requestTag: apdu[0] ?? NO_TAG,
        requestClass: isRetransmission ? undefined : requestClass,
      });
      this.#setTimer(msAfter(sentAt, timeoutMs));
      if (apdu.length > 0) this.#carrier.send(addressOf(target), forGateway(target.address, apdu), report);
    });
  }

  #setTimer(dueAt: MonotonicMs): void {
    if (msBetween(this.#timerDueAt, dueAt) >= 0) return;
    clearTimeout(this.#timer);
    this.#timerDueAt = dueAt;
    this.#timer = setTimeout(() => this.#expireRequests(), Math.ceil(msUntil(dueAt)));
  }

  /** Rejects requests whose deadline has passed and sets the timer for the next deadline. */
  #expireRequests(): void {
    const now = monotonicNow();
    this.#timerDueAt = NEVER;
    for (const pending of this.#pending.filter((one) => msBetween(deadlineOf(one), now) >= 0)) {
      const { timeoutReason, timeoutMs, requestClass } = pending;
      if (requestClass !== undefined) this.#timeout.addTimeout(requestClass);
      this.#remove(pending).reject(new ExchangeError(timeoutReason, `No answer within ${timeoutMs} ms`, timeoutMs));
    }
    for (const pending of this.#pending) this.#setTimer(deadlineOf(pending));
  }

  /** Removes a request from the in-flight list and releases its slot. */
  #remove(pending: Pending): Pending {
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    this.#releaseSlot(pending.priority);
    return pending;
  }

  #acquireSlot(priority: ChannelPriority): Promise<void> | undefined {
    if (this.#inFlight < this.#maxInFlight) {
      this.#inFlight++;
      return undefined;
    }
    return new Promise((resolve) => this.#queues[priority].push(resolve));
  }

  #releaseSlot(priority: ChannelPriority): void {
    // An operation of an operator sends its next request right after this response; the delay lets it precede queued collection.
    if (priority === 'operator' && this.#queues.operator.length === 0) setImmediate(() => this.#startNext());
    else this.#startNext();
  }

  /** FIFO within a priority; each meter has at most one queued request, so meters are served round-robin. */
  #startNext(): void {
    const next = this.#queues.operator.shift() ?? this.#queues.bulk.shift();
    // The slot passes to the next request without being freed, so that a new request cannot take it.
    if (next === undefined) this.#inFlight--;
    else next();
  }

  /**
   * Processes a received frame and returns whether it answers a request. Notifications and their blocks are recognised by their tag; a
   * response that matches no request is dropped.
   */
  receive(frame: DlmsFrame): boolean {
    const gateway = decodeGateway(frame.apdu);
    const apdu = gateway?.apdu ?? frame.apdu;
    const tag = apdu[0] ?? 0;
    // The response swaps source and destination. When two devices have the same address, the newest request gets it and the other times out.
    const pending = this.#pending.findLast(
      ({ target }) =>
        target.serverSap === frame.source && target.clientSap === frame.destination && isSameAddress(target.address, gateway?.address),
    );
    const isRequest = gateway === undefined ? isGeneral(tag) && !isGeneral(pending?.requestTag ?? NO_TAG) : !gateway.response;
    if (UNSOLICITED_TAGS.has(tag) || isRequest) {
      const { source, destination, octets } = frame;
      this.#onNotification({ apdu, address: gateway?.address, source, destination, octets });
      return false;
    }
    if (pending === undefined || !matches(pending.requestTag, tag)) return false;
    const roundTripMs = msSince(pending.sentAt);
    if (pending.requestClass !== undefined) this.#timeout.addSample(pending.requestClass, roundTripMs);
    this.#remove(pending).resolve({ apdu, octets: frame.octets, roundTripMs });
    return true;
  }

  /** Rejects all in-flight requests with LINK_LOST; queued and later ones are rejected as they start. */
  close(why: string): void {
    this.#closed = why;
    clearTimeout(this.#timer);
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending)
      this.#remove(first).reject(new ExchangeError('LINK_LOST', why));
  }
}
