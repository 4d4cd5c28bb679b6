import { DCU_PARTS, type DcuPart } from '@hes/contract/asset/dcu-part.ts';
import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import { failed, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import type { CachedType } from '@hes/contract/states/plan.ts';
import type { UplinkReading } from '@hes/contract/states/uplink.ts';
import type { CosemDateTime } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';
import type { DeviceLink } from '#field/link.ts';

/** An open association with a DCU, and what its adapter needs to know of the utility. */
export interface DcuLink {
  link: DeviceLink;
  dcuId: string;
  /** Start of the work, epoch milliseconds. */
  now: number;
  zone: Zone;
}

/** One meter in the archive of a DCU. Serial numbers are in upper case. */
export interface ArchivedMeter {
  sn: string;
  entry: ArchiveEntry;
}

/** Target of a change. Entries that are in neither part stay unchanged. */
export interface ArchiveTarget {
  wanted: ReadonlyMap<string, ArchiveEntry>;
  unwanted: ReadonlySet<string>;
}

/** Receives the result of serial numbers as soon as it is known. */
export interface ArchiveProgress {
  /** Read back after a change: the present entries; null for a removed one. */
  proved(entries: ReadonlyMap<string, ArchiveEntry | null>, refused: ReadonlyMap<string, ReasonCode>): Promise<void>;
  /** Sent without a response: the change may have been executed. */
  unknown(sns: readonly string[], reason: ReasonCode): Promise<void>;
}

export interface ArchiveChange {
  counts: { inserted: number; updated: number; removed: number; refused: number };
  refused: Map<string, ReasonCode>;
}

export interface ArchivePart {
  /** Round trips so far, without the blocks of long responses. */
  readonly frames: number;
  count(): Promise<Outcome<number>>;
  /** Reads the whole archive. `known` fills the fields that the DCU does not keep, so that they count as equal. */
  read(known: ReadonlyMap<string, ArchiveEntry>): Promise<Outcome<ArchivedMeter[]>>;
  /**
   * Changes the archive, as read last, to its target. Only missing or wrong entries are sent, so a repetition inserts no duplicates. Ends when
   * the link is lost; entries of the open request are then unknown.
   */
  change(target: ArchiveTarget, progress: ArchiveProgress): Promise<Outcome<ArchiveChange>>;
}

/** A meter that a DCU has found. */
export interface FoundMeter {
  sn: string;
  address: string;
  protocol: 'dlms' | 'other';
  communicationMode: 'plc' | 'rf' | 'rs485';
  phase: string;
  hops: number;
  signal: number;
  firstSeen: Date;
  lastSeen: Date;
}

export interface DiscoveryPart {
  start(): Promise<Outcome<void>>;
  stop(): Promise<Outcome<void>>;
  found(): Promise<Outcome<FoundMeter[]>>;
  /** Empties the list of found meters in the DCU. */
  clear(): Promise<Outcome<void>>;
}

/** A station in the network of a DCU. */
export interface Station {
  mac: string;
  nodeId: number;
  sn: string;
  /** Null: the DCU. */
  parentMac: string | null;
  level: number;
  role: 'cco' | 'pco' | 'sta';
  phase: 'a' | 'b' | 'c' | 'abc' | 'unknown';
  link: 'plc' | 'rf';
  signalValue: number;
  upPct: number;
  downPct: number;
  onlineSince: string | null;
}

/** A communication module of a network. */
export interface Module {
  mac: string;
  role: 'cco' | 'pco' | 'sta';
  chipId: string;
  vendor: string;
  hwVersion: string;
  swVersion: string;
  boots: number;
  uptimeS: number;
  /** The entry as the DCU has it. */
  raw: Record<string, unknown>;
}

export type NetworkCommand = 'report_on' | 'report_off' | 'rebuild' | 'restart_route_module';

/** A read that a DCU executes on schedule. */
export interface DcuTask {
  taskId: number;
  start: CosemDateTime;
  /** 0: once. */
  periodSeconds: number;
  objects: { classId: number; instance: Obis; attributeId: number; dataIndex: number }[];
  /** Rows of a profile, back from the newest. */
  depth: number;
  priority: number;
  enabled: boolean;
}

/** Changes of the tasks, as read last. Places count from 1. */
export interface TaskChange {
  inserts: readonly DcuTask[];
  updates: readonly { place: number; entry: DcuTask }[];
  /** Ascending. */
  removals: readonly number[];
}

export interface TaskPart {
  /** Fields of an entry that the DCU keeps; others are not compared. */
  readonly fields: ReadonlySet<string>;
  read(): Promise<Outcome<DcuTask[]>>;
  change(change: TaskChange): Promise<Outcome<unknown>>;
  /** Whether the DCU keeps the rows of a profile that a task has read. */
  keeps(profile: CachedType): Promise<Outcome<boolean>>;
}

/** Rows of one meter by columns; NaN: no value. */
export interface CachedRows {
  stamps: number[];
  /** Length of the interval that the row ends, in seconds; NaN: not captured. */
  periods: number[];
  status: number[];
  /** Columns by value index; undefined: not in the cache. */
  values: (number[] | undefined)[];
}

export interface CacheQuery {
  profile: CachedType;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
}

/** An image transfer object of a DCU. */
interface ImagePart {
  image: Obis;
}

/** An image that the DCU activates by a command, not by its image transfer object. */
interface OrderedImagePart extends ImagePart {
  activate(): Promise<Outcome<void>>;
}

/** What a DCU has, by the names of the contract. A member that is missing does not exist in the DCU. */
interface EveryPart {
  archive: ArchivePart;
  discovery: DiscoveryPart;
  topology(): Promise<Outcome<Station[]>>;
  modules(): Promise<Outcome<Module[]>>;
  /** Restarts the module with this address. */
  station_restart(mac: string): Promise<Outcome<void>>;
  network(command: NetworkCommand): Promise<Outcome<void>>;
  tasks: TaskPart;
  /** Restarts the DCU, which responds before. */
  restart(): Promise<Outcome<void>>;
  factory_reset(): Promise<Outcome<void>>;
  /** Sends the time of the DCU to all meters that accept it. */
  clock_broadcast(): Promise<Outcome<void>>;
  /** The parameters of the reference profile, see `contract/action/dcu-parameter.ts`. */
  parameters: true;
  /** The log of the reference profile. */
  event_log: true;
  firmware: ImagePart;
  rt_firmware: OrderedImagePart;
  sta_firmware: OrderedImagePart;
  /** Activation sends the verified image to all meters. */
  image_broadcast: OrderedImagePart;
}

/**
 * The services of a DCU itself; meters behind it are reached by forwarding. Every part is optional. The head-end does the work of a part
 * that a make lacks, or refuses the orders that need it.
 */
export interface DcuParts extends Partial<EveryPart> {
  /** Rows that the DCU has read from its meters, by serial number; missing: it keeps none. */
  cache?(query: CacheQuery): Promise<Outcome<Map<string, CachedRows>>>;
  /** Mobile network status of the modem; missing: the DCU has no modem that it reports. */
  signal?(): Promise<Outcome<UplinkReading>>;
}

/** Every part has a member of the same name, and the contract knows every member. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const hasEveryPart: Same<keyof EveryPart, DcuPart> = true;
void hasEveryPart;

/** Outcome of an order that needs a part which the DCU lacks. */
export const lacks = (part: DcuPart) => failed(DCU_PARTS[part].reason);
