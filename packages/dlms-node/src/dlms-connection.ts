import type { Socket } from 'node:net';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import { DetectedFraming, WrapperFraming, type DlmsFrame, type FrameReport, type Framing, type FramingKind } from './framing.ts';
import { HdlcFraming, type HdlcLineRules } from './hdlc-framing.ts';
import { MbusFraming } from './mbus-framing.ts';

/** Why a connection ended. */
export type CloseReason = 'peer_closed' | 'socket_error' | 'not_dlms' | 'frame_timeout' | 'closed_by_us';

export interface DlmsConnectionOptions {
  /** Maximum milliseconds from the first to the last octet of a frame. */
  frameTimeoutMs: number;
  /** Maximum octets queued for a peer that does not read; beyond it the connection is closed. */
  maxPending?: number;
  /** Defaults to the wrapper. `detect`: the first octet of the peer says which. */
  framing?: FramingKind | 'detect';
  /** Addresses and timeouts of HDLC; have defaults. */
  hdlc?: HdlcLineRules;
  /** Address and port of the peer where a proxy is between. Default: those of the socket. */
  remote?: string | undefined;
  /** Writes each frame at once. By default frames of one tick are written together at its end. */
  isUnbatched?: boolean;
}

const MAX_PENDING = 1024 * 1024;
const KEEP_ALIVE_MS = 60_000;

/**
 * APDUs in wrapper, HDLC or M-Bus frames over one TCP socket, opened by either side. The connection closes exactly once, with a reason, and never throws into the
 * event loop. Frames received before `onFrame` is set are lost: set it at once.
 */
export class DlmsConnection {
  /** Address and port of the peer. */
  readonly remote: string;
  readonly #socket: Socket;
  readonly #frameTimeoutMs: number;
  readonly #maxPending: number;
  readonly #isUnbatched: boolean;
  readonly #framing: Framing;
  #onFrame: (frame: DlmsFrame) => void = () => {};
  #onClose: (reason: CloseReason, detail: string) => void = () => {};
  #frameTimer: NodeJS.Timeout | undefined;
  #ended: { reason: CloseReason; detail: string } | undefined;
  #closed = false;
  #isPaused = false;
  /** Frames received while the connection is paused. */
  #held: DlmsFrame[] = [];
  #outgoing: Uint8Array[] = [];

