import type { CloseReason } from '@hes/contract/states/device.ts';
import { MISSED_HEARTBEATS } from '#db/dcu-presence.ts';
import type { WrapperConnection } from '@hes/dlms-node/wrapper-connection.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import { Channel, type Notice } from './channel.ts';
import type { LinkTools } from './link.ts';
import { Links } from './links.ts';
import type { Waits } from './patience.ts';
import type { DcuRow } from './queries.ts';

/** A DCU that is connected: its connection, its channel, and the links to the meters behind it. */
export class Session {
  readonly dcu: DcuRow;
  readonly direction: 'dial_in' | 'dial_out';
  readonly connection: WrapperConnection;
  readonly channel: Channel;
  readonly links: Links;
  readonly opened: MonotonicMs;
  /** Of its row, once it is written. */
  rowId: string | null = null;
  /** Stamp of the last frame, in epoch milliseconds. */
  lastHeardAt: number;
  #heard = monotonicNow();
  closed: { reason: CloseReason; detail: string | null } | undefined;
  /** Our own reason to close, before the connection reports that we did. */
  #reason: { reason: CloseReason; detail: string | null } | undefined;
  readonly #onClosed: (session: Session) => void;

  constructor(options: {
    dcu: DcuRow;
    direction: 'dial_in' | 'dial_out';
    connection: WrapperConnection;
    opened: MonotonicMs;
    tools: Omit<LinkTools, 'channel'>;
    /** For answers of this DCU and of all behind it. */
    waits: Waits;
    onHeard(session: Session): void;
    /** A device told something on its own: the DCU, or the meter at this address. */
    onNotification(session: Session, notice: Notice): void;
    onClosed(session: Session): void;
  }) {
    const { dcu, connection, tools } = options;
    this.dcu = dcu;
    this.direction = options.direction;
    this.connection = connection;
    this.opened = options.opened;
    this.lastHeardAt = tools.now();
    this.#onClosed = options.onClosed;
    this.channel = new Channel(connection, {
      parallel: dcu.parallelMeters,
      waits: options.waits,
      onNotification: (notice) => options.onNotification(this, notice),
    });
    this.links = new Links({ ...tools, channel: this.channel });
    connection.onFrame((frame) => {
      this.lastHeardAt = tools.now();
      this.#heard = monotonicNow();
      options.onHeard(this);
      this.channel.receive(frame);
    });
    // It may have ended before it was handed to us, and will not say so again.
    if (connection.closed) queueMicrotask(() => this.#ended('peer_closed', null));
    connection.onClose((reason, detail) => this.#ended(reason === 'closed_by_us' ? 'server_stopped' : reason, detail ?? null));
  }

  #ended(reason: CloseReason, detail: string | null): void {
    if (this.closed !== undefined) return;
    this.closed = this.#reason ?? { reason, detail };
    this.channel.close(this.closed.reason);
    this.#onClosed(this);
  }

  close(reason: CloseReason, detail: string | null = null): void {
    this.#reason ??= { reason, detail };
    this.connection.close();
    this.#ended(reason, detail);
  }

  /** Milliseconds since the last frame, whatever becomes of the wall clock. */
  get silentMs(): number {
    return msSince(this.#heard);
  }

  /** Milliseconds of silence after which it counts as gone. */
  get patienceMs(): number {
    return this.dcu.heartbeatS * 1000 * MISSED_HEARTBEATS;
  }
}
