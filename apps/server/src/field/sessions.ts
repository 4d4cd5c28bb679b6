import { monotonicNow, msBetween, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import type { Presence } from './presence.ts';
import { beginRun, closeSessionRow, endUnknown, extendRun, openSessionRow } from './queries.ts';
import type { Session } from './session.ts';

const WATCH_EVERY_MS = 5_000;
/** A look that comes later than this after the one before: the process stood still. */
const STALLED_MS = 2 * WATCH_EVERY_MS;

/** Who is connected: one session per DCU, its row in the database, and what consoles are told about it. */
export class Sessions {
  readonly #ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;
  readonly #presence: Presence;
  readonly #byDcu = new Map<string, Session>();
  readonly #listeners = new Set<(dcuId: string) => void>();
  readonly #writes = new Set<Promise<void>>();
  #watch: NodeJS.Timeout | undefined;
  #looked = monotonicNow();
  #extendRun: () => Promise<void> = () => Promise.resolve();
  /** Asks a DCU that does not speak by itself whether it is still there. */
  askSilent: (session: Session) => void = () => undefined;

  constructor(ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>, presence: Presence) {
    this.#ctx = ctx;
    this.#presence = presence;
  }

  async start(): Promise<void> {
    const run = await beginRun(this.#ctx.pool);
    const started = this.#ctx.clock.monotonic();
    const report = (error: unknown) => this.#ctx.log.warn('The run of the head-end could not be recorded', { error });
    this.#extendRun = () => extendRun(this.#ctx.pool, run).catch(report);
    this.#watch = setInterval(() => {
      this.#closeSilent();
      void this.#extendRun();
      void this.#endUnknown(started).catch(report);
    }, WATCH_EVERY_MS);
  }

  get(dcuId: string): Session | undefined {
    return this.#byDcu.get(dcuId);
  }

  get size(): number {
    return this.#byDcu.size;
  }

  /** Told whenever a DCU becomes reachable. Returns the way to stop listening. */
  onReachable(listener: (dcuId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  heard(session: Session): void {
    this.#presence.dcuHeard(session.dcu.id, session.lastHeardAt);
  }

  /** Takes a session whose DCU is proved or vouched for; the one before it, if any, is over. */
  async adopt(session: Session): Promise<void> {
    const { dcu } = session;
    this.#byDcu.get(dcu.id)?.close('replaced');
    this.#byDcu.set(dcu.id, session);
    session.rowId = await openSessionRow(this.#ctx.pool, {
      dcuId: dcu.id,
      claimedName: dcu.sn,
      direction: session.direction,
      remote: session.connection.remote,
      openMs: msSince(session.opened),
    });
    // It may have ended while its row was being written.
    if (session.closed !== undefined) return this.#writeEnd(session);
    this.#ctx.log.info('A DCU is connected', { dcuSn: dcu.sn, direction: session.direction, remote: session.connection.remote });
    this.#tell(dcu, 'online', session.lastHeardAt);
    session.admit();
    for (const listener of this.#listeners) listener(dcu.id);
  }

  /** Called once when a session's connection has ended. */
  ended(session: Session): void {
    const current = this.#byDcu.get(session.dcu.id) === session;
    if (current) this.#byDcu.delete(session.dcu.id);
    if (session.rowId === null) return;
    this.#ctx.log.info('A DCU left', { dcuSn: session.dcu.sn, ...session.closed });
    const write = this.#writeEnd(session).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    // A head-end that stops says nothing about its DCUs: consoles keep what they show as last known.
    if (current && session.closed?.reason !== 'server_stopped') this.#tell(session.dcu, 'offline', session.lastHeardAt);
  }

  async #writeEnd(session: Session): Promise<void> {
    const { rowId, closed, connection, dcu } = session;
    if (rowId === null || closed === undefined) return;
    try {
      await closeSessionRow(this.#ctx.pool, {
        id: rowId,
        dcuId: dcu.id,
        reason: closed.reason,
        detail: closed.detail,
        bytesIn: connection.bytesIn,
        bytesOut: connection.bytesOut,
        onlineStatus: this.#byDcu.has(dcu.id) ? null : closed.reason === 'server_stopped' ? 'unknown' : 'offline',
      });
    } catch (error) {
      // The next start closes what is left open.
      this.#ctx.log.warn('The end of a session could not be written', { error, dcuSn: dcu.sn });
    }
  }

  #tell({ id, sn }: { id: string; sn: string }, onlineStatus: 'online' | 'offline', heardAt: number | null): void {
    const lastCommAt = heardAt === null ? null : new Date(heardAt).toISOString();
    const ts = new Date(this.#ctx.clock.now()).toISOString();
    this.#ctx.bus.publish('dcu', { type: 'dcu.status', ts, id, data: { sn, onlineStatus, lastCommAt } });
  }

  async #endUnknown(started: MonotonicMs): Promise<void> {
    const ended = await endUnknown(this.#ctx.pool, Math.round(msBetween(started, this.#ctx.clock.monotonic())));
    for (const dcu of ended) this.#tell(dcu, 'offline', dcu.lastCommAt?.getTime() ?? null);
  }

  #closeSilent(): void {
    const sinceLookMs = msSince(this.#looked);
    this.#looked = monotonicNow();
    // Heartbeats of that time still wait in the sockets, and timers are served before them.
    if (sinceLookMs > STALLED_MS) return;
    for (const session of this.#byDcu.values()) {
      const { silentMs } = session;
      if (silentMs > session.patienceMs) session.close('heartbeat_lost');
      else if (session.direction === 'dial_out' && silentMs > session.dcu.heartbeatS * 1000) this.askSilent(session);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch);
    for (const session of this.#byDcu.values()) session.close('server_stopped');
    await Promise.all(this.#writes);
    await this.#extendRun();
  }
}
