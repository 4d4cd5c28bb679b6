import type { Duplex } from 'node:stream';
import { HdlcDeframer } from '@hes/dlms/framing/hdlc/deframer.ts';
import type { HdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { stepLink } from '@hes/dlms/framing/hdlc/link.ts';
import type { LinkEnd, LinkEvent, LinkState, LinkStep } from '@hes/dlms/framing/hdlc/link-state.ts';

/** Between two octets of a frame, in milliseconds: generous, because networks stand between most lines and us. */
export const QUIET_MS = 500;

/** Cuts what comes from a stream into frames; what is damaged is left out, and sent again by its sender. */
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
  /** A client: until it says the same again. A server: until it takes a silent client for gone. */
  timeoutMs: number;
  write(octets: Uint8Array): void;
}

/** One HDLC link with its clock: frames go in, messages come out. Fails with `LinkError` only if its owner sends without a link. */
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

  /** Messages, announcements of the server included. */
  onMessage(listener: (apdu: Uint8Array) => void): void {
    this.#onMessage = listener;
  }

  /** Told whenever a link has come about. */
  onConnected(listener: () => void): void {
    this.#onConnected = listener;
  }

  /** Told whenever a link has ended, or none came about. */
  onEnd(listener: (end: LinkEnd) => void): void {
    this.#onEnd = listener;
  }

  connect(): void {
    this.#step({ type: 'connect' });
  }

  /** Ends the link in words; `onEnd` tells when the other side has confirmed it, or did not. */
  disconnect(): void {
    if (this.#link.phase !== 'disconnected' && this.#link.phase !== 'disconnecting') this.#step({ type: 'disconnect' });
  }

  send(apdu: Uint8Array): void {
    this.#step({ type: 'send', apdu });
  }

  /** A server that has nothing to say. */
  pass(): void {
    this.#step({ type: 'pass' });
  }

  /** A client that lets the server go on. */
  poll(): void {
    if (this.isConnected && this.#link.hasTurn) this.#step({ type: 'timeout' });
  }

  take(frame: HdlcFrame): void {
    this.#step({ type: 'frame', frame });
  }

  /** Forgets the link, without a word to anybody. */
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

  /** A client waits for an answer while the other side has the turn, a server for the next word of its client. */
  #watch(): void {
    clearTimeout(this.#timer);
    const { phase, hasTurn, settings } = this.#link;
    if (phase === 'disconnected' || (settings.role === 'client' && phase === 'connected' && hasTurn)) return;
    this.#timer = setTimeout(() => this.#step({ type: 'timeout' }), this.#options.timeoutMs);
  }
}

/** A client may begin anew on a link that its server still holds. */
const isNew = (event: LinkEvent): boolean => event.type === 'frame' && event.frame.control.kind === 'snrm';
