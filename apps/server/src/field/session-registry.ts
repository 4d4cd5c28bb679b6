import type { CloseReason } from '@hes/contract/states/device.ts';
import { commitChanges, endpointMoved } from '#db/changes.ts';
import { monotonicNow, msSince } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import type { DeviceStateWriter } from './device-state-writer.ts';
import type { Epoch } from '#nodes/epoch.ts';
import type { Node } from '#nodes/node.ts';
import { closeSessionRow, endUnknown, findMovedEndpoints, openSessionRow, type EndpointRow } from './queries.ts';
import type { EndpointSession } from './endpoint-session.ts';

const CHECK_EVERY_MS = 5_000;
/** A longer interval between two checks means that the process was suspended. */
const STALLED_MS = 2 * CHECK_EVERY_MS;

/** The sessions of connected DCUs and direct meters, one per device. Maintains their rows in the database and publishes the status of DCUs to consoles. */
export class SessionRegistry {
  readonly #ctx: Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log'>;
  readonly #node: Node;
  readonly #deviceState: DeviceStateWriter;
  readonly #byEndpoint = new Map<string, EndpointSession>();
  readonly #listeners = new Set<(endpointId: string) => void>();
  readonly #writes = new Set<Promise<void>>();
  /** Ended sessions whose row could not be written yet: until then the database shows their DCU as online. */
  readonly #unwrittenEnds = new Set<EndpointSession>();
  #retrying: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: () => void = () => undefined;
  #checkedAt = monotonicNow();
  /** Probes a dialled DCU, because such a DCU sends no heartbeats. */
  probeIdle: (session: EndpointSession) => void = () => undefined;

  /** Updates the memory of a device that another node had before. */
  prepareForMove: (endpoint: EndpointRow) => Promise<void> = () => Promise.resolve();

  constructor(ctx: Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log'>, node: Node, deviceState: DeviceStateWriter) {
    this.#ctx = ctx;
    this.#node = node;
    this.#deviceState = deviceState;
  }

