import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed } from '@hes/contract/core/outcome.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import { SPOKEN } from '@hes/contract/asset/spoken.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/text/type-text.ts';
import type { Mechanism } from '@hes/dlms/security/hls.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { openKeys, openPassword, type DeviceKeys } from '#platform/device-keys.ts';
import { RequestBatcher } from './request-batcher.ts';
import type { CountedDevice } from './counters.ts';
import { Memories } from './memories.ts';
import { NO_MEMORY, type Memory } from './memory.ts';
import { MeterPlaces, type Places, type PushLists, USUAL_PLACES } from './meter-places.ts';
import type { Presence } from './presence.ts';
import { findMeterDevices, type DcuRow, type DeviceRef, type MeterDeviceRow } from './queries.ts';

type SecurityRow = Pick<DcuRow, 'sn' | 'authenticationType' | 'ekSecret' | 'akSecret' | 'passwordSecret'>;

/** Changed keys or addresses are seen after this at the latest. */
const FRESH_MS = 60_000;
const MAX_DEVICES = 50_000;
const DEFAULT_APDU_SIZE = 1024;
/** Marks of when something was last compared with the meter. */
const CHECKED = 'checked:';

/** A device as an exchange needs it. */
export interface Device extends CountedDevice {
  sn: string;
  /** What the DCU's gateway calls it; undefined: it is the DCU. */
  address: Uint8Array | undefined;
  clientSap: number;
  serverSap: number;
  systemTitle: Uint8Array | undefined;
  /** How it is associated with, or why it cannot be. */
  access: Credentials | Refusal;
  /** Open what the device pushes, and with GMAC what it answers. */
  keys: DeviceKeys | undefined;
  maxPduSize: number;
  /** The highest counter the device used towards us. */
  peerCounter: number;
  /** Where its model keeps what it has. */
  places: Places;
  /** Number of operations that use a link to it or wait for one. */
  runningLinks: number;
}

/** Moments in epoch milliseconds, by what they are about: up to when something was read, when it was last compared. */
export type Marks = Record<string, number>;

/** A meter, with what it has told about itself before. */
export interface MeterDevice extends Device {
  kind: 'meter';
  dcuId: string | null;
  meterTypeId: string;
  pushLists: PushLists;
  /** The highest counter under which it told something unasked. What it answered while a push was on its way makes that no replay. */
  pushCounter: number;
  periodSeconds: { lpa: number; lpb: number };
  memory: Memory;
  marks: Marks;
  /** Until when collection leaves it alone, epoch milliseconds, and for which time in a row; 0: it does not. */
  setAside: { until: number; times: number };
  /** When scalers were last compared with the meter's, by their keys in the memory. Epoch milliseconds; of this process only. */
  scalersCheckedAt: Map<string, number>;
}

/** What an association with a device is opened with. */
export interface Credentials {
  mechanism: Mechanism;
  /** For `low`, and the secret of MD5, SHA-1 and SHA-256. */
  password?: Uint8Array;
}
type Refusal = ReturnType<typeof failed>;

/** What the protocol calls the mechanisms; which of them may be used is said by `SPOKEN`. */
export const MECHANISM_OF: Record<AuthenticationType, Mechanism> = {
  none: 'none',
  low: 'low',
  high: 'hls',
  hls_md5: 'hlsMd5',
  hls_sha1: 'hlsSha1',
  hls_gmac: 'hlsGmac',
  hls_sha256: 'hlsSha256',
  hls_ecdsa: 'hlsEcdsa',
};

/** Of suite 0, the only one that is spoken. */
const KEY_OCTETS = 16;

/** Takes over the row of the archive. Counters, metadata and watermarks of this process are newer than those of the database. */
function refreshed(known: MeterDevice | undefined, loaded: MeterDevice): MeterDevice {
  if (known === undefined) return loaded;
  const { peerCounter, pushCounter, provedCounter, memory, scalersCheckedAt, marks, runningLinks } = known;
  return Object.assign(known, loaded, {
    peerCounter: Math.max(loaded.peerCounter, peerCounter),
    pushCounter,
    provedCounter: Math.max(loaded.provedCounter, provedCounter),
    memory,
    scalersCheckedAt,
    marks: { ...loaded.marks, ...marks },
    runningLinks,
  });
}

