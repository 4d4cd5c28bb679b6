import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import type { WrapperConnection } from '@hes/dlms-node/wrapper-connection.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { octetString } from '@hes/dlms/cosem/data.ts';
import type { MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { changeLine, FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import type { Operations, Reach } from '#tasks/operation.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import type { ReadingStore } from '#storage/reading-store.ts';
import { StoreThread } from '#storage/thread/store-thread.ts';
import { Admission, type Proof } from './admission.ts';
import { findAnchors, type AnchorQuery } from './anchor-queries.ts';
import { RequestBatcher } from './request-batcher.ts';
import { Counters } from './counters.ts';
import { Devices } from './devices.ts';
import type { DialRules } from './dial-guard.ts';
import { Dialler } from './dialler.ts';
import type { DlmsTls } from './dlms-tls.ts';
import type { LinkTools } from './link.ts';
import { FieldEvents } from './field-events.ts';
import { HeldNames } from './held-names.ts';
import { FrameCapture } from './frame-capture.ts';
import { followChanges } from './follow-changes.ts';
import { watchLinks } from './link-watch.ts';
import { DEFAULT_LIMITS, Listener, type ListenerLimits } from './listener.ts';
import type { OperationTools } from './operations/operation-tools.ts';
import type { Waits } from './patience.ts';
import { Pushes } from './pushes.ts';
import { PushSenders } from './push-senders.ts';
import { Presence } from './presence.ts';
import type { DcuRow } from './queries.ts';
import { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { SetAside } from './set-aside.ts';
import { Trace } from './trace.ts';
import { UnprovedAnswers } from './unproved.ts';
import { addressOf, isLoopback } from '#platform/address.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';

const TITLE_PREFIX = 'HES';
const TITLE_OCTETS = 5;
/** Reads that begin at about the same time look for their stored rows together. */
const ANCHOR_BATCH = { waitMs: 2, maxItems: 200 };

/** What is done with devices: the engine knows the way to them, and no feature. */
export type FieldFeatures = (tools: OperationTools) => {
  operations: Operations;
  /** Run for as long as the engine does. */
  watches: { start(): void; stop(): Promise<void> }[];
};

export interface FieldOptions {
  features: FieldFeatures;
  /** Where DCUs dial in; 0 takes any free port. */
  dlmsPort: number;
  host: string;
  waits?: Waits;
  limits?: Partial<ListenerLimits>;
  tls?: DlmsTls | undefined;
  /** Where passwords of low security may be sent without TLS. Default: to devices on this machine. */
  plainPasswords?: 'everywhere' | 'this_machine' | 'nowhere';
  /** Nothing of this machine is dialled when not said. */
  dialRules?: DialRules;
}

function mayShowPassword(
  { isEncrypted, remote }: Pick<WrapperConnection, 'isEncrypted' | 'remote'>,
  plain: FieldOptions['plainPasswords'] = 'this_machine',
): boolean {
  if (isEncrypted || plain === 'everywhere') return true;
  const host = addressOf(remote.slice(0, remote.lastIndexOf(':')));
  return plain === 'this_machine' && host !== undefined && isLoopback(host);
}

const STRICT_RULES: DialRules = { mayReachLocal: false, ownPorts: [], networks: [] };

/** The running field engine. */
export interface Field {
  port: number;
  operations: Operations;
  reach: Reach;
  /** Stores what comes from the field. */
  writer: ReadingStore;
  stop(): Promise<void>;
}

type FieldContext = Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log' | 'secrets' | 'settings'>;

/** Starts talking to DCUs: listens, dials, keeps sessions, and offers the operations that use them. */
export async function startField(context: FieldContext, options: FieldOptions): Promise<Field> {
  const ctx = { ...context, log: context.log.child({ part: 'field' }) };
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const store = new StoreThread(ctx);
  const traces = new FrameCapture(ctx, store);
  const events = new EventWriter(ctx);
  const presence = new Presence(ctx.pool, ctx.log);
  const devices = new Devices(ctx, presence);
  presence.onLost = (ids) => devices.unlearn(ids);
  const sessions = new Sessions(ctx, presence);
  const counters = new Counters(ctx.pool);
  const zone = new Zone(ctx.settings.timeZone);
  const anchors = new RequestBatcher((queries: AnchorQuery[]) => findAnchors(ctx.pool, queries, ctx.settings.timeZone), ANCHOR_BATCH);
  const fieldEvents = new FieldEvents(ctx, events);
  const unproved = new UnprovedAnswers(fieldEvents);
  const senders = new PushSenders(ctx.db, devices);
  const pushes = new Pushes({ ctx, devices, senders, presence, traces, writer: store, events, zone, anchors, cipher: nodeCipher });
  const tools: Omit<LinkTools, 'channel' | 'mayShowPassword'> = {
    counters,
    presence,
    cipher: nodeCipher,
    // Of this installation alone: two head-ends with the same keys must never make the same nonce.
    systemTitle: Buffer.concat([Buffer.from(TITLE_PREFIX), ctx.secrets.derive('client system title').subarray(0, TITLE_OCTETS)]),
    now: () => ctx.clock.now(),
    explainUnproved: (answer) => unproved.explain(answer),
    proved: (device) => unproved.proved(device),
    async counterJumped(device, { from, to }, { traceId, isProved }) {
      const dcuId = 'dcuId' in device && typeof device.dcuId === 'string' ? device.dcuId : null;
      const lines = [
        changeLine('counter', device.sn, String(from), String(to)),
        stateLine('proof', device.sn, isProved ? 'OK' : 'AUTH_FAILED'),
      ];
      await fieldEvents.raiseHourly({ device, dcuId, traceId, code: FIELD_EVENT.counterJumped, lines });
    },
  };
  const sessionOf = (dcu: DcuRow, direction: Session['direction'], connection: WrapperConnection, opened: MonotonicMs) => {
    const session: Session = new Session({
      dcu,
      direction,
      connection,
      opened,
      // Before it is admitted, the admission itself judges and reports what answers in place of the DCU.
      tools: {
        ...tools,
        mayShowPassword: mayShowPassword(connection, options.plainPasswords),
        explainUnproved: (answer) => (session.isAdmitted ? unproved.explain(answer) : Promise.resolve(answer.outcome)),
      },
      waits: options.waits ?? {},
      onHeard: (heard) => sessions.heard(heard),
      onNotification: (from, notice) => pushes.take(from, notice),
      onClosed: (ended) => {
        sessions.ended(ended);
        pushes.leave(ended);
      },
    });
    return session;
  };

  const prove = async (session: Session, lingers = true): Promise<Proof> => {
    const trace = new Trace({ dcuId: session.dcu.id, meterId: null, sessionId: session.rowId }, ctx.clock.now());
    const named = await session.links.withLink(devices.dcu(session.dcu), { priority: 'bulk', trace, lingers }, async (link) => {
      const { cosemClass, instance } = WELL_KNOWN.LDN;
      const read = await link.get({ classId: cosemClass.id, instance, attributeId: cosemClass.attributes.value.id });
      return read.ok ? nameIn(read.value) : read;
    });
    if (!named.ok) return { outcome: named, trace };
    const isNamed = named.value === session.dcu.sn;
    return { outcome: isNamed ? ok(undefined) : failed('AUTH_FAILED', `The DCU there calls itself ${named.value}`), trace };
  };
  const heartbeat = async (session: Session): Promise<Outcome<void>> => {
    const { outcome, trace } = await prove(session, false);
    trace.close(traces);
    return outcome;
  };

  const held = new HeldNames(ctx.clock);
  const log = new CountedLog(ctx.log, ctx.clock);
  const admission = new Admission({ ctx, log, sessions, devices, fieldEvents, held, prove, keepTrace: (trace) => trace.close(traces) });
  const listener = new Listener(ctx, {
    limits,
    tls: options.tls,
    isHeld: (name, address) => held.isHeld(name, address),
    onIdentified: async (dcu, connection, caller, opened) => {
      await admission.receive(sessionOf(dcu, 'dial_in', connection, opened), caller);
    },
  });

  const dialler = new Dialler(ctx, {
    frameMs: limits.frameMs,
    rules: options.dialRules ?? STRICT_RULES,
    tls: options.tls?.mode === 'required' ? options.tls : undefined,
    isOnline: (dcuId) => sessions.get(dcuId) !== undefined,
    onConnected: async (dcu, connection, opened) => {
      const session = sessionOf(dcu, 'dial_out', connection, opened);
      const greeted = await heartbeat(session);
      if (!greeted.ok) {
        session.close('unreachable', `${greeted.reason}: ${greeted.detail ?? ''}`);
        return `${greeted.reason}: ${greeted.detail ?? ''}`;
      }
      await sessions.adopt(session);
      return true;
    },
  });

  // A DCU we dialled does not announce itself: it is asked, as often as one that dials in would speak.
  sessions.askSilent = (session) =>
    void heartbeat(session).catch((error: unknown) => ctx.log.error('A heartbeat failed', { error, dcuSn: session.dcu.sn }));

  const stopFollowing = followChanges(ctx, { devices, senders, presence, sessions, dialler, held });
  const stopWatchingLinks = watchLinks(ctx, events);
  await sessions.start();
  const port = await listener.listen(options.dlmsPort, options.host);
  await dialler.start();

  const operationTools: OperationTools = {
    ctx,
    sessions,
    devices,
    presence,
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
    port,
    writer: store,
    operations,
    reach: {
      prepare: (items) => devices.prepare(items.map((item) => item.meterId).filter((id) => id !== null)),
      connect: (dcuId) => dialler.dial(dcuId),
      isOnline: (dcuId) => sessions.get(dcuId) !== undefined,
      parallelMeters: (dcuId) => sessions.get(dcuId)?.dcu.parallelMeters ?? 1,
      onReachable: (listenerOf) => sessions.onReachable(listenerOf),
    },
    async stop() {
      stopFollowing();
      stopWatchingLinks();
      await Promise.all(watches.map((one) => one.stop()));
      const closed = listener.stop();
      admission.stop();
      await dialler.stop();
      await sessions.stop();
      await closed;
      await pushes.stop();
      await fieldEvents.stop();
      await events.stop();
      await traces.stop();
      await store.stop();
      await presence.stop();
    },
  };
}

function nameIn(octets: Uint8Array): Outcome<string> {
  try {
    return ok(Buffer.from(decode(octetString, octets)).toString('latin1'));
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}
