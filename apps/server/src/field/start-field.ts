import { randomUUID } from 'node:crypto';
import type { Outcome } from '@hes/contract/core/outcome.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { DlmsFrame } from '@hes/dlms-node/framing.ts';
import type { Context } from '#db/context.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { changeLine, FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import type { Operations, Reach } from '#tasks/operation.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import type { ReadingStore } from '#storage/reading-store.ts';
import { StoreThread } from '#storage/thread/store-thread.ts';
import { Node, type NodeOptions } from '#nodes/node.ts';
import { Admission, findContradiction, type Authentication } from './admission.ts';
import { askName } from './ask-name.ts';
import { findAnchors, type AnchorQuery } from './anchor-queries.ts';
import { RequestBatcher } from './request-batcher.ts';
import { Counters } from './counters.ts';
import { checkDcuName, checkIdentity } from './device-name.ts';
import { Devices } from './devices.ts';
import type { DialRules } from './dial-guard.ts';
import { Dialler } from './dialler.ts';
import type { DlmsTls } from './dlms-tls.ts';
import type { LinkTools } from './link.ts';
import { FieldEvents } from './field-events.ts';
import { IdentificationBackoff } from './identification-backoff.ts';
import { FrameCapture } from './frame-capture.ts';
import { followChanges } from './follow-changes.ts';
import { watchLinks } from './link-watch.ts';
import { DEFAULT_LIMITS, Listener, type ListenerLimits } from './listener.ts';
import type { OperationTools } from './operations/operation-tools.ts';
import type { TimeoutLimits } from './response-timeout.ts';
import { PushHandler } from './push-handler.ts';
import { isPushLine, PushLines } from './push-lines.ts';
import { PushPort } from './push-port.ts';
import { PushSenders } from './push-senders.ts';
import { DeviceStateWriter } from './device-state-writer.ts';
import { findMeterIdsOf, type EndpointRow } from './queries.ts';
import { RefusedCallers, TCP_REFUSALS } from './refused-callers.ts';
import type { UnsolicitedMessage } from './channel.ts';
import { EndpointSession } from './endpoint-session.ts';
import { SessionRegistry } from './session-registry.ts';
import { shortNamesOf } from './short-names.ts';
import { SetAside } from './set-aside.ts';
import { Trace } from './trace.ts';
import { IdentityDoubts } from './identity-doubts.ts';
import { addressOf, isLoopback } from '#platform/address.ts';
import { clientTitleOf } from '#platform/client-title.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';

/** Joins the queries of reads that begin at about the same time. */
const ANCHOR_BATCH = { waitMs: 2, maxItems: 200 };

/** Creates the operations of the features; the field engine itself imports no feature. */
export type FieldFeatures = (tools: OperationTools) => {
  operations: Operations;
  /** Periodic jobs that run as long as the engine. */
  watches: { start(): void; stop(): Promise<void> }[];
};

export interface FieldOptions {
  features: FieldFeatures;
  /** Port on which DCUs dial in; 0: any free port. */
  dlmsPort: number;
  host: string;
  /** Port for pushes in datagrams; 0: any free port. Undefined: none. */
  udpPort?: number | undefined;
  timeoutLimits?: TimeoutLimits;
  limits?: Partial<ListenerLimits>;
  tls?: DlmsTls | undefined;
  /** Addresses of proxies that tell the addresses of devices in PROXY headers. Default: none. */
  proxies?: readonly string[];
  /** Connections on which a password of low-level security may be sent without TLS. Default: those to devices on this machine. */
  plainPasswords?: 'everywhere' | 'this_machine' | 'nowhere';
  /** Percentage of dialogues of successful collection whose frames are kept. Default: 100. */
  traceSharePercent?: number;
  /** Default: addresses of this machine are refused. */
  dialRules?: DialRules;
  /** Default: a name of its own, which no earlier run had. */
  node?: NodeOptions;
}

