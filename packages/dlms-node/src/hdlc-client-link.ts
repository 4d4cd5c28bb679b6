import type { HdlcAddress } from '@hes/dlms/framing/hdlc/address.ts';
import type { DeframedHdlc } from '@hes/dlms/framing/hdlc/deframer.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { createLink, type LinkEnd } from '@hes/dlms/framing/hdlc/link-state.ts';
import { DEFAULT_PARAMETERS, type HdlcParameters } from '@hes/dlms/framing/hdlc/parameters.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { HdlcLine } from './hdlc-line.ts';
import type { FrameReport } from './framing.ts';

export interface HdlcClientLinkOptions {
  own: HdlcAddress;
  peer: HdlcAddress;
  parameters?: Partial<HdlcParameters>;
  timeoutMs?: number;
  retries?: number;
  idleMs?: number;
  write(octets: Uint8Array): void;
  /** A message of the server, and the frames that carried it. */
  onMessage(apdu: Uint8Array, octets: Uint8Array): void;
}

/** Most devices take less and say so in their UA. */
const PARAMETERS: HdlcParameters = { ...DEFAULT_PARAMETERS, maxInformationTransmit: 1024, maxInformationReceive: 1024 };
const TIMEOUT_MS = 3_000;
const RETRIES = 20;
/** Pauses between polls of a server that has the request and no response yet. */
const POLL_MS = { first: 100, longest: 3_000 };
/** Shorter than the inactivity timeouts of meters: they drop an idle link without a frame, and some answer nothing but SNRM after that. */
const IDLE_MS = 15_000;
/** Messages that wait for the link to open. */
const MAX_WAITING = 64;

/** Octets before the addresses: flag and format. */
const HEADER = 3;
/** The two lowest bits of a control octet. */
const KIND = 0x03;
const UNNUMBERED = 0x03;

/** An association request replaces the association of its link, so that a new link loses nothing, and a repetition has no other effect. */
const isAssociationRequest = (apdu: Uint8Array): boolean => (decodeGateway(apdu)?.apdu ?? apdu)[0] === APDU_TAGS.aarq;

/** A frame with memory of its own: kept segments must not keep the chunks of the socket. */
function copyOf(frame: DeframedHdlc): DeframedHdlc {
  const octets = frame.octets.slice();
  const from = frame.information.byteOffset - frame.octets.byteOffset;
  return { ...frame, octets, information: octets.subarray(from, from + frame.information.length) };
}

interface Message {
  apdu: Uint8Array;
  report: FrameReport | undefined;
  isRepeated?: boolean;
}

/**
 * One HDLC link as the client: opens it when a message is sent, and polls for the response when the server returns the turn without it. After
 * a pause, an association request opens it again.
 */
export class HdlcClientLink {
  readonly #line: HdlcLine;
  readonly #options: HdlcClientLinkOptions;
  #waiting: Message[] = [];
  #isOpening = false;
  /** Frames that were written and not reported yet. */
  #sent: Uint8Array[] = [];
  /** Segments of a message are being written. */
  #isCollecting = false;
  #report: FrameReport | undefined;
  /** Frames of the message that is being received. */
  #arrived: Uint8Array[] = [];
  /** Sent messages without response. */
  #expected = 0;
  /** The last message, until the server sends something. */
  #unanswered: Message | undefined;
  /** When the last message was sent or something new was received. */
  #activeAt = 0;
  #poll: NodeJS.Timeout | undefined;
  #pollMs = POLL_MS.first;

