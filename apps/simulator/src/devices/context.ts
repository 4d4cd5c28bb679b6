import { REFERENCE_SHAPES, type DcuShapes } from '@hes/dlms/profile/dcu-shapes.ts';
import type { Faults } from '#control/faults.ts';
import type { Recordings } from '#control/recordings.ts';
import type { OracleLog } from '#control/oracle-log.ts';
import type { FirmwareRegistry } from './firmware.ts';
import type { Authority } from './authority.ts';
import type { Keyring } from './keyring.ts';
import type { FleetAuthentication } from './rules.ts';
import type { NetworkState } from '#world/network.ts';
import type { World } from '#world/world.ts';

/** Counters of sent traffic since the start, with which a test verifies that its traffic was of the intended kind. */
export interface Tally {
  /** Blocks of GET responses. */
  blocks: number;
  /** Reads of profile buffers by logical name, and the number of those answered in blocks. */
  buffers: Map<string, { reads: number; inBlocks: number }>;
  /** Octets of the longest response in blocks, by serial number. */
  longest: Map<string, number>;
  /** Responses of meters of another DLMS stack, by serial number. */
  foreign: Map<string, number>;
  /** Objects that DCUs were asked for and do not have: serial number, class and logical name. */
  absent: Set<string>;
}

export const newTally = (): Tally => ({ blocks: 0, buffers: new Map(), longest: new Map(), foreign: new Map(), absent: new Set() });

/** What the DCUs of a fleet are like. */
export interface DcuModel {
  /** They forward requests to their meters, have a name and a clock, and refuse everything else. */
  isPlainGateway: boolean;
  /** Shapes of their arrays, and numbers of their scripts. */
  shapes: DcuShapes;
}

export const REFERENCE_MODEL: DcuModel = { isPlainGateway: false, shapes: REFERENCE_SHAPES };

/** How a fleet dials. Default: by its channel. A large fleet that redials every 300 ms occupies a machine before any head-end listens. */
export interface DialPace {
  /** The first connections of the devices are spread over this time. */
  startSpreadMs?: number | undefined;
  /** Longest wait between two attempts. */
  longestWaitMs?: number | undefined;
}

/** State shared by all devices of a running simulation. */
export interface FleetContext {
  world: World;
  faults: Faults;
  recordings: Recordings;
  firmware: FirmwareRegistry;
  keys: Keyring;
  /** Changes to the networks of all DCUs. */
  network: NetworkState;
  /** True time, epoch milliseconds. */
  now(): number;
  /** `fast`: no latency, no loss, no delay before reconnecting. */
  channel: 'realistic' | 'fast';
  /** Meters respond over a realistic power line with its delays divided by this; undefined: as `channel` says. */
  lineSpeed: number | undefined;
  tally: Tally;
  /** Ports on this machine at which meters of another DLMS stack respond in place of simulated ones, by serial number. */
  foreign: Map<string, number>;
  authentication: FleetAuthentication;
  /** Certifies meters that sign, and the head-end. */
  authority: Authority;
  /** Meters have short names only: they refuse associations by logical names. */
  hasShortNames?: boolean | undefined;
  heartbeatSeconds: number;
  dialPace: DialPace;
  dcuModel: DcuModel;
  /** Records the behaviour of the head-end; undefined: not recorded. */
  oracle: OracleLog | undefined;
  /** Folder of certificates with which DCUs speak TLS; undefined: plain TCP. */
  tlsFolder: string | undefined;
}