function mayShowPassword(
  { isEncrypted, remote }: Pick<DlmsConnection, 'isEncrypted' | 'remote'>,
  plain: FieldOptions['plainPasswords'] = 'this_machine',
): boolean {
  if (isEncrypted || plain === 'everywhere') return true;
  const host = addressOf(remote.slice(0, remote.lastIndexOf(':')));
  return plain === 'this_machine' && host !== undefined && isLoopback(host);
}

const STRICT_RULES: DialRules = { mayReachLocal: false, ownPorts: [], networks: [] };

/** The running field engine. */
export interface Field {
  node: Node;
  port: number;
  /** The DLMS port accepts connections. */
  readonly isListening: boolean;
  /** Closes the DLMS port and lines that only push; connected devices stay. */
  closePort(): void;
  /** Opens the DLMS port again, at the same number. */
  reopenPort(): Promise<void>;
  /** The connected devices, of which a node that drains hands over one after the other. */
  connected: Pick<SessionRegistry, 'ids' | 'handOver' | 'settle'>;
  /** Port for pushes in datagrams. */
  udpPort: number | undefined;
  operations: Operations;
  reach: Reach;
  /** Stores readings. */
  writer: ReadingStore;
  /** Stores events. */
  events: Pick<EventWriter, 'store'>;
  stop(): Promise<void>;
}

type FieldContext = Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log' | 'secrets' | 'settings'>;

