import { encodeWrapper, WrapperDeframer, type WrapperAddress, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';

/** An APDU between two SAPs. `octets` are the frames that carried it, as they were on the wire. */
export type DlmsFrame = WrapperFrame;

/**
 * Receives frames as they were on the wire. `isMessage`: all frames of the message; otherwise a frame that opens a link. Supervisory frames
 * and retransmissions of HDLC are not reported: they carry no message.
 */
export type FrameReport = (octets: Uint8Array, direction: 'down' | 'up', isMessage: boolean) => void;

/** Carries APDUs in the octet stream of one connection. */
export interface Framing {
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
 * addressed with the wrapper, unless `assume` names HDLC.
 */
export class DetectedFraming implements Framing {
  readonly #framingOf: (isHdlc: boolean) => Framing;
  #found: Framing | undefined;
  #isHdlc = false;
  #hasReceived = false;

  constructor(framingOf: (isHdlc: boolean) => Framing) {
    this.#framingOf = framingOf;
  }

  get pending(): number {
    return this.#found?.pending ?? 0;
  }

  get isHalfDuplex(): boolean {
    return this.#found?.isHalfDuplex ?? false;
  }

  get #addressed(): Framing {
    return (this.#found ??= this.#framingOf(this.#isHdlc));
  }

  /** Addresses a peer that has sent nothing yet in this framing. */
  assume(isHdlc: boolean): void {
    if (!this.#hasReceived && isHdlc !== this.#isHdlc) this.#replace(isHdlc);
  }

  #replace(isHdlc: boolean): void {
    this.#found?.stop();
    this.#found = undefined;
    this.#isHdlc = isHdlc;
  }

  push(chunk: Uint8Array): DlmsFrame[] {
    const isHdlc = chunk[0] === HDLC_FLAG;
    // A slow response to a request in the other framing also tells the framing.
    if (!this.#hasReceived && isHdlc !== this.#isHdlc) this.#replace(isHdlc);
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
const HDLC_FLAG = 0x7e;
