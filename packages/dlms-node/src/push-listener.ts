import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { PushReceiver } from '@hes/dlms/association/block-push.ts';
import { isBlock, readBlock } from '@hes/dlms/association/block-stream.ts';
import { confirmNotification, decodeNotification, type KeysOf } from '@hes/dlms/association/notification.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import type { CosemDateTime } from '@hes/dlms/cosem/date-time.ts';
import { WRAPPER_PORT, type WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import { DlmsConnection } from './dlms-connection.ts';
import { SessionError } from './session-error.ts';

/** A DATA-NOTIFICATION that arrived. */
export interface ReceivedPush {
  /** Address and port of the sender. */
  remote: string;
  /** SAP of the sender. */
  source: number;
  /** Authenticated system title of the sender; undefined for a plain push, whose sender nothing proves. */
  systemTitle: Uint8Array | undefined;
  /** Invocation counter of a protected push: `keysOf` has to return the highest as `lastCounter` from now on. */
  counter: number | undefined;
  dateTime: CosemDateTime | undefined;
  body: Data;
  /** The body as one encoded Data, for `pushedValues` of `dlms/push`. */
  octets: Uint8Array;
}

export interface PushListenerOptions {
  /** Defaults to 4059; 0 selects a free port. */
  port?: number | undefined;
  /** Defaults to all interfaces. */
  host?: string | undefined;
  /** Keys by system title of the sender. Without it, protected pushes are rejected. */
  keysOf?: KeysOf | undefined;
  /** Called for unusable pushes: octets that are no DLMS, unknown senders, replays. The listener continues. */
  onRejected?: ((error: Error, remote: string) => void) | undefined;
  /** Pushes that wait for the iterator; beyond it TCP throttles their senders. Defaults to 1000. */
  maxWaiting?: number | undefined;
  /** Octets of the longest push in blocks; defaults to 1 MiB. */
  maxOctets?: number | undefined;
}

const FRAME_TIMEOUT_MS = 30_000;
const MAX_WAITING = 1_000;
const MAX_OCTETS = 1024 * 1024;
const WINDOW = 1;
const NO_KEYS: KeysOf = () => undefined;

/** Receives the pushes of any number of devices over TCP, with wrapper or HDLC frames. Iterate over it, and close it in the end. */
export class PushListener implements AsyncIterable<ReceivedPush> {
  readonly #options: PushListenerOptions;
  readonly #server = createServer((socket) => this.#attend(socket));
  readonly #connections = new Set<DlmsConnection>();
  readonly #waiting: ReceivedPush[] = [];
  #wake: () => void = () => {};
  #isClosed = false;

  private constructor(options: PushListenerOptions) {
    this.#options = options;
  }

  /** Begins to listen. Fails with `SessionError` when the port cannot be used. */
  static async listen(options: PushListenerOptions = {}): Promise<PushListener> {
    const listener = new PushListener(options);
    const { port = WRAPPER_PORT, host } = options;
    listener.#server.listen(port, host);
    try {
      await once(listener.#server, 'listening');
    } catch (error) {
      throw new SessionError('NOT_REACHABLE', `port ${port}: ${String(error)}`);
    }
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // as: it listens on a port, not on a pipe
  }

  #attend(socket: Socket): void {
    const connection = new DlmsConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS, framing: 'detect' });
    this.#connections.add(connection);
    connection.onClose((reason, detail) => {
      this.#connections.delete(connection);
      if (reason === 'not_dlms') this.#options.onRejected?.(new SessionError('CLOSED', `${reason}: ${detail}`), connection.remote);
    });
    let blocks: PushReceiver | undefined;
    connection.onFrame(({ source, destination, apdu }) => {
      const back: WrapperAddress = { source: destination, destination: source };
      const whole = isBlock(apdu) ? undefined : apdu;
      this.#rejecting(connection, () => {
        if (whole !== undefined) return this.#take(connection, back, whole, (answer) => answer);
        const block = readBlock(apdu);
        if (blocks === undefined || blocks.isAnother(block)) blocks = this.#newReceiver();
        const receiver = blocks;
        const step = receiver.take(block);
        if (step.kind === 'dropped') throw new AssociationError('BLOCK_ERROR', step.why);
        if (step.reply !== undefined) connection.reply(back, step.reply);
        if (step.kind === 'whole') this.#take(connection, back, step.apdu, (answer) => receiver.answer(answer));
      });
    });
  }

  #newReceiver(): PushReceiver {
    return new PushReceiver({ maxOctets: this.#options.maxOctets ?? MAX_OCTETS, window: WINDOW });
  }

  #rejecting({ remote }: DlmsConnection, take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!(error instanceof DecodeError || error instanceof AssociationError)) throw error;
      this.#options.onRejected?.(error, remote);
    }
  }

  #take(connection: DlmsConnection, back: WrapperAddress, apdu: Uint8Array, inBlocks: (answer: Uint8Array) => Uint8Array): void {
    const push = decodeNotification(apdu, this.#options.keysOf ?? NO_KEYS);
    const { dateTime, proof } = push;
    // The frame's memory belongs to the socket: a push may wait.
    const octets = push.body.slice();
    const { remote } = connection;
    const sender = { remote, source: back.destination, systemTitle: proof?.systemTitle, counter: proof?.counter };
    this.#waiting.push({ ...sender, dateTime, octets, body: decode(dataCodec, octets) });
    // The confirmation of a protected push would need a key and a counter for sending.
    const confirmation = proof === undefined ? confirmNotification(push) : undefined;
    if (confirmation !== undefined) connection.reply(back, inBlocks(confirmation));
    if (this.#waiting.length >= (this.#options.maxWaiting ?? MAX_WAITING)) for (const one of this.#connections) one.pause();
    this.#wake();
  }

  /** Each push once. One iteration at a time; it ends when the listener is closed and all pushes were taken. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedPush, void, undefined> {
    for (;;) {
      const push = this.#waiting.shift();
      if (push !== undefined) {
        yield push;
        continue;
      }
      if (this.#isClosed) return;
      for (const connection of this.#connections) connection.resume();
      if (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Closes the port and all connections. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close();
    await new Promise<void>((closed) => this.#server.close(() => closed()));
    this.#wake();
  }

  /** For `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