/** Starts the field engine: listens, dials, registers sessions, and provides the operations that use them. */
export async function startField(context: FieldContext, options: FieldOptions): Promise<Field> {
  const ctx = { ...context, log: context.log.child({ part: 'field' }) };
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const store = new StoreThread(ctx);
  const traces = new FrameCapture(ctx, store, options.traceSharePercent);
  const events = new EventWriter(ctx);
  const deviceState = new DeviceStateWriter(ctx.pool, ctx.log);
  const devices = new Devices(ctx, deviceState);
  deviceState.onMetadataConflict = (ids) => devices.discardMetadata(ids);
  const { node: named = { name: randomUUID(), version: '' }, traceSharePercent = 100 } = options;
  const node = new Node(ctx, { ...named, traceShare: traceSharePercent });
  const sessions = new SessionRegistry(ctx, node, deviceState);
  const counters = new Counters(ctx.pool);
  const zone = new Zone(ctx.settings.timeZone);
  const anchors = new RequestBatcher((queries: AnchorQuery[]) => findAnchors(ctx.pool, queries, ctx.settings.timeZone), ANCHOR_BATCH);
  const fieldEvents = new FieldEvents(ctx, events);
  fieldEvents.onRaised = (traceId) => traces.keep(traceId);
  const identityDoubts = new IdentityDoubts(fieldEvents);
  const senders = new PushSenders(ctx.db, devices);
  const systemTitle = clientTitleOf(ctx.secrets);
  const pushes = new PushHandler({
    ctx,
    devices,
    senders,
    deviceState,
    traces,
    writer: store,
    events,
    zone,
    anchors,
    cipher: nodeCipher,
    systemTitle,
    onStored: ({ endpoint }) => {
      deviceState.recordDcuContact(endpoint.id, ctx.clock.now());
      // A meter that is dialled is awake for a moment after its push.
      dialler.wake(endpoint.id);
    },
  });
  const tools: Omit<LinkTools, 'channel' | 'mayShowPassword'> = {
    counters,
    deviceState,
    cipher: nodeCipher,
    systemTitle,
    now: () => ctx.clock.now(),
    shortNamesOf: (device) => shortNamesOf(devices, device),
    explainDoubt: (answer) => identityDoubts.explain(answer),
    onAuthenticated: (device) => identityDoubts.discardVerdict(device),
    async reportCounterJump(device, { from, to }, { traceId, isProved }) {
      const dcuId = 'dcuId' in device && typeof device.dcuId === 'string' ? device.dcuId : null;
      const lines = [
        changeLine('counter', device.sn, String(from), String(to)),
        stateLine('proof', device.sn, isProved ? 'OK' : 'AUTH_FAILED'),
      ];
      await fieldEvents.raiseHourly({ device, dcuId, traceId, code: FIELD_EVENT.counterJumped, lines });
    },
  };
  const onSession = {
    onHeard: (heard: EndpointSession) => sessions.recordContact(heard),
    onNotification: (from: EndpointSession, message: UnsolicitedMessage) => pushes.receive(from, message),
    onClosed: (ended: EndpointSession) => {
      sessions.remove(ended);
      pushes.removeSession(ended);
    },
  };
  const createSession = (
    endpoint: EndpointRow,
    connection: DlmsConnection,
    { direction, opened, push }: Pick<EndpointSession, 'direction' | 'opened'> & { push?: DlmsFrame | undefined },
  ) => {
    const session: EndpointSession = new EndpointSession({
      endpoint,
      direction,
      connection,
      opened,
      push,
      // Before admission, `Admission` itself reports a failed authentication.
      tools: {
        ...tools,
        mayShowPassword: mayShowPassword(connection, options.plainPasswords),
        explainDoubt: (answer) => (session.isAdmitted ? identityDoubts.explain(answer) : Promise.resolve(answer.outcome)),
      },
      timeoutLimits: options.timeoutLimits ?? {},
      ...onSession,
    });
    return session;
  };

  /** The memory of the node that had the device before is newer than that of this one, and its counters are higher. */
  sessions.prepareForMove = async (endpoint) => {
    const { id, lastNodeId } = endpoint;
    if (lastNodeId === null || !node.hasMet(lastNodeId)) return;
    const meterIds = await findMeterIdsOf(ctx.pool, id);
    devices.forget(meterIds);
    counters.forget([{ kind: 'dcu', id }, ...meterIds.map((meterId) => ({ kind: 'meter' as const, id: meterId }))]);
    await counters.beginSpan();
    endpoint.lastNodeId = node.id;
  };

  const authenticate = async (session: EndpointSession, lingers = true): Promise<Authentication> => {
    const { endpoint, rowId: sessionId } = session;
    await sessions.prepareForMove(endpoint);
    const trace = new Trace({ dcuId: endpoint.id, meterId: endpoint.meterId, sessionId }, ctx.clock.now());
    const device = await devices.loadEndpoint(endpoint);
    const checkName = device.kind === 'dcu' ? checkDcuName : checkIdentity;
    const outcome = await session.links.withLink(device, { priority: 'bulk', trace, lingers }, (link) => checkName(link, endpoint.sn));
    return { outcome, trace };
  };
  const probe = async (session: EndpointSession): Promise<Outcome<void>> => {
    const { outcome, trace } = await authenticate(session, false);
    trace.close(traces, { isRoutine: outcome.ok });
    return outcome;
  };

  const backoff = new IdentificationBackoff(ctx.clock);
  const log = new CountedLog(ctx.log, ctx.clock);
  const admission = new Admission({
    ctx,
    log,
    sessions,
    devices,
    fieldEvents,
    backoff,
    authenticate,
    keepTrace: (trace) => trace.close(traces),
  });
  const refused = new RefusedCallers(ctx, TCP_REFUSALS);
  const lines = new PushLines({
    refused,
    backoff,
    onMessage: (line, message) => pushes.receive(line, message),
    onClosed: (line) => pushes.removeSession(line),
    proofMs: limits.lineProofMs,
  });
  const listener = new Listener(ctx, {
    limits,
    refused,
    tls: options.tls,
    proxies: options.proxies ?? [],
    isDelayed: (name, address) => backoff.isDelayed(name, address),
    askName: (connection) => askName(connection, { ...tools, mayShowPassword: false }, options.timeoutLimits ?? {}),
    isPushLine,
    onIdentified: async (endpoint, connection, { opened, push, ...caller }) => {
      if (isPushLine(endpoint, connection, push) && findContradiction(endpoint, caller) === undefined)
        return lines.open(endpoint, connection, { push, address: caller.address, opened });
      await admission.receive(createSession(endpoint, connection, { direction: 'dial_in', opened, push }), caller);
    },
  });

  const dialler = new Dialler(ctx, {
    frameMs: limits.frameMs,
    rules: options.dialRules ?? STRICT_RULES,
    tls: options.tls?.mode === 'required' ? options.tls : undefined,
    isOnline: (dcuId) => sessions.get(dcuId) !== undefined,
    mayDial: ({ id, nodeId }) => !node.isDraining && node.mayServe(id, nodeId),
    onConnected: async (endpoint, connection, opened) => {
      const session = createSession(endpoint, connection, { direction: 'dial_out', opened });
      const probed = await probe(session);
      if (!probed.ok) {
        session.close('unreachable', `${probed.reason}: ${probed.detail ?? ''}`);
        return `${probed.reason}: ${probed.detail ?? ''}`;
      }
      await sessions.adopt(session);
      return true;
    },
  });

  // A dialled DCU sends no heartbeat, so it is probed at the heartbeat interval.
  sessions.probeIdle = (session) =>
    void probe(session).catch((error: unknown) =>
      ctx.log.error('The probe of a dialled DCU failed', { error, dcuSn: session.endpoint.sn }),
    );

  const stopFollowing = followChanges(ctx, { devices, senders, deviceState, sessions, dialler, backoff });
  const stopWatchingLinks = watchLinks(ctx, events);
  await node.start();
  sessions.start();
  // Its dial-out devices are ours now, or the work that waited for it.
  const stopFollowingDeaths = node.onDeath(
    () => void dialler.dialDue().catch((error: unknown) => ctx.log.warn('The devices of a dead node could not be dialled', { error })),
  );
  const port = await listener.listen(options.dlmsPort, options.host);
  const pushPort = new PushPort(ctx, {
    onPush: (source, message) => pushes.receive(source, message),
    inFlight: () => pushes.inFlight,
  });
  const udpPort = options.udpPort === undefined ? undefined : await pushPort.listen(options.udpPort, options.host);
  await dialler.start();

  const operationTools: OperationTools = {
    ctx,
    turns: node,
    sessions,
    devices,
    deviceState,
    traces,
    writer: store,
    events,
    fieldEvents,
    setAside: new SetAside(ctx, fieldEvents),
    anchors,
    zone,
  };
  const { operations, watches } = options.features(operationTools);
  for (const one of watches) one.start();

  return {
    node,
    port,
    get isListening() {
      return listener.isListening;
    },
    closePort() {
      listener.closePort();
      lines.stop();
    },
    async reopenPort() {
      if (!listener.isListening) await listener.listen(port, options.host);
      await dialler.dialDue();
    },
    connected: sessions,
    udpPort,
    writer: store,
    events,
    operations,
    reach: {
      prepare: (items) => devices.preload(items.map((item) => item.meterId).filter((id) => id !== null)),
      connect: (dcuId) => dialler.dial(dcuId),
      isOnline: (dcuId) => sessions.get(dcuId) !== undefined,
      epochOf: (dcuId) => sessions.epochOf(dcuId),
      parallelMeters: (dcuId) => sessions.get(dcuId)?.endpoint.parallelMeters ?? 1,
      onDatabaseBack: () => deviceState.repeatWatermarks(),
      onReachable: (listenerOf) => sessions.onReachable(listenerOf),
    },
    async stop() {
      stopFollowing();
      stopFollowingDeaths();
      stopWatchingLinks();
      await Promise.all(watches.map((one) => one.stop()));
      await pushPort.stop();
      const closed = listener.stop();
      admission.stop();
      lines.stop();
      await dialler.stop();
      await sessions.stop();
      await node.stop();
      await closed;
      await pushes.stop();
      await fieldEvents.stop();
      await events.stop();
      await traces.stop();
      await store.stop();
      await deviceState.stop();
    },
  };
}
