import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed } from '@hes/contract/core/outcome.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import { HIGH_PASSWORD_OCTETS, isCiphered } from '@hes/contract/asset/spoken.ts';
import { keySizeOf, type SecuritySuite } from '@hes/dlms/security/cipher.ts';
import type { Mechanism } from '@hes/dlms/security/hls.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { openKeys, openPassword, type DeviceKeys } from '#platform/device-keys.ts';
import { openPrivateKey } from '#platform/own-key-pairs.ts';
import { certifiedOptions, type CertifiedOptions } from './certificates.ts';
import { RequestBatcher } from './request-batcher.ts';
import type { CountedDevice } from './counters.ts';
import { MeterMetadataCache } from './meter-metadata-cache.ts';
import { NO_METADATA, type MeterMetadata } from './meter-metadata.ts';
import { ObjectMapCache, type ObjectMap, type PushLists, STANDARD_OBJECTS } from './object-map.ts';
import type { DeviceStateWriter } from './device-state-writer.ts';
import { NO_QUIRKS, type Quirks } from './quirks.ts';
import { DCU_CERTIFICATE_SUITE, findMeterDevices, type EndpointRow, type DeviceRef, type MeterDeviceRow } from './queries.ts';

type SecurityRow = Pick<EndpointRow, 'sn' | 'authenticationType' | 'ekSecret' | 'akSecret' | 'passwordSecret' | 'certificates'>;

type ServiceSecurity = Pick<MeterDeviceRow, 'securitySuite' | 'ciphering' | 'keyAgreement' | 'generalSigning'>;
/** DCU types have no other. Suite 0 has no certificates. */
const dcuSecurityOf = ({ authenticationType }: EndpointRow): ServiceSecurity => ({
  securitySuite: authenticationType === 'hls_ecdsa' ? DCU_CERTIFICATE_SUITE : 0,
  ciphering: 'by_mechanism',
  keyAgreement: 'none',
  generalSigning: false,
});

/** Changed keys and addresses take effect after this time at the latest. */
const MAX_AGE_MS = 60_000;
const MAX_DEVICES = 50_000;
/** Prefix of keys of the time at which metadata was last compared with the meter. */
const CHECKED = 'checked:';

/** Address, credentials and counters that an association with a device needs. */
export interface Device extends CountedDevice {
  sn: string;
  /** Address of the meter at the gateway of its DCU; undefined: the connection leads to the device itself, a DCU or a direct meter. */
  address: Uint8Array | undefined;
  clientSap: number;
  serverSap: number;
  systemTitle: Uint8Array | undefined;
  /** Credentials of the association, or the reason why there is none. */
  access: Credentials | Refusal;
  /** Security suite of the type; DCUs use suite 0. */
  suite: SecuritySuite;
  /** Services are authenticated and encrypted. */
  isCiphered: boolean;
  /** The association needs no association request and is not released. */
  isPreEstablished: boolean;
  /** Whether the meter knows its objects by short names only. */
  hasShortNames: boolean;
  /** Peculiarities of its model that its requests must respect. */
  quirks: Quirks;
  /** Decipher pushes of the device, and its responses with GMAC. */
  keys: DeviceKeys | undefined;
  maxPduSize: number;
  /** Highest invocation counter received from the device. */
  peerCounter: number;
  /** Logical names of its model that differ from the standard ones. */
  objectMap: ObjectMap;
  /** Number of operations that use a link to it or wait for one. */
  runningLinks: number;
}

/** Epoch milliseconds by key: up to when a profile was read, when metadata was last compared with the meter. */
type Watermarks = Record<string, number>;

/** A meter with its cached metadata and watermarks. */
export interface MeterDevice extends Device {
  kind: 'meter';
  dcuId: string | null;
  meterTypeId: string;
  pushLists: PushLists;
  /** Highest counter of its pushes. Separate from `peerCounter`, because a response may overtake a push with a lower counter. */
  pushCounter: number;
  periodSeconds: { lpa: number; lpb: number };
  metadata: MeterMetadata;
  /** How often its metadata was discarded since this process knows it. */
  metadataLosses: number;
  watermarks: Watermarks;
  /** End of the pause of collection in epoch milliseconds, and number of consecutive pauses; 0: none. */
  setAside: { until: number; times: number };
  /** Time of the last comparison of each scaler with the meter, by metadata key. Epoch milliseconds; not stored in the database. */
  scalersCheckedAt: Map<string, number>;
}

/** Whether a meter has a connection of its own, and no DCU. */
export const isDirect = ({ address }: MeterDevice): boolean => address === undefined;

/** Credentials of an association, as its options. */
export interface Credentials extends CertifiedOptions {
  mechanism: Mechanism;
  /** Password of `low`, and secret of mechanism 2, MD5, SHA-1 and SHA-256. */
  password?: Uint8Array;
}
type Refusal = ReturnType<typeof failed>;

/** Mechanism names of the protocol library. */
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

