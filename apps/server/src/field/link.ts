import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { AssociationError, isRefusedRequest } from '@hes/dlms/association/association-error.ts';
import { ClientAssociation, type AttributeRef, type MethodRef } from '@hes/dlms/association/client.ts';
import { WAIT, type Exchange } from '@hes/dlms/association/exchange.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import type { Cipher, SecuritySuite } from '@hes/dlms/security/cipher.ts';
import type { Mechanism } from '@hes/dlms/security/hls.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { withoutSecrets } from '#storage/explain-frame.ts';
import type { FrameOpener } from '#storage/frames.ts';
import { Channel, ExchangeError, type Answer, type ChannelPriority, type Target } from './channel.ts';
import type { CounterJump, Counters } from './counters.ts';
import type { Credentials, Device } from './devices.ts';
import { failedAction, failedResult, isSecurityException, outcomeOf, refusalOf } from './link-failure.ts';
import type { Presence } from './presence.ts';
import type { Trace } from './trace.ts';

const NO_TITLE = new Uint8Array(0);
/** Sends nothing and waits for what comes. */
const NO_REQUEST = new Uint8Array(0);
/** Counters one round trip can need: a protected APDU and the GMAC of the authentication. */
const COUNTERS_PER_STEP = 4;
/** A meter that was asked so often in a row and said nothing is silent: of twenty frames one is lost, of 10,000 four in a row. */
export const SILENCES = 4;
/** An association takes two round trips, and each loss of the second begins anew. */
const MAX_OPENINGS = 6;
/** What a late answer to a greeting before looks like: a challenge nobody can meet any more. */
const CROSSED: ReadonlySet<ReasonCode> = new Set(['AUTH_FAILED', 'DECRYPT_FAILED', 'BAD_ANSWER']);

const SUITE: SecuritySuite = 0;

/** What an open association uses, as far as both sides know it. */
export interface SpokenLink {
  mechanism: Mechanism;
  /** The suite that protects the services; undefined: they are not protected. */
  suite: SecuritySuite | undefined;
  /** Names of the conformance block that the device granted. */
  conformance: readonly string[];
  /** Octets of the largest APDU that the device receives. */
  maxPduSize: number;
  systemTitle: Uint8Array | undefined;
}

/** Why nobody can be sure who answered. */
export interface UnprovedAnswer {
  device: Device;
  outcome: { ok: false; reason: ReasonCode; detail?: string };
  traceId: string;
  /** Asks whoever answers under the device's address what it is called, without any keys; undefined: it does not say. */
  askName(): Promise<string | undefined>;
}

export interface LinkTools {
  channel: Channel;
  counters: Counters;
  presence: Presence;
  cipher: Cipher;
  /** Ours, as the meter sees it. */
  systemTitle: Uint8Array;
  now(): number;
  /** Whether a password of low security, which anybody on the way can read, may be sent over this connection. */
  mayShowPassword: boolean;
  /** Finds out who answered in place of a device, and raises an event; gives the reason as it is then known. */
  explainUnproved(answer: UnprovedAnswer): Promise<Outcome<never>>;
  /** A device has proved itself, or said the right name. */
  proved(device: Device): void;
  /** Raises an event: our counter followed an unauthenticated answer; the association after it was completed, or was not. */
  counterJumped(device: Device, jump: CounterJump, use: { traceId: string; isProved: boolean }): Promise<void>;
}

/** Who uses a link at the moment. */
export interface LinkUse {
  priority: ChannelPriority;
  trace: Trace;
  /** The association stays open for some seconds after this use. */
  lingers?: boolean;
}

export type ReadOutcome = Outcome<Uint8Array>;

/** What is known of an answer before it comes. */
export interface ExpectedAnswer {
  octets: number;
}

/** More than nearly all answers have of which nothing is known before. */
const USUAL_ANSWER: ExpectedAnswer = { octets: 65_536 };
/** An operator's exchange goes first for so many round trips; from then on its meter takes turns with those that are collected. */
const URGENT_ROUND_TRIPS = 16;
/** Octets of a block that are no data: protection, and the headers of block, gateway and wrapper. */
const BLOCK_OVERHEAD = 64;

/**
 * An association with one device, over its DCU's channel. Nothing it meets is thrown: broken bytes, silence and refusals
 * are outcomes, and after one of them that ends the exchange the link is not usable any more.
 */
