import type { CloseReason } from '@hes/contract/states/device.ts';
import { MISSED_HEARTBEATS } from '#db/dcu-presence.ts';
import type { WrapperConnection } from '@hes/dlms-node/wrapper-connection.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import { Channel, type Notice } from './channel.ts';
import { FrameBudget } from './frame-budget.ts';
import type { LinkTools } from './link.ts';
import { Links } from './links.ts';
import type { Waits } from './patience.ts';
import type { DcuRow } from './queries.ts';

/** Notices kept of a connection that has not proved itself yet; a DCU that comes back often sends what has piled up at once. */
const MAX_EARLY = { notices: 64, octets: 256 * 1024 };
/** Shorter pauses would cost more timers than they save reads. */
const SHORTEST_PAUSE_MS = 50;

type Pause = 'frames' | 'pushes';

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
  /** Highest counter of a push of the DCU itself on this connection. */
  pushCounter = -1;
  /** Stamp of the last frame, in epoch milliseconds. */
  lastHeardAt: number;
  #heard = monotonicNow();
  closed: { reason: CloseReason; detail: string | null } | undefined;
  /** Our own reason to close, before the connection reports that we did. */
  #reason: { reason: CloseReason; detail: string | null } | undefined;
  readonly #onClosed: (session: Session) => void;
  readonly #onNotification: (session: Session, notice: Notice) => void;
  /** What arrived before the connection was admitted; undefined: it is admitted. */
  #early: Notice[] | undefined = [];
  #earlyOctets = 0;
  readonly #budget = new FrameBudget();
  readonly #pauses = new Set<Pause>();
  #pauseTimer: NodeJS.Timeout | undefined;

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
    this.#onNotification = options.onNotification;
    this.channel = new Channel(connection, {
      parallel: dcu.parallelMeters,
      waits: options.waits,
      onNotification: (notice) => this.#notify(notice),
    });
    this.links = new Links({ ...tools, channel: this.channel });
    connection.onFrame((frame) => {
      this.lastHeardAt = tools.now();
      this.#heard = monotonicNow();
      if (this.isAdmitted) options.onHeard(this);
      if (!this.channel.receive(frame)) this.#charge();
    });
    // It may have ended before it was handed to us, and will not say so again.
    if (connection.closed) queueMicrotask(() => this.#ended('peer_closed', null));
    connection.onClose((reason, detail) => this.#ended(reason === 'closed_by_us' ? 'server_stopped' : reason, detail ?? null));
  }

  /** Whether the DCU has proved itself, or is vouched for, on this connection. */
  get isAdmitted(): boolean {
    return this.#early === undefined;
  }

  /** From now on notices are taken, first those that came before. */
  admit(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const notice of early) this.#onNotification(this, notice);
  }

  #notify(notice: Notice): void {
    if (this.#early === undefined) return this.#onNotification(this, notice);
    this.#earlyOctets += notice.octets.length;
    if (this.#early.length >= MAX_EARLY.notices || this.#earlyOctets > MAX_EARLY.octets) return;
    const { apdu, address, octets } = notice;
    this.#early.push({ ...notice, apdu: apdu.slice(), address: address?.slice(), octets: octets.slice() });
  }

  /** A frame answers no request: too many of them stop the reading of the socket or, before the connection has proved anything, end it. */
  #charge(): void {
    const waitMs = this.#budget.charge();
    if (waitMs === 0 || this.#pauseTimer !== undefined) return;
    if (!this.isAdmitted) return this.close('unproved', 'Too many frames before any proof');
    this.pause('frames');
    this.#pauseTimer = setTimeout(
      () => {
        this.#pauseTimer = undefined;
        this.resume('frames');
      },
      Math.max(SHORTEST_PAUSE_MS, waitMs),
    );
  }

  /** A frame that was charged proved its sender. */
  refund(): void {
    this.#budget.refund();
  }

  pause(why: Pause): void {
    this.#pauses.add(why);
    this.connection.pause();
  }

  resume(why: Pause): void {
    if (this.#pauses.delete(why) && this.#pauses.size === 0) this.connection.resume();
  }

  #ended(reason: CloseReason, detail: string | null): void {
    if (this.closed !== undefined) return;
    this.closed = this.#reason ?? { reason, detail };
    clearTimeout(this.#pauseTimer);
    this.links.close();
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