/** Updates a cached meter from its row. Counters, metadata and watermarks of this process are newer than those of the database. */
function mergeLoaded(known: MeterDevice | undefined, loaded: MeterDevice): MeterDevice {
  if (known === undefined) return loaded;
  const { peerCounter, pushCounter, provedCounter, metadata, metadataLosses, scalersCheckedAt, watermarks, runningLinks } = known;
  return Object.assign(known, loaded, {
    peerCounter: Math.max(loaded.peerCounter, peerCounter),
    pushCounter,
    provedCounter: Math.max(loaded.provedCounter, provedCounter),
    metadata,
    metadataLosses,
    scalersCheckedAt,
    watermarks: { ...loaded.watermarks, ...watermarks },
    runningLinks,
  });
}

/** Cache of meters, loaded in batches. */
export class Devices {
  readonly #ctx: Pick<Context, 'db' | 'pool' | 'secrets' | 'clock' | 'log'>;
  readonly #deviceState: DeviceStateWriter;
  readonly #objectMaps: ObjectMapCache;
  readonly #metadataCache: MeterMetadataCache;
  readonly #known: BoundedCache<string, { device: MeterDevice; loadedAt: MonotonicMs }>;
  readonly #loading: RequestBatcher<string, MeterDevice | undefined>;

  /** A meter in use, or with state that is not in the database yet, is never evicted: its next load would be another object with older state. */
  constructor(ctx: Pick<Context, 'db' | 'pool' | 'secrets' | 'clock' | 'log'>, deviceState: DeviceStateWriter, maxDevices = MAX_DEVICES) {
    this.#known = new BoundedCache(maxDevices, ({ device }) => device.runningLinks === 0 && !deviceState.hasUnsavedState(device.id));
    this.#ctx = ctx;
    this.#deviceState = deviceState;
    this.#objectMaps = new ObjectMapCache(ctx.db);
    this.#metadataCache = new MeterMetadataCache(ctx.pool);
    this.#loading = new RequestBatcher((ids) => this.#load(ids), { waitMs: 2, maxItems: 200 });
  }

  /** Undefined when no meter has this id. */
  async loadMeter(id: string): Promise<MeterDevice | undefined> {
    return this.#findFresh(id) ?? this.#cache(await this.#loading.load(id));
  }

  /** Loads these meters with one statement. */
  async preload(ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => this.#findFresh(id) === undefined);
    if (missing.length > 0) for (const device of await this.#load(missing)) this.#cache(device);
  }

  /** Removes changed meters from the cache. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#known.delete(id);
  }

  /** Clears metadata that another head-end has changed, so that it is read again. Watermarks remain valid. */
  discardMetadata(ids: readonly string[]): void {
    for (const id of ids) {
      const known = this.#known.get(id);
      if (known === undefined) continue;
      known.device.metadata = NO_METADATA;
      known.device.metadataLosses++;
    }
  }

  #findFresh(id: string): MeterDevice | undefined {
    const known = this.#known.get(id);
    return known !== undefined && msSince(known.loadedAt) < MAX_AGE_MS ? known.device : undefined;
  }

  /** Keeps one object per meter: operations run on a meter concurrently, and each must see the metadata that another one has read. */
  #cache(loaded: MeterDevice | undefined): MeterDevice | undefined {
    if (loaded === undefined) return undefined;
    const device = mergeLoaded(this.#known.get(loaded.id)?.device, loaded);
    this.#known.set(device.id, { device, loadedAt: monotonicNow() });
    return device;
  }

  async #load(ids: string[]): Promise<(MeterDevice | undefined)[]> {
    const [rows] = await Promise.all([findMeterDevices(this.#ctx.pool, ids), this.#objectMaps.refresh()]);
    const metadataById = await this.#metadataCache.load(new Set(rows.flatMap(({ memoryId }) => memoryId ?? [])));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = byId.get(id);
      return row && this.#buildMeter(row, metadataById.get(row.memoryId ?? '') ?? NO_METADATA);
    });
  }