export class DeviceLink {
  readonly device: Device;
  readonly #tools: LinkTools;
  readonly #credentials: Credentials;
  readonly #target: Target;
  #association: ClientAssociation;
  #use: LinkUse;
  #broken = false;
  /** Whether the device answered its last request with an EXCEPTION-RESPONSE. */
  #wasRefused = false;
  /** What the last request took on the wire and in the device, without waiting for the channel; from the first time it was asked. */
  roundTripMs = 0;
  #plainDown: Uint8Array | undefined;
  /** What opens our frames and the device's once more, when somebody looks at them. */
  readonly #opener: FrameOpener | undefined;
  /** The lowest counter of ours the device would accept, when it said so. */
  #counterWanted: number | undefined;
  /** Questions in a row that it said nothing to. */
  #silences = 0;
  #silentMs = 0;
  #asked: Uint8Array = NO_REQUEST;
  #roundTrips = 0;
  /** What the present exchange has taken on the wire and in the device, and the most it may take. */
  #spentMs = 0;
  #limitMs = Number.POSITIVE_INFINITY;
  /** What was answered last after it had been asked more than once, and how long after the first time. */
  #late: { request: Uint8Array; ms: number } | undefined;

  constructor(device: Device, credentials: Credentials, tools: LinkTools, use: LinkUse) {
    this.device = device;
    this.#credentials = credentials;
    this.#tools = tools;
    this.#use = use;
    this.#target = { clientSap: device.clientSap, serverSap: device.serverSap, address: device.address };
    const { keys, systemTitle: up = NO_TITLE } = device;
    this.#opener = keys && { key: keys.sealedEk, down: tools.systemTitle, up };
    this.#association = this.#associate();
  }

  get usable(): boolean {
    return !this.#broken && this.#association.state === 'associated';
  }

  get spoken(): SpokenLink {
    const { conformance, maxPduSize, serverTitle: systemTitle } = this.#association.negotiated;
    return { mechanism: this.#credentials.mechanism, suite: this.#isCiphered ? SUITE : undefined, conformance, maxPduSize, systemTitle };
  }

  get #isCiphered(): boolean {
    return this.#credentials.mechanism === 'hlsGmac';
  }

  /** From now on exchanges belong to this piece of work. */
  usedBy(use: LinkUse): void {
    this.#use = use;
  }

