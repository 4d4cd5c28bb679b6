import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import { isBlock } from '@hes/dlms/association/block-stream.ts';
import { MISSED_HEARTBEATS } from '#db/dcu-presence.ts';
import type { UnsolicitedMessage } from './channel.ts';
import { FrameBudget } from './frame-budget.ts';
import { claimOf } from './identification.ts';
import type { PushSource } from './push-source.ts';
import type { EndpointRow } from './queries.ts';

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
  /** `isProved`: an authenticated push has arrived on the line. */
  onClosed(line: PushLine, isProved: boolean): void;
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
  readonly #onMessage: PushLineOptions['onMessage'];
  #timer: NodeJS.Timeout;
  #isProved = false;

  constructor({ endpoint, connection, push, proofMs, onMessage, onClosed }: PushLineOptions) {
    this.endpoint = endpoint;
    this.connection = connection;
    this.#onMessage = onMessage;
    this.#timer = setTimeout(() => connection.close(), proofMs);
    connection.onFrame((frame) => this.#receive(frame));
    connection.onClose(() => {
      clearTimeout(this.#timer);
      onClosed(this, this.#isProved);
    });
    if (push !== undefined) this.#receive(push);
  }

  #receive({ apdu, source, destination, octets }: DlmsFrame): void {
    // No meter pushes at this rate, and each push costs a decipherment.
    if (this.#budget.charge() > 0) return this.connection.close();
    if (claimOf(apdu) === undefined && !isBlock(apdu)) return;
    this.#onMessage(this, { apdu, address: undefined, source, destination, octets });
  }

  /** A push was authenticated. */
  refund(): void {
    this.#budget.refund();
    this.#isProved = true;
    clearTimeout(this.#timer);
    if (!this.connection.closed)
      this.#timer = setTimeout(() => this.connection.close(), this.endpoint.heartbeatS * 1000 * MISSED_HEARTBEATS);
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
}
