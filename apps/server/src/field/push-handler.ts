import { createHash } from 'node:crypto';
import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { confirmNotification, decodeEvent, decodeNotification, type KeysOf } from '@hes/dlms/association/notification.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { pushedValues, type PushedValue } from '@hes/dlms/cosem/push-body.ts';
import { isBlock } from '@hes/dlms/association/block-stream.ts';
import type { Cipher } from '@hes/dlms/security/cipher.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { forGateway, type UnsolicitedMessage } from './channel.ts';
import { decodeIdentification } from './identification.ts';
import type { OperationTools } from './operations/operation-tools.ts';
import { isAlarm, storePushed } from './profiles/store-pushed.ts';
import { PushedBlocks, type ReceivedFrames, type LostBlocks, type PushMessage } from './pushed-blocks.ts';
import { hasReceipt, insertReceipt, isReadingDue } from './push-queries.ts';
import type { PushSender, PushSenders } from './push-senders.ts';
import { certifiedKeysOf, lackingCertificate, LACKING_CERTIFICATE } from './push-certificates.ts';
import type { PushSource } from './push-source.ts';
import { Trace } from './trace.ts';

/** Before collection, because a technician may be at the meter; after orders of operators. */
const PUSH_PRIORITY = 4;
const LOOK_BACK_DAYS = 7;
const EVENT_NOTIFICATION = 0xc2;
/** Event codes in the log of a DCU, above the codes that a DCU uses itself. */
const UNPROVED_PUSH = 60_006;
const INCOMPLETE_PUSH = 60_007;
/** At most one event per sender and code in this time, so that a flood does not fill the event log. */
const EVENT_EVERY_MS = 3_600_000;
/** Claimed senders behind one DCU that get separate events in this time. */
const MAX_SENDERS_REPORTED = 8;
const MAX_KEPT_COUNTS = 10_000;
/** Pushes of one connection processed at a time. Above it the socket is not read until only half of them are left. */
const MAX_IN_FLIGHT = 32;
const RESUME_AT = 16;
/** Tags of unprotected pushes, whose sender cannot be authenticated. */
const PLAIN_TAGS: ReadonlySet<number> = new Set([APDU_TAGS.dataNotification, EVENT_NOTIFICATION]);
/** Octets stored with an event; the trace holds the whole push. */
const MAX_RAW = 0xffff;
const NOTHING = new Uint8Array(0);

interface PushTools extends Pick<OperationTools, 'ctx' | 'devices' | 'deviceState' | 'traces' | 'writer' | 'events' | 'zone' | 'anchors'> {
  cipher: Cipher;
  /** Client system title of the head-end, the recipient of signed pushes and of those under agreed keys. */
  systemTitle: Uint8Array;
  senders: PushSenders;
  /** Called after an authenticated push was stored. */
  onStored(source: PushSource): void;
}

/** A push with its claimed sender. */
interface Push extends PushSender {
  session: PushSource;
  arrival: PushMessage;
  /** Trace with all frames of the push. */
  trace: Trace;
}

interface PushReport extends Pick<Push, 'device' | 'trace'> {
  code: number;
  why: string;
  raw: Uint8Array;
  /** Pushes since the event before, this one included. */
  count: number;
}

interface Opened {
  /** Plain text, from which the hash of the push is computed. */
  plain: Uint8Array;
  proof: { counter: number } | undefined;
  /** Time stated by the sender, epoch milliseconds. */
  madeAt: number | undefined;
  /** Pushed values; undefined: their objects are unknown. */
  values: readonly PushedValue[] | undefined;
  /** Confirmation to send; undefined: the sender requests none. */
  confirmation: Uint8Array | undefined;
}

/**
 * Stores values of authenticated pushes and orders a read of the event logs for alarms; other pushes are only counted in hourly events.
 * A push is stored before it is confirmed; a retransmitted push is confirmed without further effect.
 */
export class PushHandler {
  readonly #tools: PushTools;
  readonly #log: CountedLog;
  readonly #processing = new Set<Promise<void>>();
  readonly #inFlight = new WeakMap<PushSource, number>();
  /** By DCU and event code: begin of the hour, senders that have had their event, and pushes without event. */
  readonly #counts = new BoundedCache<string, { since: MonotonicMs; senders: Set<string>; unreported: number }>(MAX_KEPT_COUNTS);
  readonly #blocks: PushedBlocks<PushSource>;