  #associate(): ClientAssociation {
    const { device } = this;
    const { keys } = device;
    const { counters, cipher, systemTitle } = this.#tools;
    return new ClientAssociation({
      ...this.#credentials,
      ciphered: this.#isCiphered,
      suite: SUITE,
      systemTitle,
      ...(keys === undefined ? {} : { keys }),
      cipher,
      maxPduSize: device.maxPduSize,
      nextCounter: () => counters.take(device),
      peer: { ...(device.systemTitle === undefined ? {} : { systemTitle: device.systemTitle }), counter: device.peerCounter },
      onPeerCounter: (counter) => (device.peerCounter = Math.max(device.peerCounter, counter)),
      onFrame: (direction, _apdu, plain) => {
        if (direction === 'down') this.#plainDown = plain;
        else if (plain !== undefined) this.#explain(plain);
      },
    });
  }

  #explain(plain: Uint8Array): void {
    const { trace } = this.#use;
    trace.explainLast(plain);
    if (this.#opener === undefined) return;
    this.#opener.up = this.#association.serverTitle ?? NO_TITLE;
    trace.openedBy(this.#opener);
  }

  /**
   * Opens the association. Greetings get lost as anything does, so silence is met by another one, until it was `silences`
   * times in a row. When the meter has seen higher counters from us, jumps above them and tries once more.
   */
  async open(silences = SILENCES): Promise<Outcome<void>> {
    if (this.#credentials.mechanism === 'low' && !this.#tools.mayShowPassword) return failed('PASSWORD_IN_CLEAR');
    const jumps: CounterJump[] = [];
    const opened = await this.#open(silences, jumps);
    const { counters, counterJumped } = this.#tools;
    if (opened.ok && this.#isCiphered) await counters.proved(this.device);
    for (const jump of jumps) await counterJumped(this.device, jump, { traceId: this.#use.trace.id, isProved: opened.ok });
    return opened;
  }

  async #open(silences: number, jumps: CounterJump[]): Promise<Outcome<void>> {
    let mayHaveCrossed = false;
    for (let openings = 1; ; openings++) {
      const opened = await this.#drive(() => this.#association.open(), { connecting: true });
      if (opened.ok) return opened;
      if (this.#counterWanted !== undefined && jumps.length === 0) {
        try {
          jumps.push(await this.#tools.counters.jumpTo(this.device, this.#counterWanted));
        } catch (error) {
          return outcomeOf(error, true);
        }
      } else if (opened.reason === 'METER_TIMEOUT' && this.#silences < silences && openings < MAX_OPENINGS) mayHaveCrossed = true;
      else if (mayHaveCrossed && CROSSED.has(opened.reason)) {
        mayHaveCrossed = false;
        await this.#outwait();
      } else return opened;
      this.#broken = false;
      this.#association = this.#associate();
    }
  }

  /**
   * The greeting before was answered, only later than anybody waited: so long do answers take here now. The one to the last greeting is
   * still to come, and must not be taken for that to the next.
   */
  async #outwait(): Promise<void> {
    const { channel } = this.#tools;
    if (this.#late !== undefined) channel.took(this.#late.request, this.#late.ms);
    await channel.exchange(this.#target, NO_REQUEST, { priority: this.#use.priority, isRepeat: true }).catch(() => undefined);
  }

  /** Who has nothing to protect has nothing to count. A promise only when it takes a while: this is asked with each round trip. */
  #ensureCounters(): Promise<void> | undefined {
    return this.#isCiphered ? this.#tools.counters.ensure(this.device, COUNTERS_PER_STEP) : undefined;
  }

  async #drive<T>(
    begin: () => Exchange<T>,
    how: { connecting?: boolean; mayRepeat?: boolean; expected?: ExpectedAnswer } = {},
  ): Promise<Outcome<T>> {
    const { now, presence } = this.#tools;
    this.#roundTrips = 0;
    this.#spentMs = 0;
    this.#limitMs = Number.POSITIVE_INFINITY;
    try {
      const reserving = this.#ensureCounters();
      if (reserving !== undefined) await reserving;
      const exchange = begin();
      let step = exchange.next();
      while (step.done !== true) {
        this.#keepLimit(step.value, how.expected);
        let apdu: Uint8Array;
        try {
          apdu = this.#heard(await this.#say(step.value));
        } catch (error) {
          apdu = this.#silenceOf(error, how.mayRepeat === true);
        }
        const more = this.#ensureCounters();
        if (more !== undefined) await more;
        step = exchange.next(apdu);
        if (apdu !== WAIT && this.device.kind === 'meter') presence.meterHeard(this.device.id, now(), this.device.peerCounter);
      }
      this.#wasRefused = false;
      return ok(step.value);
    } catch (error) {
      if (this.#isOnlyRefused(error, how.mayRepeat === true)) {
        this.#wasRefused = true;
        return refusalOf(error);
      }
      this.#broken = true;
      this.#counterWanted = error instanceof AssociationError ? error.exception?.invocationCounter : undefined;
      return outcomeOf(error, how.connecting === true);
    }
  }

  /**
   * Whether the association outlives an error. One refused reading does not end it; a second one in a row may mean that the device has
   * lost the association. An EXCEPTION-RESPONSE has no invoke id: after a write or a method only reading back tells what was done.
   */
  #isOnlyRefused(error: unknown, isReading: boolean): error is AssociationError {
    if (!isRefusedRequest(error) || this.#association.state !== 'associated') return false;
    return error.code === 'NOT_GRANTED' || (isReading && !this.#wasRefused && !isSecurityException(error));
  }

  /** Ends an exchange that takes far longer than its answer should: the limit is that of the first request, which the others follow. */
  #keepLimit(request: Uint8Array, expected: ExpectedAnswer | undefined): void {
    if (expected === undefined) return;
    if (this.#limitMs === Number.POSITIVE_INFINITY) {
      const blockOctets = Math.max(BLOCK_OVERHEAD, this.device.maxPduSize - BLOCK_OVERHEAD);
      this.#limitMs = this.#tools.channel.readLimitMs(request, 1 + Math.ceil(expected.octets / blockOctets));
    } else if (this.#spentMs > this.#limitMs)
      throw new ExchangeError('ANSWER_TOO_LONG', `No end after ${Math.round(this.#spentMs)} ms on the line`);
  }

  /** Begins a round trip. */
  #say(request: Uint8Array): Promise<Answer> {
    const { channel } = this.#tools;
    const { trace } = this.#use;
    const priority = this.#roundTrips++ < URGENT_ROUND_TRIPS ? this.#use.priority : 'bulk';
    // Nothing to send: the answer before was a late one, and the real one is still to come.
    const frame = request.length > 0 ? Channel.frameOf(this.#target, request) : undefined;
    this.#asked = request;
    if (frame !== undefined) trace.add('down', this.#kept(frame, request), this.#plainDown);
    if (this.#plainDown !== undefined && this.#opener !== undefined) trace.openedBy(this.#opener);
    return channel.exchange(this.#target, request, { priority, frame, isRepeat: this.#silences > 0 });
  }

  /** A password of low security goes over the wire in the clear; in what is kept of it there are zeros. */
  #kept(octets: Uint8Array, request: Uint8Array): Uint8Array {
    if (this.#credentials.mechanism !== 'low' || request[0] !== APDU_TAGS.aarq) return octets;
    return withoutSecrets({ at: 0, direction: 'down', octets, plain: undefined }).octets;
  }

  #heard({ apdu, octets, roundTripMs }: Answer): Uint8Array {
    this.#use.trace.add('up', octets, undefined);
    this.roundTripMs = this.#silentMs + roundTripMs;
    this.#spentMs += roundTripMs;
    if (this.#silences > 0) this.#late = { request: this.#asked, ms: this.roundTripMs };
    this.#silences = 0;
    this.#silentMs = 0;
    return apdu;
  }

  /** `WAIT` when a meter said nothing and may be asked the same once more; throws on whatever else there is no answer for. */
  #silenceOf(error: unknown, mayRepeat: boolean): Uint8Array {
    // Nothing gets lost on the connection to a DCU, only behind it.
    if (!(error instanceof ExchangeError) || error.reason !== 'METER_TIMEOUT') throw error;
    this.#silences++;
    this.#silentMs += error.waitedMs;
    this.#spentMs += error.waitedMs;
    if (!mayRepeat || this.#silences >= SILENCES) throw error;
    return WAIT;
  }

  /** One attribute; a refusal of the object leaves the link usable. */
  async get(ref: AttributeRef, selection?: Selection, expected = USUAL_ANSWER): Promise<ReadOutcome> {
    const read = await this.#drive(() => this.#association.get(ref, selection), { mayRepeat: true, expected });
    if (!read.ok) return read;
    return read.value.ok ? ok(read.value.data) : failedResult(read.value.result);
  }

  /** Writes one attribute; `data` is one encoded Data. No answer means nobody knows: read back before writing again. */
  async set(ref: AttributeRef, data: Uint8Array): Promise<Outcome<void>> {
    const written = await this.#drive(() => this.#association.set(ref, data));
    if (!written.ok) return written;
    return written.value.ok ? ok(undefined) : failedResult(written.value.result);
  }

  /** Invokes one method; `argument` is one encoded Data. No answer means nobody knows: read back before invoking again. */
  async invoke(ref: MethodRef, argument?: Uint8Array): Promise<Outcome<Uint8Array | undefined>> {
    const invoked = await this.#drive(() => this.#association.invoke(ref, argument));
    if (!invoked.ok) return invoked;
    return invoked.value.ok ? ok(invoked.value.data) : failedAction(invoked.value.result);
  }

  /** Several methods in one request where the device grants it; each has an outcome of its own. No answer means nobody knows of any of them. */
  async invokeList(items: { ref: MethodRef; argument: Uint8Array }[]): Promise<Outcome<Outcome<Uint8Array | undefined>[]>> {
    const invoked = await this.#drive(() => this.#association.invokeList(items));
    if (!invoked.ok) return invoked;
    return ok(invoked.value.map((one) => (one.ok ? ok(one.data) : failedAction(one.result))));
  }

  /** Several attributes, in as few round trips as the meter grants; each has an outcome of its own. */
  async getList(refs: AttributeRef[]): Promise<Outcome<ReadOutcome[]>> {
    if (refs.length === 0) return ok([]);
    const read = await this.#drive(() => this.#association.getList(refs), { mayRepeat: true, expected: USUAL_ANSWER });
    if (!read.ok) return read;
    return ok(read.value.map((one) => (one.ok ? ok(one.data) : failedResult(one.result))));
  }

  /** Ends the association without a word: the device has other keys by now and could not decipher one. */
  abandon(): void {
    this.#broken = true;
  }

  /**
   * Ends the association; whatever the meter answers, it is over. So nobody waits for the answer: the request to the next
   * meter follows at once, which spares a round trip of every meter. The answer, when it comes, fits no request and is dropped.
   */
  release(): void {
    if (!this.usable) return;
    this.#broken = true;
    this.#tools.channel.post(this.#target, this.#association.buildRlrq());
  }
}