  constructor(options: HdlcClientLinkOptions) {
    const { own, peer, parameters, timeoutMs = TIMEOUT_MS, retries = RETRIES } = options;
    this.#options = options;
    this.#line = new HdlcLine({
      link: createLink({ role: 'client', own, peer, parameters: { ...PARAMETERS, ...parameters }, retries }),
      timeoutMs,
      write: (octets) => this.#write(octets),
    });
    this.#line.onConnected(() => this.#opened());
    this.#line.onMessage((apdu) => this.#deliver(apdu));
    this.#line.onEnd((end) => this.#lost(end));
  }

  #write(octets: Uint8Array): void {
    const { own, peer, write } = this.#options;
    const control = octets[HEADER + own.size + peer.size] ?? 0;
    const isUnnumbered = (control & KIND) === UNNUMBERED;
    if (isUnnumbered || (this.#isCollecting && (control & 1) === 0)) this.#sent.push(octets);
    write(octets);
    if (!this.#isCollecting) this.#flushReport();
  }

  send(apdu: Uint8Array, report: FrameReport | undefined): void {
    const mustReopen = this.#line.isConnected && isAssociationRequest(apdu) && (this.#isIdle || this.#isAssociating);
    if (this.#line.isConnected && !mustReopen) return this.#transmit({ apdu, report });
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ apdu, report });
    if (this.#line.isDisconnected || mustReopen) this.#open();
  }

  /** Whether an association request has not been acknowledged. On this link it would be answered before a further one, and ended by it. */
  get #isAssociating(): boolean {
    return this.#unanswered !== undefined && isAssociationRequest(this.#unanswered.apdu);
  }

  /** Whether the server may have dropped the link because of inactivity. */
  get #isIdle(): boolean {
    return performance.now() - this.#activeAt >= (this.#options.idleMs ?? IDLE_MS);
  }

  #open(): void {
    clearTimeout(this.#poll);
    // What remains of the messages of a former link.
    this.#arrived = [];
    this.#isCollecting = false;
    this.#isOpening = true;
    this.#report = this.#waiting[0]?.report;
    this.#line.connect();
  }

  #opened(): void {
    this.#isOpening = false;
    this.#expected = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) this.#transmit(message);
  }

  #transmit(message: Message): void {
    const { apdu, report } = message;
    this.#flushReport();
    this.#report = report;
    this.#unanswered = message;
    this.#activeAt = performance.now();
    this.#expected++;
    this.#pollMs = POLL_MS.first;
    clearTimeout(this.#poll);
    this.#isCollecting = true;
    this.#line.send(apdu);
    this.#endCollecting();
  }

  /** A message whose last segment was written is reported as one entry. */
  #endCollecting(): void {
    if (this.#line.isSending) return;
    const isMessage = this.#isCollecting;
    this.#isCollecting = false;
    this.#flushReport(isMessage);
  }

  /** Reports the frames written since the last report. */
  #flushReport(isMessage = false): void {
    if (this.#sent.length > 0) this.#report?.(Buffer.concat(this.#sent), 'down', isMessage);
    this.#sent = [];
  }

  #deliver(apdu: Uint8Array): void {
    this.#expected = Math.max(0, this.#expected - 1);
    const octets = Buffer.concat(this.#arrived);
    this.#arrived = [];
    this.#options.onMessage(apdu, octets);
  }

  /**
   * Drops the messages of a link that could not be opened. Those sent while a former link was being closed open the next one, and so does,
   * once, an association request that the server refused because it has no link any more.
   */
  #lost(end: LinkEnd): void {
    this.#flushReport();
    const last = this.#unanswered;
    this.#unanswered = undefined;
    if (this.#isOpening) this.#waiting = [];
    else if (end === 'PEER_LEFT' && last !== undefined && !last.isRepeated && isAssociationRequest(last.apdu))
      this.#waiting.unshift({ ...last, isRepeated: true });
    this.#isOpening = false;
    this.#isCollecting = false;
    this.#arrived = [];
    clearTimeout(this.#poll);
    if (this.#waiting.length > 0) this.#open();
  }

  /** Takes a frame of the server; returns whether it carried something new. */
  take(received: DeframedHdlc): boolean {
    const frame = copyOf(received);
    const isInformation = frame.control.kind === 'i';
    if (isInformation) this.#arrived.push(frame.octets);
    if (frame.control.kind === 'ua' && this.#isOpening) this.#report?.(frame.octets, 'up', false);
    const wasConnected = this.#line.isConnected;
    const isNew = this.#line.take(frame);
    if (isNew && wasConnected && this.#line.isConnected) {
      this.#activeAt = performance.now();
      this.#unanswered = undefined;
    }
    // The frames of a complete message were taken by its listener.
    if (isInformation && !isNew) this.#arrived.pop();
    this.#endCollecting();
    this.#pollLater();
    return isNew;
  }

  /** Asks later for a response that the server does not have yet. */
  #pollLater(): void {
    clearTimeout(this.#poll);
    if (this.#expected === 0 || !this.#line.isConnected || !this.#line.hasTurn) return;
    this.#poll = setTimeout(() => this.#line.poll(), this.#pollMs);
    this.#pollMs = Math.min(POLL_MS.longest, this.#pollMs * 2);
  }

  stop(): void {
    clearTimeout(this.#poll);
    this.#line.stop();
  }
}