  constructor(
    socket: Socket,
    { frameTimeoutMs, maxPending = MAX_PENDING, framing = 'wrapper', hdlc = {}, remote, isUnbatched = false }: DlmsConnectionOptions,
  ) {
    this.#socket = socket;
    const host = {
      write: (octets: Uint8Array) => this.#queue(octets),
      deliver: (frames: readonly DlmsFrame[]) => this.#deliver(frames),
    };
    const framingOf = (kind: FramingKind) =>
      kind === 'hdlc' ? new HdlcFraming(host, hdlc) : kind === 'mbus' ? new MbusFraming(host, hdlc.quietMs) : new WrapperFraming(host);
    this.#framing = framing === 'detect' ? new DetectedFraming(framingOf) : framingOf(framing);
    this.#frameTimeoutMs = frameTimeoutMs;
    this.#maxPending = maxPending;
    this.#isUnbatched = isUnbatched;
    this.remote = remote ?? `${socket.remoteAddress ?? 'unknown'}:${socket.remotePort ?? 0}`;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    // A plain array: `Buffer.slice` shares memory, `Uint8Array.slice` copies.
    socket.on('data', (chunk: Buffer) => this.#receive(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length)));
    // A peer that has closed its half will not respond, so half-open sockets are not kept.
    socket.on('end', () => this.#end('peer_closed', 'the peer closed the connection'));
    socket.on('error', (error) => this.#end('socket_error', error.message));
    socket.on('close', () => this.#finish());
    // A socket destroyed before this point emits no more events.
    if (socket.destroyed) queueMicrotask(() => this.#finish());
  }

  /** Whether the connection uses TLS. */
  get isEncrypted(): boolean {
    return 'encrypted' in this.#socket && this.#socket.encrypted === true;
  }

  get bytesIn(): number {
    return this.#socket.bytesRead;
  }

  get bytesOut(): number {
    return this.#socket.bytesWritten;
  }

  /** Whether the connection has ended or is ending. */
  get closed(): boolean {
    return this.#ended !== undefined || this.#closed;
  }

  onFrame(listener: (frame: DlmsFrame) => void): void {
    this.#onFrame = listener;
  }

  /** The listener is called once. */
  onClose(listener: (reason: CloseReason, detail: string) => void): void {
    this.#onClose = listener;
  }

  /** How APDUs are framed; with `detect`, known after the first octet. */
  get framing(): FramingKind {
    return this.#framing.kind;
  }

  /** One message is in flight at a time; with `detect`, known after the first frame. */
  get isHalfDuplex(): boolean {
    return this.#framing.isHalfDuplex;
  }

  /** Addresses the peer in HDLC when the framing is detected and the peer has sent nothing yet. */
  assumeHdlc(): void {
    if (this.#framing instanceof DetectedFraming) this.#framing.assume('hdlc');
  }

  /** Sends one APDU. On an ended connection it is dropped, and `onClose` reports the reason. `report` receives the frames that carry it. */
  send(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    if (!this.closed) this.#framing.send(address, apdu, report);
  }

  /** Sends the response to a message that the peer sent unsolicited. */
  reply(address: WrapperAddress, apdu: Uint8Array, report?: FrameReport): void {
    if (!this.closed) this.#framing.reply(address, apdu, report);
  }

  /**
   * Frames sent in one tick are written together at its end, so frames for many peers leave back to back and a forwarding device wakes
   * once.
   */
  #queue(octets: Uint8Array): void {
    if (this.closed) return;
    const count = this.#outgoing.push(octets);
    if (this.#isUnbatched) this.#flush();
    else if (count === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const frames = this.#outgoing;
    const [first] = frames;
    if (first === undefined || this.#socket.destroyed) return;
    this.#outgoing = [];
    this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames));
    if (this.#socket.writableLength > this.#maxPending)
      this.#end('socket_error', `the peer does not read: ${this.#socket.writableLength} octets wait`);
  }

  /** Queued octets are still sent. */
  close(): void {
    if (this.closed) return;
    this.#flush();
    this.#framing.stop();
    this.#ended = { reason: 'closed_by_us', detail: 'closed by us' };
    this.#stopFrameTimer();
    this.#socket.end(() => this.#socket.destroy());
    // A peer that does not read would keep the socket open for ever.
    this.#frameTimer = setTimeout(() => this.#socket.destroy(), this.#frameTimeoutMs);
  }

  /** Stops reading the socket, which makes TCP throttle the peer; received frames wait in order. */
  pause(): void {
    if (this.closed || this.#isPaused) return;
    this.#isPaused = true;
    this.#stopFrameTimer();
    this.#socket.pause();
  }

  /** Delivers the waiting frames, then resumes reading. */
  resume(): void {
    if (this.closed || !this.#isPaused) return;
    this.#isPaused = false;
    const held = this.#held;
    this.#held = [];
    this.#deliver(held);
    if (this.closed || this.#isPaused) return;
    this.#watchFrame();
    this.#socket.resume();
  }

  #receive(chunk: Uint8Array): void {
    if (this.closed) return;
    try {
      const frames = this.#framing.push(chunk);
      // The pending octets belong to a frame that has just begun.
      if (frames.length > 0) this.#stopFrameTimer();
      this.#deliver(frames);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return this.#end('not_dlms', error.message);
    }
    if (!this.closed && !this.#isPaused) this.#watchFrame();
  }

  #deliver(frames: readonly DlmsFrame[]): void {
    for (const [index, frame] of frames.entries()) {
      if (this.closed) return;
      if (this.#isPaused) return void this.#held.push(...frames.slice(index));
      this.#onFrame(frame);
    }
  }

  /** The timer starts with the first octet of a frame, so slow octets cannot hold the connection. */
  #watchFrame(): void {
    if (this.#framing.pending === 0) return this.#stopFrameTimer();
    this.#frameTimer ??= setTimeout(() => {
      this.#end('frame_timeout', `${this.#framing.pending} octets of an unfinished frame after ${this.#frameTimeoutMs} ms`);
    }, this.#frameTimeoutMs);
  }

  #stopFrameTimer(): void {
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
  }

  #end(reason: CloseReason, detail: string): void {
    this.#ended ??= { reason, detail };
    this.#framing.stop();
    this.#stopFrameTimer();
    this.#socket.destroy();
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#framing.stop();
    this.#stopFrameTimer();
    const { reason, detail } = this.#ended ?? { reason: 'peer_closed' as const, detail: 'the connection is gone' };
    this.#onClose(reason, detail);
  }
}