  #buildMeter(row: MeterDeviceRow, metadata: MeterMetadata): MeterDevice {
    return {
      kind: 'meter',
      id: row.id,
      sn: row.sn,
      dcuId: row.dcuId,
      meterTypeId: row.meterTypeId,
      address: row.isDirect ? undefined : (row.gatewayAddress ?? Buffer.from(row.sn, 'ascii')),
      clientSap: row.clientSap,
      serverSap: row.serverSap,
      systemTitle: row.systemTitle ?? undefined,
      ...this.#buildSecurity('meter', row, row),
      isPreEstablished: row.association === 'pre_established',
      hasShortNames: row.addressing === 'short',
      quirks: new Set(row.quirks),
      maxPduSize: row.apduSize,
      runningLinks: 0,
      periodSeconds: { lpa: row.lpaPeriodS, lpb: row.lpbPeriodS },
      peerCounter: Number(row.peerCounter),
      pushCounter: Number(row.peerCounter),
      ownMark: Number(row.ownMark),
      provedCounter: Number(row.provedCounter),
      objectMap: this.#objectMaps.objectMapOf(row.meterTypeId),
      pushLists: this.#objectMaps.pushListsOf(row.meterTypeId),
      metadata,
      metadataLosses: 0,
      watermarks: row.marks,
      scalersCheckedAt: new Map(),
      setAside: { until: row.setAsideUntil?.getTime() ?? 0, times: row.setAsideTimes },
    };
  }

  /** The device to which a connection leads. Throws when its direct meter was deleted. */
  async loadEndpoint(row: EndpointRow): Promise<Device> {
    if (row.meterId === null) return this.buildDcu(row);
    const meter = await this.loadMeter(row.meterId);
    if (meter === undefined) throw new Error(`The meter ${row.sn} was deleted`);
    return meter;
  }

  /** The DCU itself as a device. */
  buildDcu(row: EndpointRow): Device {
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
      objectMap: STANDARD_OBJECTS,
      isPreEstablished: false,
      hasShortNames: false,
      quirks: NO_QUIRKS,
    } as const;
    return {
      ...base,
      ownMark: Number(row.ownMark),
      provedCounter: Number(row.provedCounter),
      systemTitle: row.systemTitle ?? undefined,
      ...this.#buildSecurity('dcu', row, dcuSecurityOf(row)),
    };
  }

  #buildSecurity(
    kind: DeviceRef['kind'],
    row: SecurityRow,
    type: ServiceSecurity,
  ): Pick<Device, 'access' | 'keys' | 'suite' | 'isCiphered'> {
    const { securitySuite: suite, ciphering } = type;
    const mechanism = MECHANISM_OF[row.authenticationType];
    const stored = this.#openSealed(kind, row, () => openKeys(this.#ctx.secrets, kind, row.sn, row));
    const size = keySizeOf(suite);
    const keys = stored !== undefined && stored.ek.length === size && stored.ak.length === size ? stored : undefined;
    const security = { keys, suite, isCiphered: isCiphered(row.authenticationType, ciphering) };
    if ((security.isCiphered || mechanism === 'hlsGmac') && keys === undefined) {
      if (stored === undefined) return { ...security, access: failed('KEYS_MISSING') };
      const detail = `Keys of ${stored.ek.length * 8} bits in security suite ${suite}`;
      return { ...security, access: failed('SETTING_UNSUPPORTED', detail) };
    }
    const { secrets, clock } = this.#ctx;
    const open = (publicKey: Uint8Array, sealed: Uint8Array) =>
      this.#openSealed(kind, row, () => openPrivateKey(secrets, publicKey, sealed));
    const uses = { ...type, signsChallenges: mechanism === 'hlsEcdsa' };
    const certified = certifiedOptions(row.certificates ?? [], uses, { ...security, now: clock.now(), open });
    if (!certified.ok) return { ...security, access: certified };
    const access = { mechanism, ...certified.value };
    if (mechanism === 'none' || mechanism === 'hlsGmac' || mechanism === 'hlsEcdsa') return { ...security, access };
    const password = this.#openSealed(kind, row, () => openPassword(secrets, kind, row.sn, row.passwordSecret));
    if (password === undefined) return { ...security, access: failed('KEYS_MISSING') };
    if (mechanism === 'hls' && password.length > HIGH_PASSWORD_OCTETS)
      return { ...security, access: failed('SETTING_UNSUPPORTED', `A password of ${password.length} octets with mechanism 2`) };
    return { ...security, access: { ...access, password } };
  }

  #openSealed<T>(kind: DeviceRef['kind'], { sn }: SecurityRow, open: () => T): T | undefined {
    try {
      return open();
    } catch (error) {
      // The keys were sealed with another master key; other devices are not affected.
      this.#ctx.log.error('The keys of a device cannot be opened with this master key', { error, kind, sn });
      return undefined;
    }
  }

  /** Sets a value in the metadata of a meter; the database follows within seconds. */
  setMetadata(device: MeterDevice, key: string, value: unknown): void {
    const before = device.metadata;
    device.metadata = this.#metadataCache.withValue(before, key, value);
    if (device.metadata !== before) this.#deviceState.recordMetadata(device.id, before, device.metadata);
  }

  /**
   * Writes the metadata of the meter now and resolves after the commit. Rows that were decoded by it must not be stored before. `losses` is
   * `metadataLosses` when their read began. Rejects when the write fails, and when the metadata was discarded since then: columns without a
   * known scaler would be left out of the rows. The next operation reads metadata and rows again.
   */
  async flushMetadata(device: MeterDevice, losses: number): Promise<void> {
    await this.#deviceState.flushMetadata(device.id);
    if (device.metadataLosses !== losses) throw new Error('Another head-end has written other metadata of the meter');
  }

  /** Marks capture lists and scalers of a changed meter as unchecked, so that the next read compares them with the meter. */
  requireRecheck(device: MeterDevice): void {
    device.scalersCheckedAt.clear();
    for (const key of Object.keys(device.watermarks)) if (key.startsWith(CHECKED)) this.setWatermark(device, key, 0);
  }

  /** Sets a watermark; the database follows within seconds. The caller has committed the data that it covers. */
  setWatermark(device: MeterDevice, key: string, at: number): void {
    device.watermarks[key] = at;
    this.#deviceState.recordWatermark(device.id, key, at, device.metadata);
  }
}
