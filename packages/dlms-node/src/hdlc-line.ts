import type { Duplex } from 'node:stream';
import { HdlcDeframer } from '@hes/dlms/framing/hdlc/deframer.ts';
import type { HdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { stepLink } from '@hes/dlms/framing/hdlc/link.ts';
import type { LinkEnd, LinkEvent, LinkState, LinkStep } from '@hes/dlms/framing/hdlc/link-state.ts';

/** Maximum milliseconds between two octets of a frame; generous, because most lines are reached over networks. */
export const QUIET_MS = 500;

/** Splits a stream into frames; damaged ones are dropped and retransmitted by their sender. */
export function readHdlcFrames(stream: Duplex, quietMs: number, onFrame: (frame: HdlcFrame) => void): void {
  const deframer = new HdlcDeframer();
  let quiet: NodeJS.Timeout | undefined;
  stream.on('data', (chunk: Buffer) => {
    clearTimeout(quiet);
    for (const frame of deframer.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length))) onFrame(frame);
    if (deframer.pending > 0) quiet = setTimeout(() => deframer.resync().forEach(onFrame), quietMs);
  });
  stream.on('close', () => clearTimeout(quiet));
}

export interface HdlcLineOptions {
  link: LinkState;
  /** Client: the retransmission timeout. Server: the inactivity timeout. */
  timeoutMs: number;
  write(octets: Uint8Array): void;
}

/** One HDLC link with its timer: frames in, messages out. Throws `LinkError` only when its owner sends without a link. */
export class HdlcLine {
  #link: LinkState;
  readonly #options: HdlcLineOptions;
  #timer: NodeJS.Timeout | undefined;
  #onMessage: (apdu: Uint8Array) => void = () => {};
  #onConnected: () => void = () => {};
  #onEnd: (end: LinkEnd) => void = () => {};

  constructor(options: HdlcLineOptions) {
    this.#options = options;
    this.#link = options.link;
  }

  get isConnected(): boolean {
    return this.#link.phase === 'connected';
  }

  /** Whether a link may be opened: there is none, and none is being closed. */
  get isDisconnected(): boolean {
    return this.#link.phase === 'disconnected';
  }

  /** Whether this side may send. */
  get hasTurn(): boolean {
    return this.#link.hasTurn;
  }

  /** Whether segments of a message have not been written yet. */
  get isSending(): boolean {
    const { outgoing, arrived, sent } = this.#link;
    return outgoing.length > arrived + sent;
  }

  /** Receives messages, unacknowledged ones of the server included. */
  onMessage(listener: (apdu: Uint8Array) => void): void {
    this.#onMessage = listener;
  }

  /** Called whenever a link is established. */
  onConnected(listener: () => void): void {
    this.#onConnected = listener;
  }

  /** Called whenever a link has ended or could not be established. */
  onEnd(listener: (end: LinkEnd) => void): void {
    this.#onEnd = listener;
  }

  connect(): void {
    this.#step({ type: 'connect' });
  }

  /** Sends DISC; `onEnd` is called when the peer has confirmed it or the timeout expired. */
  disconnect(): void {
    if (this.#link.phase !== 'disconnected' && this.#link.phase !== 'disconnecting') this.#step({ type: 'disconnect' });
  }

  send(apdu: Uint8Array): void {
    this.#step({ type: 'send', apdu });
  }

  /** A server passes the turn without a response. */
  pass(): void {
    this.#step({ type: 'pass' });
  }

  /** A client polls the server. */
  poll(): void {
    if (this.isConnected && this.#link.hasTurn) this.#step({ type: 'timeout' });
  }

  /** Takes a received frame; returns whether it carried something new: information, an acknowledgement, or a change of the link. */
  take(frame: HdlcFrame): boolean {
    const { phase, expected, acknowledged } = this.#link;
    this.#step({ type: 'frame', frame });
    const now = this.#link;
    return now.phase !== phase || now.expected !== expected || now.acknowledged !== acknowledged;
  }

  /** Drops the link without a DISC. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #step(event: LinkEvent): void {
    const before = this.#link.phase;
    const step = stepLink(this.#link, event);
    this.#link = step.state;
    for (const octets of step.send) this.#options.write(octets);
    this.#watch();
    if (this.isConnected && (before !== 'connected' || isNew(event))) this.#onConnected();
    this.#tell(step);
  }

  #tell({ received, announced, ended }: LinkStep): void {
    for (const apdu of [...announced, ...received]) this.#onMessage(apdu);
    if (ended !== undefined) this.#onEnd(ended);
  }

  /** A client awaits a response while the peer has the turn; a server awaits the next frame of its client. */
  #watch(): void {
    clearTimeout(this.#timer);
    const { phase, hasTurn, settings } = this.#link;
    if (phase === 'disconnected' || (settings.role === 'client' && phase === 'connected' && hasTurn)) return;
    this.#timer = setTimeout(() => this.#step({ type: 'timeout' }), this.#options.timeoutMs);
  }
}

/** A client may reconnect while its server still holds the previous link. */
const isNew = (event: LinkEvent): boolean => event.type === 'frame' && event.frame.control.kind === 'snrm';
