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
import { Channel, type Notice } from './channel.ts';
import { greetingIn } from './greeting.ts';
import type { OperationTools } from './operations/operation-tools.ts';
import { isAlarm, storePushed } from './profiles/store-pushed.ts';
import { PushedBlocks, type Arrival, type LostBlocks, type WholeArrival } from './pushed-blocks.ts';
import { hasReceipt, insertReceipt, isReadingDue } from './push-queries.ts';
import type { PushSender, PushSenders } from './push-senders.ts';
import type { Session } from './session.ts';
import { Trace } from './trace.ts';

/** Somebody may be at the meter right now: before collection, after what a person ordered. */
const PUSH_PRIORITY = 4;
const LOOK_BACK_DAYS = 7;
const EVENT_NOTIFICATION = 0xc2;
/** In the log of a DCU, above what it can say itself. */
const UNPROVED_PUSH = 60_006;
const INCOMPLETE_PUSH = 60_007;
/** One event for each sender and code in this time; a flood must not fill the log of events. */
const EVENT_EVERY_MS = 3_600_000;
/** Claimed senders behind one DCU that have an event of their own in that time. */
const MAX_SENDERS_REPORTED = 8;
const MAX_KEPT_COUNTS = 10_000;
/** Sealed pushes of one connection that are worked on at a time; beyond it the socket is not read until half of them are done. */
const MAX_IN_FLIGHT = 32;
const RESUME_AT = 16;
/** First octets of what cannot be proved, because nothing of it is sealed. */
const PLAIN_TAGS: ReadonlySet<number> = new Set([APDU_TAGS.dataNotification, EVENT_NOTIFICATION]);
/** Beside an event; all of it is in its trace. */
const MAX_RAW = 0xffff;
const NOTHING = new Uint8Array(0);

interface PushTools extends Pick<OperationTools, 'ctx' | 'devices' | 'presence' | 'traces' | 'writer' | 'events' | 'zone' | 'anchors'> {
  cipher: Cipher;
  senders: PushSenders;
}

/** A push with its sender as he says he is. */
interface Push extends PushSender {
  session: Session;
  arrival: WholeArrival;
  /** Of the exchange that it is, with all frames that it came in. */
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
  /** What makes it this notification and no other. */
  plain: Uint8Array;
  proof: { counter: number } | undefined;
  /** When its sender says that it was made, epoch milliseconds. */
  madeAt: number | undefined;
  /** What it carries; undefined: it does not say what. */
  values: readonly PushedValue[] | undefined;
  /** What the sender asks for; undefined: nothing. */
  confirmation: Uint8Array | undefined;
}

/**
 * What devices tell on their own. Only sealed pushes count: plain and forged ones store nothing, order nothing and are counted in one event
 * an hour. An alarm says that something happened, the log says what: so it makes the logs of its device be read.
 * Values that a meter sends and proves are stored as those that were read. A push is kept before it is confirmed, and one that is sent
 * again is confirmed and does nothing twice.
 */
export class Pushes {
  readonly #tools: PushTools;
  readonly #log: CountedLog;
  readonly #taking = new Set<Promise<void>>();
  readonly #inFlight = new WeakMap<Session, number>();
  /** By DCU and event code: senders that have had their event, since when, and pushes that had none. */
  readonly #counts = new BoundedCache<string, { since: MonotonicMs; senders: Set<string>; unreported: number }>(MAX_KEPT_COUNTS);
  readonly #blocks: PushedBlocks<Session>;

