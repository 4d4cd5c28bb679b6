import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeAnnouncement, encodeToAnnouncer, type Announcement } from '@hes/dlms/framing/announcement.ts';
import type { Context } from '#db/context.ts';
import { hostOf, plainAddress } from '#platform/address-ranges.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { isCipheredTag } from '@hes/dlms/xdlms/ciphered.ts';
import type { UnsolicitedMessage } from './channel.ts';
import { findClaimed } from './find-claimed.ts';
import { FrameBudget } from './frame-budget.ts';
import { claimOf, nameOf, type Claim } from './identification.ts';
import type { PushSource } from './push-source.ts';
import type { EndpointRow } from './queries.ts';
import { RefusedCallers, UDP_REFUSALS } from './refused-callers.ts';
import { RequestBatcher } from './request-batcher.ts';

/** Datagrams without proof that are examined: per host, and of all hosts. Sources can be invented, so that the second limit decides. */
const HOST_RATE = { burst: 300, perSecond: 100 };
const TOTAL_RATE = { burst: 1_000, perSecond: 250 };
const MAX_HOSTS = 10_000;
/** Larger datagrams would be fragments of IP, which mobile networks drop. */
const MAX_DATAGRAM = 8 * 1024;
/** Pushes processed at a time; further datagrams are dropped, as by a full buffer. */
const MAX_IN_FLIGHT = 256;
/** Joins the lookups of meters that push at the same minute. */
const LOOKUP_BATCH = { waitMs: 2, maxItems: 200 };

type Tools = Pick<Context, 'pool' | 'clock' | 'log'>;

export interface PushPortOptions {
  /** Processes a push of a direct meter, which has to authenticate itself. */
  onPush(source: PushSource, message: UnsolicitedMessage): void;
  /** Number of pushes that are being processed. */
  inFlight(): number;
}

/**
 * Receives pushes of direct meters in datagrams, in wrapper, HDLC or M-Bus frames. A datagram carries one whole message. Its source proves
 * nothing, so that a push counts by its own protection only, and nothing is sent to a sender that is not authenticated.
 */
export class PushPort {
  readonly #log: CountedLog;
  readonly #tools: Tools;
  readonly #options: PushPortOptions;
  readonly #refused: RefusedCallers;
  readonly #total = new FrameBudget(TOTAL_RATE);
  readonly #hosts = new BoundedCache<string, FrameBudget>(MAX_HOSTS);
  readonly #lookup: RequestBatcher<Claim, EndpointRow | undefined>;
  #socket: Socket | undefined;

  constructor(tools: Tools, options: PushPortOptions) {
    this.#tools = tools;
    this.#log = new CountedLog(tools.log, tools.clock);
    this.#options = options;
    this.#refused = new RefusedCallers(tools, UDP_REFUSALS);
    this.#lookup = new RequestBatcher((claims) => findClaimed(tools.pool, claims), LOOKUP_BATCH);
  }

  /** Resolves with the bound port. */
  listen(port: number, host: string): Promise<number> {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, host, () => {
        socket.off('error', reject);
        socket.on('error', (error) => this.#tools.log.error('The DLMS port for datagrams failed', { error }));
        socket.on('message', (octets, sender) => this.#receive(octets, sender));
        resolve(socket.address().port);
      });
    });
  }

  #receive(octets: Buffer, sender: RemoteInfo): void {
    const address = plainAddress(sender.address);
    const host = this.#budgetOf(hostOf(address));
    if (host.charge() > 0 || this.#total.charge() > 0) return this.#drop('Too many datagrams', address);
    if (octets.length > MAX_DATAGRAM) return this.#drop('A datagram is too long', address);
    if (this.#options.inFlight() >= MAX_IN_FLIGHT) return this.#drop('Too many pushes are processed', address);
    const found = announcementIn(octets);
    const claim = found && claimOf(found.apdu);
    if (found === undefined || claim === undefined) return this.#drop('A datagram is no push with a name', address);
    const remote = `${address}:${sender.port}`;
    this.#identify({ found, claim, remote, sender, host }).catch((error: unknown) =>
      // The database is unavailable; the meter pushes again.
      this.#log.warn('The sender of a datagram could not be identified', { error }),
    );
  }

  #budgetOf(host: string): FrameBudget {
    const known = this.#hosts.get(host) ?? new FrameBudget(HOST_RATE);
    this.#hosts.set(host, known);
    return known;
  }

  #drop(why: string, address: string): void {
    this.#log.info(`${why}; it is dropped`, { address });
  }

  async #identify({ found, claim, remote, sender, host }: Sent): Promise<void> {
    const endpoint = await this.#lookup.load(claim);
    if (endpoint === undefined) return this.#refused.listSender({ name: nameOf(claim), remote, systemTitle: claim.systemTitle });
    // Pushes of DCUs are counted by connection, and a datagram has none. A plain push proves nothing.
    if (endpoint.meterId === null || !isCipheredTag(found.apdu[0] ?? 0))
      return this.#log.info('A datagram is no protected push of a direct meter; it is dropped', { sn: endpoint.sn }, endpoint.sn);
    const { apdu, source, destination, octets } = found;
    this.#options.onPush(this.#sourceOf(endpoint, found, sender, host), { apdu, address: undefined, source, destination, octets });
  }

  #sourceOf(endpoint: EndpointRow, { framing }: Announcement, { address, port }: RemoteInfo, host: FrameBudget): PushSource {
    const isClosed = () => this.#socket === undefined;
    return {
      endpoint,
      rowId: null,
      pushCounter: -1,
      connection: {
        get closed() {
          return isClosed();
        },
        reply: (to, apdu, report) => {
          const octets = encodeToAnnouncer(framing, to, apdu);
          if (octets === undefined) return;
          report?.(octets, 'down', true);
          this.#socket?.send(octets, port, address, () => undefined);
        },
      },
      refund: () => {
        host.refund();
        this.#total.refund();
      },
      // The next datagrams come from other sources: `inFlight` limits them.
      pause: () => undefined,
      resume: () => undefined,
    };
  }

  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }
}

interface Sent {
  found: Announcement;
  claim: Claim;
  remote: string;
  sender: RemoteInfo;
  /** Budget of the host from which it came. */
  host: FrameBudget;
}

/** The message in a datagram; undefined for anything else, which any host may send. */
function announcementIn(octets: Buffer): Announcement | undefined {
  try {
    // A plain array: `Buffer.slice` shares memory, `Uint8Array.slice` copies.
    return decodeAnnouncement(new Uint8Array(octets.buffer, octets.byteOffset, octets.length));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
