import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import { isBlock } from '@hes/dlms/association/block-stream.ts';
import { MISSED_HEARTBEATS } from '#db/dcu-presence.ts';
import type { UnsolicitedMessage } from './channel.ts';
import { FrameBudget } from './frame-budget.ts';
import { claimOf } from './identification.ts';
import type { PushSource } from './push-source.ts';
import type { EndpointRow } from './queries.ts';

/** A meter may close its connection right after its push, which is still being processed then. */
const SETTLE_MS = 5_000;

/** Default for the time in which a line must have carried an authenticated push. */
export const LINE_PROOF_MS = 30_000;

export interface PushLineOptions {
  endpoint: EndpointRow;
  connection: DlmsConnection;
  /** The message by which the device was identified. */
  push: DlmsFrame | undefined;
  /** Time in which the line must have carried an authenticated push. */
  proofMs: number;
  onMessage(line: PushLine, message: UnsolicitedMessage): void;
  /** The first authenticated push has arrived. */
  onProved(line: PushLine): void;
  /** The connection has ended; its last push may still be processed. */
  onClosed(line: PushLine): void;
  /** Called once, after the end, when it is known whether the line has carried an authenticated push. */
  onSettled(line: PushLine): void;
}

/**
 * A connection of a direct meter that carries nothing but pushes, because its framing or the meter takes no requests on it. Each push
 * authenticates itself, and the device is not online by it. A line is closed without an authenticated push in time, at first and later
 * after the silence that is too long for the heartbeat of the meter.
 */
export class PushLine implements PushSource {
  readonly endpoint: EndpointRow;
  readonly connection: DlmsConnection;
  readonly rowId = null;
  pushCounter = -1;
  readonly #budget = new FrameBudget();
  readonly #options: PushLineOptions;
  #timer: NodeJS.Timeout;
  #isProved = false;
  #isStopped = false;
  #isEnded = false;

  constructor(options: PushLineOptions) {
    const { endpoint, connection, push, proofMs } = options;
    this.endpoint = endpoint;
    this.connection = connection;
    this.#options = options;
    this.#timer = setTimeout(() => connection.close(), proofMs);
    connection.onFrame((frame) => this.#receive(frame));
    connection.onClose(() => this.#handleEnd());
    if (push !== undefined) this.#receive(push);
    // A connection that ended before does not report its end again.
    if (connection.closed) queueMicrotask(() => this.#handleEnd());
  }

  #receive({ apdu, source, destination, octets }: DlmsFrame): void {
    // No meter pushes at this rate, and each push costs a decipherment.
    if (this.#budget.charge() > 0) return this.connection.close();
    if (claimOf(apdu) === undefined && !isBlock(apdu)) return;
    this.#options.onMessage(this, { apdu, address: undefined, source, destination, octets });
  }

  #handleEnd(): void {
    if (this.#isEnded) return;
    clearTimeout(this.#timer);
    this.#isEnded = true;
    this.#options.onClosed(this);
    if (this.#isProved || this.#isStopped) return this.#options.onSettled(this);
    this.#timer = setTimeout(() => this.#options.onSettled(this), SETTLE_MS);
  }

  /** Whether an authenticated push has arrived. */
  get isProved(): boolean {
    return this.#isProved;
  }

  /** Whether the head-end has ended the line without a judgement about the device. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** A push was authenticated. */
  refund(): void {
    this.#budget.refund();
    clearTimeout(this.#timer);
    const isFirst = !this.#isProved;
    this.#isProved = true;
    if (isFirst) this.#options.onProved(this);
    if (!this.#isEnded) this.#timer = setTimeout(() => this.connection.close(), this.endpoint.heartbeatS * 1000 * MISSED_HEARTBEATS);
    else if (isFirst) this.#options.onSettled(this);
  }

  pause(): void {
    this.connection.pause();
  }

  resume(): void {
    this.connection.resume();
  }

  close(): void {
    this.connection.close();
  }

  /** Ends the line without a judgement about the device. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.connection.close();
    if (this.#isEnded) this.#options.onSettled(this);
  }
}
