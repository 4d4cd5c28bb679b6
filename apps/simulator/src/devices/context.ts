import type { Faults } from '#control/faults.ts';
import type { Recordings } from '#control/recordings.ts';
import type { Witness } from '#control/witness.ts';
import type { FirmwareShelf } from './firmware.ts';
import type { Keyring } from './keyring.ts';
import type { NetworkState } from '#world/network.ts';
import type { World } from '#world/world.ts';

/** What meters have sent since the start, so that a test can prove that its traffic was of the kind it means. */
export interface Tally {
  /** Blocks of GET responses. */
  blocks: number;
  /** Reads of profile buffers by logical name, and how many of them were answered in blocks. */
  buffers: Map<string, { reads: number; inBlocks: number }>;
  /** Octets of the longest answer in blocks, by serial number. */
  longest: Map<string, number>;
  /** Answers of meters of another stack, by serial number. */
  foreign: Map<string, number>;
}

export const newTally = (): Tally => ({ blocks: 0, buffers: new Map(), longest: new Map(), foreign: new Map() });

/** What every device of a running simulation shares. */
export interface FleetContext {
  world: World;
  faults: Faults;
  recordings: Recordings;
  firmware: FirmwareShelf;
  keys: Keyring;
  /** What happened to the networks of all DCUs. */
  network: NetworkState;
  /** True time, epoch milliseconds. */
  now(): number;
  /** `fast`: no latency, no loss, no waiting before reconnecting. */
  channel: 'town' | 'fast';
  /** Meters answer over a real power line, all of its delays divided by this; undefined: as `channel` says. */
  lineSpeed: number | undefined;
  tally: Tally;
  /** Ports on this machine at which meters of another DLMS stack answer in the place of simulated ones, by serial number. */
  foreign: Map<string, number>;
  /** `mixed`: the management client authenticates with every mechanism, each meter with its own. */
  authentication: 'gmac' | 'mixed';
  heartbeatSeconds: number;
  /** Sees what the head-end does, where somebody wants to know. */
  witness: Witness | undefined;
  /** Certificates with which DCUs speak TLS; undefined: plain TCP. */
  tlsFolder: string | undefined;
}
