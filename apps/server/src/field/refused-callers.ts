import type { Context } from '#db/context.ts';
import { LONG_AGO, monotonicNow, msSince } from '#platform/clock.ts';
import { insertRejectedConnection, MAX_PARKED, recordUnregisteredDcu, type RejectedConnection } from './queries.ts';

const MINUTE_MS = 60_000;

/** Limits of rows that callers can cause without authentication. */
export interface RefusalLimits {
  /** Rows per minute; further callers are not recorded. */
  perMinute: number;
  /** Callers in the list of unregistered ones, above which no further one is added. */
  listed: number;
}

/** A device dials in and completes a handshake of TCP, so that its address is its own. */
export const TCP_REFUSALS: RefusalLimits = { perMinute: 120, listed: MAX_PARKED };
/** The sender of a datagram may be invented, so that datagrams fill a small part of the list only. */
export const UDP_REFUSALS: RefusalLimits = { perMinute: 20, listed: 1_000 };

type Tools = Pick<Context, 'pool' | 'log'>;

/** Records callers that are not admitted, for operators, within limits of rows. */
export class RefusedCallers {
  readonly #tools: Tools;
  readonly #limits: RefusalLimits;
  #rows = { since: LONG_AGO, count: 0 };

  constructor(tools: Tools, limits: RefusalLimits) {
    this.#tools = tools;
    this.#limits = limits;
  }

  /** Counts a row; returns false above the limit of rows per minute. */
  #mayRecord(): boolean {
    if (msSince(this.#rows.since) >= MINUTE_MS) this.#rows = { since: monotonicNow(), count: 0 };
    return ++this.#rows.count <= this.#limits.perMinute;
  }

  /** Records a refused connection; returns false above the limit of rows per minute. */
  recordConnection(refused: Omit<RejectedConnection, 'dcuId' | 'direction'>): boolean {
    if (!this.#mayRecord()) return false;
    this.#tools.log.debug('A connection was refused', { remote: refused.remote, reason: refused.reason, detail: refused.detail });
    insertRejectedConnection(this.#tools.pool, { dcuId: null, direction: 'dial_in', ...refused }).catch((error: unknown) =>
      this.#tools.log.warn('A refused connection could not be recorded', { error }),
    );
    return true;
  }

  /** Lists an unregistered caller whose connection was recorded. */
  list(caller: UnregisteredCaller): Promise<void> {
    return recordUnregisteredDcu(this.#tools.pool, caller, this.#limits.listed);
  }

  /** Lists the sender of a datagram, within the limit of rows per minute. */
  async listSender(caller: UnregisteredCaller): Promise<void> {
    if (this.#mayRecord()) await this.list(caller);
  }
}

interface UnregisteredCaller {
  name: string;
  remote: string;
  systemTitle: Uint8Array | undefined;
}