  start(): void {
    const report = (error: unknown) => this.#ctx.log.warn('The state of connections could not be written', { error });
    this.#timer = setInterval(() => {
      this.#checkIdleSessions();
      void this.#endUnknown().catch(report);
      void this.#closeMoved().catch(report);
      void this.#writeMissedEnds();
    }, CHECK_EVERY_MS);
    this.#node.onLoss(() => this.#closeAll('server_stopped'));
    this.#stopListening = this.#ctx.bus.subscribe(({ message, isRemote }) => {
      if (isRemote && message.type === 'endpoint.moved') this.#closeOlder(message.id, message.data.sessionId);
    });
  }

  /** Closes the connection to a device that has connected to another node since. */
  #closeOlder(endpointId: string, sessionId: string): void {
    const session = this.#byEndpoint.get(endpointId);
    if (session?.rowId != null && BigInt(session.rowId) < BigInt(sessionId)) session.close('replaced');
  }

  get(endpointId: string): EndpointSession | undefined {
    return this.#byEndpoint.get(endpointId);
  }

  /** Ids of the connected endpoints of these direct meters, which may have been deleted. */
  endpointsOf(meterIds: readonly string[]): string[] {
    const wanted = new Set(meterIds);
    return [...this.#byEndpoint.values()].flatMap(({ endpoint }) =>
      endpoint.meterId !== null && wanted.has(endpoint.meterId) ? [endpoint.id] : [],
    );
  }

  /** Proof that this node holds the connection; undefined: it has none. */
  epochOf(endpointId: string): Epoch | undefined {
    return this.#byEndpoint.get(endpointId)?.rowId ?? undefined;
  }

  get size(): number {
    return this.#byEndpoint.size;
  }

  /** Calls the listener whenever a DCU becomes reachable. Returns a function that removes the listener. */
  onReachable(listener: (endpointId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  recordContact(session: EndpointSession): void {
    this.#deviceState.recordDcuContact(session.endpoint.id, session.lastHeardAt);
  }

  /** Registers the session of an admitted DCU and closes its former session. */
  async adopt(session: EndpointSession): Promise<void> {
    const { endpoint } = session;
    this.#byEndpoint.get(endpoint.id)?.close('replaced');
    this.#byEndpoint.set(endpoint.id, session);
    await this.prepareForMove(endpoint);
    session.rowId = await openSessionRow(this.#ctx.pool, {
      dcuId: endpoint.id,
      claimedName: endpoint.sn,
      direction: session.direction,
      remote: session.connection.remote,
      openMs: msSince(session.opened),
      nodeId: this.#node.id,
    });
    await this.#announceMove(endpoint, session.rowId);
    // The connection may have ended while the row was being inserted.
    if (session.closed !== undefined) return this.#closeRow(session);
    this.#ctx.log.info('A device is connected', { sn: endpoint.sn, direction: session.direction, remote: session.connection.remote });
    if (endpoint.meterId === null) this.#publishStatus(endpoint, 'online', session.lastHeardAt);
    session.admit();
    for (const listener of this.#listeners) listener(endpoint.id);
  }

  /** Tells the former holder of a device that it has lost it. Without the message it would notice within some seconds. */
  async #announceMove({ id, nodeId }: EndpointRow, sessionId: string): Promise<void> {
    if (nodeId === null || nodeId === this.#node.id || !this.#node.alive.includes(nodeId)) return;
    await commitChanges(
      this.#ctx,
      () => Promise.resolve(),
      () => [endpointMoved(id, sessionId)],
    ).catch((error: unknown) => this.#ctx.log.warn('The former holder of a device could not be told', { error, id }));
  }

  /** Removes a session; called once after its connection has ended. */
  remove(session: EndpointSession): void {
    const current = this.#byEndpoint.get(session.endpoint.id) === session;
    if (current) this.#byEndpoint.delete(session.endpoint.id);
    if (session.rowId === null) return;
    const { reason, detail } = session.closed ?? {};
    this.#ctx.log.info('A device is disconnected', { sn: session.endpoint.sn, reason, detail });
    const write = this.#closeRow(session).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  async #closeRow(session: EndpointSession): Promise<void> {
    const { rowId, closed, connection, endpoint } = session;
    if (rowId === null || closed === undefined) return;
    try {
      const wasLast = await closeSessionRow(this.#ctx.pool, {
        id: rowId,
        dcuId: endpoint.id,
        reason: closed.reason,
        detail: closed.detail,
        bytesIn: connection.bytesIn,
        bytesOut: connection.bytesOut,
        closedForMs: Math.round(msSince(closed.at)),
        onlineStatus: this.#byEndpoint.has(endpoint.id) ? null : isOurDoing(closed.reason) ? 'unknown' : 'offline',
      });
      this.#unwrittenEnds.delete(session);
      // A head-end that ends a connection itself publishes no status, so consoles keep the last known one. A device that has connected again is online.
      const isGone = wasLast && !isOurDoing(closed.reason) && !this.#byEndpoint.has(endpoint.id);
      if (isGone && endpoint.meterId === null) this.#publishStatus(endpoint, 'offline', session.lastHeardAt);
    } catch (error) {
      if (!this.#unwrittenEnds.has(session))
        this.#ctx.log.warn('The end of a session could not be written; the write is retried', { error, dcuSn: endpoint.sn });
      this.#unwrittenEnds.add(session);
    }
  }

  /** Repeats the writes that failed, one after the other. */
  #writeMissedEnds(): Promise<void> {
    const writeAll = async () => {
      for (const session of this.#unwrittenEnds) await this.#closeRow(session);
    };
    return (this.#retrying ??= writeAll().finally(() => (this.#retrying = undefined)));
  }

  #publishStatus({ id, sn }: { id: string; sn: string }, onlineStatus: 'online' | 'offline', heardAt: number | null): void {
    const lastCommAt = heardAt === null ? null : new Date(heardAt).toISOString();
    const ts = new Date(this.#ctx.clock.now()).toISOString();
    this.#ctx.bus.publish('dcu', { type: 'dcu.status', ts, id, data: { sn, onlineStatus, lastCommAt } });
  }

  async #endUnknown(): Promise<void> {
    const { alive, msSinceDeath } = this.#node;
    const ended = await endUnknown(this.#ctx.pool, Math.round(msSinceDeath), alive);
    for (const dcu of ended.filter(({ isDcu }) => isDcu)) this.#publishStatus(dcu, 'offline', dcu.lastCommAt?.getTime() ?? null);
  }

  /** Closes sessions of devices that have connected to another node since. Usually the bus says so earlier. */
  async #closeMoved(): Promise<void> {
    if (!this.#node.hasMetOthers || this.#byEndpoint.size === 0) return;
    const held = [...this.#byEndpoint.values()].flatMap(({ endpoint: { id }, rowId }) => (rowId === null ? [] : { id, epoch: rowId }));
    for (const { id, epoch } of await findMovedEndpoints(this.#ctx.pool, held)) {
      const session = this.#byEndpoint.get(id);
      // The device may have connected to this node again meanwhile.
      if (session?.rowId === epoch) session.close('replaced');
    }
  }

  #checkIdleSessions(): void {
    const intervalMs = msSince(this.#checkedAt);
    this.#checkedAt = monotonicNow();
    // After a suspension the heartbeats are still unread in the sockets, because timers run first.
    if (intervalMs > STALLED_MS) return;
    for (const session of this.#byEndpoint.values()) {
      const { idleMs } = session;
      if (idleMs > session.maxIdleMs) session.close('heartbeat_lost');
      else if (session.direction === 'dial_out' && idleMs > session.endpoint.heartbeatS * 1000) this.probeIdle(session);
    }
  }

  /** Ids of the connected devices. */
  get ids(): string[] {
    return [...this.#byEndpoint.keys()];
  }

  /** Closes the connection of a device, which then connects to another node. */
  handOver(endpointId: string): void {
    this.#byEndpoint.get(endpointId)?.close('handed_over');
  }

  /** Resolves when the ends of all closed sessions are written. */
  async settle(): Promise<void> {
    await Promise.all(this.#writes);
    await this.#writeMissedEnds();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening();
    this.#closeAll('server_stopped');
    await this.settle();
  }

  #closeAll(reason: CloseReason): void {
    for (const session of this.#byEndpoint.values()) session.close(reason);
  }
}

/** Whether the head-end ended the connection: the device is neither connected nor offline, as far as it knows. */
const isOurDoing = (reason: CloseReason): boolean => reason === 'server_stopped' || reason === 'handed_over';
