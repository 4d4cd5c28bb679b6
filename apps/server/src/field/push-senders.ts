import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Db } from '#db/context.ts';
import type { Device, Devices, MeterDevice } from './devices.ts';
import { findMeterAddresses } from './push-queries.ts';
import type { PushSource } from './push-source.ts';

/** Minimum interval between two queries for the addresses of one DCU. */
const REFRESH_MS = 60_000;

interface Addresses {
  readAt: MonotonicMs;
  meters: Map<string, string>;
}

export interface PushSender {
  device: Device;
  /** The device, when it is a meter. */
  meter: MeterDevice | undefined;
}

/** Finds the claimed sender of a push. A flood of unknown addresses costs one query per minute and DCU. */
export class PushSenders {
  readonly #db: Db;
  readonly #devices: Devices;
  #bySession = new WeakMap<PushSource, Promise<Addresses>>();

  constructor(db: Db, devices: Devices) {
    this.#db = db;
    this.#devices = devices;
  }

  /** Undefined when no meter of the DCU has this address. A connected device sends no gateway prefix, or one with its serial number. */
  async find(session: PushSource, address: Uint8Array | undefined): Promise<PushSender | undefined> {
    const name = address && Buffer.from(address).toString('latin1');
    const isConnected = name === undefined || name === session.endpoint.sn;
    if (isConnected && session.endpoint.meterId === null) return { device: this.#devices.buildDcu(session.endpoint), meter: undefined };
    const id = isConnected ? session.endpoint.meterId : await this.#meterAt(session, name);
    const meter = id === undefined || id === null ? undefined : await this.#devices.loadMeter(id);
    return meter && { device: meter, meter };
  }

  async #meterAt(session: PushSource, name: string): Promise<string | undefined> {
    const known = await this.#bySession.get(session);
    const id = known?.meters.get(name);
    if (known !== undefined && (id !== undefined || msSince(known.readAt) < REFRESH_MS)) return id;
    const reading = this.#read(session.endpoint.id);
    this.#bySession.set(session, reading);
    reading.catch(() => this.#bySession.get(session) === reading && this.#bySession.delete(session));
    return (await reading).meters.get(name);
  }

  async #read(dcuId: string): Promise<Addresses> {
    const readAt = monotonicNow();
    const meters = await findMeterAddresses(this.#db, dcuId);
    return { readAt, meters: new Map(meters.map(({ id, address }) => [address, id])) };
  }

  /** Clears the cache after meters were changed. */
  forget(): void {
    this.#bySession = new WeakMap();
  }
}