  constructor(tools: PushTools) {
    this.#tools = tools;
    this.#log = new CountedLog(tools.ctx.log, tools.ctx.clock);
    this.#blocks = new PushedBlocks({
      now: () => tools.ctx.clock.now(),
      onLost: (session, lost, why) => this.#dropIncomplete(session, lost, why),
    });
  }

  receive(session: PushSource, message: UnsolicitedMessage): void {
    const { apdu, address } = message;
    if (PLAIN_TAGS.has(apdu[0] ?? 0)) {
      // The session has already recorded the contact of a heartbeat.
      if (address === undefined && decodeIdentification(apdu) !== undefined) return;
      return this.#dropPlain(session, message);
    }
    const arrival = isBlock(apdu) ? this.#blocks.receive(session, message) : copyFrame(message, this.#tools.ctx.clock.now());
    if (arrival !== undefined) this.#track(session, this.#process(session, arrival), arrival);
  }

  /** Counts an unprotected push. In a flood most pushes end here, before a database query for their sender. */
  #dropPlain(session: PushSource, message: UnsolicitedMessage): void {
    const count = this.#countToReport(session, UNPROVED_PUSH, message.address);
    if (count === undefined) return;
    const arrival = copyFrame(message, this.#tools.ctx.clock.now());
    const raw = arrival.apdu.subarray(0, MAX_RAW);
    this.#track(session, this.#report(session, arrival, { code: UNPROVED_PUSH, why: 'PLAIN', raw, count }), arrival);
  }

  #dropIncomplete(session: PushSource, lost: ReceivedFrames, why: LostBlocks): void {
    const count = this.#countToReport(session, INCOMPLETE_PUSH, lost.address);
    if (count === undefined) return lost.release();
    const raw = lost.frames.at(-1)?.octets ?? NOTHING;
    this.#track(session, this.#report(session, lost, { code: INCOMPLETE_PUSH, why, raw, count }), lost);
  }

  /** Drops the incomplete pushes of a session whose connection has ended. */
  removeSession(session: PushSource): void {
    this.#blocks.removeSession(session);
  }

  #track(session: PushSource, work: Promise<void>, arrival: ReceivedFrames): void {
    this.#addInFlight(session, 1);
    const processing = work
      .catch((error: unknown) =>
        this.#log.warn('A push could not be processed; the device sends it again', { error, dcuSn: session.endpoint.sn }),
      )
      .finally(() => {
        arrival.release();
        this.#processing.delete(processing);
        this.#addInFlight(session, -1);
      });
    this.#processing.add(processing);
  }

  #addInFlight(session: PushSource, change: 1 | -1): void {
    const inFlight = (this.#inFlight.get(session) ?? 0) + change;
    this.#inFlight.set(session, inFlight);
    if (inFlight >= MAX_IN_FLIGHT) session.pause('pushes');
    else if (inFlight <= RESUME_AT) session.resume('pushes');
  }

  async #process(session: PushSource, arrival: PushMessage): Promise<void> {
    const sender = await this.#findSender(session, arrival);
    if (sender === undefined) return;
    const push = { session, arrival, ...sender };
    const opened = this.#decipher(push);
    if (typeof opened === 'string') return this.#refuse(push, opened);
    if (opened.proof === undefined) return this.#refuse(push, 'PLAIN');
    session.refund();
    push.trace.explainPush(opened.plain);
    await this.#store(push, { ...opened, proof: opened.proof });
  }

  /** Finds the claimed sender and creates the trace; undefined: unknown address. */
  async #findSender(
    session: PushSource,
    { address, frames }: ReceivedFrames,
  ): Promise<Pick<Push, 'device' | 'meter' | 'trace'> | undefined> {
    const { ctx } = this.#tools;
    const sender = await this.#tools.senders.find(session, address);
    if (sender === undefined) {
      this.#log.info('A push of a meter that is not in the archive', { dcuSn: session.endpoint.sn }, session.endpoint.sn);
      return undefined;
    }
    const owner = { dcuId: session.endpoint.id, meterId: sender.meter?.id ?? null, sessionId: session.rowId };
    const trace = new Trace(owner, frames[0]?.at ?? ctx.clock.now());
    for (const { direction, at, octets } of frames) trace.add(direction, octets, undefined, at);
    return { ...sender, trace };
  }

  /** Deciphers a push; returns the reason when it is malformed, replayed or not authentic. */
  #decipher({ session, arrival: { apdu }, device, meter }: Push): Opened | string {
    const { cipher, systemTitle, ctx, zone } = this.#tools;
    const keysOf: KeysOf = (title) => {
      const isOtherTitle = device.systemTitle !== undefined && Buffer.compare(device.systemTitle, title) !== 0;
      const lastCounter = meter?.pushCounter ?? session.pushCounter;
      if (isOtherTitle || device.keys === undefined) return undefined;
      return { cipher, keys: device.keys, suite: device.suite, lastCounter, certified: certifiedKeysOf(device, systemTitle) };
    };
    try {
      if (apdu[0] === EVENT_NOTIFICATION) {
        const { plain, proof } = decodeEvent(apdu, keysOf);
        return { plain, proof, madeAt: undefined, values: undefined, confirmation: undefined };
      }
      const notification = decodeNotification(apdu, keysOf);
      const { plain, proof, dateTime, body } = notification;
      const madeAt = dateTime && (toEpochMs(dateTime, zone.deviationMinutes(ctx.clock.now())) ?? undefined);
      const values = meter && pushedValues(body, (pushSetup) => meter.pushLists.get(pushSetup));
      return { plain, proof, madeAt, values, confirmation: confirmNotification(notification) };
    } catch (error) {
      // The event about a refused push names the fault, such as a repeated counter.
      if (error instanceof DecodeError) return error.fault.code;
      if (!(error instanceof AssociationError)) throw error;
      if (device.keys === undefined) return 'KEYS_MISSING';
      return error.code === 'DECRYPT_FAILED' ? lackingCertificate(device) : error.code;
    }
  }

  async #store(push: Push, { plain, proof, madeAt, values, confirmation }: Opened & { proof: { counter: number } }): Promise<void> {
    const { ctx, deviceState, traces } = this.#tools;
    const { session, device, meter, trace } = push;
    const now = ctx.clock.now();
    if (meter === undefined) session.pushCounter = Math.max(session.pushCounter, proof.counter);
    else {
      meter.pushCounter = Math.max(meter.pushCounter, proof.counter);
      meter.peerCounter = Math.max(meter.peerCounter, proof.counter);
      deviceState.recordMeterContact(meter.id, now, meter.peerCounter);
    }
    const hash = createHash('sha256').update(`${device.kind}/${device.id}/`).update(plain).digest();
    let isRoutine = false;
    try {
      if (meter !== undefined && values !== undefined && !(await hasReceipt(ctx.db, hash))) {
        const stored = await storePushed(this.#tools, {
          device: meter,
          dcuId: session.endpoint.id,
          traceId: trace.id,
          now,
          madeAt,
          values,
        });
        if (stored > 0) deviceState.recordMeterRead(meter.id, now);
      }
      await this.#insertReceipt(push, hash, isAlarm(values));
      if (confirmation !== undefined) confirm(push, confirmation);
      this.#tools.onStored(session);
      isRoutine = !isAlarm(values);
    } finally {
      // A push without known values keeps no trace: it orders a read of the event logs, which has one.
      if (values !== undefined) trace.close(traces, { isRoutine });
    }
  }

  /** Inserts the receipt, and places an order for the event logs when the push is a new alarm and no such order waits. */
  async #insertReceipt({ session, device, meter }: Push, hash: Buffer, alarms: boolean): Promise<void> {
    const dcuId = session.endpoint.id;
    const meterId = meter?.id ?? null;
    await this.#tools.ctx.db.transaction().execute(async (tx) => {
      if (!(await insertReceipt(tx, { hash, dcuId, meterId })) || !alarms || (await isReadingDue(tx, dcuId, meterId))) return;
      await placeOrder(tx, this.#tools.ctx, null, 'events', {
        params: { source: 'push', lookBackDays: LOOK_BACK_DAYS },
        priority: PUSH_PRIORITY,
        items: [{ deviceKind: device.kind, dcuId, meterId }],
      });
    });
  }

  /** Sends no response, so that a forger learns nothing. The event holds the octets of one unauthenticated push. */
  async #refuse({ session, arrival, device, trace }: Push, why: string): Promise<void> {
    this.#log.info('A push was refused', { sn: device.sn, why }, `${session.endpoint.sn}/${why}`);
    if (!UNPROVED.has(why)) return;
    const count = this.#countToReport(session, UNPROVED_PUSH, arrival.address);
    if (count !== undefined)
      await this.#raise(session, { device, trace, code: UNPROVED_PUSH, why, count, raw: arrival.apdu.subarray(0, MAX_RAW) });
  }

  /** Raises the event for dropped pushes, with the frames of the last one. */
  async #report(session: PushSource, lost: ReceivedFrames, about: Omit<PushReport, 'device' | 'trace'>): Promise<void> {
    const sender = await this.#findSender(session, lost);
    if (sender === undefined) return;
    this.#log.info(
      'A push was dropped',
      { sn: sender.device.sn, why: about.why, frames: lost.frames.length },
      `${session.endpoint.sn}/${about.why}`,
    );
    await this.#raise(session, { ...sender, ...about });
  }

  async #raise(session: PushSource, { device, trace, code, why, raw, count }: PushReport): Promise<void> {
    const { events, traces } = this.#tools;
    trace.close(traces);
    const message = `${device.sn} · ${why}${count > 1 ? ` · ×${count}` : ''}`;
    const event = { log: 'dcu' as const, code, occurAt: trace.begunAt, message, raw };
    await events.store({
      deviceKind: 'dcu',
      meterId: null,
      dcuId: session.endpoint.id,
      source: 'push',
      traceId: trace.id,
      events: [event],
    });
  }

  /** Counts a dropped push; returns the number to report when an event is due. */
  #countToReport({ endpoint }: PushSource, code: number, address: Uint8Array | undefined): number | undefined {
    const now = this.#tools.ctx.clock.monotonic();
    const key = `${endpoint.id}/${code}`;
    const sender = Buffer.from(address ?? NOTHING).toString('latin1');
    const known = this.#counts.get(key);
    if (known !== undefined && msBetween(known.since, now) < EVENT_EVERY_MS) {
      if (known.senders.has(sender) || known.senders.size >= MAX_SENDERS_REPORTED) return void known.unreported++;
      known.senders.add(sender);
      return 1;
    }
    this.#counts.set(key, { since: now, senders: new Set([sender]), unreported: 0 });
    return (known?.unreported ?? 0) + 1;
  }

  /** Number of pushes that are being processed. */
  get inFlight(): number {
    return this.#processing.size;
  }

  /** Resolves when all pushes in flight have been processed. */
  async stop(): Promise<void> {
    await Promise.all(this.#processing);
  }
}

/** Reasons caused by a wrong key or a forger; malformed or replayed pushes raise no event. */
const UNPROVED: ReadonlySet<string> = new Set(['PLAIN', 'NOT_AUTHENTIC', 'WRONG_TITLE', 'BAD_VALUE', ...LACKING_CERTIFICATE]);

function copyFrame({ apdu, address, octets }: UnsolicitedMessage, at: number): PushMessage {
  // The message consists of views into the buffer of the socket.
  const frames = [{ at, direction: 'up' as const, octets: octets.slice(), plain: undefined }];
  return { apdu: apdu.slice(), address: address?.slice(), frames, wrapAnswer: (answer) => answer, release: () => undefined };
}

function confirm({ session, arrival, device, trace }: Push, apdu: Uint8Array): void {
  const { connection } = session;
  if (connection.closed) return;
  const { clientSap, serverSap } = device;
  const response = forGateway(arrival.address, arrival.wrapAnswer(apdu), 'response');
  connection.reply({ source: clientSap, destination: serverSap }, response, (octets) => trace.add('down', octets, undefined));
}