/** Meters, loaded for many workers at a time and kept while they are in use. */
export class Devices {
  readonly #ctx: Pick<Context, 'db' | 'pool' | 'secrets' | 'log'>;
  readonly #presence: Presence;
  readonly #places: MeterPlaces;
  readonly #memories: Memories;
  readonly #known: BoundedCache<string, { device: MeterDevice; loadedAt: MonotonicMs }>;
  readonly #loading: RequestBatcher<string, MeterDevice | undefined>;

  /** A meter in use, or with state that is not in the database yet, is never evicted: its next load would be another object with older state. */
  constructor(ctx: Pick<Context, 'db' | 'pool' | 'secrets' | 'log'>, presence: Presence, maxDevices = MAX_DEVICES) {
    this.#known = new BoundedCache(maxDevices, ({ device }) => device.runningLinks === 0 && !presence.isUnsaved(device.id));
    this.#ctx = ctx;
    this.#presence = presence;
    this.#places = new MeterPlaces(ctx.db);
    this.#memories = new Memories(ctx.pool);
    this.#loading = new RequestBatcher((ids) => this.#load(ids), { waitMs: 2, maxItems: 200 });
  }

  /** Undefined when there is no such meter. */
  async meter(id: string): Promise<MeterDevice | undefined> {
    return this.#fresh(id) ?? this.#keep(await this.#loading.load(id));
  }

  /** Loads these meters in one go. */
  async prepare(ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => this.#fresh(id) === undefined);
    if (missing.length > 0) for (const device of await this.#load(missing)) this.#keep(device);
  }

  /** These meters were changed: the next work loads them anew. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#known.delete(id);
  }

  /** What these meters told could not be kept: they are asked anew. Up to when they were read, they were. */
  unlearn(ids: readonly string[]): void {
    for (const id of ids) {
      const known = this.#known.get(id);
      if (known !== undefined) known.device.memory = NO_MEMORY;
    }
  }

  #fresh(id: string): MeterDevice | undefined {
    const known = this.#known.get(id);
    return known !== undefined && msSince(known.loadedAt) < FRESH_MS ? known.device : undefined;
  }

  /** Keeps one object per meter: operations run on a meter concurrently, and each must see the metadata that another one has read. */
  #keep(loaded: MeterDevice | undefined): MeterDevice | undefined {
    if (loaded === undefined) return undefined;
    const device = refreshed(this.#known.get(loaded.id)?.device, loaded);
    this.#known.set(device.id, { device, loadedAt: monotonicNow() });
    return device;
  }

  async #load(ids: string[]): Promise<(MeterDevice | undefined)[]> {
    const [rows] = await Promise.all([findMeterDevices(this.#ctx.pool, ids), this.#places.fresh()]);
    const memories = await this.#memories.load(new Set(rows.flatMap(({ memoryId }) => memoryId ?? [])));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = byId.get(id);
      return row && this.#deviceOf(row, memories.get(row.memoryId ?? '') ?? NO_MEMORY);
    });
  }

