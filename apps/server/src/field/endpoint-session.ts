import type { CloseReason } from '@hes/contract/states/device.ts';
import { MISSED_HEARTBEATS } from '#db/dcu-presence.ts';
import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Epoch } from '#nodes/epoch.ts';
import { Channel, type UnsolicitedMessage } from './channel.ts';
import { FrameBudget } from './frame-budget.ts';
import type { LinkTools } from './link.ts';
import { LinkPool } from './link-pool.ts';
import type { TimeoutLimits } from './response-timeout.ts';
import type { EndpointRow } from './queries.ts';

/** Limits of messages buffered before admission: a DCU that reconnects often sends all its pending pushes at once. */
const MAX_EARLY = { messages: 64, octets: 256 * 1024 };
/** A shorter pause costs more for its timer than it saves. */
const SHORTEST_PAUSE_MS = 50;

type Pause = 'frames' | 'pushes';

/** The connection of a DCU or a direct meter, with its channel and the links to the device and to the meters behind it. */
export class EndpointSession {
  readonly endpoint: EndpointRow;
  readonly direction: 'dial_in' | 'dial_out';
  readonly connection: DlmsConnection;
  readonly channel: Channel;
  readonly links: LinkPool;
  readonly opened: MonotonicMs;
  /** Id of its row, with which this node proves that it holds the connection; null before the adoption. */
  rowId: Epoch | null = null;
  /** Highest invocation counter of pushes of the DCU itself on this connection. */
  pushCounter = -1;
  /** Time of the last frame, epoch milliseconds. */
  lastHeardAt: number;
  #lastFrame = monotonicNow();
  closed: { reason: CloseReason; detail: string | null; at: MonotonicMs } | undefined;
  /** Reason passed to `close`; it replaces the one that the connection reports. */
  #closeReason: { reason: CloseReason; detail: string | null } | undefined;
  readonly #now: LinkTools['now'];
  readonly #onHeard: (session: EndpointSession) => void;
  readonly #onClosed: (session: EndpointSession) => void;
  readonly #onNotification: (session: EndpointSession, message: UnsolicitedMessage) => void;
  /** Messages received before admission; undefined: the connection is admitted. */
  #early: UnsolicitedMessage[] | undefined = [];
  #earlyOctets = 0;
  readonly #budget = new FrameBudget();
  readonly #pauses = new Set<Pause>();
  #pauseTimer: NodeJS.Timeout | undefined;

  constructor(options: {
    endpoint: EndpointRow;
    direction: 'dial_in' | 'dial_out';
    connection: DlmsConnection;
    opened: MonotonicMs;
    /** The push by which the device was identified. */
    push: DlmsFrame | undefined;
    tools: Omit<LinkTools, 'channel'>;
    /** Limits of response timeouts of this DCU and the meters behind it. */
    timeoutLimits: TimeoutLimits;
    onHeard(session: EndpointSession): void;
    /** The DCU or a meter behind it has sent a message that answers no request. */
    onNotification(session: EndpointSession, message: UnsolicitedMessage): void;
    onClosed(session: EndpointSession): void;
  }) {
    const { endpoint, connection, tools } = options;
    this.endpoint = endpoint;
    this.direction = options.direction;
    this.connection = connection;
    this.opened = options.opened;
    this.#now = tools.now;
    this.lastHeardAt = tools.now();
    this.#onHeard = options.onHeard;
    this.#onClosed = options.onClosed;
    this.#onNotification = options.onNotification;
    this.channel = new Channel(connection, {
      maxInFlight: connection.isHalfDuplex ? 1 : endpoint.parallelMeters,
      timeoutLimits: options.timeoutLimits,
      onNotification: (message) => this.#deliver(message),
      leadsTo: endpoint.meterId === null ? 'dcu' : 'meter',
    });
    this.links = new LinkPool({ ...tools, channel: this.channel });
    connection.onFrame((frame) => this.#receive(frame));
    if (options.push !== undefined) this.#receive(options.push);
    // A connection that ended before this constructor ran does not report its end again.
    if (connection.closed) queueMicrotask(() => this.#handleEnd('peer_closed', null));
    connection.onClose((reason, detail) => this.#handleEnd(reason === 'closed_by_us' ? 'server_stopped' : reason, detail ?? null));
  }

  #receive(frame: DlmsFrame): void {
    this.lastHeardAt = this.#now();
    this.#lastFrame = monotonicNow();
    if (this.isAdmitted) this.#onHeard(this);
    if (!this.channel.receive(frame)) this.#charge();
  }

  /** Whether the DCU is authenticated on this connection, or admitted by certificate or address. */
  get isAdmitted(): boolean {
    return this.#early === undefined;
  }

  /** Delivers the buffered messages; later ones are delivered at once. */
  admit(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) this.#onNotification(this, message);
  }

  #deliver(message: UnsolicitedMessage): void {
    if (this.#early === undefined) return this.#onNotification(this, message);
    this.#earlyOctets += message.octets.length;
    if (this.#early.length >= MAX_EARLY.messages || this.#earlyOctets > MAX_EARLY.octets) return;
    const { apdu, address, octets } = message;
    this.#early.push({ ...message, apdu: apdu.slice(), address: address?.slice(), octets: octets.slice() });
  }

  /** Charges a frame that answers no request. Above the limit the socket is not read for a while; a connection not yet admitted is closed. */
  #charge(): void {
    const waitMs = this.#budget.charge();
    if (waitMs === 0 || this.#pauseTimer !== undefined) return;
    if (!this.isAdmitted) return this.close('unproved', 'Too many frames before the authentication');
    this.pause('frames');
    this.#pauseTimer = setTimeout(
      () => {
        this.#pauseTimer = undefined;
        this.resume('frames');
      },
      Math.max(SHORTEST_PAUSE_MS, waitMs),
    );
  }

  /** Refunds a charged frame whose sender was authenticated. */
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

  #handleEnd(reason: CloseReason, detail: string | null): void {
    if (this.closed !== undefined) return;
    this.closed = { ...(this.#closeReason ?? { reason, detail }), at: monotonicNow() };
    clearTimeout(this.#pauseTimer);
    this.links.close();
    this.channel.close(this.closed.reason);
    this.#onClosed(this);
  }

  close(reason: CloseReason, detail: string | null = null): void {
    this.#closeReason ??= { reason, detail };
    this.connection.close();
    this.#handleEnd(reason, detail);
  }

  /** Milliseconds since the last frame, measured by the monotonic clock. */
  get idleMs(): number {
    return msSince(this.#lastFrame);
  }

  /** Idle time in milliseconds after which the DCU counts as lost. */
  get maxIdleMs(): number {
    return this.endpoint.heartbeatS * 1000 * MISSED_HEARTBEATS;
  }
}