  constructor(tools: PushTools) {
    this.#tools = tools;
    this.#log = new CountedLog(tools.ctx.log, tools.ctx.clock);
    this.#blocks = new PushedBlocks({
      now: () => tools.ctx.clock.now(),
      onLost: (session, lost, why) => this.#lose(session, lost, why),
    });
  }

  take(session: Session, notice: Notice): void {
    const { apdu, address } = notice;
    if (PLAIN_TAGS.has(apdu[0] ?? 0)) {
      // A heartbeat has been heard already.
      if (address === undefined && greetingIn(apdu) !== undefined) return;
      return this.#dropPlain(session, notice);
    }
    const arrival = isBlock(apdu) ? this.#blocks.take(session, notice) : inOneFrame(notice, this.#tools.ctx.clock.now());
    if (arrival !== undefined) this.#await(session, this.#take(session, arrival), arrival);
  }

  /** Most of a flood ends here: before its sender is looked up, with nothing but a count. */
  #dropPlain(session: Session, notice: Notice): void {
    const count = this.#countToReport(session, UNPROVED_PUSH, notice.address);
    if (count === undefined) return;
    const arrival = inOneFrame(notice, this.#tools.ctx.clock.now());
    const raw = arrival.apdu.subarray(0, MAX_RAW);
    this.#await(session, this.#report(session, arrival, { code: UNPROVED_PUSH, why: 'PLAIN', raw, count }), arrival);
  }

  #lose(session: Session, lost: Arrival, why: LostBlocks): void {
    const count = this.#countToReport(session, INCOMPLETE_PUSH, lost.address);
    if (count === undefined) return lost.release();
    const raw = lost.frames.at(-1)?.octets ?? NOTHING;
    this.#await(session, this.#report(session, lost, { code: INCOMPLETE_PUSH, why, raw, count }), lost);
  }

  /** The connection ended: what it began to tell has no end any more. */
  leave(session: Session): void {
    this.#blocks.leave(session);
  }

  #await(session: Session, work: Promise<void>, arrival: Arrival): void {
    this.#count(session, 1);
    const taking = work
      .catch((error: unknown) => this.#log.warn('A push was not taken; the device sends it again', { error, dcuSn: session.dcu.sn }))
      .finally(() => {
        arrival.release();
        this.#taking.delete(taking);
        this.#count(session, -1);
      });
    this.#taking.add(taking);
  }

  #count(session: Session, change: 1 | -1): void {
    const inFlight = (this.#inFlight.get(session) ?? 0) + change;
    this.#inFlight.set(session, inFlight);
    if (inFlight >= MAX_IN_FLIGHT) session.pause('pushes');
    else if (inFlight <= RESUME_AT) session.resume('pushes');
  }

  async #take(session: Session, arrival: WholeArrival): Promise<void> {
    const from = await this.#from(session, arrival);
    if (from === undefined) return;
    const push = { session, arrival, ...from };
    const opened = this.#open(push);
    if (typeof opened === 'string') return this.#refuse(push, opened);
    if (opened.proof === undefined) return this.#refuse(push, 'PLAIN');
    session.refund();
    push.trace.explainPush(opened.plain);
    await this.#keep(push, { ...opened, proof: opened.proof });
  }

  /** Who sent it, and the exchange that it is. */
  async #from(session: Session, { address, frames }: Arrival): Promise<Pick<Push, 'device' | 'meter' | 'trace'> | undefined> {
    const { ctx } = this.#tools;
    const sender = await this.#tools.senders.find(session, address);
    if (sender === undefined) {
      this.#log.info('A push of a meter that is not in the archive', { dcuSn: session.dcu.sn }, session.dcu.sn);
      return undefined;
    }
    const owner = { dcuId: session.dcu.id, meterId: sender.meter?.id ?? null, sessionId: session.rowId };
    const trace = new Trace(owner, frames[0]?.at ?? ctx.clock.now());
    for (const { direction, at, octets } of frames) trace.add(direction, octets, undefined, at);
    return { ...sender, trace };
  }

  /** Or why not: it is broken, replayed, or not from who it says. */
  #open({ session, arrival: { apdu }, device, meter }: Push): Opened | string {
    const { cipher, ctx, zone } = this.#tools;
    const keysOf: KeysOf = (title) => {
      const isStranger = device.systemTitle !== undefined && Buffer.compare(device.systemTitle, title) !== 0;
      const lastCounter = meter?.pushCounter ?? session.pushCounter;
      return isStranger || device.keys === undefined ? undefined : { cipher, keys: device.keys, lastCounter };
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
      if (error instanceof DecodeError) return error.fault.code;
      if (error instanceof AssociationError) return device.keys === undefined ? 'KEYS_MISSING' : error.code;
      throw error;
    }
  }

  async #keep(push: Push, { plain, proof, madeAt, values, confirmation }: Opened & { proof: { counter: number } }): Promise<void> {
    const { ctx, presence, traces } = this.#tools;
    const { session, device, meter, trace } = push;
    const now = ctx.clock.now();
    if (meter === undefined) session.pushCounter = Math.max(session.pushCounter, proof.counter);
    else {
      meter.pushCounter = Math.max(meter.pushCounter, proof.counter);
      meter.peerCounter = Math.max(meter.peerCounter, proof.counter);
      presence.meterHeard(meter.id, now, meter.peerCounter);
    }
    const hash = createHash('sha256').update(`${device.kind}/${device.id}/`).update(plain).digest();
    try {
      if (meter !== undefined && values !== undefined && !(await hasReceipt(ctx.db, hash))) {
        const stored = await storePushed(this.#tools, { device: meter, dcuId: session.dcu.id, traceId: trace.id, now, madeAt, values });
        if (stored > 0) presence.meterRead(meter.id, now);
      }
      await this.#order(push, hash, isAlarm(values));
      if (confirmation !== undefined) confirm(push, confirmation);
    } finally {
      // Of an alarm the logs are kept that it makes be read.
      if (values !== undefined) trace.close(traces);
    }
  }

  /** Puts it on record, and the logs of its device in the queue when it is an alarm that nobody has heard of. */
  async #order({ session, device, meter }: Push, hash: Buffer, alarms: boolean): Promise<void> {
    const dcuId = session.dcu.id;
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

  /** Nothing answers it: a forger must not learn how. Of what was not proved an event keeps the octets of one. */
  async #refuse({ session, arrival, device, trace }: Push, why: string): Promise<void> {
    this.#log.info('A push was refused', { sn: device.sn, why }, `${session.dcu.sn}/${why}`);
    if (!UNPROVED.has(why)) return;
    const count = this.#countToReport(session, UNPROVED_PUSH, arrival.address);
    if (count !== undefined)
      await this.#raise(session, { device, trace, code: UNPROVED_PUSH, why, count, raw: arrival.apdu.subarray(0, MAX_RAW) });
  }

  /** An event for a push that became nothing, with the frames of this one. */
  async #report(session: Session, lost: Arrival, about: Omit<PushReport, 'device' | 'trace'>): Promise<void> {
    const from = await this.#from(session, lost);
    if (from === undefined) return;
    this.#log.info(
      'A push was dropped',
      { sn: from.device.sn, why: about.why, frames: lost.frames.length },
      `${session.dcu.sn}/${about.why}`,
    );
    await this.#raise(session, { ...from, ...about });
  }

  async #raise(session: Session, { device, trace, code, why, raw, count }: PushReport): Promise<void> {
    const { events, traces } = this.#tools;
    trace.close(traces);
    const message = `${device.sn} · ${why}${count > 1 ? ` · ×${count}` : ''}`;
    const event = { log: 'dcu' as const, code, occurAt: trace.begunAt, message, raw };
    await events.store({ deviceKind: 'dcu', meterId: null, dcuId: session.dcu.id, source: 'push', traceId: trace.id, events: [event] });
  }

  /** Counts a push that became nothing; returns the number to report when an event is due. */
  #countToReport({ dcu }: Session, code: number, address: Uint8Array | undefined): number | undefined {
    const now = this.#tools.ctx.clock.monotonic();
    const key = `${dcu.id}/${code}`;
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

  /** Waits for what is being taken. */
  async stop(): Promise<void> {
    await Promise.all(this.#taking);
  }
}

/** Reasons that a lost key has as well as a forger has; a broken message or one that came twice has neither. */
const UNPROVED: ReadonlySet<string> = new Set(['PLAIN', 'NOT_AUTHENTIC', 'WRONG_TITLE', 'BAD_VALUE']);

function inOneFrame({ apdu, address, octets }: Notice, at: number): WholeArrival {
  // They are views into the socket's buffer.
  const frames = [{ at, direction: 'up' as const, octets: octets.slice(), plain: undefined }];
  return { apdu: apdu.slice(), address: address?.slice(), frames, answer: (answer) => answer, release: () => undefined };
}

function confirm({ session, arrival, device, trace }: Push, apdu: Uint8Array): void {
  const { connection } = session;
  if (connection.closed) return;
  const { clientSap, serverSap } = device;
  const octets = Channel.frameOf({ clientSap, serverSap, address: arrival.address }, arrival.answer(apdu), 'response');
  connection.sendFrame(octets);
  trace.add('down', octets, undefined);
}
