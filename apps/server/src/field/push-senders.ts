import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Db } from '#db/context.ts';
import type { Device, Devices, MeterDevice } from './devices.ts';
import { findMeterAddresses } from './push-queries.ts';
import type { Session } from './session.ts';

/** An address that is not among those of the DCU makes them be read again, at most so often. */
const FRESH_MS = 60_000;

interface Addresses {
  readAt: MonotonicMs;
  meters: Map<string, string>;
}

export interface PushSender {
  device: Device;
  /** The same, where it is a meter. */
  meter: MeterDevice | undefined;
}

/** Finds the device that a push claims to come from. A flood of addresses costs one query a minute and DCU. */
export class PushSenders {
  readonly #db: Db;
  readonly #devices: Devices;
  #bySession = new WeakMap<Session, Promise<Addresses>>();

  constructor(db: Db, devices: Devices) {
    this.#db = db;
    this.#devices = devices;
  }

  /** Undefined when no meter of the DCU has this address. A DCU names itself by no prefix, or by its own serial number in it. */
  async find(session: Session, address: Uint8Array | undefined): Promise<PushSender | undefined> {
    const name = address && Buffer.from(address).toString('latin1');
    if (name === undefined || name === session.dcu.sn) return { device: this.#devices.dcu(session.dcu), meter: undefined };
    const id = await this.#meterAt(session, name);
    const meter = id === undefined ? undefined : await this.#devices.meter(id);
    return meter && { device: meter, meter };
  }

  async #meterAt(session: Session, name: string): Promise<string | undefined> {
    const known = await this.#bySession.get(session);
    const id = known?.meters.get(name);
    if (known !== undefined && (id !== undefined || msSince(known.readAt) < FRESH_MS)) return id;
    const reading = this.#read(session.dcu.id);
    this.#bySession.set(session, reading);
    reading.catch(() => this.#bySession.get(session) === reading && this.#bySession.delete(session));
    return (await reading).meters.get(name);
  }

  async #read(dcuId: string): Promise<Addresses> {
    const readAt = monotonicNow();
    const meters = await findMeterAddresses(this.#db, dcuId);
    return { readAt, meters: new Map(meters.map(({ id, address }) => [address, id])) };
  }

  /** Meters were changed: their addresses are read again. */
  forget(): void {
    this.#bySession = new WeakMap();
  }
}
