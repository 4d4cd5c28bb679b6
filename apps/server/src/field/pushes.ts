import { createHash } from 'node:crypto';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { confirmNotification, openEvent, openNotification, type KeysOf } from '@hes/dlms/association/notification.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { pushedValues, type PushedValue } from '@hes/dlms/cosem/push-body.ts';
import { isBlock } from '@hes/dlms/association/block-stream.ts';
import type { Cipher } from '@hes/dlms/security/cipher.ts';
import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import { createTask } from '#tasks/store.ts';
import { Channel, type Notice } from './channel.ts';
import type { Device, MeterDevice } from './devices.ts';
import { greetingIn } from './greeting.ts';
import type { OperationTools } from './operations/operation-tools.ts';
import { isAlarm, storePushed } from './operations/store-pushed.ts';
import { PushedBlocks, type Arrival, type LostBlocks, type WholeArrival } from './pushed-blocks.ts';
import { findMeterAt, hasReceipt, insertReceipt, isReadingDue } from './push-queries.ts';
import type { Session } from './session.ts';
import { Trace } from './trace.ts';

/** Somebody may be at the meter right now: before collection, after what a person ordered. */
const PUSH_PRIORITY = 4;
const LOOK_BACK_DAYS = 7;
const EVENT_NOTIFICATION = 0xc2;
/** In the log of a DCU, above what it can say itself. */
const UNPROVED_PUSH = 60_006;
const INCOMPLETE_PUSH = 60_007;
/** Of one device so often: who floods us must not flood the log of events. */
const TOLD_EVERY_MS = 3_600_000;
const MOST_TOLD = 10_000;
/** Of what was lost so much is looked at, at one time. */
const MOST_REPORTS = 100;
/** Beside an event; all of it is in its trace. */
const MOST_RAW = 0xffff;
const NOTHING = new Uint8Array(0);

interface PushTools extends Pick<OperationTools, 'ctx' | 'devices' | 'presence' | 'traces' | 'writer' | 'events' | 'zone' | 'anchors'> {
  cipher: Cipher;
}

/** A push with its sender as he says he is. */
interface Push {
  session: Session;
  arrival: WholeArrival;
  /** Of the exchange that it is, with all frames that it came in. */
  trace: Trace;
  device: Device;
  /** The same, where it is a meter. */
  meter: MeterDevice | undefined;
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
 * What devices tell on their own. An alarm says that something happened, the log says what: so it makes the logs of its device be read.
 * Values that a meter sends and proves are stored as those that were read. A push is kept before it is confirmed, and one that is sent
 * again is confirmed and does nothing twice.
 */
export class Pushes {
  readonly #tools: PushTools;
  readonly #taking = new Set<Promise<void>>();
  /** When what device was told of last. */
  readonly #told = new Map<string, MonotonicMs>();
  readonly #blocks: PushedBlocks<Session>;
  /** How many that were lost are being told of. */
  #reporting = 0;

