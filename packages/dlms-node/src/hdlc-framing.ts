import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { clientAddress, serverAddress, type HdlcAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { HdlcAnnouncements } from '@hes/dlms/framing/hdlc/announcement.ts';
import { ALL_STATION_SAP, encodeHdlcBroadcast } from '@hes/dlms/framing/hdlc/broadcast.ts';
import { HdlcDeframer, type DeframedHdlc } from '@hes/dlms/framing/hdlc/deframer.ts';
import { encodeHdlcFrame, MAX_INFORMATION_SIZE } from '@hes/dlms/framing/hdlc/frame.ts';
import { addLlc, LLC_SIZE } from '@hes/dlms/framing/hdlc/llc.ts';
import type { HdlcParameters } from '@hes/dlms/framing/hdlc/parameters.ts';
import type { WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import type { DlmsFrame, FrameReport, Framing, FramingHost } from './framing.ts';
import { HdlcClientLink } from './hdlc-client-link.ts';
import { QUIET_MS } from './hdlc-line.ts';

export interface HdlcLineRules {
  /** Lower address of the server: its physical device. Undefined: that of its first UI frame, else none. */
  physicalAddress?: number | undefined;
  /** Proposed parameters; default to 1024 octets and a window of 1. */
  parameters?: Partial<HdlcParameters>;
  /** Milliseconds until a frame without response is retransmitted; defaults to 3000. */
  timeoutMs?: number;
  /** Retransmissions before a link counts as lost; defaults to 20, because a server that forwards to a meter may be silent for a minute. */
  retries?: number;
  /** Idle milliseconds after which an incomplete frame is dropped; defaults to 500. */
  quietMs?: number;
  /** Idle milliseconds of a link after which an association request opens it again; defaults to 15,000. */
  idleMs?: number;
}

/** Consecutive frames that are damaged or for no link, after which the peer does not speak HDLC. */
const MAX_USELESS = 64;
/** Octets without a useful frame, after which the peer does not speak HDLC. */
const MAX_NOISE_OCTETS = 64 * 1024;
/** Links of one connection: pairs of client and server SAP. */
const MAX_LINKS = 64;

/**
 * HDLC frames in the stream of a connection, as the client. A link is opened by SNRM for each pair of client and server SAP when the first
 * APDU is sent to it, and again after it was lost. Messages in UI frames need no link, and neither do pushes in I frames of no link.
 * @spec IEC 62056-46
 */
export class HdlcFraming implements Framing {
  readonly kind = 'hdlc';
  readonly isHalfDuplex = true;
  /** An incomplete frame is dropped after a pause and does not end the connection. */
  readonly pending = 0;
  readonly #host: FramingHost;
  readonly #rules: HdlcLineRules;
  readonly #deframer = new HdlcDeframer();
  readonly #announcements = new HdlcAnnouncements();
  readonly #links = new Map<string, HdlcClientLink>();
  /** Messages of the octets that are being taken. */
  #received: DlmsFrame[] = [];
  #quiet: NodeJS.Timeout | undefined;
  #useless = 0;
  #noise = 0;
  /** Address of the first UI frame, which tells the lower address and the length of addresses. */
  #learnt: HdlcAddress | undefined;

  constructor(host: FramingHost, rules: HdlcLineRules) {
    this.#host = host;
    this.#rules = rules;
  }

  push(chunk: Uint8Array): DlmsFrame[] {
    clearTimeout(this.#quiet);
    const damagedBefore = this.#deframer.damaged;
    this.#noise += chunk.length;
    this.#take(this.#deframer.push(chunk));
    this.#useless += this.#deframer.damaged - damagedBefore;
    this.#throwIfUseless();
    if (this.#deframer.pending > 0) this.#quiet = setTimeout(() => this.#resync(), this.#rules.quietMs ?? QUIET_MS);
    return this.#takeReceived();
  }

  #resync(): void {
    this.#take(this.#deframer.resync());
    this.#useless++;
    const frames = this.#takeReceived();
    if (frames.length > 0) this.#host.deliver(frames);
  }

  #throwIfUseless(): void {
    if (this.#useless <= MAX_USELESS && this.#noise <= MAX_NOISE_OCTETS) return;
    const { lastDamage } = this.#deframer;
    throw lastDamage ?? new DecodeError({ code: 'BAD_VALUE', reason: 'no HDLC frame for a link' }, { offset: 0, path: 'hdlc' });
  }

  #takeReceived(): DlmsFrame[] {
    const frames = this.#received;
    this.#received = [];
    return frames;
  }

  #take(frames: readonly DeframedHdlc[]): void {
    for (const frame of frames) {
      const link = frame.control.kind === 'ui' ? undefined : this.#linkOf(frame);
      const isUseful = link === undefined ? this.#takeAnnouncement(frame) : link.take(frame);
      this.#useless = isUseful ? 0 : this.#useless + 1;
      if (isUseful) this.#noise = 0;
    }
  }

  #linkOf({ source, destination }: DeframedHdlc): HdlcClientLink | undefined {
    return this.#links.get(keyOf({ source: destination.upper, destination: source.upper }));
  }

  /** Takes a frame of a message that needs no link. */
  #takeAnnouncement(frame: DeframedHdlc): boolean {
    const { message, isUseful } = this.#announcements.push(frame);
    if (message === undefined) return isUseful;
    const { source, destination, apdu, octets } = message;
    this.#learnt ??= source;
    this.#received.push({ source: source.upper, destination: destination.upper, apdu, octets });
    return true;
  }

  #serverAddress(sap: number): HdlcAddress {
    const lower = this.#rules.physicalAddress ?? this.#learnt?.lower;
    const shortest = serverAddress(sap, lower);
    const size = this.#learnt?.size ?? shortest.size;
    return size < shortest.size ? shortest : serverAddress(sap, lower, size);
  }

  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    if (address.destination === ALL_STATION_SAP) return this.#broadcast(address, apdu, report);
    const key = keyOf(address);
    let link = this.#links.get(key);
    if (link === undefined) {
      if (this.#links.size >= MAX_LINKS) return;
      link = this.#createLink(address);
      this.#links.set(key, link);
    }
    link.send(apdu, report);
  }

  #broadcast({ source }: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    const octets = encodeHdlcBroadcast(source, apdu, this.#serverAddress(1).size);
    report?.(octets, 'down', true);
    this.#host.write(octets);
  }

  #createLink({ source, destination }: WrapperAddress): HdlcClientLink {
    return new HdlcClientLink({
      ...this.#rules,
      own: clientAddress(source),
      peer: this.#serverAddress(destination),
      write: (octets) => this.#host.write(octets),
      onMessage: (apdu, octets) => void this.#received.push({ source: destination, destination: source, apdu, octets }),
    });
  }

  /** Confirmations of pushes go in a UI frame, because they need neither a link nor the turn. Longer ones are dropped. */
  reply({ source, destination }: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    if (apdu.length > MAX_INFORMATION_SIZE - LLC_SIZE) return;
    const octets = encodeHdlcFrame({
      destination: this.#serverAddress(destination),
      source: clientAddress(source),
      control: { kind: 'ui', pollFinal: false },
      segmented: false,
      information: addLlc('command', apdu),
    });
    report?.(octets, 'down', true);
    this.#host.write(octets);
  }

  stop(): void {
    clearTimeout(this.#quiet);
    for (const link of this.#links.values()) link.stop();
  }
}

const keyOf = ({ source, destination }: WrapperAddress): string => `${source}/${destination}`;
