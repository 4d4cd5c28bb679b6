import type { Faults } from '#control/faults.ts';
import type { Recordings } from '#control/recordings.ts';
import type { Witness } from '#control/witness.ts';
import type { FirmwareShelf } from './firmware.ts';
import type { NetworkState } from '#world/network.ts';
import type { World } from '#world/world.ts';

/** What every device of a running simulation shares. */
export interface FleetContext {
  world: World;
  faults: Faults;
  recordings: Recordings;
  firmware: FirmwareShelf;
  /** What happened to the networks of all DCUs. */
  network: NetworkState;
  /** True time, epoch milliseconds. */
  now(): number;
  /** `fast`: no latency, no loss, no waiting before reconnecting. */
  channel: 'town' | 'fast';
  /** Meters answer over a real power line, all of its delays divided by this; undefined: as `channel` says. */
  lineSpeed: number | undefined;
  /** Blocks of GET responses that meters have sent. */
  tally: { blocks: number };
  /** `mixed`: the management client authenticates with every mechanism, each meter with its own. */
  authentication: 'gmac' | 'mixed';
  heartbeatSeconds: number;
  /** Sees what the head-end does, where somebody wants to know. */
  witness: Witness | undefined;
  /** Certificates with which DCUs speak TLS; undefined: plain TCP. */
  tlsFolder: string | undefined;
}
