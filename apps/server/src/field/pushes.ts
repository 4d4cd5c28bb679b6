import { createHash } from 'node:crypto';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { confirmNotification, openEvent, openNotification, type KeysOf } from '@hes/dlms/association/notification.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { encodeGateway } from '@hes/dlms/framing/gateway.ts';
import type { Cipher } from '@hes/dlms/security/cipher.ts';
import type { Context } from '#platform/context.ts';
import { createTask } from '#tasks/store.ts';
import type { Device, Devices } from './devices.ts';
import { greetingIn } from './greeting.ts';
import type { Presence } from './presence.ts';
import { findMeterAt, insertReceipt, isReadingDue } from './push-queries.ts';
import type { Session } from './session.ts';

/** Somebody may be at the meter right now: before collection, after what a person ordered. */
const PUSH_PRIORITY = 4;
const LOOK_BACK_DAYS = 7;
const EVENT_NOTIFICATION = 0xc2;

interface PushTools {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>;
  devices: Devices;
  presence: Presence;
  cipher: Cipher;
}

interface Opened {
  /** What makes it this notification and no other. */
  name: Uint8Array;
  proof: { counter: number } | undefined;
  /** What the sender asks for; undefined: nothing. */
  confirmation: Uint8Array | undefined;
}

/**
 * What devices tell on their own. An alarm says that something happened, the log says what: so a push makes the logs of
 * its device be read. It is kept before it is confirmed, and one that is sent again is confirmed and does nothing twice.
 */
export class Pushes {
  readonly #tools: PushTools;
  readonly #taking = new Set<Promise<void>>();

  constructor(tools: PushTools) {
    this.#tools = tools;
  }

  take(session: Session, apdu: Uint8Array, address: Uint8Array | undefined): void {
    // The octets are a view into the socket's buffer.
    const taking = this.#take(session, apdu.slice(), address?.slice())
      .catch((error: unknown) =>
        this.#tools.ctx.log.warn('A push was not taken; the device sends it again', { error, dcuSn: session.dcu.sn }),
      )
      .finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
  }

  async #take(session: Session, apdu: Uint8Array, address: Uint8Array | undefined): Promise<void> {
    const { ctx, presence } = this.#tools;
    // A heartbeat has been heard already.
    if (address === undefined && greetingIn(apdu) !== undefined) return;
    const device = await this.#senderOf(session, address);
    if (device === undefined) return ctx.log.info('A push of a meter that is not in the archive', { dcuSn: session.dcu.sn });
    const opened = this.#open(apdu, device);
    if (opened === undefined) return;
    const { name, proof, confirmation } = opened;
    if (device.kind === 'meter') {
      if (proof !== undefined) device.peerCounter = Math.max(device.peerCounter, proof.counter);
      presence.meterHeard(device.id, ctx.clock.now(), device.peerCounter);
    }
    const hash = createHash('sha256').update(`${device.kind}/${device.id}/`).update(name).digest();
    const meterId = device.kind === 'meter' ? device.id : null;
    await ctx.db.transaction().execute(async (tx) => {
      if (!(await insertReceipt(tx, { hash, dcuId: session.dcu.id, meterId }))) return;
      if (await isReadingDue(tx, session.dcu.id, meterId)) return;
      await createTask(tx, {
        kind: 'events',
        source: 'system',
        title: 'Alarm',
        params: { source: 'push', lookBackDays: LOOK_BACK_DAYS },
        priority: PUSH_PRIORITY,
        createdBy: null,
        items: [{ deviceKind: device.kind, dcuId: session.dcu.id, meterId }],
      });
    });
    if (confirmation !== undefined) confirm(session, device, address, confirmation);
  }

  async #senderOf(session: Session, address: Uint8Array | undefined): Promise<Device | undefined> {
    if (address === undefined) return this.#tools.devices.dcu(session.dcu);
    const id = await findMeterAt(this.#tools.ctx.db, session.dcu.id, Buffer.from(address));
    return id === undefined ? undefined : this.#tools.devices.meter(id);
  }

  /** Undefined: it is broken, replayed, or not from who it says; nobody hears of that but the log. */
  #open(apdu: Uint8Array, device: Device): Opened | undefined {
    const { cipher, ctx } = this.#tools;
    const keysOf: KeysOf = () => (device.keys === undefined ? undefined : { cipher, keys: device.keys, lastCounter: device.peerCounter });
    try {
      if (apdu[0] === EVENT_NOTIFICATION) {
        const { plain, proof } = openEvent(apdu, keysOf);
        return { name: plain, proof, confirmation: undefined };
      }
      const notification = openNotification(apdu, keysOf);
      return { name: notification.plain, proof: notification.proof, confirmation: confirmNotification(notification) };
    } catch (error) {
      if (!(error instanceof DecodeError || error instanceof AssociationError)) throw error;
      ctx.log.info('A push could not be opened', { error, sn: device.sn });
      return undefined;
    }
  }

  /** Waits for what is being taken. */
  async stop(): Promise<void> {
    await Promise.all(this.#taking);
  }
}

function confirm({ connection }: Session, device: Device, address: Uint8Array | undefined, apdu: Uint8Array): void {
  if (connection.closed) return;
  const payload = address === undefined ? apdu : encodeGateway({ response: true, networkId: 0, address }, apdu);
  connection.send({ source: device.clientSap, destination: device.serverSap }, payload);
}