  constructor(tools: PushTools) {
    this.#tools = tools;
    this.#blocks = new PushedBlocks({
      now: () => tools.ctx.clock.now(),
      onLost: (session, lost, why) => this.#lose(session, lost, why),
    });
  }

  take(session: Session, notice: Notice): void {
    const arrival = isBlock(notice.apdu) ? this.#blocks.take(session, notice) : inOneFrame(notice, this.#tools.ctx.clock.now());
    if (arrival !== undefined) this.#await(session, this.#take(session, arrival), arrival);
  }

  /** Whoever sends rubbish faster than it is looked at is told of by some of it. */
  #lose(session: Session, lost: Arrival, why: LostBlocks): void {
    if (this.#reporting >= MOST_REPORTS) return lost.release();
    this.#reporting++;
    const report = this.#report(session, lost, why).finally(() => this.#reporting--);
    this.#await(session, report, lost);
  }

  /** The connection ended: what it began to tell has no end any more. */
  leave(session: Session): void {
    this.#blocks.leave(session);
  }

  #await(session: Session, work: Promise<void>, arrival: Arrival): void {
    const taking = work
      .catch((error: unknown) =>
        this.#tools.ctx.log.warn('A push was not taken; the device sends it again', { error, dcuSn: session.dcu.sn }),
      )
      .finally(() => {
        arrival.release();
        this.#taking.delete(taking);
      });
    this.#taking.add(taking);
  }

  async #take(session: Session, arrival: WholeArrival): Promise<void> {
    // A heartbeat has been heard already.
    if (arrival.address === undefined && greetingIn(arrival.apdu) !== undefined) return;
    const from = await this.#from(session, arrival);
    if (from === undefined) return;
    const push = { session, arrival, ...from };
    const opened = this.#open(push);
    if (typeof opened === 'string') return this.#refuse(push, opened);
    if (opened.proof !== undefined) push.trace.explainPush(opened.plain);
    if (opened.values !== undefined && opened.proof === undefined) return this.#refuse(push, 'PLAIN');
    await this.#keep(push, opened);
  }

  /** Who sent it, and the exchange that it is. */
  async #from(session: Session, { address, frames }: Arrival): Promise<Pick<Push, 'device' | 'meter' | 'trace'> | undefined> {
    const { ctx } = this.#tools;
    const sender = await this.#senderOf(session, address);
    if (sender === undefined) {
      ctx.log.info('A push of a meter that is not in the archive', { dcuSn: session.dcu.sn });
      return undefined;
    }
    const owner = { dcuId: session.dcu.id, meterId: sender.meter?.id ?? null, sessionId: session.rowId };
    const trace = new Trace(owner, frames[0]?.at ?? ctx.clock.now());
    for (const { direction, at, octets } of frames) trace.add(direction, octets, undefined, at);
    return { ...sender, trace };
  }

  async #senderOf(session: Session, address: Uint8Array | undefined): Promise<Pick<Push, 'device' | 'meter'> | undefined> {
    if (address === undefined) return { device: this.#tools.devices.dcu(session.dcu), meter: undefined };
    const id = await findMeterAt(this.#tools.ctx.db, session.dcu.id, Buffer.from(address));
    const meter = id === undefined ? undefined : await this.#tools.devices.meter(id);
    return meter && { device: meter, meter };
  }

  /** Or why not: it is broken, replayed, or not from who it says. */
  #open({ arrival: { apdu }, device, meter }: Push): Opened | string {
    const { cipher, ctx, zone } = this.#tools;
    const keysOf: KeysOf = (title) => {
      const isStranger = device.systemTitle !== undefined && Buffer.compare(device.systemTitle, title) !== 0;
      const lastCounter = meter?.pushCounter ?? device.peerCounter;
      return isStranger || device.keys === undefined ? undefined : { cipher, keys: device.keys, lastCounter };
    };
    try {
      if (apdu[0] === EVENT_NOTIFICATION) {
        const { plain, proof } = openEvent(apdu, keysOf);
        return { plain, proof, madeAt: undefined, values: undefined, confirmation: undefined };
      }
      const notification = openNotification(apdu, keysOf);
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

  async #keep(push: Push, { plain, proof, madeAt, values, confirmation }: Opened): Promise<void> {
    const { ctx, presence, traces } = this.#tools;
    const { session, device, meter, trace } = push;
    const now = ctx.clock.now();
    if (meter !== undefined) {
      if (proof !== undefined) {
        meter.pushCounter = Math.max(meter.pushCounter, proof.counter);
        meter.peerCounter = Math.max(meter.peerCounter, proof.counter);
      }
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
      await createTask(tx, {
        kind: 'events',
        source: 'system',
        params: { source: 'push', lookBackDays: LOOK_BACK_DAYS },
        priority: PUSH_PRIORITY,
        createdBy: null,
        items: [{ deviceKind: device.kind, dcuId, meterId }],
      });
    });
  }

  /** Nobody answers it: who forges must not learn how. What nobody proved to have sent is an event, and its octets are kept. */
  async #refuse({ session, arrival, device, trace }: Push, why: string): Promise<void> {
    this.#tools.ctx.log.info('A push was refused', { sn: device.sn, why });
    if (UNPROVED.has(why)) await this.#tell(session, { device, trace, code: UNPROVED_PUSH, why, raw: arrival.apdu.subarray(0, MOST_RAW) });
  }

  /** Blocks that became nothing: what there is of them is kept, as an event. */
  async #report(session: Session, lost: Arrival, why: LostBlocks): Promise<void> {
    const from = await this.#from(session, lost);
    if (from === undefined) return;
    const { device, trace } = from;
    this.#tools.ctx.log.info('A push in blocks was dropped', { sn: device.sn, why, frames: lost.frames.length });
    await this.#tell(session, { device, trace, code: INCOMPLETE_PUSH, why, raw: lost.frames.at(-1)?.octets ?? NOTHING });
  }

  async #tell(session: Session, told: Pick<Push, 'device' | 'trace'> & { code: number; why: string; raw: Uint8Array }) {
    const { events, traces } = this.#tools;
    const { device, trace, code, why, raw } = told;
    if (!this.#isNews(device, code)) return;
    trace.close(traces);
    const event = { log: 'dcu' as const, code, occurAt: trace.begunAt, message: `${device.sn} · ${why}`, raw };
    await events.store({ deviceKind: 'dcu', meterId: null, dcuId: session.dcu.id, source: 'push', traceId: trace.id, events: [event] });
  }

  #isNews({ kind, id }: Device, code: number): boolean {
    const now = this.#tools.ctx.clock.monotonic();
    const key = `${kind}/${id}/${code}`;
    const told = this.#told.get(key);
    if (told !== undefined && msBetween(told, now) < TOLD_EVERY_MS) return false;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.set(key, now);
    return true;
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
