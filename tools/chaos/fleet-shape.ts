import type { MeterAuthentication } from '../../apps/simulator/src/devices/rules.ts';
import type { FaultSpec } from './faults.ts';

export interface FleetMeter {
  sn: string;
  /** Serial number of its endpoint: its DCU, or a direct meter itself. */
  dcu: string;
  isDirect: boolean;
  /** A direct meter that speaks HDLC. */
  isHdlc: boolean;
  authentication: MeterAuthentication;
  /** The relay opens and closes remotely. */
  isSwitchable: boolean;
}

export interface Fleet {
  meters: FleetMeter[];
  dcus: string[];
}

/** A fault with its targets in this campaign. */
export interface Draw {
  name: string;
  spec: FaultSpec;
  /** Serial numbers of DCUs or meters. */
  targets: string[];
}
