import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { Outcome } from '@hes/contract/core/outcome.ts';
import { FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import { hasMutualProof } from '@hes/contract/asset/spoken.ts';
import { hostOf, isInRanges } from '#platform/address-ranges.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { CountedLog } from '#platform/counted-log.ts';
import type { Context } from '#db/context.ts';
import type { Devices } from './devices.ts';
import type { FieldEvents } from './field-events.ts';
import type { IdentificationBackoff } from './identification-backoff.ts';
import { insertRejectedConnection, type EndpointRow } from './queries.ts';
import type { EndpointSession } from './endpoint-session.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { Trace } from './trace.ts';

/** Time limit of the association after the identification. */
const AUTHENTICATION_MS = 15_000;
/** Concurrent associations under one name, per host and in total; further connections are closed. */
const MAX_AT_ONCE = { perHost: 4, perName: 64 };
/** At most one event per DCU in this time, with the number of refused connections since the previous one. */
const EVENT_EVERY_MS = 3_600_000;
const MAX_KEPT = 50_000;

/** Identity claimed by a connection before the lookup of its DCU. */
export interface Caller {
  /** Undefined: the caller did not say it. */
  systemTitle: Uint8Array | undefined;
  address: string;
  /** Serial numbers in the subject of its TLS client certificate; undefined: no TLS. */
  certified: readonly string[] | undefined;
}

export interface Authentication {
  outcome: Outcome<void>;
  trace: Trace;
}

interface Tools {
  ctx: Pick<Context, 'pool'>;
  log: CountedLog;
  sessions: SessionRegistry;
  devices: Devices;
  fieldEvents: FieldEvents;
  backoff: IdentificationBackoff;
  /** Opens an association with the connected device and compares its name. */
  authenticate(session: EndpointSession): Promise<Authentication>;
  keepTrace(trace: Trace): void;
}

/**
 * Admits connections that dial in. A device with keys is admitted when the connection has completed an HLS association and answered with the
 * device's name; one without keys by the subject of its client certificate or by its address. Until then it is not online and gets no work.
 */
export class Admission {
  readonly #tools: Tools;
  readonly #authenticating = new Map<string, number>();
  readonly #pending = new Set<EndpointSession>();
  #isStopped = false;
  readonly #unreported = new BoundedCache<string, { count: number; since: MonotonicMs }>(MAX_KEPT);

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async receive(session: EndpointSession, caller: Caller): Promise<void> {
    if (this.#isStopped) return session.close('server_stopped');
    this.#pending.add(session);
    try {
      await this.#admitOrRefuse(session, caller);
    } finally {
      this.#pending.delete(session);
    }
  }

  /** Ends the connections that have not been admitted yet. */
  stop(): void {
    this.#isStopped = true;
    for (const session of this.#pending) session.close('server_stopped');
  }

  async #admitOrRefuse(session: EndpointSession, caller: Caller): Promise<void> {
    const { endpoint } = session;
    const contradiction = findContradiction(endpoint, caller);
    if (contradiction !== undefined) return this.#refuse(session, caller, contradiction);
    const hasKeys = 'mechanism' in (await this.#tools.devices.loadEndpoint(endpoint)).access;
    if (hasKeys && hasMutualProof(endpoint.authenticationType)) return this.#authenticateByKeys(session, caller);
    if (caller.certified === undefined && !isInRanges(caller.address, endpoint.allowedAddresses))
      return this.#refuse(session, caller, 'No keys, no client certificate, and no allowed address');
    this.#tools.backoff.recordSuccess(endpoint.sn, caller.address);
    await this.#tools.sessions.adopt(session);
  }

  async #authenticateByKeys(session: EndpointSession, caller: Caller): Promise<void> {
    const { endpoint } = session;
    const release = this.#reserve(endpoint.sn, hostOf(caller.address));
    // The genuine DCU may be among these connections, so its name is not delayed.
    if (release === undefined) return session.close('unproved', 'Too many connections under this name');
    const timer = setTimeout(() => session.close('unproved', 'No authentication in time'), AUTHENTICATION_MS);
    try {
      const { outcome, trace } = await this.#tools.authenticate(session);
      if (!outcome.ok) return await this.#refuse(session, caller, `${outcome.reason} ${outcome.detail ?? ''}`.trim(), trace);
      this.#tools.backoff.recordSuccess(endpoint.sn, caller.address);
      await this.#tools.sessions.adopt(session);
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  /** Reserves a slot for an association; undefined: the limit is reached. */
  #reserve(name: string, host: string): (() => void) | undefined {
    const slots = [
      { key: name, limit: MAX_AT_ONCE.perName },
      { key: `${host}/${name}`, limit: MAX_AT_ONCE.perHost },
    ];
    if (slots.some(({ key, limit }) => (this.#authenticating.get(key) ?? 0) >= limit)) return undefined;
    for (const { key } of slots) this.#authenticating.set(key, (this.#authenticating.get(key) ?? 0) + 1);
    return () => {
      for (const { key } of slots) {
        const left = (this.#authenticating.get(key) ?? 1) - 1;
        if (left === 0) this.#authenticating.delete(key);
        else this.#authenticating.set(key, left);
      }
    };
  }

  async #refuse(session: EndpointSession, { address }: Caller, detail: string, trace?: Trace): Promise<void> {
    const { backoff, log } = this.#tools;
    const { endpoint, connection } = session;
    if (this.#isStopped) return;
    backoff.recordFailure(endpoint.sn, address);
    session.close('unproved', detail);
    log.warn('A connection was not authenticated as its DCU', { dcuSn: endpoint.sn, remote: connection.remote, detail }, endpoint.sn);
    const attempts = this.#attemptsToReport(endpoint.id);
    if (attempts === undefined) return;
    if (trace !== undefined) this.#tools.keepTrace(trace);
    await this.#report(session, { detail, attempts, traceId: trace?.id ?? null });
  }

  /** Counts a refused connection; returns the number to report when an event is due. */
  #attemptsToReport(dcuId: string): number | undefined {
    const known = this.#unreported.get(dcuId);
    if (known !== undefined && msSince(known.since) < EVENT_EVERY_MS) {
      known.count++;
      return undefined;
    }
    this.#unreported.set(dcuId, { count: 0, since: monotonicNow() });
    return (known?.count ?? 0) + 1;
  }

  async #report(
    session: EndpointSession,
    { detail, attempts, traceId }: { detail: string; attempts: number; traceId: string | null },
  ): Promise<void> {
    const { ctx, fieldEvents } = this.#tools;
    const { endpoint, connection, direction, opened } = session;
    const device =
      endpoint.meterId === null
        ? { kind: 'dcu' as const, id: endpoint.id, sn: endpoint.sn }
        : { kind: 'meter' as const, id: endpoint.meterId, sn: endpoint.sn };
    const lines = [stateLine('proof', endpoint.sn, `${connection.remote.replaceAll(':', '.')}, ${detail}, ×${attempts}`)];
    await fieldEvents.raise({ device, dcuId: endpoint.id, traceId, code: FIELD_EVENT.notProved, lines });
    await insertRejectedConnection(ctx.pool, {
      dcuId: null,
      claimedName: endpoint.sn,
      direction,
      remote: connection.remote,
      openMs: msSince(opened),
      reason: 'unproved',
      detail,
      bytesIn: connection.bytesIn,
      bytesOut: connection.bytesOut,
    });
  }
}

/** Contradiction between the claimed identity and the archive; undefined: none. */
export function findContradiction({ sn, systemTitle }: EndpointRow, caller: Caller): string | undefined {
  if (systemTitle !== null && caller.systemTitle !== undefined && Buffer.compare(systemTitle, caller.systemTitle) !== 0)
    return `System title ${Buffer.from(caller.systemTitle).toString('hex').toUpperCase()} is not that of the archive`;
  if (caller.certified !== undefined && !caller.certified.includes(sn))
    return `The client certificate is of ${caller.certified.join(', ') || 'no DCU'}`;
  return undefined;
}