  #deviceOf(row: MeterDeviceRow, memory: Memory): MeterDevice {
    return {
      kind: 'meter',
      id: row.id,
      sn: row.sn,
      dcuId: row.dcuId,
      meterTypeId: row.meterTypeId,
      address: row.gatewayAddress ?? Buffer.from(row.sn, 'ascii'),
      clientSap: row.clientSap,
      serverSap: row.serverSap,
      systemTitle: row.systemTitle ?? undefined,
      ...this.#securityOf('meter', row),
      maxPduSize: row.apduSize ?? DEFAULT_APDU_SIZE,
      runningLinks: 0,
      periodSeconds: { lpa: row.lpaPeriodS, lpb: row.lpbPeriodS },
      peerCounter: Number(row.peerCounter),
      pushCounter: Number(row.peerCounter),
      ownMark: Number(row.ownMark),
      provedCounter: Number(row.provedCounter),
      places: this.#places.of(row.meterTypeId),
      pushLists: this.#places.pushListsOf(row.meterTypeId),
      memory,
      marks: row.marks,
      scalersCheckedAt: new Map(),
      setAside: { until: row.setAsideUntil?.getTime() ?? 0, times: row.setAsideTimes },
    };
  }

  /** The DCU itself as a device. */
  dcu(row: DcuRow): Device {
    const { id, sn, clientSap, serverSap } = row;
    const base = {
      kind: 'dcu',
      id,
      sn,
      clientSap,
      serverSap,
      address: undefined,
      peerCounter: -1,
      maxPduSize: row.apduSize,
      runningLinks: 0,
      places: USUAL_PLACES,
    } as const;
    return {
      ...base,
      ownMark: Number(row.ownMark),
      provedCounter: Number(row.provedCounter),
      systemTitle: row.systemTitle ?? undefined,
      ...this.#securityOf('dcu', row),
    };
  }

  #securityOf(kind: DeviceRef['kind'], row: SecurityRow): Pick<Device, 'access' | 'keys'> {
    const mechanism = MECHANISM_OF[row.authenticationType];
    const stored = this.#opened(kind, row, () => openKeys(this.#ctx.secrets, kind, row.sn, row));
    const keys = stored !== undefined && stored.ek.length === KEY_OCTETS && stored.ak.length === KEY_OCTETS ? stored : undefined;
    if (SPOKEN.authenticationType[row.authenticationType] !== true)
      return { keys, access: failed('SETTING_UNSUPPORTED', AUTHENTICATION_TEXT[row.authenticationType].en) };
    if (mechanism === 'none') return { keys, access: { mechanism } };
    if (mechanism === 'hlsGmac') {
      if (stored === undefined) return { keys, access: failed('KEYS_MISSING') };
      return { keys, access: keys === undefined ? failed('SETTING_UNSUPPORTED', `${stored.ek.length * 8} bit keys`) : { mechanism } };
    }
    const password = this.#opened(kind, row, () => openPassword(this.#ctx.secrets, kind, row.sn, row.passwordSecret));
    return { keys, access: password === undefined ? failed('KEYS_MISSING') : { mechanism, password } };
  }

  #opened<T>(kind: DeviceRef['kind'], { sn }: SecurityRow, open: () => T): T | undefined {
    try {
      return open();
    } catch (error) {
      // Sealed with another master key: this device cannot be read, its neighbours can.
      this.#ctx.log.error('The keys of a device cannot be opened with this master key', { error, kind, sn });
      return undefined;
    }
  }

  /** Keeps what a meter told about itself, here at once and in the database soon. */
  remember(device: MeterDevice, key: string, value: unknown): void {
    const before = device.memory;
    device.memory = this.#memories.learn(before, key, value);
    if (device.memory !== before) this.#presence.learnt(device.id, before, device.memory);
  }

  /**
   * Resolves once the metadata of the meter is in the database. Rows that were decoded by it must not be stored before. Rejects when the
   * write fails, and when another head-end has written other metadata: the next operation reads it again.
   */
  async kept(device: MeterDevice): Promise<void> {
    const hadMemory = device.memory !== NO_MEMORY;
    await this.#presence.kept(device.id);
    if (hadMemory && device.memory === NO_MEMORY) throw new Error('Another head-end has written what the meter tells of itself');
  }

  /** Something of the meter is not as it was: how its profiles are made up and what its registers count is asked for again. */
  distrust(device: MeterDevice): void {
    device.scalersCheckedAt.clear();
    for (const key of Object.keys(device.marks)) if (key.startsWith(CHECKED)) this.mark(device, key, 0);
  }

  /** Notes a moment, here at once and in the database soon. Never before what it says is committed. */
  mark(device: MeterDevice, key: string, at: number): void {
    device.marks[key] = at;
    this.#presence.mark(device.id, key, at, device.memory);
  }
}
