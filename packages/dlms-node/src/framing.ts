import { encodeWrapper, WrapperDeframer, type WrapperAddress, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';

/** An APDU between two SAPs. `octets` are the frames that carried it, as they were on the wire. */
export type DlmsFrame = WrapperFrame;

/**
 * Receives frames as they were on the wire. `isMessage`: all frames of the message; otherwise a frame that opens a link. Supervisory frames
 * and retransmissions of HDLC are not reported: they carry no message.
 */
export type FrameReport = (octets: Uint8Array, direction: 'down' | 'up', isMessage: boolean) => void;

export type FramingKind = 'wrapper' | 'hdlc' | 'mbus';

/** Carries APDUs in the octet stream of one connection. */
export interface Framing {
  readonly kind: FramingKind;
  /** Octets of an incomplete frame that must end in time. */
  readonly pending: number;
  /** One message is in flight at a time, because only the side with the turn may send. */
  readonly isHalfDuplex: boolean;
  /** Takes received octets and returns the messages they complete. Throws `DecodeError` when the stream is lost. */
  push(chunk: Uint8Array): DlmsFrame[];
  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void;
  /** Sends the response to a message that the peer sent unsolicited. */
  reply(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void;
  /** Ends all timers. */
  stop(): void;
}

/** The connection under a framing. */
export interface FramingHost {
  write(octets: Uint8Array): void;
  /** Delivers messages that were completed by a timer and not by received octets. */
  deliver(frames: readonly DlmsFrame[]): void;
}

/** Frames of the TCP wrapper. @spec IEC 62056-47 */
export class WrapperFraming implements Framing {
  readonly kind = 'wrapper';
  readonly isHalfDuplex = false;
  readonly #host: FramingHost;
  readonly #deframer = new WrapperDeframer();

  constructor(host: FramingHost) {
    this.#host = host;
  }

  get pending(): number {
    return this.#deframer.pending;
  }

  push(chunk: Uint8Array): DlmsFrame[] {
    return this.#deframer.push(chunk);
  }

  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    const octets = encodeWrapper(address, apdu);
    report?.(octets, 'down', true);
    this.#host.write(octets);
  }

  reply(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    this.send(address, apdu, report);
  }

  stop(): void {}
}

/**
 * The first octet of the peer tells the framings apart, whatever it was addressed with before. A peer that is addressed before it sends is
 * addressed with the wrapper, unless `assume` names another framing.
 */
export class DetectedFraming implements Framing {
  readonly #framingOf: (kind: FramingKind) => Framing;
  #kind: FramingKind = 'wrapper';
  #found: Framing | undefined;
  #hasReceived = false;

  constructor(framingOf: (kind: FramingKind) => Framing) {
    this.#framingOf = framingOf;
  }

  get kind(): FramingKind {
    return this.#kind;
  }

  get pending(): number {
    return this.#found?.pending ?? 0;
  }

  get isHalfDuplex(): boolean {
    return this.#found?.isHalfDuplex ?? false;
  }

  get #addressed(): Framing {
    return (this.#found ??= this.#framingOf(this.#kind));
  }

  /** Addresses a peer that has sent nothing yet in this framing. */
  assume(kind: FramingKind): void {
    if (!this.#hasReceived && kind !== this.#kind) this.#replace(kind);
  }

  #replace(kind: FramingKind): void {
    this.#found?.stop();
    this.#found = undefined;
    this.#kind = kind;
  }

  push(chunk: Uint8Array): DlmsFrame[] {
    const kind = KIND_BY_FIRST_OCTET.get(chunk[0] ?? 0) ?? 'wrapper';
    // A slow response to a request in another framing also tells the framing.
    if (!this.#hasReceived && kind !== this.#kind) this.#replace(kind);
    this.#hasReceived = true;
    return this.#addressed.push(chunk);
  }

  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    this.#addressed.send(address, apdu, report);
  }

  reply(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    this.#addressed.reply(address, apdu, report);
  }

  stop(): void {
    this.#found?.stop();
  }
}

/** A wrapper frame begins with the version, whose first octet is 0. */
const KIND_BY_FIRST_OCTET: ReadonlyMap<number, FramingKind> = new Map([
  [0x7e, 'hdlc'],
  [0x68, 'mbus'],
]);
